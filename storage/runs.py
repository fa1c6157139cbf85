"""Runs as they are kept: from the moment they are accepted, through their end, for as long as anyone asks."""

from collections.abc import Sequence
from typing import Protocol

from graphs.contracts import ArchivedRun, RunStatus
from graphs.events import AgentEvent
from graphs.frozen import Frozen


class RunPage(Frozen):
    """One page of a list of runs, newest first."""

    runs: tuple[ArchivedRun, ...]
    next: str | None = None
    """Pass it as `before` for the next page; None on the last one."""


class KeyClaim(Frozen):
    """Who owns an idempotency key."""

    run_id: str
    request_hash: str
    mine: bool
    """The key was free and is now this caller's."""


class RunStore(Protocol):
    """Where runs are kept."""

    async def begin(self, run: ArchivedRun) -> None:
        """Keeps a run that was accepted; one that is kept already stays as it is."""
        ...

    async def archive(self, run: ArchivedRun, events: Sequence[AgentEvent]) -> None:
        """Keeps a run that ended, with its events; doing it twice changes nothing."""
        ...

    async def get(self, run_id: str) -> ArchivedRun | None:
        """One run."""
        ...

    async def page(self, *, limit: int, before: str | None = None, status: RunStatus | None = None) -> RunPage:
        """Runs with ids below `before` (they sort by time), newest first."""
        ...

    async def events(self, run_id: str, since: int = 0) -> list[AgentEvent]:
        """An ended run's events with numbers above `since`; empty while it runs."""
        ...

    async def claim(self, key: str, request_hash: str, run_id: str) -> KeyClaim:
        """Claims an idempotency key for `run_id`, or says which run has it. Two callers cannot both own it."""
        ...
