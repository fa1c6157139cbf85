"""Experts' passages become documents, each once; runs are counted by what they find and cite of them."""

import json
from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelResponse, ToolCallPart

from benchmarks.quality import scholarqa
from benchmarks.quality.spending import Spending
from elcano.activities.agents import agent_activity
from elcano.testing import ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research

ROWS: list[dict[str, Any]] = [
    {
        "id": "one",
        "question": "Why does oil float on water?",
        "answer": "It is lighter [0]. It does not mix [2][7].",
        "passages": [
            {"title": "Oil", "text": "Oil is lighter than water, so it floats on water."},
            {"title": "Glass", "text": "Glass is made of sand."},
            {"title": "Mixing", "text": "Oil does not mix with water, so it floats on water."},
        ],
    },
    {
        "id": "two",
        "question": "What is glass made of?",
        "answer": "Of sand [0].",
        "passages": [{"title": "Glass", "text": "Glass is made of sand."}],
    },
    {"id": "three", "question": "Without marks?", "answer": "Nobody knows.", "passages": []},
]
CLAIMS = [
    {
        "claim": "Glass is made of sand.",
        "label": "true",
        "passages": [{"title": "G", "text": "Glass is made of sand."}],
    },
    {"claim": "Glass has 12 parts.", "label": "false", "passages": [{"title": "G", "text": "Glass is made of sand."}]},
]
RUBRIC = {
    "id": "r",
    "question": "What is glass made of?",
    "items": [{"criterion": "says sand", "weight": 1.0, "evidence": ["Glass is made of sand."]}],
}


def test_passages_are_pooled_once_and_marks_beyond_them_are_ignored() -> None:
    documents, questions = scholarqa.pool_passages(ROWS)
    assert list(documents) == ["0000.md", "0001.md", "0002.md"]
    assert [(one.id, one.cited) for one in questions] == [
        ("one", frozenset({"0000.md", "0002.md"})),
        ("two", frozenset({"0001.md"})),
    ]


def test_all_parts_run_without_a_model(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write_data(tmp_path)
    scholarqa.main([str(tmp_path), *scholarqa.PARTS, "--mode", "simple", "--keep", str(tmp_path / "kept")])
    shown = {line[:47].strip(): line[47:].strip() for line in capsys.readouterr().out.splitlines()}
    assert shown["retrieval  recall@20 of cited passages"] == "1.000 of 2"
    assert shown["rubrics    key ingredients among the first 20"] == "1.000 of 1"
    assert shown["claims     balanced accuracy"] == "1.000 of 2 read of 2"
    assert shown["runs       expert's passages found"] == "1.000 of 2"
    assert any(one.startswith("tokens     writer") for one in shown)
    assert (tmp_path / "kept" / "two.md").is_file()


def write_data(folder: Path) -> None:
    for name, rows in (("expert_answers", ROWS), ("rubrics", [RUBRIC]), ("claims", CLAIMS)):
        (folder / f"{name}.jsonl").write_text("\n".join(map(json.dumps, rows)), encoding="utf-8")


def read_table(shown: str) -> dict[str, str]:
    cells = (line.strip("| ").split(" | ") for line in shown.splitlines() if line.startswith("| "))
    return {name: figure for name, figure in cells}


def test_a_model_is_measured_end_to_end_with_its_price(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(tmp_path)
    model = ScriptedModel()
    monkeypatch.setattr(agent_activity, "resolve_model", model.resolve)
    monkeypatch.setenv("ELCANO_MODEL_PRICES", '{"scripted": {"input": 2, "output": 10}}')
    scholarqa.main([str(tmp_path), *scholarqa.PARTS, "--model", "scripted:one", "--sample", "1", "--table"])
    table = read_table(capsys.readouterr().out)
    assert table["scripted:one"] == "1 question, `iterative`, seed 0"
    assert table["expert's passages found (`runs`)"] == "1.000 of 1"
    assert table["balanced accuracy (`claims`)"] == "0.500 of 2 read of 2"
    tasks = [task.kind for task in model.tasks]
    assert table["tokens in all"].endswith(f" in {len(tasks)} requests")
    assert tasks.count("reviewer") > 1
    dollars = float(table["price in all"].removesuffix(" USD"))
    tokens = int(table["tokens in all"].partition(" ")[0].replace(",", ""))
    assert 2e-6 * tokens < dollars < 10e-6 * tokens
    assert 0 < float(table["price of a run"].removesuffix(" USD")) < dollars


def test_a_model_without_a_price_is_not_called_free(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(tmp_path)
    monkeypatch.setattr(agent_activity, "resolve_model", ScriptedModel().resolve)
    scholarqa.main([str(tmp_path), "claims", "--model", "scripted:one", "--table"])
    assert read_table(capsys.readouterr().out)["price in all"] == "unknown: set ELCANO_MODEL_PRICES"


def test_what_was_paid_for_is_shown_though_a_later_run_fails(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    write_data(tmp_path)
    began: list[str] = []

    async def fail_later(question: str, **given: Any) -> ResearchOutcome:
        began.append(question)
        if len(began) > 1:
            raise OSError("the disk is full")
        return await run_research(question, **given)

    monkeypatch.setattr(scholarqa, "run_research", fail_later)
    with pytest.raises(OSError, match="the disk is full"):
        scholarqa.main([str(tmp_path), "runs", "--mode", "simple", "--table"])
    assert read_table(capsys.readouterr().out)["expert's passages found (`runs`)"] == "1.000 of 1"


def test_a_question_can_be_asked_without_the_experts_passages(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "expert_answers.jsonl").write_text("\n".join(map(json.dumps, ROWS)), encoding="utf-8")
    scholarqa.main([str(tmp_path), "runs", "--mode", "simple", "--question", "two", "--withhold"])
    shown = capsys.readouterr().out
    assert "two        withheld" in shown
    assert "expert's passages found                   n/a of 0" in shown


def test_verdicts_count_for_the_first_draft_until_it_is_given_back() -> None:
    spending = Spending()
    for kind, support in (
        ("writer", ""),
        ("reviewer", "supported"),
        ("reviewer", "partly"),
        ("reviser", ""),
        ("reviewer", "supported"),
        ("long_writer_summary", ""),
        ("reviewer", "not_supported"),
    ):
        said = {"verdicts": [{"id": 1, "support": support}]} if support else {"anything": 1}
        spending.add(kind, ModelResponse(parts=[ToolCallPart(tool_name="final_result", args=said)]))
    assert spending.first == {"supported": 1, "partly": 1, "not_supported": 1}
    assert spending.calls["reviewer"] == 4
