"""Random graphs in memory: whatever their agents answer, every run ends, within its budget, and can be reported."""

from random import Random

import pytest

from elcano.graphs.contracts import PublishCall
from elcano.graphs.engine.entries import Call, CallAgent, Entry, StepCompleted, StepFailed
from elcano.graphs.frozen import Json
from elcano.graphs.lifecycle import finish
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.state.budget import Limits, Usage
from elcano.graphs.state.failures import Failure
from elcano.testing import run_in_memory
from tests.folding import difference
from tests.unit.graphs.drawn import drawn
from tests.unit.graphs.strategies import right

COUNT = 100
GARBAGE: list[Json] = [
    None,
    {},
    [],
    "text",
    7,
    {"a": [1, {"b": None}]},
    {"items": "none"},
    {"recommendation": "perhaps"},
]
REQUEST = 400
"""Tokens of one request: as many may be used beyond a limit, by the one that is under way."""


class Performer:
    """Answers rightly, wrongly or not at all; uses at most what it is allowed and one request more."""

    def __init__(self, seed: int, graph: ResearchGraph) -> None:
        self._chance = Random(seed)
        self._graph = graph

    async def perform(self, call: Call, at: float) -> Entry:
        used = 0
        if isinstance(call, CallAgent):
            node = self._graph.by_id.get(call.node)
            most = node.limits.tokens if isinstance(node, AgentNode) and node.limits else None
            assert call.allowance.tokens is not None
            assert most is None or call.allowance.tokens <= most
            used = self._chance.randint(0, min(call.allowance.tokens + REQUEST, 6_000))
        usage = Usage(requests=1, input_tokens=used)
        if (chance := self._chance.random()) < 0.15:
            kind = self._chance.choice(["Timeout", "Scripted", "ModelOutput"])
            failure = Failure(node=call.node, type=kind, message="no")
            return StepFailed(step=call.step, node=call.node, at=at, failure=failure, usage=usage)
        output = self._chance.choice(GARBAGE) if chance < 0.35 else right(call)
        return StepCompleted(step=call.step, node=call.node, at=at, output=output, usage=usage)


async def test_every_run_of_a_random_graph_ends_in_a_report_within_its_budget(subtests: pytest.Subtests) -> None:
    for seed in range(COUNT):
        with subtests.test(seed=seed):
            await run_random_graph(seed)


async def run_random_graph(seed: int) -> None:
    """Run one, and check how it ended."""
    chance, graph = Random(seed), drawn(11, COUNT)[seed]
    limits = Limits(
        tokens=chance.randint(1_000, 60_000),
        seconds=chance.randint(5, 600),
        iterations=chance.randint(1, 5),
        steps=chance.randint(2, 60),
    )
    asked = ResearchInput(
        run_id="run", question="What is it?", mode=graph.name, graph=graph, limits=limits, sources=("library",)
    )
    now = 1_000.0

    def clock() -> float:
        nonlocal now
        now += chance.choice([0.0, 0.5, 5.0])
        return now

    journal = await run_in_memory(asked, Performer(seed, graph).perform, clock=clock)
    run = journal.run
    assert run.finished
    assert run.budget.steps <= limits.steps
    assert run.budget.iterations <= limits.iterations
    assert run.budget.used.tokens <= limits.tokens + 2 * REQUEST, "one request of the research, one of the exit"
    assert isinstance(finish.publish_call(asked, journal), PublishCall)
    assert difference(finish.build_run_log(asked, journal)) is None


def test_the_random_graphs_differ() -> None:
    """Else the test above would walk one graph again and again."""
    graphs = drawn(11, COUNT)
    assert len({graph.model_dump_json() for graph in graphs}) > 75
    assert {node.kind for graph in graphs for node in graph.nodes} == {"agent", "tool", "state", "decision", "parallel"}
