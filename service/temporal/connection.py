"""The connection to Temporal is made by the first call that needs it, and anew until that works.

So the API starts, answers and serves finished runs while Temporal is away.

Requests that were answered by a party that could not know the answer are repeated. Queries, while something has
happened that their run has yet to hear of (`workflows/sandbox.py`), which lasts milliseconds. And requests that the run
never saw: a server that was killed hands a task to a worker, forgets which requests it put into it, and refuses them as
unsupported once the task comes back without an answer to them.

A worker waits for its server as long as it takes, and gives the namespace the search attributes that it lacks.
"""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import contextmanager
from datetime import timedelta
from typing import Any, Final, TypeVar
from urllib.parse import quote

from pydantic import ValidationError
from temporalio.api.enums.v1 import IndexedValueType, WorkflowExecutionStatus
from temporalio.api.operatorservice.v1 import AddSearchAttributesRequest, ListSearchAttributesRequest
from temporalio.client import (
    Client,
    Interceptor,
    OutboundInterceptor,
    QueryWorkflowInput,
    WorkflowQueryFailedError,
    WorkflowUpdateFailedError,
)
from temporalio.envconfig import ClientConfig
from temporalio.exceptions import ApplicationError
from temporalio.runtime import LogForwardingConfig, LoggingConfig, MetricBuffer, Runtime, TelemetryConfig
from temporalio.service import RetryConfig, RPCError, RPCStatusCode

from elcano.graphs.contracts import TASK_FAILED, TOO_EARLY, WORKER_BEAT_SECONDS
from elcano.graphs.errors import StoreDamaged
from elcano.graphs.run_contracts import SEARCH_ATTRIBUTES
from elcano.service.errors import (
    RunBlocked,
    RunForgotten,
    RunUnreadable,
    TemporalRefused,
    TemporalUnavailable,
    WorkerUnavailable,
)
from elcano.settings.settings import Settings
from elcano.storage.payloads import connect_config

CONNECT_TIMEOUT: Final = timedelta(seconds=5)
"""To be connected and greeted; the SDK itself would wait half a minute for the greeting."""
RETRIES: Final = RetryConfig(max_elapsed_time_millis=2_000)
"""Seconds that a call refused by the server is repeated before the client gets the error; the SDK's default is 10. A
call that takes longer has its own time (`CALL_TIMEOUT`), and is not repeated then."""


def build_runtime(metrics: MetricBuffer | None = None) -> Runtime:
    """The SDK's runtime. What it logs goes into our log: without secrets, in the form of all other lines.

    By itself it would write to the terminal, in colours. A worker on it reports itself to the server every few seconds.
    """
    log = logging.getLogger("temporal")
    forwarding = LogForwardingConfig(log, append_target_to_name=False, prepend_target_on_message=False)
    logged = LoggingConfig(filter=LoggingConfig.default.filter, forwarding=forwarding)
    return Runtime(
        telemetry=TelemetryConfig(logging=logged, metrics=metrics),
        worker_heartbeat_interval=timedelta(seconds=WORKER_BEAT_SECONDS),
    )


class Connection:
    """One client, made when it is first asked for."""

    def __init__(self, connect: Callable[[], Awaitable[Client]]) -> None:
        self._connect = connect
        self._attempt: asyncio.Future[Client] | None = None

    async def client(self) -> Client:
        """The client.

        Raises:
            TemporalUnavailable: the server cannot be reached.
        """
        attempt = self._attempt
        if attempt is None or (attempt.done() and attempt.exception() is not None):
            attempt = self._attempt = asyncio.ensure_future(self._connect())
        try:
            return await asyncio.shield(attempt)  # shared: a caller that leaves keeps it for the others
        except RuntimeError as error:  # how the SDK says that it cannot connect
            raise TemporalUnavailable("Temporal cannot be reached; is its server running?") from error


async def connect_client(settings: Settings) -> Client:
    """A client of the server that the settings name, with the converter that the workers use.

    Raises:
        RuntimeError: the server cannot be reached, or does not answer in `CONNECT_TIMEOUT`.
    """
    try:
        async with asyncio.timeout(CONNECT_TIMEOUT.total_seconds()):
            return await Client.connect(**connect_config(settings), retry_config=RETRIES, interceptors=[RetryQueries()])
    except TimeoutError as error:
        raise RuntimeError(f"no answer within {CONNECT_TIMEOUT.total_seconds():g} s") from error


Answer = TypeVar("Answer")

