"""All comparisons, one after the other, each of them mended before the next if that is asked for.

In this order: whether a run is known decides to whom its lines, passages and objects belong. Copies of objects are the
last that a backup makes, so there may be more of them than rows. An artifact of a run that is known gets its row back;
what belongs to a run that neither the store nor Temporal knows is deleted.
"""

import json
from collections import defaultdict
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import Final, Literal

from elcano.graphs.errors import ElcanoError, StoreUnavailable
from elcano.graphs.records import ArchivedRun
from elcano.operations.quotas.quota_state import find_stale_claims
from elcano.operations.reconcile.installation import (
    Installation,
    find_branch_start,
    list_branch_executions,
    list_payload_keys,
    reset_execution,
)
from elcano.operations.reconcile.row_store import ArtifactRow, RunKey
from elcano.operations.reconcile.run_differences import compare_executions, compare_open_runs, list_open_runs
from elcano.operations.reconcile.work_differences import compare_work
from elcano.service.errors import RunForgotten, TemporalUnavailable
from elcano.storage.artifacts import LOG_TYPE
from elcano.storage.objects import ARTIFACTS, PAYLOADS, artifacts_of, encode_key_segment, payloads_of
from elcano.storage.payloads import NOBODY
from elcano.storage.plugin_store import Difference
from elcano.storage.sql.cipher import unseal_object

SVG_TYPE: Final = "image/svg+xml"
JSON_TYPE: Final = "application/json"


async def compare_objects(installation: Installation) -> AsyncIterator[Difference]:
    """The artifacts whose objects are gone, and the objects that no row and no history names."""
    known = {
        f"{encode_key_segment(tenant)}/{encode_key_segment(run_id)}": (tenant, run_id)
        for tenant, run_id in await installation.rows.list_run_keys()
    }
    async for one in _compare_artifacts(installation, known):
        yield one
    roots = {place.partition("/")[2] for place in known}
    newest: dict[str, float] = {}
    async for batch in installation.objects.list_written(PAYLOADS):
        for found in batch:
            root = found.key.split("/")[1]
            if root not in roots and root != NOBODY:
                newest[root] = max(newest.get(root, 0.0), found.written_at)
    for root, at in newest.items():
        if installation.is_settled(at, installation.object_grace) and not await _is_in_temporal(installation, root):
            yield _describe_unowned_objects(installation, "", root, f"{PAYLOADS}/{root}")


async def _compare_artifacts(installation: Installation, known: Mapping[str, RunKey]) -> AsyncIterator[Difference]:
    # The rows are read before the objects are listed: an object is written before its row.
    expected = {
        f"{artifacts_of(row.tenant, row.run_id)}/{row.key}": row
        async for page in installation.rows.read_artifacts()
        for row in page
    }
    unnamed: dict[str, list[str]] = defaultdict(list)
    async for batch in installation.objects.list_written(ARTIFACTS):
        for found in batch:
            place, _, key = found.key.removeprefix(f"{ARTIFACTS}/").rpartition("/")
            # A row too early does no harm, and a run without its report does; but nothing is deleted early.
            grace = installation.grace if place in known else installation.object_grace
            if expected.pop(found.key, None) is None and installation.is_settled(found.written_at, grace):
                unnamed[place].append(key)
    missing: dict[RunKey, list[ArtifactRow]] = defaultdict(list)
    for path, row in expected.items():
        if await installation.objects.get(path) is None:
            missing[row.tenant, row.run_id].append(row)
    for (tenant, run_id), rows in missing.items():
        if await installation.rows.read_runs([(tenant, run_id)]):  # else it has been deleted since
            yield _describe_missing_objects(tenant, run_id, rows)
    for place, keys in unnamed.items():
        tenant, _, root = place.partition("/")
        if (run := known.get(place)) is not None:
            text = f"{len(keys)} of its artifacts are objects that the store does not know"
            mend = partial(_add_artifacts, installation, run, keys)
            yield Difference("artifacts_unnamed", *run, text, "make them its artifacts again", mend)
        elif not await _is_in_temporal(installation, root):
            yield _describe_unowned_objects(installation, tenant, root, f"{ARTIFACTS}/{place}")


def _describe_missing_objects(tenant: str, run_id: str, rows: Sequence[ArtifactRow]) -> Difference:
    keys = ", ".join(row.key for row in rows[:3]) + (", ..." if len(rows) > 3 else "")
    text = f"the objects of {len(rows)} of its artifacts are gone: {keys}"
    action = (
        f"put them back below {artifacts_of(tenant, run_id)}/ from a copy; or have its last steps done again "
        f"(`elcano steps {run_id}`, `elcano rollback {run_id} STEP`); or delete it"
    )
    return Difference("artifacts_missing", tenant, run_id, text, action)


