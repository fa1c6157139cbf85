"""Schedules as Temporal keeps them: there is no other record of them, and operators may change them there."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from pydantic import ValidationError
from sqlalchemy.ext.asyncio import AsyncEngine
from temporalio.api.common.v1 import Payload
from temporalio.client import (
    Client,
    Schedule,
    ScheduleActionExecutionStartWorkflow,
    ScheduleActionStartWorkflow,
    ScheduleAlreadyRunningError,
    ScheduleDescription,
    ScheduleHandle,
    ScheduleIntervalSpec,
    ScheduleOverlapPolicy,
    SchedulePolicy,
    ScheduleSpec,
    ScheduleState,
    ScheduleUpdate,
    WorkflowHistoryEventFilterType,
)
from temporalio.converter import DataConverter
from temporalio.service import RPCError, RPCStatusCode

from elcano.doors.schedules.contracts import (
    GIVE_UP_AFTER,
    START,
    WORKFLOW,
    ScheduledQuestion,
    StartedRun,
    name_schedule,
)
from elcano.doors.schedules.settings import read_schedule_settings
from elcano.graphs.contracts import BACKGROUND_QUEUE, SCHEDULE
from elcano.graphs.records import RunFilter
from elcano.graphs.run_contracts import TENANT_ATTRIBUTE
from elcano.service.errors import (
    FieldFault,
    Refusal,
    RequestInvalid,
    RunForgotten,
    TemporalRefused,
    TemporalUnavailable,
    explain_invalid,
)
from elcano.service.runs.run_request import RunRequest
from elcano.service.temporal.connection import CALL_TIMEOUT, connect_client, map_rpc_errors
from elcano.service.temporal.executions import ask_for_execution
from elcano.service.temporal.labels import describe_owner
from elcano.settings.settings import Settings
from elcano.storage.payloads import read_failure_message
from elcano.storage.plugin_store import PluginTables
from elcano.storage.runs import ListedRun
from elcano.storage.store import TenantStore

PAGE: Final = 200
"""Runs that are read at a time."""
NO_TENANT: Final = "default"
"""Named in place of the tenant of a question that is lost; nothing is done for it."""
CHANGED: Final = "it was changed in Temporal; replace it, or delete it"
"""Reason given for a schedule that no longer starts runs."""
UNREADABLE_FAILURE: Final = "it failed, and why cannot be read"
TRIED_AGAIN: Final = f"it is tried again for up to {GIVE_UP_AFTER.total_seconds() / 3_600:g} hours"
LEAST_SECONDS: Final = 60.0
"""The shortest time between two runs of a schedule."""

Overlap: TypeAlias = Literal["skip", "queue_one", "queue_all", "allow"]
OVERLAPS: Final[dict[Overlap, ScheduleOverlapPolicy]] = {
    "skip": ScheduleOverlapPolicy.SKIP,
    "queue_one": ScheduleOverlapPolicy.BUFFER_ONE,
    "queue_all": ScheduleOverlapPolicy.BUFFER_ALL,
    "allow": ScheduleOverlapPolicy.ALLOW_ALL,
}
"""Temporal's policies for a run that is due while an earlier one is running."""
SHOWN_OVERLAPS: Final[dict[ScheduleOverlapPolicy, Overlap | Literal["cancel_other", "terminate_other"]]] = {
    **{policy: name for name, policy in OVERLAPS.items()},
    ScheduleOverlapPolicy.CANCEL_OTHER: "cancel_other",
    ScheduleOverlapPolicy.TERMINATE_OTHER: "terminate_other",
}
"""With those that only Temporal's own tools set."""


class ScheduleNotFound(Refusal, kind="missing", title="No such schedule"):
    """The tenant has no schedule of this name."""


class ScheduleExists(Refusal, kind="conflict", title="There is a schedule of this name"):
    """A schedule of this name was made before."""


