"""Words as a BERT-like encoder counts them: lower case, punctuation apart, split into pieces of its vocabulary.

The rules are those of the uncased BERT models (Devlin et al. 2019, "BERT", with the WordPiece of Wu et al. 2016); a
tokenizer file that asks for others is refused, because vectors of wrong pieces look like any other vectors.
"""

import json
import unicodedata
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, Final

from elcano.graphs.errors import InputInvalid

LONGEST_WORD: Final = 100
"""Characters; a longer word is one unknown piece, as in the original."""
_INNER: Final = "##"
_CJK: Final = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)
"""Ideographs, each a word of its own; the ranges of the original, its gap included."""


class WordPiece:
    """Texts as numbers of a vocabulary.

    Args:
        vocabulary: the number of each piece; pieces within a word begin with `##`.
    """

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        self._vocabulary = vocabulary
        self._first, self._last = vocabulary["[CLS]"], vocabulary["[SEP]"]
        self._unknown = vocabulary["[UNK]"]
        self._of_word = lru_cache(maxsize=50_000)(self._split)

    @classmethod
    def read(cls, path: Path) -> "WordPiece":
        """The tokenizer that a `tokenizer.json` describes.

        Raises:
            InputInvalid: it works by other rules than ours.
        """
        told: Any = json.loads(path.read_text(encoding="utf-8"))
        model, normalizer = told.get("model") or {}, told.get("normalizer") or {}
        rules = (model.get("type", "WordPiece"), normalizer.get("type"), normalizer.get("lowercase"))
        missing = [piece for piece in ("[CLS]", "[SEP]", "[UNK]") if piece not in model.get("vocab", {})]
        if rules != ("WordPiece", "BertNormalizer", True) or missing:
            raise InputInvalid(
                "embeddings", f"{path} is no tokenizer of an uncased BERT model; choose a model that has one"
            )
        return cls(model["vocab"])

    def numbers(self, text: str, most: int) -> list[int]:
        """The pieces of `text` between the two marks of the model, at most `most` numbers in all."""
        room = most - 2
        found: list[int] = []
        for word in _words(text):
            found += self._of_word(word)
            if len(found) >= room:
                break
        return [self._first, *found[:room], self._last]

    def _split(self, word: str) -> tuple[int, ...]:
        """Always the longest piece that fits; a word that cannot be made of pieces is unknown as a whole."""
        if len(word) > LONGEST_WORD:
            return (self._unknown,)
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = _INNER if start else ""
            fitting = (end for end in range(len(word), start, -1) if prefix + word[start:end] in self._vocabulary)
            end = next(fitting, None)
            if end is None:
                return (self._unknown,)
            pieces.append(self._vocabulary[prefix + word[start:end]])
            start = end
        return tuple(pieces)


def _words(text: str) -> Iterator[str]:
    """Words and single signs, without accents, in lower case."""
    spaced = "".join(_spaced(sign) for sign in text)
    bare = "".join(sign for sign in unicodedata.normalize("NFD", spaced) if unicodedata.category(sign) != "Mn")
    # Sign by sign: lowering whole words would make a final sigma of a sigma, which the vocabulary does not have.
    return iter("".join(f" {sign} " if _is_mark(sign) else sign.lower() for sign in bare).split())


def _spaced(sign: str) -> str:
    """`sign` as the words are looked for in: ideographs stand alone, signs for machines are gone."""
    code = ord(sign)
    if sign in "\t\n\r":
        return " "
    if code in (0, 0xFFFD) or unicodedata.category(sign).startswith("C"):
        return ""
    return f" {sign} " if any(first <= code <= last for first, last in _CJK) else sign


def _is_mark(sign: str) -> bool:
    """Whether `sign` is punctuation; of ASCII everything that is neither letter, digit nor space counts as such."""
    if sign.isascii():
        return sign.isprintable() and not sign.isalnum() and sign != " "
    return unicodedata.category(sign).startswith("P")
