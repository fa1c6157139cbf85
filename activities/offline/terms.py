"""Words as the extractive model counts them: stemmed, without question words, weighted by how much they tell.

Weights are inverse document frequencies. They come from the sources; where these cannot tell, the given passages stand
in for them.
"""

import math
import re
import threading
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from statistics import fmean
from typing import Final

import snowballstemmer

_WORD: Final = re.compile(r"[^\W_]+(?:['\u2019][a-z]+)?", re.IGNORECASE)
_STEMMER: Final = snowballstemmer.stemmer("english")
_STEMMING: Final = threading.Lock()
"""The stemmer keeps the word it works on in itself, and the model reads in threads."""

_FUNCTION_WORDS: Final = """
a about above across after again against all almost along already also although always am among an and another any
anyone anything are around as at away back be became because been before behind being below between both but by can
cannot could did do does doing done down during each either else enough even ever every few for from further had has
have having he her here hers him his i if in indeed instead into is it its itself just least less like may me might
mine more most much must my near neither never no nobody none nor not nothing now of off often on once one only onto or
other others otherwise our out over own per perhaps quite rather really same several shall she should since so some
somehow something still such than that the their them then there these they this those though through throughout thus
to together too toward under unless until up upon us very via was we well were what whatever when whenever where
whether which while who whoever whole whom whose why will with within without would yet you your
"""

_QUESTION_WORDS: Final = """
advantage advantages aspect aspects best better briefly come compare comparison describe detail details difference
differences different discuss example examples exactly explain find get give given go good happen happens help how
important kind kinds know known list main make makes making matter mean means missing need needed needs offer offers
overview possible provide provides question reason reasons say show summarise summarize summary tell thing things
topic try type types understand use used useful user users using want way ways work working works write differ
differs versus vs
"""
"""What people ask with rather than about. In a text they are everywhere and tell nothing."""

STOP_WORDS: Final = frozenset(f"{_FUNCTION_WORDS} {_QUESTION_WORDS}".split())

LEAST_WEIGHT: Final = 0.1
"""A word that is everywhere still counts a little; weights below zero would punish finding it."""


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
)
"""Words that texts use for one thing, or for it and its opposite: who asks what is unsafe reads what is secure."""
_BRITISH: Final = re.compile(r"(?<=[a-z]{4})is(?=(?:e|ed|es|er|ers|ing|ation|ations)$)")
"""`serialise` is `serialize`. Other words are changed as well, but in every text alike."""


@lru_cache(maxsize=100_000)
def root(word: str) -> str:
    """The stem of one lower-case word (Porter's second English algorithm), the same in both spellings."""
    with _STEMMING:
        return str(_STEMMER.stemWord(_BRITISH.sub("iz", word)))


_FIRST_OF_KIN: Final = {root(word): root(group.split()[0]) for group in _KIN for word in group.split()}


def stem(word: str) -> str:
    """The root of one lower-case word, or of the first word of its kin."""
    return _FIRST_OF_KIN.get(root(word), root(word))


@lru_cache(maxsize=10_000)
def kin(word: str) -> tuple[str, ...]:
    """The other words for the same thing, and the American spelling: what to search for beside `word`."""
    others = [one for group in _KIN for one in group.split() if stem(word) == stem(one)]
    return tuple(dict.fromkeys(one for one in (_BRITISH.sub("iz", word), *others) if one != word))


def words(text: str) -> list[str]:
    """The words of `text` in lower case, possessive endings removed."""
    return [re.sub(r"['\u2019]s?$", "", match.lower()) for match in _WORD.findall(text)]


def stems(text: str) -> list[str]:
    """The stems of the words that tell something, in order, repeated as often as they occur."""
    return [stem(word) for word in words(text) if word not in STOP_WORDS]


def content_words(text: str) -> tuple[str, ...]:
    """The words that tell something, one per stem, in order."""
    by_stem: dict[str, str] = {}
    for word in words(text):
        if word not in STOP_WORDS and (len(word) > 1 or not word.isascii() or word.isdigit()):
            by_stem.setdefault(stem(word), word)
    return tuple(by_stem.values())


@dataclass(frozen=True)
class Terms:
    """What a question asks about."""

    weights: Mapping[str, float]
    """By stem."""
    written: Mapping[str, str]
    """By stem, the word as the question has it."""

    @cached_property
    def total(self) -> float:
        """The weight of all terms together."""
        return sum(self.weights.values())

    def coverage(self, found: Collection[str]) -> float:
        """The share of the weight whose stems are among `found`, from 0 to 1; a question about nothing has 0."""
        return sum(self.weights[one] for one in self.weights if one in found) / self.total if self.total else 0.0

    def missing(self, found: Collection[str]) -> tuple[str, ...]:
        """The words that are not among `found`, the most telling first."""
        absent = [one for one in self.weights if one not in found]
        return tuple(self.written[one] for one in sorted(absent, key=lambda one: -self.weights[one]))

    def of(self, text: str) -> "Terms":
        """Only the terms that occur in `text`, with the same weights."""
        here = set(stems(text))
        return Terms({one: weight for one, weight in self.weights.items() if one in here}, self.written)


def weighted(question: str, given: Mapping[str, float], passages: Sequence[Collection[str]]) -> Terms:
    """The terms of `question`, weighted by `given` (by word), or else by their frequency among `passages` (stems)."""
    written = {stem(word): word for word in content_words(question)}
    if given:
        by_stem: dict[str, float] = {}
        for word, weight in given.items():
            key = stem(word.lower())
            by_stem[key] = max(weight, by_stem.get(key, 0.0))
        unknown = max(by_stem.values())
        weights = {one: by_stem.get(one, unknown) for one in written}
    else:
        weights = {one: _frequency_weight(one, passages) for one in written}
    usual = fmean(weights.values()) if weights else 0.0
    # A word stands for all of its kin, which together are more frequent than the one that was asked with.
    bounded = {one: min(weight, usual) if kin(written[one]) else weight for one, weight in weights.items()}
    return Terms({one: max(weight, LEAST_WEIGHT) for one, weight in bounded.items()}, written)


def _frequency_weight(one: str, passages: Sequence[Collection[str]]) -> float:
    """The inverse document frequency of BM25 in the form that is never negative."""
    holding = sum(one in passage for passage in passages)
    return math.log(1 + (len(passages) - holding + 0.5) / (holding + 0.5))
