"""A request that its run never saw is sent again; one that the run refuses is not."""

from collections.abc import Iterator

import pytest
from temporalio.client import WorkflowUpdateFailedError
from temporalio.exceptions import ApplicationError

from elcano.service.temporal import connection
from elcano.service.temporal.connection import UNHEARD, UNHEARD_TRIES, until_heard


@pytest.fixture(autouse=True)
def _at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(connection, "UNHEARD_PAUSE", 0.0)


def refusal(type: str) -> WorkflowUpdateFailedError:
    return WorkflowUpdateFailedError(ApplicationError("refused", type=type))


class Run:
    """Answers one request after another by what it is given."""

    def __init__(self, *answers: str | WorkflowUpdateFailedError) -> None:
        self._answers: Iterator[str | WorkflowUpdateFailedError] = iter(answers)
        self.asked = 0

    async def ask(self) -> str:
        self.asked += 1
        answer = next(self._answers)
        if isinstance(answer, WorkflowUpdateFailedError):
            raise answer
        return answer


async def test_what_the_run_did_not_see_is_sent_again() -> None:
    run = Run(refusal(UNHEARD), refusal(UNHEARD), "paused")
    assert await until_heard(run.ask) == "paused"


async def test_what_the_run_refuses_is_refused_at_once() -> None:
    run = Run(refusal("ControlRefused"), "paused")
    with pytest.raises(WorkflowUpdateFailedError):
        await until_heard(run.ask)
    assert run.asked == 1


async def test_what_it_never_sees_ends_as_unheard() -> None:
    run = Run(*[refusal(UNHEARD)] * (UNHEARD_TRIES + 1))
    with pytest.raises(WorkflowUpdateFailedError) as told:
        await until_heard(run.ask)
    assert connection.is_unheard(told.value)
    assert run.asked == UNHEARD_TRIES
