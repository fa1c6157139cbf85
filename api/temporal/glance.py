"""A quick look at Temporal, for readers who prefer stored data to waiting.

What was shown of an ended run is in the store, also when Temporal has forgotten the run or is away. Only whether
somebody reset it since is for Temporal to say, and of runs that go on where they are. Nobody waits long for that, and
while it does not answer hardly anybody.

Of runs that go on each is looked at by itself, and not found by a query: what the server keeps of a run is true at
once, while its list follows when it comes to that. Who asks at the same time, or a moment later, shares the look.
"""

import asyncio
import time
from collections.abc import Collection, Coroutine, Mapping
from dataclasses import dataclass
from typing import Any, Final, TypeVar

from elcano.api.http.errors import RunForgotten, TemporalRefused, TemporalUnavailable
from elcano.api.temporal.connection import Connection
from elcano.api.temporal.execution import Execution, describe_execution

LOOK_SECONDS: Final = 2.0
"""How long a look may take, as long as a worker may that is asked how a run stands."""
SILENT_SECONDS: Final = 5.0
"""How long Temporal is not looked at again that did not answer. A run that was reset at that time is shown as it ended
for so much longer."""
SHARED_SECONDS: Final = 1.0
"""How long what was seen of a run that goes on is shown to others who list it."""
SIDE_BY_SIDE: Final = 16
"""Runs that are looked at at once. More do not come sooner: a server on one database file answers one after the other,
and runs have to be let through between them."""

_Seen = TypeVar("_Seen")


@dataclass(frozen=True)
class _Look:
    """A look at one run, shared by all who ask for it at the same time."""

    began: float
    """On the monotonic clock, in seconds."""
    seen: asyncio.Task[Execution | None]

    def is_shared(self, now: float) -> bool:
        """One under way always: a server that is slow is not asked twice."""
        return not self.seen.done() or now - self.began < SHARED_SECONDS


class Glance:
    """Looks at the last execution of runs."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection
        self._silent_until = 0.0
        self._looks: dict[str, _Look] = {}
        """Those that are shared, by run id."""
        self._room = asyncio.Semaphore(SIDE_BY_SIDE)

    async def last_execution(self, run_id: str) -> str:
        """Temporal's id of the last execution of a run.

        Raises:
            RunForgotten: there is no such workflow, or not any more.
            TemporalRefused: Temporal says nothing of it.
            TemporalUnavailable: it does not answer at once, or did not a moment ago.
        """
        if self._is_silent():
            raise TemporalUnavailable("Temporal did not answer a moment ago")
        try:
            return (await self._at_once(self._described(run_id))).id
        except TemporalUnavailable:
            self._fall_silent()
            raise

    async def executions(self, run_ids: Collection[str]) -> Mapping[str, Execution]:
        """How these runs stand, at most two seconds ago; without those of which Temporal says nothing at once."""
        if not run_ids or self._is_silent():
            return {}
        now = time.monotonic()
        self._looks = {name: look for name, look in self._looks.items() if look.is_shared(now)}
        looks = {run_id: self._look(run_id, now) for run_id in run_ids}
        # Shielded: who goes away leaves the look to the others.
        seen = await asyncio.gather(*(asyncio.shield(look.seen) for look in looks.values()), return_exceptions=True)
        if all(isinstance(one, TemporalUnavailable) for one in seen):
            self._fall_silent()
        found = {}
        for run_id, one in zip(looks, seen, strict=True):
            if isinstance(one, BaseException) and not isinstance(one, TemporalUnavailable):
                raise one
            if isinstance(one, Execution):
                found[run_id] = one
        return found

    def _look(self, run_id: str, now: float) -> _Look:
        if (look := self._looks.get(run_id)) is None:
            look = self._looks[run_id] = _Look(now, asyncio.ensure_future(self._at_once(self._known(run_id))))
        return look

    async def _known(self, run_id: str) -> Execution | None:
        """A run's last execution; None if Temporal has none, or does not let us see it."""
        async with self._room:
            try:
                return await self._described(run_id)
            except (RunForgotten, TemporalRefused):
                return None

    async def _described(self, run_id: str) -> Execution:
        return await describe_execution(await self._connection.client(), run_id, again=False)

    async def _at_once(self, look: Coroutine[Any, Any, _Seen]) -> _Seen:
        try:
            async with asyncio.timeout(LOOK_SECONDS):
                return await look
        except TimeoutError as error:
            raise TemporalUnavailable("Temporal does not answer at once") from error

    def _is_silent(self) -> bool:
        return time.monotonic() < self._silent_until

    def _fall_silent(self) -> None:
        self._silent_until = time.monotonic() + SILENT_SECONDS