class TenantSchedules:
    """The schedules of one tenant."""

    def __init__(self, client: Client, tenant: str) -> None:
        self._client = client
        self._tenant = tenant
        self._prefix = name_schedule(tenant, "")

    def build(
        self,
        name: str,
        question: ScheduledQuestion,
        spec: ScheduleSpec,
        *,
        overlap: Overlap,
        catch_up_seconds: float,
        paused: bool,
        note: str,
    ) -> Schedule:
        """A schedule as Temporal keeps it."""
        action = ScheduleActionStartWorkflow(
            WORKFLOW,
            question,
            id=f"{self._prefix}{name}",
            task_queue=BACKGROUND_QUEUE,
            typed_search_attributes=describe_owner(self._tenant),
        )
        policy = SchedulePolicy(overlap=OVERLAPS[overlap], catchup_window=timedelta(seconds=catch_up_seconds))
        return Schedule(action=action, spec=spec, policy=policy, state=ScheduleState(note=note or None, paused=paused))

    async def create(self, name: str, schedule: Schedule) -> ScheduleDescription:
        """Make a schedule.

        Raises:
            ScheduleExists: there is one of this name.
            RequestInvalid: Temporal does not understand when it is to run.
        """
        owner = describe_owner(self._tenant)
        with _map_schedule_errors(name):
            try:
                handle = await self._client.create_schedule(f"{self._prefix}{name}", schedule, search_attributes=owner)
            except ScheduleAlreadyRunningError as error:
                raise ScheduleExists(f"there is a schedule {name!r}: delete it, or take another name") from error
            return await handle.describe()

    async def replace(self, name: str, schedule: Schedule) -> None:
        """Put a schedule in the place of the one of this name.

        Raises:
            ScheduleNotFound: there is none.
            RequestInvalid: Temporal does not understand when it is to run.
        """
        with _map_schedule_errors(name):
            await self._handle(name).update(lambda _: ScheduleUpdate(schedule))

    async def describe(self, name: str) -> ScheduleDescription:
        """One schedule."""
        with _map_schedule_errors(name):
            return await self._handle(name).describe()

    async def list_names(self) -> AsyncIterator[str]:
        """The names of all schedules, in no order."""
        with map_rpc_errors():
            async for one in await self._client.list_schedules(f"{TENANT_ATTRIBUTE} = '{self._tenant}'"):
                if one.id.startswith(self._prefix):
                    yield one.id.removeprefix(self._prefix)

    async def pause(self, name: str, note: str) -> None:
        """Start no run until it is unpaused."""
        with _map_schedule_errors(name):
            await self._handle(name).pause(note=note or "paused")

    async def unpause(self, name: str, note: str) -> None:
        """Start runs again."""
        with _map_schedule_errors(name):
            await self._handle(name).unpause(note=note or "unpaused")

    async def trigger(self, name: str) -> None:
        """Start a run now, as at a time of the schedule."""
        with _map_schedule_errors(name):
            await self._handle(name).trigger()

    async def delete(self, name: str) -> None:
        """Delete a schedule. Its runs stay."""
        with _map_schedule_errors(name):
            await self._handle(name).delete()

    def _handle(self, name: str) -> ScheduleHandle:
        return self._client.get_schedule_handle(f"{self._prefix}{name}")


@contextmanager
def _map_schedule_errors(name: str) -> Iterator[None]:
    """Says in our words what Temporal refuses."""
    with map_rpc_errors():
        try:
            yield
        except RPCError as error:
            if error.status == RPCStatusCode.NOT_FOUND:
                text = f"there is no schedule {name[:100]!r}; `GET /v1/schedules` lists them"
                raise ScheduleNotFound(text) from error
            if error.status == RPCStatusCode.INVALID_ARGUMENT:
                raise RequestInvalid([FieldFault(field="cron", message=error.message)]) from error
            raise


def build_spec(
    cron: Sequence[str], every_seconds: float | None, time_zone: str, start_at: datetime | None, end_at: datetime | None
) -> ScheduleSpec:
    """When a schedule runs."""
    intervals = [] if every_seconds is None else [ScheduleIntervalSpec(every=timedelta(seconds=every_seconds))]
    return ScheduleSpec(
        cron_expressions=list(cron),
        intervals=intervals,
        time_zone_name=time_zone,
        start_at=start_at,
        end_at=end_at,
    )


async def read_question(described: ScheduleDescription, converter: DataConverter) -> tuple[ScheduledQuestion, str]:
    """The question that a schedule asks, and what is wrong with it if it was changed in Temporal."""
    schedule = described.schedule
    lost = ScheduledQuestion(tenant=NO_TENANT, schedule="", request={})
    action = schedule.action
    if not isinstance(action, ScheduleActionStartWorkflow) or action.workflow != WORKFLOW:
        return lost, f"it starts something else than a run: {CHANGED}"
    given = [one for one in action.args if isinstance(one, Payload)]  # the SDK gives None in place of no argument
    try:
        read: list[ScheduledQuestion] = await converter.decode(given, [ScheduledQuestion])
        question = read[0]
    except Exception:  # anything at all may be written there; the others are listed all the same
        return lost, f"it has no question any more: {CHANGED}"
    if name_schedule(question.tenant, question.schedule) != described.id:
        return lost, f"it asks under the name of another: {CHANGED}"
    if action.task_queue != BACKGROUND_QUEUE:
        return question, f"no worker takes what it starts from {action.task_queue!r}: {CHANGED}"
    try:
        RunRequest.model_validate(question.request)
    except ValidationError as error:
        return question, f"its request is not understood ({explain_invalid(error)}): {CHANGED}"
    return question, ""


