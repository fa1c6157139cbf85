"""Control requests: one way for everything that somebody may ask of a run under way.

Every request has an id, the client's `Idempotency-Key` or one that is made here, and it is the id of Temporal's update.
So a request that is sent again gets its first answer and is done once, also if nobody heard that answer. Temporal by
itself would give the first answer to another request under the same id, and would judge a refused one anew: what an id
was sent with, and what the run answered, is therefore kept in the store.

A new kind of request is a constant here, a route, and its handler in the workflow.
"""

from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final, Generic, TypeVar

from pydantic import TypeAdapter
from ulid import ULID

from elcano.api.http.errors import KeyReused, RunEnded, RunForgotten, StopRefused, TopUpRefused, UpdateRefused
from elcano.api.runs.reading import current_run
from elcano.api.temporal.client import Temporal
from elcano.graphs.contracts import STOP_UPDATE, TOP_UP_UPDATE, StopRequest
from elcano.graphs.errors import ElcanoError
from elcano.graphs.frozen import Frozen
from elcano.graphs.values.budget import Limits, TopUp
from elcano.storage.controls import ControlOutcome
from elcano.storage.store import TenantStore

Request = TypeVar("Request", bound=Frozen)
Answer = TypeVar("Answer")


@dataclass(frozen=True)
class Control(Generic[Request, Answer]):
    """A kind of control request."""

    update: str
    """The workflow's update."""
    answer: TypeAdapter[Answer]
    refused: type[ElcanoError]
    """What a refusal by the run is raised as."""


STOP: Final[Control[StopRequest, None]] = Control(STOP_UPDATE, TypeAdapter(None), StopRefused)
TOP_UP: Final[Control[TopUp, Limits]] = Control(TOP_UP_UPDATE, TypeAdapter(Limits), TopUpRefused)


def new_request_id() -> str:
    """An id for a request that came without one."""
    return str(ULID()).lower()


async def ask(
    control: Control[Request, Answer],
    run_id: str,
    request: Request,
    request_id: str,
    *,
    temporal: Temporal,
    store: TenantStore,
) -> Answer:
    """What the run answers, or answered when the same request came before.

    Raises:
        RunNotFound: there is no such run.
        RunEnded: the run has ended, and this request was not applied by its last execution.
        KeyReused: the id came with another request before.
        OutcomeUnknown: the request may be applied later, or was; the same id and request tell.
        TemporalUnavailable: nothing was sent.
        control.refused: the run refused; it stays so for this id.
    """
    run = await current_run(run_id, temporal, store)
    claim = await store.controls.claim(run_id, request_id, _hash(control, request))
    if claim.request_hash != _hash(control, request):
        raise KeyReused(f"the key {request_id!r} was sent to run {run_id!r} with another request; take a new one")
    if claim.outcome is not None:
        return _told(control, claim.outcome)
    if claim.mine and run.status != "running":
        raise RunEnded(f"the run {run_id!r} has ended: {run.status}")
    outcome = await _asked(control, run_id, request, request_id, temporal)
    await store.controls.settle(run_id, request_id, outcome)
    return _told(control, outcome)


async def _asked(
    control: Control[Request, Answer], run_id: str, request: Request, request_id: str, temporal: Temporal
) -> ControlOutcome:
    try:
        answer = await temporal.update(run_id, control.update, request, request_id)
    except UpdateRefused as error:
        return ControlOutcome(accepted=False, text=str(error))
    except RunForgotten as error:
        raise RunEnded(f"the run {run_id!r} has ended") from error
    return ControlOutcome(accepted=True, text=control.answer.dump_json(_checked(control, answer)).decode())


def _checked(control: Control[Request, Answer], answer: Any) -> Answer:
    return control.answer.validate_python(answer)


def _told(control: Control[Request, Answer], outcome: ControlOutcome) -> Answer:
    if not outcome.accepted:
        raise control.refused(outcome.text)
    return control.answer.validate_json(outcome.text)


def _hash(control: Control[Request, Answer], request: Request) -> str:
    return sha256(f"{control.update}\n{request.model_dump_json()}".encode()).hexdigest()
