"""Questions from files: tables of any spreadsheet, JSON Lines, and what is wrong with a file, by its line."""

from pathlib import Path
from typing import Any

import pytest

from elcano.client import read_questions
from elcano.client.errors import InvalidFiles


def read(folder: Path, content: str | bytes, name: str = "questions.csv") -> list[dict[str, Any]]:
    file = folder / name
    file.write_bytes(content.encode() if isinstance(content, str) else content)
    return read_questions(file)


def test_a_table_with_questions_and_one_of_entities(tmp_path: Path) -> None:
    asked = read(tmp_path, '\ufeffquestion,team\r\n"Why, and ""how""?",a\r\n,\r\nWhen?,\r\n')
    assert asked == [
        {"question": 'Why, and "how"?', "row": {"team": "a"}},
        {"question": "When?", "row": {"team": ""}},
    ]
    assert read(tmp_path, "company;land\nAcme {x};\n") == [{"row": {"company": "Acme {x}", "land": ""}}]


def test_lines_of_json(tmp_path: Path) -> None:
    asked = read(tmp_path, '"Why?"\n\n{"question": "When?", "mode": "simple"}\n', "questions.jsonl")
    assert asked == [{"question": "Why?"}, {"question": "When?", "mode": "simple"}]


@pytest.mark.parametrize(
    ("name", "content", "fault"),
    [
        ("a.csv", b"", "no questions"),
        ("a.csv", b"question\n\n", "no questions"),
        ("a.csv", b"a,a\n1,2\n", "'a' is there twice"),
        ("a.csv", b"a,\n1,2\n", "'' is there twice, or empty"),
        ("a.csv", b"a\n1,2\n", "line 2 has 2 cells for 1 columns"),
        ("a.csv", b'a\n"1\n', "unexpected end"),
        ("a.csv", b"a\n\xe9\n", "UTF-8"),
        ("a.csv", b"a\n" + b"x" * 200_000, "field larger than"),
        ("a.jsonl", b'"a"\n{"b":\n', "line 2 is not JSON"),
        ("a.jsonl", b"[1]\n", "line 1 is neither"),
    ],
)
def test_what_cannot_be_read_is_told_by_its_line(tmp_path: Path, name: str, content: bytes, fault: str) -> None:
    with pytest.raises(InvalidFiles, match=fault):
        read(tmp_path, content, name)


def test_a_file_that_is_not_there(tmp_path: Path) -> None:
    with pytest.raises(InvalidFiles, match="No such file"):
        read_questions(tmp_path / "none.csv")
