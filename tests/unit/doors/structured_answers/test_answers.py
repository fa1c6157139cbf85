"""Runs that are asked for an answer in a schema: what stays of it, what is dropped, and that the report comes."""

from pathlib import Path
from typing import Any

from elcano.doors.structured_answers.answer_assembly import StructuredAnswer
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.budget import Limits
from elcano.testing.model import ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.source import ScriptedSource

QUESTION = "Does metformin slow cognitive decline?"
TEXTS = {
    "trial": "Metformin slowed cognitive decline in a trial of 400 people in Bilbao.",
    "cohort": "In a cohort, metformin slowed cognitive decline among 1,200 people.",
}
SCHEMA: JsonObject = {
    "type": "object",
    "required": ["drug", "people", "slows"],
    "properties": {
        "drug": {"type": "string", "description": "Its name"},
        "people": {"type": "integer", "description": "In the trial"},
        "dose": {"type": "number"},
        "slows": {"type": "boolean"},
        "places": {"type": "array", "minItems": 1, "items": {"$ref": "#/$defs/place"}},
        "harms": {"type": "array", "items": {"type": "string"}},
    },
    "$defs": {"place": {"type": "object", "properties": {"town": {"type": "string"}, "people": {"type": "integer"}}}},
}


def cite(task: TaskEnvelope, *quotes: str) -> list[Json]:
    """Citations of the passages that have the quotes; of none of them, of the first."""
    first = task.evidence[0].key
    return [
        {"evidence": next((one.key for one in task.evidence if quote in one.text), first), "quote": quote}
        for quote in quotes
    ]


def fill(task: TaskEnvelope) -> JsonObject:
    """Some fields well, the others as models err."""
    trial = cite(task, "a trial of 400 people in Bilbao")
    return {
        "answer": {
            "drug": {"value": "metformin", "citations": cite(task, "Metformin slowed", "metformin slowed cognitive")},
            "people": {"value": 400, "citations": trial},
            "dose": {"value": 850, "citations": trial},
            "slows": {"value": True, "citations": cite(task, "Metformin slowed cognitive decline")},
            "places": [
                {"town": {"value": "Madrid", "citations": cite(task, "a trial in Madrid")}},
                {"town": {"value": "Bilbao, Spain", "citations": trial}},
                {"town": {"value": "Bilbao", "citations": trial}, "people": {"value": 12}},
            ],
            "harms": [{"value": "nausea", "citations": [{"evidence": "e99", "quote": "nausea"}]}],
        }
    }


async def research(tmp_path: Path, model: ScriptedModel, **more: Any) -> ResearchOutcome:
    sources = [ScriptedSource("library", TEXTS)]
    given = {"mode": "simple", "output_schema": SCHEMA, **more}
    return await run_research(QUESTION, folder=tmp_path, sources=sources, model=model, **given)


def answer_of(came: ResearchOutcome) -> StructuredAnswer:
    return StructuredAnswer.model_validate(came.report.attachments["structured_answer"])


async def test_values_stay_only_if_code_finds_their_words(tmp_path: Path) -> None:
    came = await research(tmp_path, ScriptedModel({"form_filler": fill}))
    found = answer_of(came)
    assert found.answer == {
        "drug": "metformin",
        "people": 400,
        "dose": None,
        "slows": True,
        "places": [{"town": "Bilbao", "people": None}],
        "harms": None,
    }
    fields = {one.pointer: one for one in found.fields}
    assert {at: one.confidence for at, one in fields.items() if one.value is not None} == {
        "/drug": "high",
        "/people": "medium",
        "/slows": "low",
        "/places/0/town": "medium",
    }
    assert "850" in fields["/dose"].reason
    assert "cites nothing" in fields["/places/0/people"].reason
    assert "never given" in fields["/harms"].reason
    passages = {ref.id for ref in came.journal.run.state.evidence}
    numbers = {one.number for one in came.report.references}
    for one in found.fields:
        held = [cited for cited in one.citations if cited.verdict == "verified"]
        assert one.value is None or (held and all(cited.evidence in passages for cited in held))
        assert one.value is not None or one.reason
        assert {cited.number for cited in held} <= numbers
    assert "## Answer in the requested form" in came.report.markdown
    assert "| people | 400 | medium |" in came.report.markdown
    assert came.journal.run.ending is None
    assert all(one.verdict == "verified" for one in came.report.citations)
    from jsonschema import Draft202012Validator  # takes a second

    Draft202012Validator(with_null(SCHEMA)).validate(found.answer)


def with_null(schema: Any) -> Any:
    """The schema in which every field may be null."""
    if isinstance(schema, list):
        return [with_null(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    inner = {name: with_null(one) for name, one in schema.items()}
    if "properties" in inner:
        inner["properties"] = {name: {"anyOf": [one, {"type": "null"}]} for name, one in inner["properties"].items()}
    return inner


async def test_a_value_that_does_not_fit_loses_itself_alone(tmp_path: Path) -> None:
    def fill_with_words(task: TaskEnvelope) -> JsonObject:
        answer = fill(task)["answer"]
        assert isinstance(answer, dict)
        return {"answer": {**answer, "people": {"value": "four hundred"}, "places": "Bilbao"}}

    came = await research(tmp_path, ScriptedModel({"form_filler": fill_with_words}))
    found = answer_of(came)
    assert found.answer is not None
    assert (found.answer["drug"], found.answer["people"], found.answer["places"]) == ("metformin", None, None)
    assert "it is no integer" in next(one.reason for one in found.fields if one.pointer == "/people")
    assert came.journal.run.ending is None


async def test_a_report_comes_also_if_the_form_cannot_be_filled_in(tmp_path: Path) -> None:
    came = await research(tmp_path, ScriptedModel({"form_filler": lambda _: {"answer": "none"}}))
    assert came.report.references
    assert came.journal.run.failure is None
    ending = came.journal.run.ending
    assert ending is not None
    assert ending.kind == "parts"
    found = answer_of(came)
    assert found.answer is None
    assert ending.detail in found.reason


async def test_without_budget_for_it_the_form_is_left_out_and_the_report_says_so(tmp_path: Path) -> None:
    model = ScriptedModel({"form_filler": fill})
    whole = await research(tmp_path / "whole", model)
    came = await research(tmp_path / "short", model, limits=Limits(steps=whole.journal.run.budget.steps - 1))
    ending = came.journal.run.ending
    assert ending is not None
    assert (ending.kind, "budget of steps" in ending.detail) == ("parts", True)
    assert answer_of(came).answer is None
    assert came.report.references


async def test_a_run_without_a_schema_is_as_it_was(tmp_path: Path) -> None:
    came = await research(tmp_path, ScriptedModel({"form_filler": fill}), output_schema=None)
    assert "structured_answer" not in came.report.attachments
    assert came.journal.graph.appendix is None
