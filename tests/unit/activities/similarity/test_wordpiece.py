"""Pieces as the uncased BERT models have them. The odd cases were checked against their own tokenizer."""

import json
from pathlib import Path
from typing import Any

import pytest

from elcano.activities.similarity.wordpiece import WordPiece
from elcano.graphs.errors import InputInvalid

VOCABULARY = [
    *("[PAD]", "[UNK]", "[CLS]", "[SEP]", "whale", "un", "##want", "##ed", "want", "naive", "!", "'", "[", "]", "mask"),
    *("北", "京", "is", "\u03b1", "##\u03c3", "e", "\u2013", "5", "##g", "$"),
]
NUMBERS = {piece: number for number, piece in enumerate(VOCABULARY)}


def pieces(text: str, most: int = 100) -> list[str]:
    return [VOCABULARY[number] for number in WordPiece(NUMBERS).numbers(text, most)[1:-1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Whale!", "whale !"),
        ("unwanted", "un ##want ##ed"),
        ("whaley whale", "[UNK] whale"),
        ("NAÏVE", "naive"),
        ("isn't", "[UNK] ' [UNK]"),
        ("北京is", "北 京 is"),
        ("\u0391\u03a3", "\u03b1 ##\u03c3"),
        ("whale\u200bis is\u0000 \ufffd", "[UNK] is"),
        ("whale\tis\nwhale\u00a0is", "whale is whale is"),
        ("whale\u2013is", "whale \u2013 is"),
        ("[MASK]", "[ mask ]"),
        ("$5g", "$ 5 ##g"),
        ("e" * 101, "[UNK]"),
        ("", ""),
    ],
)
def test_words_in_pieces(text: str, expected: str) -> None:
    assert pieces(text) == expected.split()


def test_the_end_is_marked_however_short_the_room() -> None:
    assert WordPiece(NUMBERS).numbers("whale is unwanted", 5) == [
        NUMBERS[one] for one in ("[CLS]", "whale", "is", "un", "[SEP]")
    ]


def told(kind: str, *, normalizer: str = "BertNormalizer", lowercase: bool = True, pieces: int = 99) -> dict[str, Any]:
    return {
        "normalizer": {"type": normalizer, "lowercase": lowercase},
        "model": {"type": kind, "vocab": dict(list(NUMBERS.items())[:pieces])},
    }


@pytest.mark.parametrize(
    "other",
    [
        {},
        told("BPE"),
        told("WordPiece", normalizer="NFC"),
        told("WordPiece", lowercase=False),
        told("WordPiece", pieces=3),
    ],
)
def test_a_tokenizer_of_other_rules_is_refused(tmp_path: Path, other: dict[str, Any]) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(other), encoding="utf-8")
    with pytest.raises(InputInvalid, match="no tokenizer of an uncased BERT model"):
        WordPiece.read(path)


def test_a_tokenizer_of_these_rules_is_read(tmp_path: Path) -> None:
    path = tmp_path / "tokenizer.json"
    path.write_text(json.dumps(told("WordPiece")), encoding="utf-8")
    assert WordPiece.read(path).numbers("whale", 9) == [2, 4, 3]
