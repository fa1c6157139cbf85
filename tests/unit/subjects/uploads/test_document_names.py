"""Names that may be kept, and why others may not."""

import unicodedata

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.subjects.uploads.document_names import hash_name, normalize_name


@pytest.mark.parametrize("name", ["a.txt", "folder/sub folder/Ärger.pdf", ".hidden", "..a/b..", "日本語/要約.md"])
def test_plain_names_stay_as_they_are(name: str) -> None:
    assert normalize_name(name) == unicodedata.normalize("NFC", name)


def test_one_name_that_is_written_in_two_ways_is_one_and_another_case_is_another() -> None:
    assert normalize_name("cafe\u0301.txt") == normalize_name("caf\u00e9.txt")
    assert hash_name("A.txt") != hash_name("a.txt")


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("", "is empty"),
        ("../secret", "`..`"),
        ("a/./b", "`.`"),
        ("a/ .. /b", "`..`"),
        ("/etc/passwd", "begins or ends"),
        ("a//b", "two of them"),
        ("C:\\a", "not by"),
        ("a\x00b", "U\\+0000"),
        ("a\u202egpj.exe", "U\\+202E"),
        ("a\u200bb", "U\\+200B"),
        ("x" * 4_000, "4000 characters"),
        ("é" * 200, "255 bytes"),
    ],
)
def test_hostile_names_are_refused_with_the_reason(name: str, why: str) -> None:
    with pytest.raises(InputInvalid, match=why):
        normalize_name(name)
