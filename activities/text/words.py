"""Words: the one way in which texts are taken apart, for whoever searches, weighs or compares.

A word is a run of letters and digits of any script, with the marks that belong to them, in lower case and in NFC (as
documents are stored; NFKC would turn 10² into 102). `whale's` is `whale`, `isn't` is one word, and anything else that
is no letter or digit parts words, as it does in the full-text index. Scripts without spaces are not parted further.
"""

import unicodedata
from typing import Final

import regex

_WORD: Final = regex.compile(
    r"([\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:'(?:d|ll|m|re|t|ve)(?![\p{L}\p{N}]))?+)(?:'s(?![\p{L}\p{N}]))?"
)
_TYPESET_APOSTROPHE: Final = "\u2019"


def words(text: str) -> list[str]:
    """The words of `text`, in order, repeated as often as they occur."""
    plain = unicodedata.normalize("NFC", text).replace(_TYPESET_APOSTROPHE, "'").lower()
    found: list[str] = _WORD.findall(plain)
    return found
