"""Runs that are judged by a field's rubric: what the judge is shown, what counts, and what the report says of it."""

from pathlib import Path

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.state.rubric import BIOMEDICAL
from elcano.graphs.state.state import IterationData, ToolCallRecord
from elcano.subjects.research.agents.tool_selector import (
    AgentSelectionPlan,
    AgentTask,
    ToolSelectorInput,
    resolve_answer,
)
from elcano.testing.model import ScriptedModel
from elcano.testing.research import run_research
from elcano.testing.source import ScriptedSource

QUESTION = "Does metformin slow cognitive decline?"
TEXTS = {
    "trial": "Metformin slowed cognitive decline in a trial of 400 people.",
    "cells": "Metformin activates AMPK | in cells, <b>which</b> clears tau and slows cognitive decline.",
}


def judged(task: TaskEnvelope) -> JsonObject:
    """Off the scale at first; on it, with an intervention, in the second round."""
    keys: list[Json] = [item.key for item in task.evidence]
    first = task.iteration == 1
    return {
        "sufficient": True,
        "confidence": 0.8,
        "recommendation": "synthesize",
        "reasoning": "A trial and a way.",
        "next_search_queries": ["metformin AMPK tau"],
        "scores": [
            {"name": "mechanism", "score": 70 if first else 7, "reason": "AMPK | tau\nis shown.", "evidence": keys},
            {"name": "clinical_evidence", "score": 6, "reason": "One trial.", "evidence": keys},
        ],
        "names": [{"kind": "interventions", "names": ["metformin"]}],
    }


async def test_a_score_off_the_scale_is_none_and_the_run_goes_on(tmp_path: Path) -> None:
    model = ScriptedModel({"judge": judged})
    sources = [ScriptedSource("library", TEXTS)]
    came = await run_research(QUESTION, folder=tmp_path, sources=sources, model=model, mode="simple", domain=BIOMEDICAL)
    shown = [task for task in model.tasks if task.kind == "judge"]
    assert len(shown) == 2
    rubric = shown[0].given["rubric"]
    assert isinstance(rubric, dict)
    assert rubric["least_total"] == 12
    told = [event for event in came.journal.events if event.type == "judge_complete"]
    assert told[0].data["lacking"] == [
        "mechanism has the score 70, off the scale of 0 to 10",
        "the scores make 6 of the 12 that are needed",
    ]
    assert "lacking" not in told[1].data
    assert "mechanism 7.0/10" in told[1].message
    assert came.journal.run.ending is None
    markdown = came.report.markdown
    assert "## How the evidence was scored" in markdown
    assert "| mechanism | 7 | AMPK \\| tau is shown. |" in markdown
    assert "Named interventions: metformin." in markdown
    assert "**Lacking:**" not in markdown


async def test_without_a_model_nothing_is_scored_and_the_report_says_so(tmp_path: Path) -> None:
    sources = [ScriptedSource("library", TEXTS)]
    came = await run_research(QUESTION, folder=tmp_path, sources=sources, mode="simple", domain=BIOMEDICAL)
    plain = await run_research(QUESTION, folder=tmp_path, sources=sources, mode="simple")
    assert "Nothing was scored by the rubric biomedical. No language model judged" in came.report.markdown
    assert "How the evidence was scored" not in plain.report.markdown
    assert [event.type for event in came.journal.events] == [event.type for event in plain.journal.events]
    assert came.journal.run.ending == plain.journal.run.ending


async def test_the_mode_is_chosen_by_rules_and_the_report_says_why(tmp_path: Path) -> None:
    sources = [ScriptedSource("library", TEXTS)]
    came = await run_research("When was metformin tried?", folder=tmp_path, sources=sources, mode="auto")
    assert came.journal.run.state.choice.mode == "simple"
    assert "> Mode auto, which chose simple. Chosen by rules, without a language model: it asks" in came.report.markdown


def test_all_that_the_judge_would_search_is_searched() -> None:
    made = IterationData(number=1, tool_calls=(ToolCallRecord(source="a", query="tau AMPK"),))
    given = ToolSelectorInput(
        question="q",
        gap="g",
        sources=("a", "b"),
        conversation=(made,),
        suggested_queries=("AMPK tau", "dose response", "Harm In People", " ", "x" * 900),
    )
    plan = AgentSelectionPlan(tasks=(AgentTask(source="b", query="harm in people", gap="g"),))
    tasks = resolve_answer(plan, given, {}).tasks
    assert [(task.source, task.query) for task in tasks] == [
        ("b", "harm in people"),
        ("b", "dose response"),
        ("b", "x" * 300),
    ]
    full = AgentSelectionPlan(tasks=tuple(AgentTask(source="a", query=f"q{number}") for number in range(8)))
    assert resolve_answer(full, given, {}) == full
    assert [task.query for task in resolve_answer(AgentSelectionPlan(), given, {}).tasks][:2] == ["g", "dose response"]
    assert resolve_answer(full.model_copy(update={"tasks": (), "whole": True}), given, {}).tasks == ()
    nowhere = given.model_copy(update={"sources": ()})
    assert resolve_answer(AgentSelectionPlan(), nowhere, {}).tasks == ()
