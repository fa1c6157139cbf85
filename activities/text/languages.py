"""Languages by their ISO 639-1 code, such as `de`: what is known of each, and which one words are read in now.

A task is read in one language from its first word to its last: that of its question, in which what was found is
compared with it. So it is said once, where the task begins (`use_language`), and holds for what that does, also in
other threads; tasks side by side do not see each other. It is English unless someone says otherwise.

There is one list of stop words, in two parts, because what tells nothing in a question may be what a text is about. A
search leaves out `STOP_WORDS` alone. Who weighs words, as the extractive model does, leaves out `WEIGHTLESS`: that
holds words people ask with as well. Were these left out of searches, `data types` would search for `data`. These are
the English ones. Of other languages a library has the list, and what people ask with is added here.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from functools import cache
from typing import Final

import regex
from stop_words import AVAILABLE_LANGUAGES, get_stop_words

ENGLISH: Final = "en"
_NAMES: Final = {
    **{"ar": "arabic", "bg": "bulgarian", "ca": "catalan", "cs": "czech", "da": "danish", "de": "german"},
    **{"el": "greek", "en": "english", "eo": "esperanto", "es": "spanish", "et": "estonian", "eu": "basque"},
    **{"fa": "persian", "fi": "finnish", "fr": "french", "ga": "irish", "gu": "gujarati", "he": "hebrew"},
    **{"hi": "hindi", "hu": "hungarian", "hy": "armenian", "id": "indonesian", "it": "italian", "ja": "japanese"},
    **{"ko": "korean", "lt": "lithuanian"},
    **{"ms": "malaysian", "ne": "nepali", "nl": "dutch", "no": "norwegian", "pl": "polish", "pt": "portuguese"},
    **{"ro": "romanian", "ru": "russian", "sk": "slovak", "sr": "serbian", "sv": "swedish", "ta": "tamil"},
    **{"tr": "turkish", "uk": "ukrainian", "vi": "vietnamese", "yi": "yiddish", "zh": "chinese"},
}
"""By code what snowballstemmer and stop-words call it; either may lack it."""
UNSPACED: Final = frozenset({"zh", "ja", "ko", "th", "lo", "km", "my"})
"""Languages whose words are taken apart by `unspaced`; Korean has spaces, and particles that cling to its words."""


@cache
def stemmer_of(language: str) -> str:
    """What snowballstemmer calls the language's stemmer; empty if there is none."""
    import snowballstemmer  # loads the rules of forty languages

    name = _NAMES.get(language, "")
    return name if name in snowballstemmer.algorithms() else ""


def name_of(language: str) -> str:
    """What libraries call the language, an English word in lower case; empty if nothing is known of it."""
    return _NAMES.get(language, "")


def is_known(language: str) -> bool:
    """Whether forms of a word, or words without spaces, are recognised in it."""
    return bool(stemmer_of(language)) or language in UNSPACED


_SPOKEN: Final[ContextVar[str]] = ContextVar("spoken", default=ENGLISH)


def get_current_language() -> str:
    """The code of the language, as `de`."""
    return _SPOKEN.get()


@contextmanager
def use_language(language: str) -> Iterator[None]:
    """Reads words in `language` within."""
    before = _SPOKEN.set(language)
    try:
        yield
    finally:
        _SPOKEN.reset(before)


_PARTS: Final = regex.compile(r"[\p{L}\p{M}]++")

_FUNCTION_WORDS: Final = """
a about above after again all also am an and any are as at be because been before being below between both but by can
cannot could did do does doing done down during each either else ever every few for from further had has have having
he her here hers him his however i if in into is it its itself just let like may me might mine more most must my
neither no nor not now of off on once one only or other our out over own per quite rather really same shall she should
so some such than that the their them then there these they this those through to too under until up upon us very via
was we were what when where whether which while who whom whose why will with within without would yes yet you your
"""
_CONTRACTIONS: Final = """
aren't can't couldn't didn't doesn't don't hadn't hasn't haven't he'd he'll i'd i'll i'm i've isn't it'd it'll
mightn't mustn't needn't shan't she'd she'll shouldn't that'd that'll there'd there'll they'd they'll they're they've
wasn't we'd we'll we're we've weren't who'd who'll won't wouldn't you'd you'll you're you've
"""
_ORDERS: Final = "describe explain get how use used using"
"""What nearly every question or order has."""
_MORE_FUNCTION_WORDS: Final = """
across against almost along already although always among another anybody anyone anything around away back became
behind enough even everybody everyone indeed instead least less much near never nobody none nothing often onto others
otherwise perhaps several since somebody somehow someone something still though throughout thus together toward unless
well whatever whenever whoever whole
"""
"""Some of them are nouns as well: `back`, `well`."""
_QUESTION_WORDS: Final = """
advantage advantages aspect aspects best better briefly come compare comparison detail details differ difference
differences different differs discuss exactly example examples find give given go good happen happens help important
kind kinds know known list main make makes making matter mean means missing need needed needs offer offers overview
possible provide provides question reason reasons say show summarise summarize summary tell thing things topic try
type types understand useful user users versus vs want way ways work working works write
"""
"""What people ask with rather than about. In a text they are everywhere and tell nothing."""