async def read_last_refusal(described: ScheduleDescription, client: Client) -> str:
    """Why the last time started no run, or none yet; empty if it did, or Temporal does not say."""
    last = described.info.recent_actions[-1].action if described.info.recent_actions else None
    if not isinstance(last, ScheduleActionExecutionStartWorkflow):
        return ""
    if last in described.info.running_actions:
        return await _read_refusal_so_far(last, client)
    handle = client.get_workflow_handle(last.workflow_id, run_id=last.first_execution_run_id)
    ends = handle.fetch_history_events(
        event_filter_type=WorkflowHistoryEventFilterType.CLOSE_EVENT, rpc_timeout=CALL_TIMEOUT
    )
    try:
        found = [one async for one in ends]
    except RPCError:  # it is too long ago, or cannot be read now: the schedule is shown all the same
        return ""
    if not found:  # it is open: `running_actions` does not name those that may overlap
        return await _read_refusal_so_far(last, client)
    end = found[-1]
    if end.HasField("workflow_execution_failed_event_attributes"):
        try:
            cause = await client.data_converter.decode_failure(end.workflow_execution_failed_event_attributes.failure)
        except Exception:  # its key is gone, or anything at all is written there
            return UNREADABLE_FAILURE
        return str(cause.__cause__ or cause)
    given = end.workflow_execution_completed_event_attributes.result.payloads
    with suppress(Exception):  # what something else returned that was started under the name
        started: list[StartedRun] = await client.data_converter.decode(given, [StartedRun])
        return started[0].refusal
    return ""


async def _read_refusal_so_far(open_time: ScheduleActionExecutionStartWorkflow, client: Client) -> str:
    """Why a time that is open has started no run yet, as the last attempt said."""
    with suppress(RunForgotten, TemporalUnavailable, TemporalRefused):
        seen = await ask_for_execution(client, open_time.workflow_id, open_time.first_execution_run_id)
        for call in seen.pending_activities:
            if call.activity_type.name != START or not call.HasField("last_failure"):
                continue
            try:
                why = await read_failure_message(client.data_converter, call.last_failure)
            except Exception:  # its key is gone, or anything at all is written there
                why = UNREADABLE_FAILURE
            return f"{why}; {TRIED_AGAIN}"
    return ""


async def list_scheduled_runs(
    store: TenantStore, schedule: str, since: float, most: int, *, before: str | None = None
) -> list[str]:
    """The ids of the runs that a schedule started since a time, and before the run `before`, the newest first."""
    found: list[str] = []
    async for one in iterate_scheduled_runs(store, schedule, since, before=before):
        found.append(one.run_id)
        if len(found) >= most:
            break
    return found


async def iterate_scheduled_runs(
    store: TenantStore, schedule: str, since: float = 0.0, question: str | None = None, *, before: str | None = None
) -> AsyncIterator[ListedRun]:
    """The runs that a schedule started since a time, the newest first; of all questions, or of one."""
    while True:
        page = await store.runs.page(
            limit=PAGE, before=before, wanted=RunFilter(created_after=since, question=question)
        )
        for one in page.runs:
            if one.run.metadata.get(SCHEDULE) == schedule:
                yield one
        if page.next is None:
            return
        before = page.next


class ScheduleOwner(PluginTables):
    """Deletes the schedules of a tenant that is deleted: the plugin has no rows."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        super().__init__(engine, settings)
        self._settings = settings

    def of(self, tenant: str) -> str:
        """There is nothing besides the tenant's name."""
        return tenant

    async def delete_tenant(self, tenant: str) -> None:
        """Deletes its schedules, so that they start nothing for another tenant of the name."""
        if not read_schedule_settings().schedules:
            return
        schedules = TenantSchedules(await connect_client(self._settings), tenant)
        for name in [name async for name in schedules.list_names()]:
            await schedules.delete(name)
