"""Objects without rows: those of a known run get theirs soon; others are deleted once nobody can name them."""

import os
import time
from pathlib import Path
from unittest.mock import AsyncMock

import pytest

from elcano.operations.reconcile.commands import print_finding
from elcano.operations.reconcile.installation import OBJECT_GRACE, Installation
from elcano.operations.reconcile.reconciliation import Finding, compare_objects
from elcano.service.errors import RunForgotten
from elcano.service.temporal.client import Temporal
from elcano.storage.objects import artifacts_of
from elcano.storage.plugin_store import Difference
from elcano.storage.store import OBJECTS_FOLDER, Store, open_store
from tests.unit.operations.reconcile.test_row_store import RUN


async def find(store: Store) -> list[tuple[str, str]]:
    temporal = AsyncMock(spec=Temporal)
    temporal.describe.side_effect = RunForgotten("it is not there")
    installation = Installation(store, store.objects, temporal)
    return [(one.kind, one.run_id) async for one in compare_objects(installation)]


async def test_an_artifact_of_a_restored_run_gets_its_row_before_an_unknown_object_may_be_deleted(
    tmp_path: Path,
) -> None:
    async with open_store(tmp_path) as store:
        await store.of("acme").admission.admit(RUN, 9)
        for run in (RUN.run_id, "acme-unknown"):
            await store.objects.put(f"{artifacts_of('acme', run)}/{'a' * 64}", b"{}")
        assert await find(store) == []
        for age, found in (
            (120.0, [("artifacts_unnamed", RUN.run_id)]),
            (OBJECT_GRACE + 60, [("artifacts_unnamed", RUN.run_id), ("objects_unowned", "acme-unknown")]),
        ):
            for file in (tmp_path / OBJECTS_FOLDER / "artifacts").rglob("a*a"):
                os.utime(file, (time.time() - age,) * 2)
            assert sorted(await find(store)) == found


def test_a_difference_is_printed_on_two_lines(capsys: pytest.CaptureFixture[str]) -> None:
    print_finding(Finding(Difference("claim_stale", "acme", "acme-1", "a claim is left", "drop it"), "mended"))
    assert capsys.readouterr().out.splitlines() == ["acme-1: a claim is left", "    mended: drop it"]
