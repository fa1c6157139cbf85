"""A client that hangs up right behind the end of its answer has it."""

import asyncio
from types import SimpleNamespace
from typing import Any, cast

import pytest

from elcano.graphs.errors import StoreUnavailable
from elcano.service.process import Services
from elcano.service.runs.repeated_requests import note_answered


class Admission:
    """Takes a while to note something, and may be unable to."""

    def __init__(self, error: Exception | None = None) -> None:
        self.noted: list[str] = []
        self._error = error

    async def claim(self, key: str, request_hash: str, run_id: str) -> None:
        await asyncio.sleep(0.01)
        if self._error is not None:
            raise self._error
        self.noted.append(run_id)


def having(admission: Admission) -> Services:
    return cast("Services", SimpleNamespace(store=SimpleNamespace(admission=admission)))


async def test_what_a_client_has_is_noted_though_it_hangs_up_meanwhile() -> None:
    admission = Admission()
    noting = asyncio.create_task(note_answered("run-1", having(admission)))
    await asyncio.sleep(0)
    noting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await noting
    await asyncio.sleep(0.05)
    assert admission.noted == ["run-1"]


@pytest.mark.parametrize("error", [StoreUnavailable("gone"), OSError(28, "No space left on device")])
async def test_a_store_that_takes_nothing_spoils_no_answer(error: Any) -> None:
    await note_answered("run-1", having(Admission(error)))
