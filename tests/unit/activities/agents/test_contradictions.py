"""Passages that disagree: named by those who read them, answered by the writer, and never dropped in silence."""

from collections.abc import Callable
from pathlib import Path

import pytest

from elcano.activities.agents.draft_contradictions import DROPPED
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import ensure_list
from elcano.testing.model import ScriptedModel
from elcano.testing.research import ResearchOutcome, run_research
from elcano.testing.source import ScriptedSource

QUESTION = "How resistant is strain AB20 to meropenem?"
TEXTS = {
    "table 1": "For strain AB20 the MIC of meropenem was above 16 mg/L.",
    "table 2": "For strain AB20 the MIC of meropenem was 0.25 mg/L.",
    "other": "Strain AB21 was resistant to meropenem in all tests.",
}
QUOTES = {"table 1": "MIC of meropenem was above 16 mg/L", "table 2": "MIC of meropenem was 0.25 mg/L"}
ABOUT = "The MIC of meropenem for AB20: above 16 mg/L, or 0.25 mg/L."
BOTH = (
    "Two tables disagree on AB20: above 16 mg/L [a], 0.25 mg/L [b]; the first is repeated elsewhere, so I go by it [a]."
)


def cite(task: TaskEnvelope, *titles: str) -> list[Json]:
    keys = {item.title: item.key for item in task.evidence}
    marks = {"table 1": "a", "table 2": "b"}
    return [{"mark": marks[title], "evidence": keys[title], "quote": QUOTES[title]} for title in titles]


def contradiction(task: TaskEnvelope, *titles: str) -> JsonObject:
    keys = {item.title: item.key for item in task.evidence}
    return {"about": ABOUT, "evidence": [*(keys[title] for title in titles if title in keys), "e99"]}


def think(task: TaskEnvelope) -> JsonObject:
    return {
        "thought": "They disagree.",
        "research_complete": True,
        "contradictions": [contradiction(task, "table 1", "table 2"), contradiction(task, "table 1")],
    }


def write(task: TaskEnvelope, text: str, *titles: str) -> JsonObject:
    return {"title": "AB20", "introduction": text, "citations": cite(task, *titles)}


def answer_all(task: TaskEnvelope) -> JsonObject:
    return write(task, BOTH, "table 1", "table 2")


def answer_one(task: TaskEnvelope) -> JsonObject:
    return write(task, "The MIC was above 16 mg/L [a].", "table 1")


def meet_by_chance(task: TaskEnvelope) -> JsonObject:
    """Cites both sides in one paragraph that is about something else."""
    return write(task, "Assays were made [a]. They were made again later [b].", "table 1", "table 2")


def tabulate(task: TaskEnvelope) -> JsonObject:
    table = "| Strain | MIC |\n|---|---|\n| AB20 | above 16 mg/L [a] |\n| AB20 | 0.25 mg/L [b] |"
    return write(task, table, "table 1", "table 2")


def add(task: TaskEnvelope) -> JsonObject:
    blocks = [one for one in ensure_list(task.given["blocks"]) if isinstance(one, dict)]
    number = next(one["id"] for one in blocks if not one.get("text"))
    return {"blocks": [{"id": number, "text": BOTH, "citations": cite(task, "table 1", "table 2")}]}


def add_half(task: TaskEnvelope) -> JsonObject:
    return {"blocks": [{"id": 1, "text": "It was above 16 mg/L [a].", "citations": cite(task, "table 1")}]}


def add_much(task: TaskEnvelope) -> JsonObject:
    (block, *_) = ensure_list(add(task)["blocks"])
    assert isinstance(block, dict)
    return {"blocks": [block | {"text": "\n\n".join([BOTH] * 1_000)}]}


async def run(
    folder: Path, mode: str = "iterative", **agents: Callable[[TaskEnvelope], JsonObject]
) -> tuple[ResearchOutcome, ScriptedModel]:
    model = ScriptedModel({"thinking": think, **agents})
    source = ScriptedSource("library", TEXTS)
    return await run_research(QUESTION, folder=folder, sources=[source], model=model, mode=mode), model


def of(model: ScriptedModel, kind: str) -> list[TaskEnvelope]:
    return [task for task in model.tasks if task.kind == kind]


async def test_a_contradiction_reaches_the_writer_with_its_keys(tmp_path: Path) -> None:
    came, model = await run(tmp_path, writer=answer_all)
    (task,) = of(model, "writer")
    titles = {item.key: item.title for item in task.evidence}
    assert [(one.about, [titles[key] for key in one.evidence]) for one in task.contradictions] == [
        (ABOUT, ["table 1", "table 2"])
    ]
    assert not of(model, "reviser")
    assert not any(one.startswith(DROPPED) for one in came.report.warnings)


@pytest.mark.parametrize("writer", [answer_one, tabulate, meet_by_chance])
async def test_one_that_the_writer_drops_is_asked_for_and_added(
    tmp_path: Path, writer: Callable[[TaskEnvelope], JsonObject]
) -> None:
    came, model = await run(tmp_path, writer=writer, reviser=add)
    (task,) = of(model, "reviser")
    assert {item.title for item in task.evidence} >= {"table 1", "table 2"}
    disputed = next(part for part in came.report.parts if part.kind == "disputed")
    assert "Two tables disagree on AB20" in disputed.blocks[0].markdown
    assert not any(one.startswith(DROPPED) for one in came.report.warnings)


@pytest.mark.parametrize("reviser", [add_half, add_much, lambda _: {"blocks": []}])
async def test_one_that_stays_dropped_is_named_in_the_report(
    tmp_path: Path, reviser: Callable[[TaskEnvelope], JsonObject]
) -> None:
    came, _ = await run(tmp_path, writer=answer_one, reviser=reviser)
    assert f"{DROPPED} {ABOUT}" in came.report.warnings
    assert "It was above" not in came.report.markdown
    assert "I go by it" not in came.report.markdown


async def test_its_reader_is_shown_titles_and_no_keys(tmp_path: Path) -> None:
    def name_keys(task: TaskEnvelope) -> JsonObject:
        keys = {item.title: item.key for item in task.evidence}
        about = f"{keys['table 1']} has above 16 mg/L for the allele e4711, {keys['table 2']} 0.25 mg/L."
        named = contradiction(task, "table 1", "table 2") | {"about": about}
        return think(task) | {"contradictions": [named]}

    came, _ = await run(tmp_path, thinking=name_keys, writer=answer_one, reviser=add_half)
    said = "“table 1” has above 16 mg/L for the allele e4711, “table 2” 0.25 mg/L."
    assert f"{DROPPED} {said}" in came.report.warnings


async def test_a_section_passes_its_contradictions_to_who_writes_it(tmp_path: Path) -> None:
    plan: JsonObject = {"report_title": "AB20", "report_outline": [{"title": "Meropenem", "key_question": QUESTION}]}

    def section(task: TaskEnvelope) -> JsonObject:
        return {"text": "The MIC was above 16 mg/L [a].", "citations": cite(task, "table 1")}

    came, model = await run(tmp_path, "deep", planner=lambda _: plan, long_writer_section=section, reviser=add)
    (task,) = of(model, "long_writer_section")
    assert [one.about for one in task.sections[0].contradictions] == [ABOUT]
    assert len(of(model, "reviser")) == 1
    assert "Two tables disagree on AB20" in came.report.markdown
