"""Steps of runs whose log cannot be read end as their events and the ledger say, and not otherwise."""

from collections.abc import Sequence

import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.service.steps.kept_steps import NO_END, list_kept_steps
from elcano.service.steps.views import StepView
from elcano.storage.ledger import LedgerEntry

RUN = ArchivedRun(run_id="run-1", question="Why?", mode="simple", status="terminated", started_at=1.0)
FAULT = AgentEvent(seq=1, type="error", message="Judge failed: no answer", at=3.0, step=2, node="judge", iteration=1)


def line(step: int, node: str, outcome: str, attempt: int = 1, item: int = 0) -> LedgerEntry:
    given = {"run_id": "run-1", "activity": f"{step}-{item}", "kind": "agent", "name": node, "at": 2.0 + step}
    return LedgerEntry.model_validate(
        {**given, "step": step, "item": item, "attempt": attempt, "node": node, "outcome": outcome}
    )


def read_outcomes(lines: Sequence[LedgerEntry], *events: AgentEvent) -> list[tuple[str, str]]:
    attempts: dict[int, list[LedgerEntry]] = {}
    for one in lines:
        attempts.setdefault(one.step, []).append(one)
    rows = list_kept_steps(RUN, events, attempts, "it is gone", 0, 100).rows
    return [(row.outcome, row.reason) for row in rows if isinstance(row, StepView)]


THINKING, WRITER = line(1, "thinking", "completed"), line(3, "writer", "completed")
DONE, NO_END_OF_IT = ("completed", ""), ("abandoned", NO_END)


@pytest.mark.parametrize(
    ("lines", "ends"),
    [
        pytest.param([THINKING, line(2, "writer", "failed")], [DONE, NO_END_OF_IT], id="under way at the end"),
        pytest.param(
            [THINKING, line(2, "writer", "failed"), line(2, "writer", "failed", attempt=2)],
            [DONE, NO_END_OF_IT],
            id="under way again at the end",
        ),
        pytest.param(
            [THINKING, line(2, "judge", "failed"), line(2, "judge", "completed", attempt=2)],
            [DONE, DONE],
            id="a later attempt counts",
        ),
        pytest.param(
            [THINKING, line(2, "judge", "failed"), WRITER], [DONE, ("failed", ""), DONE], id="the run went on"
        ),
        pytest.param([THINKING, line(2, "judge", "abandoned"), WRITER], [DONE, NO_END_OF_IT, DONE], id="given up"),
        pytest.param([THINKING, line(2, "judge", "abandoned")], [DONE, NO_END_OF_IT], id="given up at the end"),
        pytest.param(
            [THINKING, line(2, "search", "failed"), line(2, "search", "abandoned", item=1), WRITER],
            [DONE, NO_END_OF_IT, DONE],
            id="one item failed before it was given up",
        ),
        pytest.param(
            [THINKING, line(2, "search", "completed"), line(2, "search", "failed", item=1), WRITER],
            [DONE, DONE, DONE],
            id="one of two items",
        ),
    ],
)
def test_a_step_without_an_event_ends_as_its_calls_did(lines: list[LedgerEntry], ends: list[tuple[str, str]]) -> None:
    assert read_outcomes(lines) == ends


def test_a_last_step_that_failed_has_an_event_that_says_so() -> None:
    assert read_outcomes([THINKING, line(2, "judge", "failed")], FAULT) == [DONE, ("failed", FAULT.message)]
