"""Stems: words that are counted as one, because they are forms or spellings of one, or name one thing."""

import re
import threading
from functools import lru_cache
from typing import Final

import snowballstemmer

from elcano.activities.text.stopwords import WEIGHTLESS
from elcano.activities.text.words import words

_STEMMER: Final = snowballstemmer.stemmer("english")
_STEMMING: Final = threading.Lock()
"""The stemmer keeps the word it works on in itself, and texts are read in threads."""

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


def stems(text: str) -> list[str]:
    """The stems of the words that tell something, in order, repeated as often as they occur."""
    return [stem(word) for word in words(text) if word not in WEIGHTLESS]


def content_words(text: str) -> tuple[str, ...]:
    """The words that tell something, one per stem, in order."""
    by_stem: dict[str, str] = {}
    for word in words(text):
        if word not in WEIGHTLESS and (len(word) > 1 or not word.isascii() or word.isdigit()):
            by_stem.setdefault(stem(word), word)
    return tuple(by_stem.values())
