"""The words by which nodes are found, made by the same rules for stored text and for queries.

They are made by rules that need no language: what differs from one language to the next would have to be known when
something is kept, and again when it is asked for. English plurals are folded by the S-stemmer (Harman, "How effective
is suffixing?", 1991); scripts without spaces are cut into pairs of signs.
"""

import re
import unicodedata
from typing import Final

LONGEST: Final = 60
"""Characters of a word; what is longer is no word, and is kept by its beginning."""
MOST: Final = 200
"""Words of one node."""

_WORD: Final = re.compile(r"[^\W_]+(?:[-'\u2019.][^\W_]+)*")
_UNSPACED: Final = re.compile(r"[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u9fff]+")
_EMPTY_WORDS: Final = (
    "a an and are as at be been by did do does for from had has have how if in into is it its may not of on "
    "or than that the their then these this those to was were what when where which who why will with"
)
_EMPTY: Final = frozenset(_EMPTY_WORDS.split())
"""English words that say nothing of what a text is about."""


def extract_search_words(text: str) -> tuple[str, ...]:
    """The words of a text, each once, in its order, at most 200; of a word with a hyphen also its parts."""
    found: dict[str, None] = {}
    for match in _WORD.finditer(unicodedata.normalize("NFKC", text).casefold()):
        for word in _list_word_forms(match.group()):
            if word not in _EMPTY:
                found.setdefault(_to_singular(word)[:LONGEST])
            if len(found) == MOST:
                return tuple(found)
    return tuple(found)


def _list_word_forms(word: str) -> list[str]:
    if _UNSPACED.fullmatch(word):
        return [word[at : at + 2] for at in range(max(1, len(word) - 1))]
    parts = re.split(r"[-'\u2019.]", word)
    return [word, *(part for part in parts if len(part) > 1)] if len(parts) > 1 else [word]


def _to_singular(word: str) -> str:
    if len(word) < 4 or not word.isascii():
        return word
    if word.endswith("ies") and not word.endswith(("eies", "aies")):
        return word[:-3] + "y"
    if word.endswith("es") and not word.endswith(("aes", "ees", "oes", "ses")):
        return word[:-1]
    if word.endswith("s") and not word.endswith(("us", "ss")):
        return word[:-1]
    return word
