"""The stored ending of a run holds while Temporal says that this execution has ended, or says nothing."""

from types import SimpleNamespace
from typing import cast

import pytest

from elcano.graphs.contracts import RunStatus
from elcano.graphs.records import ArchivedRun
from elcano.service.errors import RunForgotten, TemporalUnavailable
from elcano.service.runs.run_status import goes_on
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
    ("last", "open_again"),
    [
        (execution("e1", "completed"), False),
        (execution("e2", "running"), True),
        (execution("e2", "completed"), True),
        # The task that ended and archived it was rejected, because a signal came meanwhile: there is more to come.
        (execution("e1", "running"), True),
        (RunForgotten("default-1"), False),
        (TemporalUnavailable("it is down"), False),
    ],
)
async def test_an_ending_holds_once_its_execution_has_ended(last: Execution | Exception, open_again: bool) -> None:
    temporal = cast(Temporal, SimpleNamespace(glance=Glance(last)))
    assert await goes_on(ENDED, temporal) is open_again