def _describe_unowned_objects(installation: Installation, tenant: str, root: str, prefix: str) -> Difference:
    text = f"there are objects below {prefix}/, and neither the store nor Temporal knows the run"
    return Difference(
        "objects_unowned", tenant, root, text, "delete them", partial(installation.objects.delete_below, prefix)
    )


async def _is_in_temporal(installation: Installation, run_id: str) -> bool:
    """Whether Temporal knows a run: its objects are then needed, and its record will be made anew."""
    try:
        await installation.temporal.describe(run_id)
    except RunForgotten:
        return False
    return True


async def _add_artifacts(installation: Installation, run: RunKey, keys: Sequence[str]) -> None:
    tenant, run_id = run
    for key in keys:
        stored = await installation.objects.get(f"{artifacts_of(tenant, run_id)}/{key}")
        if stored is not None:
            media_type = guess_media_type(unseal_object(installation.cipher, stored))
            await installation.rows.add_artifact(ArtifactRow(tenant, run_id, key, media_type))


def guess_media_type(content: bytes) -> str:
    """The type of an artifact by its content; only logs are ever looked for by their type."""
    if content.lstrip().startswith(b"<svg"):
        return SVG_TYPE
    with suppress(ValueError):
        parsed = json.loads(content)
        if isinstance(parsed, dict) and parsed.keys() >= {"asked", "entries", "run"}:
            return LOG_TYPE
    return JSON_TYPE


async def compare_payloads(installation: Installation, run: ArchivedRun) -> AsyncIterator[Difference]:
    """The objects that the histories of an open run and its sections need, and that are gone.

    Its workflow cannot be replayed without them. It can begin again with the task before the first of them.
    """
    client = await installation.temporal.client()
    there = {key async for keys in installation.objects.list_below(payloads_of(run.run_id)) for key in keys}
    execution = (await installation.temporal.describe(run.run_id)).id
    for workflow_id in (run.run_id, *await list_branch_executions(client, run.run_id)):
        try:
            last = (await installation.temporal.describe(workflow_id)).id
            needed = await list_payload_keys(client, workflow_id, last)
        except RunForgotten:
            continue
        gone = [
            (task, key) for _, task, key in needed if key not in there and await installation.objects.get(key) is None
        ]
        if not gone:
            continue
        task: int | None = gone[0][0]
        if workflow_id != run.run_id:
            task = await find_branch_start(client, run.run_id, execution, workflow_id)
        text = f"its history needs {len(gone)} objects that are gone, the first of them {gone[0][1]}: it cannot go on"
        if not task:
            action = "put them back from a copy; or terminate its workflow, and ask its question again"
            yield Difference("payloads_missing", run.tenant, workflow_id, text, action)
            continue
        action = "have it begin again before the step that made the first of them"
        mend = partial(reset_execution, client, run.run_id, execution, task, "objects that its history needs are gone")
        yield Difference("payloads_missing", run.tenant, workflow_id, text, action, mend)
        return


Outcome = Literal["found", "mended", "failed", "left"]
"""`found`: nothing was done; `left`: nothing can be."""


@dataclass(frozen=True)
class Finding:
    """A difference, and what became of it."""

    difference: Difference
    outcome: Outcome
    error: str = ""
    """Why it could not be mended."""


async def compare_everything(installation: Installation, *, mend: bool) -> AsyncIterator[Finding]:
    """Compare everything, and mend what differs if `mend` is set.

    Raises:
        TemporalUnavailable, StoreUnavailable: the rest was not compared.
    """
    for compare in _COMPARISONS:
        async for one in compare(installation):
            if one.mend is None:
                yield Finding(one, "left")
            elif not mend:
                yield Finding(one, "found")
            else:
                yield await _mend_difference(one)


async def _mend_difference(one: Difference) -> Finding:
    assert one.mend is not None
    try:
        await one.mend()
    except (TemporalUnavailable, StoreUnavailable):
        raise
    except ElcanoError as error:
        return Finding(one, "failed", str(error))
    return Finding(one, "mended")


async def _compare_open_work(installation: Installation) -> AsyncIterator[Difference]:
    """The work of every run that is open in the store and in Temporal."""
    async for kept in list_open_runs(installation):
        try:
            execution = await installation.temporal.describe(kept.run.run_id)
        except RunForgotten:
            continue
        if execution.status != "running" or not installation.is_settled(kept.run.started_at):
            continue
        unreadable = False
        async for one in compare_payloads(installation, kept.run):
            unreadable = True
            yield one
        if not unreadable:
            async for one in compare_work(installation, kept.run):
                yield one


_COMPARISONS: Final[tuple[Callable[[Installation], AsyncIterator[Difference]], ...]] = (
    compare_executions,
    compare_open_runs,
    _compare_open_work,
    compare_objects,
    lambda installation: find_stale_claims(installation.store),
)
