"""How long a call is waited for, by a clock that stands still while the process does.

When a process goes on that was stopped (a throttled container, a paused machine), its timers fire before it reads what
came meanwhile. By the clock on the wall an answer that is there, and paid for, would be thrown away as too late.
"""

import asyncio
from collections.abc import Awaitable
from typing import Final, TypeVar

from pydantic_ai.exceptions import ModelRequestTimeout
from pydantic_ai.messages import ModelMessage, ModelResponse
from pydantic_ai.models import Model, ModelRequestParameters
from pydantic_ai.models.wrapper import WrapperModel
from pydantic_ai.settings import ModelSettings

T = TypeVar("T")

TICK: Final = 0.5
"""Seconds. A tick that came later by as much is not counted: the process stood still in it."""


class PatientModel(WrapperModel):
    """A model whose answer is waited for no longer than it may take."""

    def __init__(self, wrapped: Model, seconds: float) -> None:
        super().__init__(wrapped)
        self._seconds = seconds

    async def request(
        self,
        messages: list[ModelMessage],
        model_settings: ModelSettings | None,
        model_request_parameters: ModelRequestParameters,
    ) -> ModelResponse:
        """The answer.

        Raises:
            ModelRequestTimeout: none came in time.
        """
        asked = self.wrapped.request(messages, model_settings, model_request_parameters)
        try:
            return await wait_patiently(asked, self._seconds)
        except CallTimedOut:
            raise ModelRequestTimeout(self.model_name, self._seconds) from None


class CallTimedOut(Exception):
    """The time of a call is over."""


async def wait_patiently(call: Awaitable[T], seconds: float) -> T:
    """Wait for a call, and cancel it after a number of seconds in which the process did not stand still.

    Raises:
        CallTimedOut: it was cancelled.
    """
    limit = asyncio.timeout(None)
    try:
        async with limit:
            counting = asyncio.create_task(_run_out(limit, seconds))
            try:
                return await call
            finally:
                counting.cancel()
    except TimeoutError:
        if not limit.expired():
            raise
        raise CallTimedOut from None


async def _run_out(limit: asyncio.Timeout, seconds: float) -> None:
    now = asyncio.get_running_loop().time
    while seconds > 0:
        tick, began = min(TICK, seconds), now()
        await asyncio.sleep(tick)
        if now() - began < tick + TICK:
            seconds -= tick
    limit.reschedule(now())
