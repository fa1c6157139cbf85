"""Deletes a tenant with everything: in passes that can be cut off anywhere, repeated, and made by several at once.

A pass ends the access and the open runs of the tenant, then deletes its histories in Temporal, its objects and its
rows, in this order: what names a thing goes after it. Temporal deletes within a minute of being asked, and calls in
flight may write for a while, so passes follow each other until one finds nothing and it is quiet. The last transaction
deletes what was written meanwhile. A deletion is a row of the database, so whichever API process is left continues it.
"""

import asyncio
import logging
import re
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager, suppress
from typing import Final

from sqlalchemy.exc import IntegrityError
from temporalio.client import Client

from elcano.graphs.errors import ElcanoError
from elcano.graphs.plugin import Surroundings
from elcano.graphs.run_contracts import TENANT_ATTRIBUTE
from elcano.operations.tenants.deletion_store import TenantDeletion, delete_rows, get_deletion_store
from elcano.service.errors import RunForgotten
from elcano.service.temporal.connection import CALL_TIMEOUT, map_rpc_errors
from elcano.service.temporal.history import delete_execution, list_workflows
from elcano.storage.health import STORE_ERRORS
from elcano.storage.objects import PAYLOADS, Objects, artifacts_of_tenant, files_of_tenant
from elcano.storage.store import Store

PASS_SECONDS: Final = 2.0
"""The pause between two passes."""
STOP_SECONDS: Final = 2.0
"""Seconds that a pass may continue while the API stops; one that is cut off is repeated."""
_AT_ONCE: Final = 20
"""Requests to Temporal at the same time."""
REASON: Final = "its tenant is being deleted"
"""Reason that Temporal shows for a workflow that a deletion ended."""
_log = logging.getLogger("tenants")


class TenantDeleter:
    """Carries out deletions, no matter which process began them."""

    def __init__(self, store: Store, connect: Callable[[], Awaitable[Client]]) -> None:
        self._store = store
        self._deletions = get_deletion_store(store)
        self._connect = connect
        self._seen: dict[str, set[tuple[str, str]]] = {}
        """By tenant, the executions that this process has asked Temporal to delete: each is counted once."""

    async def look(self) -> bool:
        """Make a pass for each open deletion; returns whether any is left."""
        left = False
        for deletion in await self._deletions.list_open():
            tenant = deletion.tenant
            try:
                done = await self._make_pass(deletion)
            except (ElcanoError, IntegrityError) as error:  # a row that refers to others was written meanwhile
                _log.warning("the deletion of the tenant %s waits: %s", tenant, error)
                await self._deletions.of(tenant).note_trouble(str(error))
                done = False
            except STORE_ERRORS:
                raise  # then nothing can be noted either
            except Exception as error:
                _log.exception("the deletion of the tenant %s does not get on", tenant)
                why = f"{type(error).__name__}, which the log of the API explains"
                await self._deletions.of(tenant).note_trouble(why)
                done = False
            if done:
                self._seen.pop(tenant, None)
                _log.info("the tenant %s was deleted with everything it owned", tenant)
            left = left or not done
        return left

    async def _make_pass(self, deletion: TenantDeletion) -> bool:
        """Delete all that there is, and return whether the deletion is finished.

        Raises:
            ElcanoError: Temporal or a store does not answer.
        """
        tenant = deletion.tenant
        for store in self._store.plugins.values():
            await store.delete_tenant(tenant)
        own = self._deletions.of(tenant)
        client = await self._connect()
        open_runs = await own.list_open_runs()
        ended = await end_workflows(client, tenant, open_runs)
        seen = self._seen.setdefault(tenant, set())
        before, listed = len(seen), False
        async for execution in delete_histories(client, tenant):
            seen.add(execution)
            listed = True
        await own.note_progress(histories=len(seen) - before, open_runs=bool(open_runs or ended))
        objects = await delete_objects(self._store.objects, tenant)
        await own.note_progress(objects=objects, open_runs=False)
        await own.note_progress(rows=await delete_rows(self._deletions.engine, tenant), open_runs=False)
        now = await own.find()
        if now is None or now.finished_at is not None:
            return True
        if open_runs or ended or listed or objects or time.time() < now.quiet_at:
            return False
        await own.finish()
        return True


