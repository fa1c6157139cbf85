"""Finds the run of a request that a client sends again because its answer did not reach it.

Some clients mark such a request (`X-Stainless-Retry-Count`), others do not. So each request without an idempotency key
claims one that is made of what it asks for and of whose it is.
"""

import asyncio
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Final

from elcano.graphs.errors import ElcanoError
from elcano.graphs.records import ArchivedRun
from elcano.service.process import Services
from elcano.service.runs.judgement import JudgedRun
from elcano.service.runs.run_request import RunRequest
from elcano.service.runs.submission import build_request_key, submit_run
from elcano.storage.health import STORE_ERRORS
from elcano.storage.idempotency_keys import RequestKey

RETRIED_SECONDS: Final = 120.0
"""Seconds after its end in which a run answers a repeated request."""
RETRIED_ERROR_SECONDS: Final = 15.0
"""The same of one without a report: its error was answered at once, and clients wait for seconds before they retry."""


@dataclass(frozen=True)
class RepeatedRequest:
    """Identity of a request: what it asks for, whose it is, and whether it waits for the answer."""

    key: RequestKey
    marked: bool
    """The client says that it has sent this before."""
    waits: bool
    """The answer is the report; false: it comes at once (`background`), so no unmarked request repeats it."""

    async def submit(self, judge: Callable[[str], Awaitable[JudgedRun]], services: Services) -> ArchivedRun:
        """Start the run of this request, or find that of the request that it repeats.

        Raises:
            Exception: as of `submit_run`.
        """
        admission = services.store.admission
        claim = await admission.find_claim(self.key.key)
        run = None if claim is None else await services.store.runs.get(claim.run_id)
        if claim is not None and run is not None and not await self._repeats(run, services):
            await admission.release_key(self.key.key, run.run_id)
        if self.marked or self.waits:
            return (await submit_run(judge, self.key, services)).run
        started = (await submit_run(judge, None, services)).run  # of equal ones at the same time each starts its own
        await admission.claim(self.key.key, self.key.request_hash, started.run_id)
        return started

    async def _repeats(self, run: ArchivedRun, services: Services) -> bool:
        if not self.marked:
            if not self.waits or run.status == "cancelled":
                return False
            if await services.store.admission.find_claim(_name_answer(run.run_id)) is not None:
                return False
        kept = RETRIED_SECONDS if run.report is not None else RETRIED_ERROR_SECONDS
        return run.finished_at is None or run.finished_at >= time.time() - kept


def build_repeated_request(
    asked: RunRequest, door: str, asker: str, services: Services, *, marked: bool, waits: bool
) -> RepeatedRequest:
    """Build the key of a request; `asker` is what the client says of who asks: its end user, or its thread."""
    principal = services.principal
    whose = f"{door}\n{principal.key_id}\n{principal.user}\n{asker}\n{waits}\n"
    named = build_request_key("", asked, whose)
    assert named is not None, "an empty key is one"
    # A line feed, which no header has: no client's own key can be one of these.
    key = RequestKey(key=f"repeated\n{named.request_hash}", request_hash=named.request_hash)
    return RepeatedRequest(key, marked, waits)


async def note_answered(run_id: str, services: Services) -> None:
    """Note that a client has the answer of a run: who asks the same from now on wants another run.

    The note is made though the caller is cancelled: many clients hang up as soon as they have read the end.
    """
    noting = asyncio.create_task(_note_answered(run_id, services), name=f"note that {run_id} is answered")
    _noting.add(noting)
    noting.add_done_callback(_noting.discard)
    await asyncio.shield(noting)


_noting: Final[set[asyncio.Task[None]]] = set()
"""The loop itself does not keep its tasks alive."""


async def _note_answered(run_id: str, services: Services) -> None:
    with suppress(ElcanoError, *STORE_ERRORS):  # the answer is out; without the note the same question has the same run
        await services.store.admission.claim(_name_answer(run_id), "", run_id)


def _name_answer(run_id: str) -> str:
    return f"answered\n{run_id}"