FIRST_PAUSE: Final = 0.02
"""Seconds before a run is asked again; doubled from try to try."""
TRIES: Final = 10
"""More than a worker refuses a run that gets no further task."""
_UNKNOWN_STATUS: Final = f"{WorkflowExecutionStatus.WORKFLOW_EXECUTION_STATUS_PAUSED} is not a valid"
"""The SDK's message for a query rejected because its workflow is paused: its list of statuses lacks that one."""
UNHEARD: Final = "UnprocessedUpdate"
"""The type of the server's own refusal."""
UNHEARD_PAUSE: Final = 0.2
"""Seconds before a request is sent again that its run did not see; doubled from try to try."""
UNHEARD_TRIES: Final = 4


class RetryQueries(Interceptor):
    """An interceptor for every client that queries runs."""

    def intercept_client(self, next: OutboundInterceptor) -> OutboundInterceptor:
        """Around each of its requests."""
        return _AskingAgain(next)


class _AskingAgain(OutboundInterceptor):
    async def query_workflow(self, input: QueryWorkflowInput) -> Any:
        for earlier in range(TRIES - 1):
            try:
                return await super().query_workflow(input)
            except WorkflowQueryFailedError as error:
                if str(error) != TOO_EARLY:
                    raise
                await asyncio.sleep(FIRST_PAUSE * 2**earlier)
            except ValueError as error:
                if _UNKNOWN_STATUS not in str(error):
                    raise
                raise RunBlocked(PAUSED) from error
        return await super().query_workflow(input)


async def until_heard(ask: Callable[[], Awaitable[Answer]]) -> Answer:
    """Return the run's answer to `ask`, which sends one request under one id each time that it is called.

    Raises:
        WorkflowUpdateFailedError: the run refuses it, or did not see it in `UNHEARD_TRIES` attempts.
    """
    for earlier in range(UNHEARD_TRIES - 1):
        try:
            return await ask()
        except WorkflowUpdateFailedError as error:
            if not is_unheard(error):
                raise
            await asyncio.sleep(UNHEARD_PAUSE * 2**earlier)
    return await ask()


def is_unheard(error: WorkflowUpdateFailedError) -> bool:
    """Whether it was not the run that refused."""
    return isinstance(error.cause, ApplicationError) and error.cause.type == UNHEARD


_DEFAULT: Final = "default"
"""The namespace of a client that names none."""


def workflows_page(settings: Settings) -> str:
    """The address of the UI's list of workflows, to which `/` and a run's id add that of the run; empty: unknown."""
    if not settings.temporal_ui_url:
        return ""
    namespace = ClientConfig.load_client_connect_config().get("namespace") or _DEFAULT
    return f"{settings.temporal_ui_url.rstrip('/')}/namespaces/{quote(namespace, safe='')}/workflows"


CALL_TIMEOUT: Final = timedelta(seconds=5)
"""For calls that the server answers by itself."""
NO_WORKER: Final = "no worker answers; the run continues when one does"

UNAVAILABLE: Final = frozenset(
    {
        RPCStatusCode.UNAVAILABLE,
        RPCStatusCode.DEADLINE_EXCEEDED,
        RPCStatusCode.CANCELLED,
        RPCStatusCode.RESOURCE_EXHAUSTED,
        RPCStatusCode.UNKNOWN,  # a connection that breaks off in the middle of a call
    }
)
_NO_WORKER = frozenset({RPCStatusCode.FAILED_PRECONDITION, RPCStatusCode.DEADLINE_EXCEEDED, RPCStatusCode.CANCELLED})
_QUERIES_WAIT = "query buffer is full"
"""The server's message for a query when too many others wait for a worker."""
_PAUSED = "Workflow is paused"
"""Its message for an update to a paused workflow."""
PAUSED: Final = "the run is paused in Temporal: continue it there (`temporal workflow unpause`), or cancel it"
STUCK_SHORT: Final = "no worker can continue the run"
STUCK: Final = f"{STUCK_SHORT}: each that tries fails its workflow task, and its log says why"


CORRECT_NAMESPACE: Final = "make the namespace, or correct TEMPORAL_NAMESPACE"


@contextmanager
def map_rpc_errors() -> Iterator[None]:
    """Translate Temporal's errors, and those of data that it stores outside, into ours."""
    try:
        yield
    except (StoreDamaged, ValidationError) as error:
        raise RunUnreadable(f"what Temporal has of this run cannot be read: {error}") from error
    except RPCError as error:
        if error.status == RPCStatusCode.NOT_FOUND:
            if error.message.startswith("Namespace "):  # a wrong name forgets no run
                raise TemporalUnavailable(f"{error.message}; {CORRECT_NAMESPACE}") from error
            raise RunForgotten("Temporal does not know this run, or not any more") from error
        if _PAUSED in error.message:
            raise RunBlocked(PAUSED) from error
        if error.status in UNAVAILABLE:
            raise TemporalUnavailable(f"Temporal does not answer: {error.message}") from error
        raise TemporalRefused(f"Temporal refused: {error.message} ({error.status.name})") from error


