"""Reading a manual's reports again: the same quotation has the same key, and marks that cannot be right are refused."""

import argparse
from collections import Counter
from pathlib import Path

import pytest

from benchmarks.quality.reading import key_of, marks_in, questions_in, read, tallied

MANUAL = """# Ferries

## Ferry engines

A ferry engine is a large motor that turns the screws of a ferry. Ferry engines burn heavy oil in most harbours.

## Weather

Fog stops every ship in the harbour of the old town, whatever its captain says about it.
"""
QUESTIONS = """# on one page
What is a ferry engine?

What is a submarine?
"""
ENGINE = "A ferry engine is a large motor that turns the screws of a ferry."


def test_a_key_does_not_hang_on_spaces() -> None:
    assert key_of("What?", "one  two\nthree") == key_of("What?", "one two three")
    assert key_of("What?", "one two") != key_of("What", "one two")


def test_questions_are_lines_without_notes() -> None:
    assert questions_in(QUESTIONS) == ["What is a ferry engine?", "What is a submarine?"]


def test_every_line_that_is_no_mark_is_named() -> None:
    with pytest.raises(ValueError, match="line 2") as error:
        marks_in("aaaa answer # good\nbbbb maybe\n\ncccc\naaaa noise\naaaa answer")
    assert [line.split(":")[0] for line in str(error.value).splitlines()] == ["line 2", "line 4", "line 5"]


def test_marks_are_summed_over_what_was_read() -> None:
    lines = list(tallied(Counter(answer=3, noise=1, unread=5)))
    assert [line.split() for line in lines] == [
        ["answer", "3", "75.0%"],
        ["related", "0", "0.0%"],
        ["noise", "1", "25.0%"],
        ["wrong", "0", "0.0%"],
        ["unread", "5"],
    ]


@pytest.mark.parametrize("mode", ["simple", "iterative", "deep", "auto"])
async def test_a_folder_is_asked_and_its_marks_are_found_again(
    mode: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "manual").mkdir()
    (tmp_path / "manual" / "ferries.md").write_text(MANUAL)
    (tmp_path / "questions.txt").write_text(QUESTIONS)
    (tmp_path / "marks.txt").write_text(f"{key_of('What is a ferry engine?', ENGINE)} answer\n")
    await read(
        argparse.Namespace(
            folder=tmp_path / "manual",
            questions=tmp_path / "questions.txt",
            marks=tmp_path / "marks.txt",
            index=None,
            only=None,
            unread=False,
            mode=mode,
        )
    )
    printed = capsys.readouterr().out
    assert f"answer   {ENGINE!r}" in printed
    assert "What is a submarine?  [not answered]" in printed
    assert "1 questions not answered" in printed
