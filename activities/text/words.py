"""Words: the one tokenizer, for searching, weighing and comparing alike.

A word is a run of letters and digits of any script, with the marks that belong to them, in lower case and in NFC (as
documents are stored; NFKC would turn 10² into 102). `CO₂` is `co2`, and an exponent is a word of its own. `whale's` is
`whale`, `isn't` is one word, and anything else that is no letter or digit parts words, as it does in the full-text
index. Scripts without spaces are parted into pairs.
"""

import unicodedata
from collections.abc import Collection
from typing import Final

import regex

from elcano.activities.text.exponents import flatten_exponents
from elcano.activities.text.unspaced import is_unspaced, split_into_pairs, split_question_word

_WORD: Final = regex.compile(
    r"([\p{L}\p{N}][\p{L}\p{N}\p{M}]*+(?:'(?:d|ll|m|re|t|ve)(?![\p{L}\p{N}]))?+)(?:'s(?![\p{L}\p{N}]))?"
)
_TYPESET_APOSTROPHE: Final = "\u2019"


def split_words(text: str) -> list[str]:
    """The words of `text`, in order, repeated as often as they occur."""
    found = _find_word_runs(text)
    return [part for word in found for part in split_into_pairs(word)] if is_unspaced(text) else found


def asked_words(text: str, left_out: Collection[str] = ()) -> list[str]:
    """The words of a question or a query without those `left_out`, and without pairs of signs that tell nothing."""
    found = [word for word in _find_word_runs(text) if word not in left_out]
    if not is_unspaced(text):
        return found
    return [
        pair
        for word in found
        for part in split_question_word(word)
        for pair in split_into_pairs(part)
        if pair not in left_out
    ]


def _find_word_runs(text: str) -> list[str]:
    plain = unicodedata.normalize("NFC", flatten_exponents(text)).replace(_TYPESET_APOSTROPHE, "'").lower()
    found: list[str] = _WORD.findall(plain)
    return found