@contextmanager
def mapped_query() -> Iterator[None]:
    """Temporal's errors as ours, where a worker has to answer."""
    with map_rpc_errors():
        try:
            yield
        except WorkflowQueryFailedError as error:
            raise RunUnreadable(f"the worker cannot read this run: {error}") from error
        except RPCError as error:
            if TASK_FAILED in error.message:
                raise RunUnreadable(STUCK) from error
            if error.status in _NO_WORKER or _QUERIES_WAIT in error.message:
                raise WorkerUnavailable(NO_WORKER) from error
            raise


_log = logging.getLogger("worker")

_TYPES: Final = {
    "Keyword": IndexedValueType.INDEXED_VALUE_TYPE_KEYWORD,
    "Int": IndexedValueType.INDEXED_VALUE_TYPE_INT,
    "Double": IndexedValueType.INDEXED_VALUE_TYPE_DOUBLE,
}
"""Types of search attributes, as the server's operator service names them."""
_CLOSED_TO_US = (RPCStatusCode.PERMISSION_DENIED, RPCStatusCode.UNIMPLEMENTED)
"""Errors of a server whose operator service is not for this client, or does not exist; waiting fixes neither."""
FIRST_CONNECT_PAUSE = 0.5
LONGEST_CONNECT_PAUSE = 15.0
"""Seconds between two attempts to reach the server: doubled from the first to the longest."""


async def connect_when_ready(settings: Settings) -> Client:
    """A client whose namespace is ready for runs, however long the server takes to appear."""
    config = connect_config(settings)
    pause = FIRST_CONNECT_PAUSE
    while True:
        try:
            client = await Client.connect(**config)
            await ensure_search_attributes(client)
        except (RuntimeError, RPCError) as error:  # RuntimeError is how the SDK says that it cannot connect
            _log.warning("Temporal at %s is not ready, next try in %g s: %s", config["target_host"], pause, error)
            await asyncio.sleep(pause)
            pause = min(2 * pause, LONGEST_CONNECT_PAUSE)
        else:
            return client


async def find_missing_attributes(client: Client) -> list[str]:
    """The search attributes without which no run can start, and that the namespace lacks.

    A server whose operator service is closed to this client does not say, and counts as having them.

    Raises:
        RPCError: the server cannot answer now, or the namespace does not exist.
    """
    request = ListSearchAttributesRequest(namespace=client.namespace)
    try:
        known = await client.operator_service.list_search_attributes(request, timeout=CALL_TIMEOUT)
    except RPCError as error:
        if error.status in _CLOSED_TO_US:
            return []
        raise
    return [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]


def describe_registration(namespace: str, missing: Sequence[str]) -> str:
    """The command that registers search attributes."""
    names = " ".join(f"--name {name} --type {SEARCH_ATTRIBUTES[name]}" for name in missing)
    return f"temporal operator search-attribute create --namespace {namespace} {names}"


def describe_missing_attributes(client: Client, missing: Sequence[str]) -> str:
    """Say that runs cannot start without search attributes, and what to do."""
    command = describe_registration(client.namespace, missing)
    return f"the namespace lacks search attributes of runs. A worker that starts registers them, and so does: {command}"


async def ensure_search_attributes(client: Client) -> None:
    """Registers the search attributes that the namespace lacks.

    A server that does not let this client look or register is said once what someone has to do by hand, and that is
    all: everything else works with attributes that are there already.

    Raises:
        RPCError: the server cannot answer now, or the namespace does not exist (yet).
    """
    operator = client.operator_service
    missing = list(SEARCH_ATTRIBUTES)
    try:
        known = await operator.list_search_attributes(ListSearchAttributesRequest(namespace=client.namespace))
        missing = [name for name in SEARCH_ATTRIBUTES if name not in known.custom_attributes]
        if not missing:
            return
        types = {name: _TYPES[SEARCH_ATTRIBUTES[name]] for name in missing}
        await operator.add_search_attributes(
            AddSearchAttributesRequest(namespace=client.namespace, search_attributes=types)
        )
    except RPCError as error:
        if error.status in _CLOSED_TO_US:
            _log.warning("%s", by_hand(client.namespace, missing, error))
            return
        if error.status != RPCStatusCode.ALREADY_EXISTS:  # another worker was quicker
            raise
    _log.info("registered the search attributes %s", ", ".join(missing))


def by_hand(namespace: str, missing: Sequence[str], error: RPCError) -> str:
    """Name the search attributes that an administrator has to register, with a command to copy."""
    return (
        f"the search attributes of namespace {namespace!r} cannot be looked after from here "
        f"({error.status.name}: {error.message}). The worker continues; runs cannot start unless a person who may "
        f"registers them: {describe_registration(namespace, missing)} "
        "(on Temporal Cloud: in the namespace's settings, with these types)"
    )
