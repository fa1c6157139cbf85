"""Turns a request into a running workflow, exactly once for each idempotency key, through any failure on the way.

The order is: claim the key, judge the request, make sure that Temporal answers, admit the run, start its workflow, list
it. The key comes first, so that the same request gets the run that it started, whatever has changed since: what it
refers to may be gone. A request that is refused gives its key back. Each step can be done twice: a process that dies in
between leaves a key, and perhaps a run of which it is not known whether it was started, and the same request with the
same key goes on from there. Such a run is unlisted until the reconciler, or that request, has asked Temporal.
"""

import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

from ulid import ULID

from elcano.api.http.errors import KeyReused, RunForgotten, TemporalRefused, TemporalUnavailable, TooManyRuns
from elcano.api.runs.model_checks import assign_model_queues
from elcano.api.temporal.client import Temporal
from elcano.graphs.contracts import Engine
from elcano.graphs.identity import run_id as new_run_id
from elcano.graphs.records import ArchivedRun
from elcano.graphs.run_contracts import ResearchInput
from elcano.settings.settings import Settings
from elcano.storage.all_tenants import Admission
from elcano.storage.runs import KeyClaim
from elcano.storage.store import TenantStore


@dataclass(frozen=True)
class Submission:
    """An accepted request."""

    run: ArchivedRun
    new: bool
    """False: the same request was accepted before."""


@dataclass(frozen=True)
class RequestKey:
    """An idempotency key of a client, and the hash of the request that it came with."""

    key: str
    request_hash: str


@dataclass(frozen=True)
class Starter:
    """Starts runs of one tenant."""

    temporal: Temporal
    store: TenantStore
    admit: Callable[[ArchivedRun], Awaitable[Admission]]
    """Takes a place for a run among those of all tenants."""
    settings: Settings

    async def start(
        self, judge: Callable[[str], Awaitable[tuple[ResearchInput, Engine]]], keyed: RequestKey | None
    ) -> Submission:
        """Starts the run that `judge` makes of its id, or finds the one that the same request started.

        Raises:
            KeyReused: the key came with another request before.
            TooManyRuns: as many runs are open as may be.
            TemporalUnavailable: nothing was started, or it is not known; the same request with the same key is safe.
            TemporalRefused: nothing was started.
            Exception: `judge` refuses; nothing was started.
        """
        own = new_run_id(self.store.tenant, str(ULID()))
        if keyed is None:
            asked, engine = await judge(own)
            return await self._begin(asked, engine, None)
        claim = await self._claimed(keyed, own)
        if not claim.mine and (run := await self._started(claim.run_id)) is not None:
            return Submission(run, new=False)
        try:
            asked, engine = await judge(claim.run_id)
            return await self._begin(asked, engine, keyed)
        except Exception as error:
            is_free = await self.store.runs.give_back(keyed.key, claim.run_id)
            if is_free or isinstance(error, TemporalUnavailable) or (run := await self._started(claim.run_id)) is None:
                raise
            return Submission(run, new=False)  # another one, who came with the same request, got further

    async def _claimed(self, keyed: RequestKey, run_id: str) -> KeyClaim:
        claim = await self.store.runs.claim(keyed.key, keyed.request_hash, run_id)
        if claim.request_hash != keyed.request_hash:
            raise KeyReused(
                f"the key {keyed.key!r} belongs to run {claim.run_id!r}, which was asked for in other words"
            )
        return claim

    async def _started(self, run_id: str) -> ArchivedRun | None:
        """A run whose workflow was started; if that was not known, Temporal is asked, and it is known from then on."""
        if (run := await self.store.runs.get(run_id, begun=True)) is not None:
            return run
        if (run := await self.store.runs.get(run_id)) is None:  # nobody came as far as to start it
            return None
        try:
            await self.temporal.describe(run_id)
        except RunForgotten:
            return None
        await self.store.runs.begin(run)
        return run

    async def _begin(self, asked: ResearchInput, engine: Engine, keyed: RequestKey | None) -> Submission:
        asked = asked.model_copy(update={"address": f"{self.settings.base_url.rstrip('/')}/v1/runs/{asked.run_id}"})
        await self.temporal.check()
        asked = await assign_model_queues(asked, self.temporal, self.settings)
        run = _build_accepted_run(asked, engine)
        admission = await self.admit(run)
        if not admission.admitted:
            raise TooManyRuns(_explain_not_admitted(admission, self.settings))
        if keyed is not None:
            # One who was refused may have given the key back meanwhile: from here on nobody does, the run is kept.
            claim = await self._claimed(keyed, run.run_id)
            if claim.run_id != run.run_id:
                if admission.new:
                    await self.store.runs.withdraw(run.run_id)
                return await self._begin(asked.model_copy(update={"run_id": claim.run_id}), engine, keyed)
        try:
            new = await self.temporal.start(asked, run.engine)
        except TemporalRefused:
            if admission.new:  # else an earlier attempt may have started it
                await self.store.runs.withdraw(run.run_id)
            raise
        await self.store.runs.begin(run)
        return Submission(run, new=new)


def _build_accepted_run(asked: ResearchInput, engine: Engine) -> ArchivedRun:
    return ArchivedRun(
        run_id=asked.run_id,
        question=asked.question,
        mode=asked.mode,
        tenant=asked.tenant,
        status="running",
        started_at=time.time(),
        sources=asked.sources,
        engine=engine,
        forked_from=asked.forked_from,
        previous_run=asked.follows.run_id if asked.follows else "",
        domain=asked.domain,
    )


def _explain_not_admitted(admission: Admission, settings: Settings) -> str:
    """Why a run was not admitted, and what to do."""
    if admission.share == settings.open_runs:
        full = f"{admission.open} runs are open and {settings.open_runs} may be"
    else:  # how many others have is for nobody else to know
        full = f"no more runs have room: {settings.open_runs} may be open, of which {admission.share} may be yours now"
    return f"{full}: ask again when one has ended, or stop one"
