"""A walk with invented answers goes the way that a run would go with these, and comes to an end with any graph."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.dry_run import dry_run
from elcano.graphs.dry_run.dry_run import Preview, preview_graph
from elcano.graphs.dry_run.in_memory_run import build_minimal_answer
from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from tests.unit.graphs.strategies import graphs
from tests.unit.graphs.texts import json_objects


def walk(graph: ResearchGraph, answers: Mapping[str, Sequence[JsonObject]] | None = None) -> Preview:
    asked = ResearchInput(
        run_id="default-try", question="Why?", mode=graph.name, graph=graph, sources=("library", "archive")
    )
    return asyncio.run(preview_graph(asked, answers or {}))


@pytest.mark.parametrize("agent", AGENTS.values(), ids=lambda agent: agent.name)
def test_what_is_invented_for_an_agent_fits(agent: object) -> None:
    model = getattr(agent, "output")  # noqa: B009
    assert TypeAdapter(model).validate_python(build_minimal_answer(model)) is not None


@pytest.mark.parametrize("tool", TOOLS.values(), ids=lambda tool: tool.name)
def test_what_is_invented_for_a_tool_fits(tool: object) -> None:
    model = getattr(tool, "output")  # noqa: B009
    assert TypeAdapter(model).validate_python(build_minimal_answer(model)) is not None


@pytest.mark.parametrize("mode", MODES)
def test_every_mode_is_walked_to_its_end(mode: str) -> None:
    walked = walk(MODES[mode])
    assert not walked.cut
    assert walked.failure == ""
    assert walked.steps[-1].node in MODES[mode].exit_nodes
    assert walked.steps[-1].next == ""
    assert set(walked.visited).isdisjoint(walked.unvisited)
    assert {*walked.visited, *walked.unvisited} == set(MODES[mode].by_id)


def test_answers_lead_another_way() -> None:
    deep = walk(MODES["auto"], {"input_parser": [{"research_mode": "deep"}]})
    assert "survey" in deep.visited
    assert "thinking" not in deep.visited
    assert {step.path.partition(".")[0] for step in deep.steps} == {"", "0007"}


def test_the_last_answer_is_for_all_visits_that_follow() -> None:
    queries: list[JsonObject] = [{"next_search_queries": ["one"]}, {"next_search_queries": ["two"]}]
    walked = walk(MODES["simple"], {"judge": queries})
    judged = [step.output for step in walked.steps if step.node == "judge"]
    assert [isinstance(one, dict) and one["next_search_queries"] for one in judged][:3] == [["one"], ["two"], ["two"]]


def test_a_walk_is_broken_off_where_too_much_is_called(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "MOST_CALLS", 15)
    walked = walk(MODES["deep"])
    assert walked.cut
    assert walked.steps  # of the branch that was through by then


@given(graphs(), st.dictionaries(st.sampled_from(["n0", "n1", "last"]), st.lists(json_objects, max_size=2)))
def test_any_graph_is_walked_whatever_is_answered(graph: ResearchGraph, answers: dict[str, list[JsonObject]]) -> None:
    walked = walk(graph, answers)
    assert walked.cut or walked.ending is not None or walked.failure or walked.steps[-1].node in graph.exit_nodes
