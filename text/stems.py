"""Stems: words that are counted as one, because they are forms or spellings of one, or name one thing.

They are those of the language that is spoken at the moment (`spoken`). Spellings and what names one thing are known of
English alone; in a language without a stemmer a word is its own stem.

English verbs with a past that no stemmer resolves: `paid` is a form of `pay`, and texts about the past use it.

They are facts of the language. Left out are forms that are as often another word (`found`, `left`, `saw`, `rose`,
`led`, `fed`, `bit`, `lit`, `sat`, `ground`, `bore`, `lay`, `bound`, `wound`, `meant`, `read`, `smelt`, `spelt`,
`shot`, `drunk`), those
of words that tell nothing (`gave`, `went`), and those that are written alike in all forms (`cut`).
"""

import re
import threading
from collections.abc import Mapping
from functools import cache, lru_cache
from typing import Any, Final

from elcano.text.languages import ASKED_NOUNS, ENGLISH, UNSPACED, get_current_language, get_weightless_words, stemmer_of
from elcano.text.words import asked_words, split_words

_VERBS: Final = """
arise arose arisen, awake awoke awoken, begin began begun, bend bent, bite bitten, bleed bled, blow blew blown,
break broke broken, breed bred, bring brought, build built, burn burnt, buy bought, catch caught, choose chose chosen,
cling clung, creep crept, deal dealt, dig dug, draw drew drawn, dream dreamt, drink drank, drive drove driven,
eat ate eaten, fall fell fallen, feel felt, fight fought, flee fled, fling flung, fly flew flown,
forbid forbade forbidden, foresee foresaw foreseen, forget forgot forgotten, forgive forgave forgiven,
freeze froze frozen, grow grew grown, hang hung, hear heard, hide hid hidden, hold held, keep kept, kneel knelt,
lean leant, leap leapt, learn learnt, lend lent, lose lost, meet met, mislead misled,
mistake mistook mistaken, outgrow outgrew outgrown, overcome overcame, oversee oversaw overseen,
overtake overtook overtaken, overthrow overthrew overthrown, pay paid, prove proven, rebuild rebuilt, repay repaid,
resell resold, rewrite rewrote rewritten, ride rode ridden, ring rang, rise risen, run ran, see seen, seek sought,
sell sold, send sent, shake shook shaken, shine shone, shrink shrank shrunk, sing sang sung,
sink sank sunk, sleep slept, slide slid, speak spoke spoken, speed sped, spend spent, spill spilt,
spin spun, spoil spoilt, spring sprang sprung, stand stood, steal stole stolen, sting stung, stink stank,
strike struck stricken, strive strove striven, swear swore sworn, sweep swept, swell swollen, swim swam swum,
swing swung, take took taken, teach taught, tear tore torn, think thought, throw threw thrown,
undergo underwent undergone, undertake undertook undertaken, undo undid undone, uphold upheld, wake woke woken,
wear wore worn, weave wove woven, weep wept, win won, withdraw withdrew withdrawn, withhold withheld,
withstand withstood, write wrote written
"""

_FORMS: Final[Mapping[str, tuple[str, ...]]] = {verb.split()[0]: tuple(verb.split()) for verb in _VERBS.split(",")}
BASE: Final[Mapping[str, str]] = {form: base for base, forms in _FORMS.items() for form in forms[1:]}
"""The base form of each past form, both in lower case."""


def past_forms(base: str) -> tuple[str, ...]:
    """The past forms of an English verb that no stemmer leads back to `base`, its base form in lower case."""
    return _FORMS.get(base, (base,))[1:]


_STEMMING: Final = threading.Lock()
"""A stemmer keeps the word it works on in itself, and texts are read in threads."""

