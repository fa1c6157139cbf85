"""Control requests: one path for every request that acts on a running run, and Temporal's own cancellation.

Every request has an id, the client's `Idempotency-Key` or one that is made here, and it is the id of Temporal's update.
So a request that is sent again gets its first answer and is done once, also if that answer was lost. Temporal by
itself would give the first answer to another request under the same id, and would judge a refused one anew: what an id
was sent with, and what the run answered, is therefore kept in the store.

A cancellation needs none of this: Temporal keeps it until a worker takes the run, so it needs none to be accepted.
Asked for again, even after the run's end, it changes nothing: the first reason stays.
"""

from hashlib import sha256
from typing import ClassVar, Final

from pydantic import BaseModel, TypeAdapter
from ulid import ULID

from elcano.graphs.engine.control_actions import Action
from elcano.graphs.frozen import Json
from elcano.graphs.run_contracts import ControlRequest
from elcano.graphs.state.failures import Cancellation
from elcano.service.errors import (
    ControlRefused,
    FieldFault,
    KeyReused,
    RequestInvalid,
    RunBlocked,
    RunEnded,
    RunForgotten,
    UpdateRefused,
)
from elcano.service.fields import Accepted, Request
from elcano.service.permissions import Permission
from elcano.service.process import Services
from elcano.service.runs.run_status import current_run
from elcano.service.runs.run_view import RunView
from elcano.service.temporal.client import Temporal
from elcano.storage.runs import ControlClaim, ControlOutcome
from elcano.storage.store import TenantStore

_JSON: Final[TypeAdapter[Json]] = TypeAdapter(Json)


class ControlBody(Request):
    """One thing that may be asked of a run in progress: `POST /v1/runs/{run_id}/<path>`."""

    path: ClassVar[str]
    manual: ClassVar[str]
    """Its description in the API's documentation, with its first line as the title."""
    answer: ClassVar[type[Accepted]]
    action: ClassVar[type[Action]]
    """The action with the fields of the body, for bodies whose `build_action` does nothing else."""
    is_required: ClassVar[bool] = True
    """Whether a body has to be sent."""
    for_sections: ClassVar[bool] = False
    """Whether sections take it by themselves."""
    permission: ClassVar[Permission] = "control_run"
    """Required permission."""

    @classmethod
    def is_offered(cls, run: RunView) -> bool:
        """Whether a run that is not writing its report yet would take it now."""
        return True

    def build_action(self) -> Action:
        """The action as a run takes it.

        Raises:
            InputInvalid: it cannot be done, whatever the run would say.
        """
        return self.action(**self.model_dump())

    def build_answer(self, run_id: str, said: Json) -> Accepted:
        """The answer: what the run said to it, and what of the body the answer repeats."""
        repeated = self.model_dump(include={*self.answer.model_fields})
        return self.answer.model_validate({**repeated, **(said if isinstance(said, dict) else {}), "run_id": run_id})

    async def find_faults(self, services: Services) -> list[FieldFault]:
        """List its requests that this server cannot fulfil."""
        return []


def new_request_id() -> str:
    """An id for a request that came without one."""
    return str(ULID()).lower()


async def request_control(run_id: str, body: ControlBody, request_id: str, services: Services, by: str = "") -> Json:
    """Return the run's answer, or the first answer if the request is a repeat, by any user; `by` is the current user.

    Raises:
        RunNotFound: there is no such run.
        InputInvalid, RequestInvalid: it cannot be done, or not by this server.
        RunEnded: the run has ended, and this request was not applied by its last execution.
        RunBlocked: nothing was sent, because the run takes no requests until someone acts.
        KeyReused: the id came with another request before.
        OutcomeUnknown: the request may be applied later, or was; the same id and request show which.
        TemporalUnavailable: nothing was sent.
        ControlRefused: the run refused; it stays so for this id.
    """
    action = body.build_action()
    run = await current_run(run_id, services.temporal, services.store)
    if faults := await body.find_faults(services):
        raise RequestInvalid(faults)
    claim = await claim_request(run_id, request_id, ControlRequest(action=action), services)
    if claim.outcome is not None:
        return _JSON.validate_json(unwrap_outcome(claim.outcome))
    if claim.mine and run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}")
    outcome = await send_control(run_id, ControlRequest(action=action, by=by), request_id, services.temporal)
    await services.store.controls.settle(run_id, request_id, outcome)
    return _JSON.validate_json(unwrap_outcome(outcome))


async def claim_request(run_id: str, request_id: str, sent: BaseModel, services: Services) -> ControlClaim:
    """Claim an id for a request to a run, or find out what became of the request that had it first.

    Raises:
        KeyReused: the id came with another request before.
    """
    request_hash = sha256(sent.model_dump_json().encode()).hexdigest()
    claim = await services.store.controls.claim(run_id, request_id, request_hash)
    if claim.request_hash != request_hash:
        raise KeyReused(f"the key {request_id!r} was sent to run {run_id!r} with another request; take a new one")
    return claim


async def send_control(run_id: str, request: ControlRequest, request_id: str, temporal: Temporal) -> ControlOutcome:
    """Return the run's answer, or its earlier answer to the same request.

    Raises:
        RunEnded, RunBlocked, OutcomeUnknown, TemporalUnavailable: see `request_control`.
    """
    try:
        if halted := (await temporal.describe(run_id)).halted:  # else a stuck run would keep the client waiting
            raise RunBlocked(halted)
        answer = await temporal.control(run_id, request, request_id)
    except UpdateRefused as error:
        return ControlOutcome(accepted=False, text=str(error))
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended") from error
    return ControlOutcome(accepted=True, text=_JSON.dump_json(answer).decode())


def unwrap_outcome(outcome: ControlOutcome) -> str:
    """The answer of the run as JSON.

    Raises:
        ControlRefused: it refused.
    """
    if not outcome.accepted:
        raise ControlRefused(outcome.text)
    return outcome.text


async def cancel_open_run(run_id: str, cancellation: Cancellation, temporal: Temporal, store: TenantStore) -> bool:
    """Cancels a run. Returns whether a worker polls, which ends it now; else the next one that does.

    Raises:
        RunNotFound: there is no such run.
        RunEnded: it has ended otherwise; nothing was cancelled.
        TemporalUnavailable: it is not known whether it was cancelled; doing it again is safe.
    """
    run = await current_run(run_id, temporal, store)
    if run.status == "cancelled":  # as someone wanted whose first answer was lost
        return await temporal.workers.polls_runs()
    if run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}; there is nothing to cancel")
    try:
        # The server accepts to cancel what was terminated and is not settled yet, and does nothing.
        if (ended := (await temporal.describe(run_id)).status) not in ("running", "cancelled"):
            raise RunEnded(f"the run {run_id!r} has ended: {ended}; there is nothing to cancel")
        await temporal.cancel(run_id, cancellation.written)
        await temporal.free_if_cancelled(run_id)
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended; there is nothing to cancel") from error
    return await temporal.workers.polls_runs()
