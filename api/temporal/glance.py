"""A quick look at Temporal, for readers who would rather have what is stored than wait.

What was shown of an ended run is in the store, also when Temporal has forgotten the run or is away. Only whether
somebody reset it since is for Temporal to say, and of runs that go on where they are. Nobody waits long for that, and
while it does not answer hardly anybody.
"""

import asyncio
import time
from collections.abc import Coroutine, Mapping, Sequence
from typing import Any, Final, TypeVar

from elcano.api.http.errors import TemporalRefused, TemporalUnavailable
from elcano.api.temporal.connection import Connection
from elcano.api.temporal.execution import UnderWay, described, under_way

LOOK_SECONDS: Final = 2.0
"""How long a look may take, as long as a worker may that is asked how a run stands."""
SILENT_SECONDS: Final = 5.0
"""How long Temporal is not looked at again that did not answer. A run that was reset at that time is shown as it ended
for so much longer."""

_Seen = TypeVar("_Seen")


class Glance:
    """Looks at the last execution of runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._silent_until = 0.0

    async def last_execution(self, run_id: str) -> str:
        """Temporal's id of the last execution of a run.

        Raises:
            RunForgotten: there is no such workflow, or not any more.
            TemporalRefused: Temporal says nothing of it.
            TemporalUnavailable: it does not answer at once, or did not a moment ago.
        """

        async def looked() -> str:
            return (await described(await self._connection.client(), run_id, again=False)).id

        return await self._at_once(looked())

    async def under_way(self, run_ids: Sequence[str]) -> Mapping[str, UnderWay]:
        """Those of these runs that go on, as Temporal's list has them, a moment late; none if it says nothing."""

        async def looked() -> Mapping[str, UnderWay]:
            return await under_way(await self._connection.client(), run_ids)

        if not run_ids:
            return {}
        try:
            return await self._at_once(looked())
        except (TemporalUnavailable, TemporalRefused):
            return {}

    async def _at_once(self, look: Coroutine[Any, Any, _Seen]) -> _Seen:
        if time.monotonic() < self._silent_until:
            look.close()
            raise TemporalUnavailable("Temporal did not answer a moment ago")
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await look
        except (TimeoutError, TemporalUnavailable) as error:
            self._silent_until = time.monotonic() + SILENT_SECONDS
            raise TemporalUnavailable(f"Temporal does not answer: {error}") from error
