"""Errors that a graph repairs, on the real server: what is told and what it costs; and what is held, not repaired."""

import uuid

import pytest
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.spec.graph import ErrorEdge, ResearchGraph
from elcano.graphs.state.budget import Limits, sum_usages
from elcano.testing.script import Script
from elcano.workflows.research import ResearchWorkflow
from tests.repairing import TRIED, mistaken, shown_graph
from tests.workflow.conftest import Start, asking, worker_for
from tests.workflow.test_holds import down


class TestRepairing:
    @pytest.fixture
    def script(self) -> Script:
        return mistaken()

    async def test_a_search_that_fails_twice_is_repaired(self, start: Start, script: Script) -> None:
        handle = await start(graph=shown_graph())
        result = await handle.result()
        assert script.calls == ["tool_selector"] * len(TRIED) + ["search", "writer"]  # of others nobody is asked
        assert (result.ending, result.failure, result.iterations, result.steps) == (None, None, 3, 7)
        (kept,) = script.archived
        assert kept.run.status == "completed"
        assert kept.run.evidence == ("doc:a", "doc:b")
        told = [(event.type, event.message) for event in kept.events if event.node == "find"]
        assert told[1:4] == [
            ("error", "Find failed: 'nowhere' is not searched in this run; searched are: library"),
            ("routed", "Find → Selector (choose again)"),
            ("looping", "Iteration 2 of at most 5"),
        ]
        assert [event for event, _ in told].count("routed") == 2
        assert result.usage == sum_usages(script.ledger.values())

    async def test_a_repair_ends_with_the_iterations(self, start: Start, script: Script) -> None:
        handle = await start(graph=shown_graph(), limits=Limits(iterations=2))
        result = await handle.result()
        assert result.ending is not None
        assert result.ending.kind == "iterations"
        assert "'elsewhere' is not searched in this run" in result.ending.detail
        assert (script.calls[-1], script.archived[0].run.status) == ("writer", "partial")


def selecting_twice() -> ResearchGraph:
    """The graph of the page, whose selector is called again after any error of its own."""
    graph = shown_graph()
    return graph.model_copy(
        update={"edges": (*graph.edges, ErrorEdge(from_node="selector", to_node="selector", loop=True))}
    )


@pytest.mark.parametrize(
    ("limits", "tries", "ending"),
    [
        (Limits(seconds=60, when_exhausted="pause"), 4, None),
        (Limits(seconds=60, when_exhausted="pause", hold_seconds=60), 999, "provider"),
        (Limits(seconds=60), 999, "time"),
    ],
    ids=["waits", "waits in vain", "may not wait"],
)
async def test_a_provider_that_is_down_is_held_and_never_repaired(
    limits: Limits, tries: int, ending: str | None, skipping: WorkflowEnvironment
) -> None:
    script = Script()
    script.overrides = {"tool_selector": lambda _: {"tasks": [{"source": TRIED[-1], "query": "what it is"}]}}
    queue = run_id = f"run-{uuid.uuid4()}"
    async with worker_for(skipping.client, queue, down(script, "tool_selector", tries)):
        asked = asking(run_id, graph=selecting_twice(), limits=limits)
        handle = await skipping.client.start_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
        result = await handle.result()
    assert (result.ending.kind if result.ending else None) == ending
    (kept,) = script.archived
    told = [event.type for event in kept.events]
    assert told.count("held") >= 4
    assert "routed" not in told
    assert result.iterations == 1