_KIN: Final = (
    "safe safely safety unsafe secure security insecure dangerous malicious untrusted harmful vulnerable",
    "clean cleanup cleans",
    "error exception",
    "concurrent concurrency parallel parallelism",
    "process multiprocess multiprocessing",
    "thread threading multithreaded multithreading",
    "delete remove erase",
    "directory folder",
    "configure configuration config setting settings",
    "fast quick speed performance",
    "own owner ownership",
)
"""Words that texts use for one thing, or for it and its opposite: who asks what is unsafe reads what is secure."""
_PARTED: Final = re.compile(
    r"\b(back|roll|shut|log|start|check)(?:ed|ing|s|ped|ping|ted|ting|ging|ged)?[ -](up|back|down|in|out)\b(?! to\b)",
    re.IGNORECASE,
)
"""Verbs that name what is written as one word as a noun: who backs up makes a backup."""
_OWN: Final = re.compile(
    r"(?<!\bmy )(?<!\byour )(?<!\bhis )(?<!\bher )(?<!\bits )(?<!\bour )(?<!\btheir )(?<!\bone's )(?<!\bwhose )"
    r"(?<!'s )(?<!s' )(?<!\u2019s )(?<!s\u2019 )(?<!\bvery )\bown\b",
    re.IGNORECASE,
)
"""The verb: whose own something is tells nothing, who owns it does."""
_TEXT_WEIGHTLESS: Final = get_weightless_words(ENGLISH) - ASKED_NOUNS
_BRITISH: Final = re.compile(r"(?<=[a-z]{4})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)")
"""`serialise` is `serialize`. Other words are changed as well, but in every text alike."""


@lru_cache(maxsize=200_000)
def root_in(language: str, word: str) -> str:
    """The stem of one lower-case word (Porter's second English algorithm and its kin), the same in both spellings."""
    if language in UNSPACED and word.isascii():
        language = ENGLISH  # The names and terms in their texts mostly are.
    stemmer = _load_stemmer(stemmer_of(language))
    if stemmer is None:
        return word
    with _STEMMING:
        return str(stemmer.stemWord(_BRITISH.sub("iz", word) if language == ENGLISH else word))


@cache
def _load_stemmer(algorithm: str) -> Any:
    import snowballstemmer  # loads the rules of forty languages

    return snowballstemmer.stemmer(algorithm) if algorithm else None


@cache
def _find_first_of_kin() -> Mapping[str, str]:
    return {root_in(ENGLISH, word): root_in(ENGLISH, group.split()[0]) for group in _KIN for word in group.split()}


def find_word_root(word: str) -> str:
    """The stem of one lower-case word in the language that is spoken."""
    return root_in(get_current_language(), word)


def find_word_stem(word: str) -> str:
    """The root of one lower-case word in its base form, or of the first word of its kin."""
    language = get_current_language()
    if language != ENGLISH:
        return root_in(language, word)
    own = root_in(ENGLISH, BASE.get(word, word))
    return _find_first_of_kin().get(own, own)


def list_synonyms(word: str) -> tuple[str, ...]:
    """The other words for the same thing, and the American spelling: what to search for besides `word`."""
    return _list_english_synonyms(word) if get_current_language() == ENGLISH else ()


@lru_cache(maxsize=10_000)
def _list_english_synonyms(word: str) -> tuple[str, ...]:
    others = [one for group in _KIN for one in group.split() if find_word_stem(word) == find_word_stem(one)]
    return tuple(dict.fromkeys(one for one in (_BRITISH.sub("iz", word), *others) if one != word))


def list_verb_forms(word: str) -> tuple[str, ...]:
    """The other forms of a verb, which a search for `word` does not find: `paid` for `pay`, and `pay` for `paid`."""
    return _list_english_verb_forms(word) if get_current_language() == ENGLISH else ()


@lru_cache(maxsize=10_000)
def _list_english_verb_forms(word: str) -> tuple[str, ...]:
    own = root_in(ENGLISH, word)
    base = BASE.get(word) or next((one for one in BASE.values() if root_in(ENGLISH, one) == own), None)
    return tuple(one for one in (base, *past_forms(base)) if root_in(ENGLISH, one) != own) if base else ()


def _rewrite_english_verbs(text: str) -> str:
    """Return English `text` with two-word verbs joined and the verb `own` separated from the adjective."""
    return _OWN.sub("owns", _PARTED.sub(lambda match: match[1] + match[2], text))


def list_stems(text: str) -> list[str]:
    """The stems of the words that tell something, in order, repeated as often as they occur."""
    language = get_current_language()
    left_out = get_weightless_words(language)
    if language == ENGLISH:
        text = _rewrite_english_verbs(text)
        left_out = _TEXT_WEIGHTLESS
    return [find_word_stem(word) for word in split_words(text) if word not in left_out]


def content_words(text: str) -> tuple[str, ...]:
    """The words that tell something, one per stem, in order."""
    by_stem: dict[str, str] = {}
    if get_current_language() == ENGLISH:
        text = _rewrite_english_verbs(text)
    for word in asked_words(text, get_weightless_words(get_current_language())):
        if len(word) > 1 or not word.isascii() or word.isdigit():
            by_stem.setdefault(find_word_stem(word), word)
    return tuple(by_stem.values())