STOP_WORDS: Final = frozenset(f"{_FUNCTION_WORDS} {_CONTRACTIONS} {_ORDERS}".split())
"""Words that tell nothing wherever they stand."""

WEIGHTLESS: Final = STOP_WORDS.union(_MORE_FUNCTION_WORDS.split(), _QUESTION_WORDS.split())
"""Words that neither a question nor the fit of a text to it is measured by."""

ASKED_NOUNS: Final = frozenset(["list", "type", "types", "user", "users"])
"""Nouns that a short question is about nevertheless, so that they count in texts."""

_ASKING: Final = {
    "de": """
warum weshalb wieso wer wen wem wessen wie wieviel wieviele viel viele wann wo was welche welcher welches
welchem welchen wofür womit woran worauf woraus worin worüber wovon wozu wurde wurden worden gibt gab geben heißt hieß
nennt nannte
genannt bitte erkläre erklären beschreibe beschreiben zeige kann können lässt etwa beim ab per sowohl desto bzw
""",
    "es": """
qué quién quiénes cuál cuáles cómo cuándo dónde cuánto cuánta cuántos cuántas por para según llama llamaba llamó
llamaban explica explique explicar describe describa muestra fue fueron sido sería cual adónde
""",
    "fr": """
qui que quoi quel quelle quels quelles comment combien pourquoi quand où lequel laquelle lesquels lesquelles est
appelle appelait nomme nommait explique expliquez expliquer décris décrivez décrire montre c d j l m n s t qu jusqu
lorsqu puisqu quoiqu aux y été il elle
""",
    "it": """
chi che cosa quale quali quanto quanta quanti quante come quando dove perché perchè chiama chiamava chiamato spiega
spieghi spiegare descrivi descrivere mostra è c d l un all dall dell nell sull quell cos dov
""",
    "pt": """
quem que quê qual quais quanto quanta quantos quantas como quando onde porque porquê chama chamava explica explique
explicar descreva descrever mostra é são foi foram o a
""",
    "nl": """
wie wat welk welke hoe hoeveel wanneer waar waarom waarvoor waarmee waarin heet heette noemt noemde leg uit beschrijf
beschrijven toon werden wordt worden zijn kun kunt
""",
    "ru": """
кто что какой какая какое какие каких сколько когда где почему зачем как называется называют объясни опиши
""",
    "ar": "متى أين من ماذا ما كيف لماذا كم هل أي",
    "hi": "कब कहाँ कहां कौन क्या क्यों कैसे कितना कितने कितनी किस किसने किसका किसकी किसके",
    "tr": "ne nerede zaman kim neden niçin nasıl kaç hangi kimin mi mı mu mü",
    "vi": "gì nào ai đâu khi sao bao nhiêu thế vì mấy",
    "ja": "です ます した こと もの とは",
}


@cache
def stop_words(language: str) -> frozenset[str]:
    """Return the words that a search in the language leaves out; empty if no list is known."""
    if language == ENGLISH:
        return STOP_WORDS
    name = name_of(language)
    listed = get_stop_words(name) if name in AVAILABLE_LANGUAGES else []
    # `l'` and `c.` as `words` takes them.
    return frozenset(_PARTS.findall(" ".join([*listed, _ASKING.get(language, "")]).lower()))


@cache
def get_weightless_words(language: str) -> frozenset[str]:
    """What neither a question nor the fit of a text to it is measured by in the language."""
    return WEIGHTLESS if language == ENGLISH else stop_words(language)