async def end_workflows(client: Client, tenant: str, known: Sequence[str]) -> int:
    """Terminate the open workflows of a tenant, those that are `known` though not listed yet too; returns how many."""
    ended = sum([await _end_workflow(client, id) for id in known])
    async for batch in _list_executions(client, f"{_filter_by_tenant(tenant)} AND ExecutionStatus = 'Running'"):
        ended += sum(await asyncio.gather(*(_end_workflow(client, id) for id, _ in batch)))
    return ended


async def delete_histories(client: Client, tenant: str) -> AsyncIterator[tuple[str, str]]:
    """Have Temporal delete every execution that it lists of a tenant; yields each, by workflow and execution."""
    async for batch in _list_executions(client, _filter_by_tenant(tenant)):
        await asyncio.gather(*(delete_execution(client, *one) for one in batch))
        for one in batch:
            yield one


async def delete_objects(objects: Objects, tenant: str) -> int:
    """Delete the artifacts and payloads of a tenant, also those that no row names any more; returns how many."""
    deleted = await objects.delete_below(artifacts_of_tenant(tenant))
    deleted += await objects.delete_below(files_of_tenant(tenant))
    # The folder of payloads is called like their run: the tenant, a hyphen, and what has no hyphen in it.
    owned = re.compile(rf"{PAYLOADS}/{re.escape(tenant)}-[0-9a-z]+/[^/]+")
    async for keys in objects.list_below(PAYLOADS, after=f"{PAYLOADS}/{tenant}-"):
        own = [key for key in keys if owned.fullmatch(key)]
        if own:
            await objects.delete(own)
        deleted += len(own)
    return deleted


def _filter_by_tenant(tenant: str) -> str:
    """The query for the workflows of a tenant, whose name is plain letters, digits and hyphens."""
    return f"{TENANT_ATTRIBUTE} = '{tenant}'"


async def _list_executions(client: Client, query: str) -> AsyncIterator[list[tuple[str, str]]]:
    """The workflows and executions that Temporal lists, a few at a time."""
    batch: list[tuple[str, str]] = []
    async for one in list_workflows(client, query):
        batch.append((one.execution.workflow_id, one.execution.run_id))
        if len(batch) == _AT_ONCE:
            yield batch
            batch = []
    if batch:
        yield batch


async def _end_workflow(client: Client, workflow_id: str) -> bool:
    """Terminate a workflow; False if it is closed, or Temporal does not know it."""
    try:
        with map_rpc_errors():
            await client.get_workflow_handle(workflow_id).terminate(reason=REASON, rpc_timeout=CALL_TIMEOUT)
    except RunForgotten:
        return False
    return True


@asynccontextmanager
async def delete_in_background(around: Surroundings) -> AsyncIterator[None]:
    """Carry out deletions while the API works: those that this process begins, and those that another one left."""
    if around.program != "api":
        yield
        return
    stopping = asyncio.Event()
    task = asyncio.create_task(_look_regularly(around, stopping), name="delete tenants")
    try:
        yield
    finally:
        stopping.set()
        get_deletion_store(around.store).begun.set()
        await asyncio.wait([task], timeout=STOP_SECONDS)
        task.cancel()
        await asyncio.gather(task, return_exceptions=True)


async def _look_regularly(around: Surroundings, stopping: asyncio.Event) -> None:
    deleter = TenantDeleter(around.store, around.connect)
    begun = get_deletion_store(around.store).begun
    while not stopping.is_set():
        begun.clear()
        try:
            left = await deleter.look()
        except Exception:  # a database that fails now may work at the next look
            _log.exception("tenants cannot be deleted now")
            left = False
        with suppress(TimeoutError):
            async with asyncio.timeout(PASS_SECONDS if left else around.settings.reconcile_seconds):
                await begun.wait()
