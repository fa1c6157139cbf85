"""Rules by which two names are the same: articles and spelling do not count, every other word does.

A list of words that count could never be complete: `no`, `off`, `without`, `A` and `2` each turn a name into that of
something else. So the few words that do not count are listed, for the European languages that reports are written in;
in scripts without spaces they are particles. Words that only join others name an order or a negation, and belong to
the word that they stand before: `pain without nausea` is not `nausea without pain`.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from functools import lru_cache
from typing import Final

from elcano.text.languages import ENGLISH

_LINKS: Final[Mapping[str, str]] = {
    "en": "a an the of",
    "de": "der die das des dem den ein eine einer eines einem einen von vom",
    "fr": "le la les un une des de du l d",
    "es": "el la los las un una unos unas de del",
    "it": "il lo la i gli le un uno una l d di del dello della dei degli delle dell",
    "pt": "o a os as um uma uns umas de do da dos das d",
    "nl": "de het een van der des",
}
"""Articles, and what represents the genitive."""
_LINK_WORDS: Final = frozenset(word for listed in _LINKS.values() for word in listed.split())
NAME_LANGUAGES: Final = frozenset({*_LINKS, "ja", "ko", "th", "zh"})
_LINKS_OF_ONE_LANGUAGE: Final = frozenset("a an as d da das die do dos i l lo o of os um".split())  # noqa: SIM905
"""Words of other languages too: `of` is Dutch for `or`, `dos` is Spanish for `two`. They need the name's language."""
_JOINING: Final = """
no not non without with never less more fewer least most at off on in out before after during within under over above
below between from to by for per until till since against via as than only all any every other through across
nicht kein keine keiner keines keinem keinen ohne mit nie niemals weniger mehr mindestens höchstens vor nach während
innerhalb außerhalb ausserhalb unter über zwischen bei beim durch zu zum zur bis seit gegen für aus auf am im ins pro
als nur alle allen aller ab wegen trotz
pas sans avec jamais moins ni avant après pendant sous sur entre par pour à au aux en dans dès depuis jusqu chez contre
hors que toute toutes tous
sin con nunca menos más antes después durante dentro fuera bajo sobre por para al hasta desde contra según tras todas
todos
senza mai meno più né prima dopo entro sotto sopra tra fra per alla ai nel nella dal dalla su sul contro fino tutti
tutte fuori
não sem com mais nem após depois sob em na nos nas ao aos até fora todas
niet geen zonder met nooit minder meer minstens hoogstens voor tijdens binnen buiten onder boven tussen bij door tot
sinds tegen uit op aan alleen te
"""
JOINING_WORDS: Final = frozenset(_JOINING.split())
"""Negations, comparisons and prepositions: what they turn is the word behind them."""
_AND: Final = {**dict.fromkeys(("and", "plus", "und", "et", "ed"), ""), "y": "es", "e": "es it pt", "en": "nl"}
"""Words for `&`, and the languages in which they are; none: in all of them."""
_AT: Final = {"at": "", "à": "", "aos": "", "a": "es it pt"}
"""Before a number they only say when: `mortality at 30 days` is `30-day mortality`."""


def is_link(word: str, language: str) -> bool:
    """Whether a lower-case word of a name in `language` says nothing of what it names."""
    if word in _LINKS_OF_ONE_LANGUAGE:
        return is_own_link(word, language)
    return word in _LINK_WORDS


def is_own_link(word: str, language: str) -> bool:
    """Whether a lower-case word is such a one in `language` itself: `del` names a deletion in English."""
    return word in _LINKS.get(language, "").split()


def is_and(word: str, language: str) -> bool:
    """Whether a lower-case word of a name in `language` means `&`."""
    return word in _AND and (not _AND[word] or language in _AND[word].split())


def is_at(word: str, language: str) -> bool:
    """Whether a lower-case word of a name in `language` only says when, if a number follows it."""
    return word in _AT and (not _AT[word] or language in _AT[word].split())


