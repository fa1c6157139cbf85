"""A clock that jumps, as those of real machines do: a run believes it only forwards, and ends once all the same."""

from itertools import accumulate

from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode, ToolNode
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script
from tests.unit.graphs.samples import asked

STARTED = 1_000_000.0
DAY = 86_400.0
RESEARCH_SECONDS = 510.0
"""Of 600, less the reserve."""
jumps = st.lists(
    st.sampled_from([0.0, 0.5, 20.0, -1.0, -500.0, -DAY, 300.0, DAY]) | st.floats(-1e9, 1e9), min_size=1, max_size=40
)


class Clock:
    """Jumps as told at every look, and stands still afterwards."""

    def __init__(self, jumps: list[float]) -> None:
        self._times = list(accumulate(jumps, initial=STARTED))
        self.seen: list[float] = []

    def __call__(self) -> float:
        self.seen.append(self._times.pop(0) if len(self._times) > 1 else self._times[0])
        return self.seen[-1]


async def walk(script: Script, mode: str, clock: Clock, limits: Limits) -> Journal:
    return await run_in_memory(asked(MODES[mode], limits=limits), script.perform, clock=clock)


def late_work(journal: Journal) -> list[str]:
    """Agents and tools that were called for research after its time, by the furthest that the clock had been."""
    known = accumulate((entry.at for entry in journal.entries), max, initial=0.0)
    calling = {node.id for node in journal.graph.nodes if isinstance(node, AgentNode | ToolNode)}
    research = calling - set(journal.graph.exit_nodes)
    return [
        entry.node
        for entry, elapsed in zip(journal.entries, known, strict=False)
        if isinstance(entry, StepCompleted) and entry.node in research and elapsed >= RESEARCH_SECONDS
    ]


@given(jumps, st.sampled_from(["iterative", "simple"]))
async def test_a_run_ends_whatever_the_clock_says(jumps: list[float], mode: str) -> None:
    script, clock = Script(complete_in=99), Clock(jumps)
    journal = await walk(script, mode, clock, Limits(seconds=600, iterations=4))
    run = journal.run
    assert run.finished
    assert run.ending is not None
    assert script.calls[-1] == "writer"
    furthest = max(clock.seen) - STARTED
    assert 0 <= run.budget.elapsed <= max(0.0, furthest)
    assert run.ending.kind != "time" or run.budget.elapsed >= RESEARCH_SECONDS
    assert [event.seq for event in journal.events] == list(range(1, len(journal.events) + 1))
    assert late_work(journal) == []


async def test_time_that_was_used_stays_used_when_the_clock_goes_back() -> None:
    script, clock = Script(complete_in=99), Clock([0.0, 0.0, 400.0, -5_000.0, 0.0, 0.0, 5_120.0])
    run = (await walk(script, "iterative", clock, Limits(seconds=600))).run
    assert run.ending is not None
    assert (run.ending.kind, run.budget.elapsed) == ("time", 520.0)
    assert script.calls[-1] == "writer"
