"""Turns a request into a running workflow, exactly once for each idempotency key, through any failure on the way.

The order is: look the key up, judge the request, admit the run and claim the key for it, start its workflow, list it.
The key is looked up first, so that the same request gets the run that it started, whatever has changed since: what it
refers to may be gone. A request that is refused claims nothing. Each step can be done twice: a process that dies in
between leaves a key, and perhaps a run of which it is not known whether it was started, and the same request with the
same key continues from there. Such a run is unlisted until the reconciler, or that request, has asked Temporal.
"""

import json
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from hashlib import sha256

from ulid import ULID

from elcano.graphs.errors import RunOpen
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun, build_accepted_run
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.graphs.tenants import run_id as new_run_id
from elcano.service.errors import KeyReused, RunForgotten, RunNotFound, TemporalRefused, TooManyRuns
from elcano.service.fields import Request
from elcano.service.process import Services
from elcano.service.runs.judgement import JudgedRun
from elcano.settings.settings import Settings
from elcano.storage.admission import Admission
from elcano.storage.idempotency_keys import KeyClaim, RequestKey


@dataclass(frozen=True)
class Submission:
    """An accepted request."""

    run: ArchivedRun
    new: bool
    """False: the same request was accepted before."""


def build_request_key(key: str | None, body: Request, about: str = "") -> RequestKey | None:
    """A client's key with the hash of what it came with; the order of fields and white space do not matter.

    Line feeds, which headers cannot have and other keys may, mark keys of our own.
    """
    if key is None:
        return None
    said = json.dumps(body.model_dump(mode="json", exclude_defaults=True), sort_keys=True)
    return RequestKey(key=key.replace("\n", " "), request_hash=sha256(f"{about}{said}".encode()).hexdigest())


async def submit_run(
    judge: Callable[[str], Awaitable[JudgedRun]], key: RequestKey | None, services: Services, *, notify: str = ""
) -> Submission:
    """Start the run that `judge` makes of its id, or find the one that the same request started.

    `notify` is the id of a workflow that is signalled when the run has ended.

    Raises:
        KeyReused: the key came with another request before.
        TooManyRuns: as many runs are open as may be.
        TemporalUnavailable: nothing was started, or it is not known; the same request with the same key is safe.
        TemporalRefused: nothing was started.
        Exception: `judge` refuses; nothing was started.
    """
    claim = None if key is None else await services.store.admission.find_claim(key.key)
    if claim is None or key is None:
        return await _start_run(await judge(new_run_id(services.tenant, str(ULID()))), key, services, notify)
    require_same_request(claim, key)
    if (run := await _find_started_run(claim.run_id, services)) is not None:
        return Submission(run, new=False)
    try:
        return await _start_run(await judge(claim.run_id), key, services, notify)
    except Exception:
        await services.store.admission.give_back(key.key, claim.run_id)
        raise


def require_same_request(claim: KeyClaim, key: RequestKey) -> None:
    """Refuse a key that came with another request before.

    Raises:
        KeyReused: it did.
    """
    if claim.request_hash != key.request_hash:
        raise KeyReused(f"the key {key.key!r} belongs to {claim.run_id!r}, which was asked for in other words")


async def _find_started_run(run_id: str, services: Services) -> ArchivedRun | None:
    """A run whose workflow was started; if that was not known, Temporal is asked, and it is known from then on."""
    runs = services.store.runs
    if (run := await runs.get(run_id, begun=True)) is not None:
        return run
    if (run := await runs.get(run_id)) is None:  # no one came as far as to start it
        return None
    try:
        await services.temporal.describe(run_id)
    except RunForgotten:
        return None
    await runs.begin(run)
    return run


async def _start_run(judged: JudgedRun, key: RequestKey | None, services: Services, notify: str) -> Submission:
    asked = judged.asked.model_copy(update={"api_key": services.principal.key_id, "notify": notify})
    judged = JudgedRun(asked, judged.engine)
    run = build_accepted_run(asked, judged.engine, time.time())
    admission = await services.store.admission.admit(
        run, services.settings.open_runs, key, limits=asked.limits, rules=services.admission_rules
    )
    if admission.claimed is not None and key is not None:  # another one came with the same key meanwhile
        require_same_request(admission.claimed, key)
        renamed = judged.asked.model_copy(update={"run_id": admission.claimed.run_id})
        return await _start_run(JudgedRun(renamed, judged.engine), key, services, notify)
    if not admission.admitted:
        raise TooManyRuns(_explain_not_admitted(admission, services.settings))
    address = f"{services.address}/v1/runs/{run.run_id}"
    try:
        new = await services.temporal.start(judged.asked.model_copy(update={"address": address}), judged.engine)
    except TemporalRefused:
        if admission.new:  # else an earlier attempt may have started it
            await services.store.admission.withdraw(run.run_id)
            if key is not None:
                await services.store.admission.give_back(key.key, run.run_id)
        raise
    await services.store.runs.begin(run)
    return Submission(run, new=new)


async def continue_run(
    run: ArchivedRun, asked: ResearchInput, limits: Limits, begun: JsonObject, services: Services
) -> str:
    """Starts the next execution of an ended run, if the limits of open runs and the quotas allow it; returns its id.

    Args:
        run: it, as it ended.
        asked: the input of the execution.
        limits: the run's budget.
        begun: see `Temporal.go_on`.
        services: those of the caller.

    Raises:
        RunNotFound: it was deleted meanwhile.
        RunOpen: another request resumed it first.
        TooManyRuns, QuotaUsedUp, MoneyUsedUp: there is no room for it; nothing was started.
        TemporalUnavailable: nothing was started, or it is not known; the same request under the same id is safe.
        TemporalRefused: nothing was started.
    """
    admission = await services.store.admission.readmit(
        run, services.settings.open_runs, limits=limits, rules=services.admission_rules
    )
    if admission is None:
        raise RunNotFound(run.run_id)
    if not admission.admitted:
        raise TooManyRuns(_explain_not_admitted(admission, services.settings))
    try:
        execution = await services.temporal.go_on(asked, run.engine, begun)
    except TemporalRefused:
        if admission.new:
            await services.store.admission.release(run)
        raise
    if execution is None:  # its place is that of the execution that is open
        raise RunOpen(f"the run {run.run_id!r} is already running: another request resumed it first")
    await services.store.runs.reopen(run.run_id, execution)
    return execution


def _explain_not_admitted(admission: Admission, settings: Settings) -> str:
    """Why a run was not admitted, and what to do."""
    if admission.share == settings.open_runs:
        full = f"{admission.open} runs are open and {settings.open_runs} may be"
    else:  # how many others have is for no one else to know
        full = f"no more runs have room: {settings.open_runs} may be open, of which {admission.share} may be yours now"
    return f"{full}: ask again when one has ended, or stop one"
