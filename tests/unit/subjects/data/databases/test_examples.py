"""Questions that an operator saved: found by their words or whole, and refused together where a line is wrong."""

import asyncio
import json
from pathlib import Path

import pytest

from elcano.graphs.errors import InputInvalid
from elcano.subjects.data.databases.question_context import SqlExamples
from elcano.subjects.data.query_models import SqlExamplesInput

LINES = (
    {"question": "How much revenue did each shop make?", "sql": "SELECT shop, SUM(total) FROM sales GROUP BY shop"},
    {"question": "Which customers left?", "sql": "SELECT name FROM customers WHERE gone", "note": "churn"},
)


def asked(file: Path, question: str, database: str = "sales") -> list[str]:
    found = SqlExamples({"sales": file}).like(SqlExamplesInput(database=database, question=question))
    return [one.question for one in asyncio.run(found).examples]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "sales.jsonl"
    path.write_text("\n".join(json.dumps(line) for line in LINES) + "\n\n", encoding="utf-8")
    return path


def test_the_likest_comes_first_and_nothing_alike_is_nothing(file: Path) -> None:
    assert asked(file, "revenue of customers by shop") == [LINES[0]["question"], LINES[1]["question"]]
    assert asked(file, "churn") == [LINES[1]["question"]]
    assert asked(file, "penguins") == []
    assert asked(file, "revenue", database="other") == []
    assert asked(file, '" OR * NEAR( \0') == []


def test_a_file_is_read_anew_when_it_changes(file: Path) -> None:
    examples = SqlExamples({"sales": file})
    given = SqlExamplesInput(database="sales", question="penguins")
    assert asyncio.run(examples.like(given)).examples == ()
    file.write_text(json.dumps({"question": "How many penguins?", "sql": "SELECT 1"}), encoding="utf-8")
    assert len(asyncio.run(examples.like(given)).examples) == 1


def test_every_line_that_is_wrong_is_named(file: Path) -> None:
    file.write_text('{"question": "a", "sql": "b"}\nno\n{"question": "a"}\n', encoding="utf-8")
    with pytest.raises(InputInvalid, match=r"line 2.*line 3 \(/sql\)"):
        asked(file, "a")


def test_a_file_that_is_away_or_no_text_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputInvalid, match="cannot be read"):
        asked(tmp_path / "away.jsonl", "a")
    (tmp_path / "raw.jsonl").write_bytes(b"\xff\xfe")
    with pytest.raises(InputInvalid, match="not UTF-8"):
        asked(tmp_path / "raw.jsonl", "a")


def test_the_same_question_comes_first_and_is_found_alone(tmp_path: Path) -> None:
    alike = [{"question": f"How many orders, orders, orders of shop {n}?", "sql": "SELECT 1"} for n in range(20)]
    file = tmp_path / "sales.jsonl"
    lines = [*alike, {"question": "How many orders?", "sql": "SELECT 2", "note": "every row " * 50}]
    file.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert asked(file, "How many orders?")[0] == "How many orders?"
    examples = SqlExamples({"sales": file})
    found = asyncio.run(examples.find("sales", "how many order?"))
    assert found is not None
    assert found.sql == "SELECT 2"
    assert asyncio.run(examples.find("sales", "How many orders in 2024?")) is None
    assert asyncio.run(examples.find("other", "How many orders?")) is None


def test_where_nothing_is_alike_the_first_ones_are_named(file: Path) -> None:
    found = asyncio.run(SqlExamples({"sales": file}).like(SqlExamplesInput(database="sales", question="penguins")))
    assert found.others == tuple(line["question"] for line in LINES)
    near = asyncio.run(SqlExamples({"sales": file}).like(SqlExamplesInput(database="sales", question="churn")))
    assert near.others == ()
