"""The graphs of the gallery in memory: the ways that answers of a model choose, and what agents are told in them."""

from pathlib import Path
from typing import Any

import pytest

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.graph_json import with_branches
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ResearchGraph
from elcano.testing import ScriptedModel, ScriptedSource, run_research
from tests.gallery import DOCUMENTS, QUESTIONS, graph


def whole(name: str) -> ResearchGraph:
    """With graphs for the names of branches."""
    return ResearchGraph.model_validate(with_branches(graph(name), MODES))


async def walked(name: str, folder: Path, model: ScriptedModel) -> list[str]:
    """The nodes of a run."""
    _, journal = await run_research(
        QUESTIONS[name],
        folder=folder,
        sources=[ScriptedSource("kettles", DOCUMENTS)],
        graph=whole(name),
        model=model,
    )
    assert journal.run.finished
    assert journal.run.failure is None
    assert journal.run.budget.used.tokens <= journal.run.budget.limits.tokens
    return [entry.node for entry in journal.entries if isinstance(entry, StepCompleted)]


def parsed(**said: Any) -> dict[str, Any]:
    return {"original_query": "q", "improved_query": "q", "research_mode": "iterative", **said}


async def test_each_side_of_the_debate_is_told_what_to_argue(tmp_path: Path) -> None:
    model = ScriptedModel()
    await walked("debate", tmp_path, model)
    wishes = [task.instructions for task in model.tasks if task.kind == "writer"]
    assert ["the answer is yes" in wish for wish in wishes] == [True, False]
    assert ["the answer is no" in wish for wish in wishes] == [False, True]


@pytest.mark.parametrize(
    ("said", "sent"),
    [({}, "quick"), ({"research_mode": "deep"}, "thorough"), ({"form": "review", "research_mode": "deep"}, "survey")],
)
@pytest.mark.of_plugins("literature")
async def test_triage_sends_a_question_where_it_belongs(said: dict[str, Any], sent: str, tmp_path: Path) -> None:
    nodes = await walked("triage", tmp_path, ScriptedModel({"input_parser": parsed(**said)}))
    assert nodes == ["parser", sent, "report"]


async def test_what_is_compared_is_the_list_that_the_parser_made(tmp_path: Path) -> None:
    named = ["Swift kettle", "Calm kettle", "water", "steel"]
    model = ScriptedModel({"input_parser": parsed(key_entities=named)})
    await walked("compare_products", tmp_path, model)
    (task,) = (task for task in model.tasks if task.kind == "writer")
    assert all(one in task.background for one in named)
    assert task.form == "comparison"
    nodes = await walked("compare_products", tmp_path, ScriptedModel({"input_parser": parsed(key_entities=["one"])}))
    assert nodes == ["parser", "several", "search", "comparison"]


async def test_a_claim_is_looked_into_until_it_is_decided(tmp_path: Path) -> None:
    def judged(recommendation: str) -> dict[str, Any]:
        return {
            "sufficient": False,
            "confidence": 0.5,
            "coverage": 0.5,
            "recommendation": recommendation,
            "next_search_queries": ["steel"],
            "reasoning": "so far",
        }

    model = ScriptedModel({"judge": [judged("continue"), judged("synthesize")]})
    nodes = await walked("fact_check", tmp_path, model)
    assert nodes == ["first_look", "doubt", "judge", "decided", "dig", "judge", "decided", "verdict"]
    (task,) = (task for task in model.tasks if task.kind == "writer")
    assert isinstance(task, TaskEnvelope)
    assert task.form == "yes_no"