_CASES: Final = (("", "m"), ("", "r"))
"""Endings of German adjectives."""
_PLURALS: Final[Mapping[str, tuple[tuple[str, str], ...]]] = {
    ENGLISH: (("", "s"), ("", "es"), ("y", "ies")),
    "de": (("", "e"), ("", "n"), ("", "en"), ("", "s"), ("", "es"), *_CASES),
    "fr": (("", "s"), ("", "x"), ("l", "ux")),
    "es": (("", "s"), ("", "es"), ("z", "ces"), ("án", "anes"), ("én", "enes"), ("ín", "ines"), ("ón", "ones")),
    "it": (("a", "e"), ("o", "i"), ("e", "i"), ("a", "he"), ("o", "hi"), ("io", "i")),
    "pt": (("", "s"), ("", "es"), ("l", "is"), ("m", "ns"), ("ão", "ões"), ("ão", "ães"), ("ão", "ãos")),
    "nl": (("", "s"), ("", "en"), ("", "n"), ("", "e"), ("s", "zen"), ("f", "ven")),
}
"""Endings of which one is the singular's, and the other the plural's or a case's. Stems are too little: those of
`position` and `positive`, and of `medical` and `medication`, are the same."""
_ALL_PLURALS: Final = {pair for pairs in _PLURALS.values() for pair in pairs} - {*_CASES, ("", "n")}
"""Those of every language but the ones that make another word in English: `Australian`, `safer`."""
_NOUN_PLURALS: Final = (
    *(("", ending) for ending in ("e", "n", "en", "s", "es", "er", "ern", "se", "nen")),
    *(("e", "s"), ("e", "es"), ("en", "s"), ("en", "es"), ("s", "es")),
)
"""Plural endings of German nouns; of adjectives `er` is the comparative's."""
_SHORTEST: Final = 3
"""Letters before an ending."""
_LONG: Final = 7
"""Letters of words that differ only in an ending of another language and are nevertheless one."""
_UMLAUTS: Final = str.maketrans("äöü", "aou")

_BRITISH: Final = tuple(
    (re.compile(pattern), american)
    for pattern, american in (
        (r"(?<=[a-z]{3}s)is$", "es"),  # `diagnosis`, as its plural
        (r"ae|oe(?!s?$)", "e"),
        (r"(?<=[a-z]{2})our", "or"),
        (r"(?<=[a-z][btv])re(?=s?$|d$)", "er"),
        (r"(?<=[a-z]{4})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)", "iz"),
        (r"(?<=[a-z]l)ys(?=(?:e|ed|es|er|ers|ing)$)", "yz"),
        (r"(?<=[a-z]{2}[aeio])ll?(?=(?:ed|ing|er|ers|or|ors|ment|ments)$)", "l"),
        (r"(?<=[a-z]{3})mme(?=s?$)", "m"),
        (r"(?<=[a-z]{3})ogue(?=s?$)", "og"),
        (r"(?<=^(?:def|off|lic))ence(?=s?$)", "ense"),
        (r"^sulph", "sulf"),
        (r"^aluminium$", "aluminum"),
        (r"^ageing$", "aging"),
        (r"(?<=judg)e(?=ment)", ""),
    )
)
"""To American spelling. A word that one of them spoils is spoilt in every name alike."""
_ONE_OUTCOME: Final = "mortality mortalities death deaths died".split()  # noqa: SIM905
"""Words that name one outcome whatever is studied."""
_LONGEST_ACRONYM: Final = 4
"""An AED is no ED."""
_IRREGULAR: Final = {
    **dict.fromkeys(_ONE_OUTCOME, _ONE_OUTCOME[0]),
    **{"women": "woman", "men": "man", "children": "child", "teeth": "tooth", "feet": "foot", "criteria": "criterion"},
    **{"bacteria": "bacterium", "indices": "index", "grey": "gray", "disc": "disk", "discs": "disk"},
}


def list_forms(word: str, language: str, *, noun: bool = False) -> frozenset[str]:
    """The forms of a word in number and case, itself among them, as `spell_alike` spells them."""
    own = spell_alike(word, language, noun=noun)
    endings = _NOUN_PLURALS if noun and language == "de" else _PLURALS.get(language, ())
    return frozenset({own, *_change_ending(own, endings, _SHORTEST), *_change_ending(own, _ALL_PLURALS, _LONG)})


def _change_ending(word: str, endings: Iterable[tuple[str, str]], least: int) -> Iterator[str]:
    """The forms of a word that have at least so many letters before their endings."""
    for first, second in endings:
        for end, other in ((first, second), (second, first)):
            if word.endswith(end) and len(word) - len(end) >= least:
                yield word[: len(word) - len(end)] + other


@lru_cache(maxsize=100_000)
def spell_alike(word: str, language: str, *, noun: bool = False) -> str:
    """A word in the one spelling that all of its spellings share, as `tumor` for `tumour`.

    Args:
        word: in lower case.
        language: ISO 639-1.
        noun: it is written with a capital letter, as nouns are in German, whose plurals have umlauts.
    """
    if language == "de":
        word = word.replace("ae", "ä").replace("oe", "ö").replace("ue", "ü")
        return word.translate(_UMLAUTS) if noun else word
    if language != ENGLISH:
        return word
    if len(word) > _LONGEST_ACRONYM:
        for pattern, american in _BRITISH:
            word = pattern.sub(american, word)
    return _IRREGULAR.get(word, word)
