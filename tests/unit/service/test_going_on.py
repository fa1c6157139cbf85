"""Whether the stored ending of a run holds, by what Temporal says of its last execution."""

from types import SimpleNamespace
from typing import cast

import pytest

from elcano.graphs.contracts import RunStatus
from elcano.graphs.records import ArchivedRun
from elcano.service.errors import RunForgotten, TemporalUnavailable
from elcano.service.runs.run_status import goes_on, is_end_final
from elcano.service.temporal.client import Temporal
from elcano.service.temporal.executions import Execution

ENDED = ArchivedRun(
    run_id="default-1", question="?", mode="deep", status="completed", started_at=1.0, finished_at=2.0, execution="e1"
)


class Glance:
    def __init__(self, last: Execution | Exception) -> None:
        self.last = last

    async def last_execution(self, run_id: str) -> Execution:
        if isinstance(self.last, Exception):
            raise self.last
        return self.last


def execution(id: str, status: RunStatus) -> Execution:
    return Execution(id=id, status=status, closed_at=None, pending=())


@pytest.mark.parametrize(
    ("last", "is_open_again", "is_final"),
    [
        (execution("e1", "completed"), False, True),
        (execution("e2", "running"), True, False),
        (execution("e2", "completed"), True, False),
        # The server may reject the end with which it was archived, because a signal came meanwhile: more would follow.
        (execution("e1", "running"), False, False),
        (RunForgotten("default-1"), False, True),
        (TemporalUnavailable("it is down"), False, True),
    ],
)
async def test_an_end_is_final_once_its_execution_has_ended(
    last: Execution | Exception, is_open_again: bool, is_final: bool
) -> None:
    temporal = cast(Temporal, SimpleNamespace(glance=Glance(last)))
    assert (await goes_on(ENDED, temporal), await is_end_final(ENDED, temporal)) == (is_open_again, is_final)
