"""Suggests known names that resemble an unknown one."""

import difflib
import re
from collections.abc import Iterable
from typing import Final

MOST: Final = 5
LEAST_ALIKE: Final = 0.6
"""Of 1; `difflib`'s own ratio, under which names have little in common."""
_PARTS: Final = re.compile(r"[^\W\d_]+?(?=[A-Z][a-z]|_|\W|\d|$)|\d+")


def words_of(name: str) -> list[str]:
    """The words of a name in lower case: `unitPrice`, `unit_price` and `unit price` have the same ones."""
    return [part.lower() for part in _PARTS.findall(name)] or [name.lower()]


def find_similar_names(name: str, names: Iterable[str]) -> list[str]:
    """At most 5 of `names` that look like `name` or share a word with it, the nearest first."""
    wanted, own = name.lower(), set(words_of(name))
    rated = []
    for other in dict.fromkeys(names):
        bare = other.rpartition(".")[2]
        alike = difflib.SequenceMatcher(None, wanted, bare.lower()).ratio()
        theirs = set(words_of(bare))
        shared = len(own & theirs) / len(own | theirs) if own | theirs else 0.0
        if (rate := max(alike, 0.5 + shared / 2 if shared else 0.0)) >= LEAST_ALIKE:
            rated.append((-rate, other))
    return [other for _, other in sorted(rated)[:MOST]]
