"""Schedules as Temporal keeps them: there is no other record of them; and faults in when they run.

The id of a schedule is its tenant's name and its own, with full stops between, which neither can have.

Faults are times that Temporal would take for others, or take and never start anything. A cron expression is read as
Temporal reads it: a time has to match all of the five fields.
"""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import contextmanager, suppress
from datetime import UTC, date, datetime, timedelta
from itertools import product
from typing import Final, Literal, TypeAlias
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

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
from elcano.graphs.contracts import SCHEDULE
from elcano.graphs.records import RunFilter
from elcano.graphs.run_contracts import TENANT_ATTRIBUTE
from elcano.plugins.schedules.settings import read_schedule_settings
from elcano.plugins.schedules.workflows import TASK_QUEUE, WORKFLOW, ScheduledQuestion
from elcano.settings.settings import Settings
from elcano.storage.plugin_store import PluginTables
from elcano.storage.runs import ListedRun
from elcano.storage.store import TenantStore

PREFIX: Final = "schedule"
PAGE: Final = 200
"""Runs that are read at a time."""
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
        """There is nothing beside the tenant's name."""
        return tenant

    async def delete_tenant(self, tenant: str) -> None:
        """Deletes its schedules, so that they start nothing for another tenant of the name."""
        if not read_schedule_settings().schedules:
            return
        schedules = TenantSchedules(await connect_client(self._settings), tenant)
        for name in [name async for name in schedules.list_names()]:
            await schedules.delete(name)


LAST_YEAR: Final = 2100
"""Temporal looks no further."""
_SHORTHANDS: Final = {
    "@yearly": "0 0 1 1 *",
    "@annually": "0 0 1 1 *",
    "@monthly": "0 0 1 * *",
    "@weekly": "0 0 * * 0",
    "@daily": "0 0 * * *",
    "@midnight": "0 0 * * *",
    "@hourly": "0 * * * *",
}
"""What may stand for five fields; not `@every`, which Temporal takes by the second."""
_MONTHS: Final = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAYS: Final = ("sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday")


def find_time_faults(
    cron: Sequence[str], every_seconds: float | None, time_zone: str, start_at: datetime | None, end_at: datetime | None
) -> list[FieldFault]:
    """What is wrong with the times of a schedule; what Temporal refuses by itself is not among it."""
    faults, firsts, zone, after = list[FieldFault](), list[float](), ZoneInfo("UTC"), datetime.now(UTC)
    if start_at is not None and start_at > after:
        after = start_at - timedelta(seconds=1)
    if not cron and every_seconds is None:
        faults.append(FieldFault(field="cron", message="say when: `cron` expressions, or `every_seconds`"))
    try:
        zone = ZoneInfo(time_zone)
    except (ZoneInfoNotFoundError, ValueError, OSError):
        faults.append(FieldFault(field="time_zone", message=f"there is no time zone {time_zone!r}"))
    for expression in cron:
        fields = _SHORTHANDS.get(expression.strip(), expression.partition("#")[0]).split()
        if len(fields) != 5:  # Temporal reads six as with a year
            message = f"{expression!r} has not the five fields: minute, hour, day of the month, month, day of the week"
            faults.append(FieldFault(field="cron", message=f"{message}; for intervals there is `every_seconds`"))
            continue
        with suppress(ValueError):  # Temporal says which field it does not understand
            if (first := find_first_time(fields, zone, after)) is None:
                message = f"{expression!r} never comes: no date until {LAST_YEAR} matches its days and months"
                faults.append(FieldFault(field="cron", message=message))
            else:
                firsts.append(first.timestamp())
    if every_seconds is not None:
        firsts.append((after.timestamp() // int(every_seconds) + 1) * int(every_seconds))
    if end_at is not None and end_at <= (start_at or datetime.now(UTC)):
        faults.append(FieldFault(field="end_at", message="is over, or before `start_at`"))
    elif end_at is not None and firsts and end_at.timestamp() < min(firsts):
        faults.append(FieldFault(field="end_at", message="is before the first time, so nothing would ever start"))
    return faults


def find_first_time(fields: Sequence[str], zone: ZoneInfo, after: datetime) -> datetime | None:
    """The first time after `after` that matches five fields; None: there is none until `LAST_YEAR`.

    Raises:
        ValueError: a field is not understood.
    """
    minutes, hours = _parse_field(fields[0], 0, 59), _parse_field(fields[1], 0, 23)
    days, months = _parse_field(fields[2], 1, 31), _parse_field(fields[3], 1, 12, _MONTHS)
    weekdays = {number % 7 for number in _parse_field(fields[4], 0, 7, _WEEKDAYS)}
    if after.year > LAST_YEAR:
        return None
    first = after.astimezone(zone).date()
    for year, month, number in product(range(first.year, LAST_YEAR + 1), sorted(months), sorted(days)):
        try:
            day = date(year, month, number)
        except ValueError:  # the month is shorter
            continue
        if day < first or day.isoweekday() % 7 not in weekdays:
            continue
        for hour, minute in product(sorted(hours), sorted(minutes)):
            time = datetime(year, month, number, hour, minute, tzinfo=zone, fold=1).astimezone(UTC)
            if time > after and time.astimezone(zone).hour == hour:  # else the clock leaves it out that night
                return time
    return None


def _parse_field(text: str, low: int, high: int, names: Sequence[str] = ()) -> set[int]:
    values = set[int]()
    for part in text.split(","):
        span, slash, step = part.partition("/")
        first, dash, last = span.partition("-")
        start = low if span == "*" else _parse_value(first, low, names)
        end = _parse_value(last, low, names) if dash else high if slash or span == "*" else start
        if not low <= start <= end <= high:
            raise ValueError(f"{part!r} is out of range")
        values.update(range(start, end + 1, int(step) if slash else 1))
    return values


def _parse_value(text: str, low: int, names: Sequence[str]) -> int:
    found = [number for number, name in enumerate(names, low) if name.startswith(text.lower())]
    return found[0] if found else int(text)
