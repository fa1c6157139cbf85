"""Schedules as Temporal keeps them: there is no other record of them.

The id of a schedule is its tenant's name and its own, with full stops between, which neither can have.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import Final, Literal, TypeAlias

from sqlalchemy.ext.asyncio import AsyncEngine
from temporalio.client import (
    Client,
    Schedule,
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
)
from temporalio.service import RPCError, RPCStatusCode

from elcano.api.http.errors import FieldFault, Refusal, RequestInvalid
from elcano.api.temporal.client import describe_owner
from elcano.api.temporal.connection import connect_client, map_rpc_errors
from elcano.graphs.run_contracts import TENANT_ATTRIBUTE
from elcano.plugins.schedules.settings import read_schedule_settings
from elcano.plugins.schedules.workflows import TASK_QUEUE, WORKFLOW, ScheduledQuestion
from elcano.settings.settings import Settings
from elcano.storage.plugin_store import PluginTables

PREFIX: Final = "schedule"
LEAST_SECONDS: Final = 60.0
"""The shortest time between two runs of a schedule."""

Overlap: TypeAlias = Literal["skip", "queue_one", "queue_all", "allow"]
OVERLAPS: Final[dict[Overlap, ScheduleOverlapPolicy]] = {
    "skip": ScheduleOverlapPolicy.SKIP,
    "queue_one": ScheduleOverlapPolicy.BUFFER_ONE,
    "queue_all": ScheduleOverlapPolicy.BUFFER_ALL,
    "allow": ScheduleOverlapPolicy.ALLOW_ALL,
}
"""What happens at a time at which the run of an earlier one goes on."""


class ScheduleNotFound(Refusal, status=404, title="No such schedule"):
    """The tenant has no schedule of this name."""


class ScheduleExists(Refusal, status=409, title="There is a schedule of this name"):
    """A schedule of this name was made before."""


class TenantSchedules:
    """The schedules of one tenant."""

    def __init__(self, client: Client, tenant: str) -> None:
        self._client = client
        self._tenant = tenant
        self._prefix = f"{PREFIX}.{tenant}."

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
            task_queue=TASK_QUEUE,
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


class ScheduleOwner(PluginTables):
    """Deletes the schedules of a tenant that is deleted: the plugin has no rows."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        super().__init__(engine, settings)
        self._settings = settings

    def of(self, tenant: str) -> str:
        """There is nothing beside the tenant's name."""
        return tenant

    async def delete_tenant(self, tenant: str) -> None:
        """Deletes its schedules, so that they start nothing for another tenant of the name."""
        if not read_schedule_settings().schedules:
            return
        schedules = TenantSchedules(await connect_client(self._settings), tenant)
        for name in [name async for name in schedules.list_names()]:
            await schedules.delete(name)
