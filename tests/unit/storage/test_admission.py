"""Places of open runs: an ended run that is resumed takes one as a new run does, in one transaction."""

import asyncio

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.errors import InputInvalid
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits
from elcano.storage.store import Store

RUNNING = ArchivedRun(run_id="default-1", question="q", mode="iterative", status="running", started_at=1.0)


def ended(number: int, tenant: str = "default") -> ArchivedRun:
    changed = {"run_id": f"{tenant}-{number}", "tenant": tenant, "status": "failed", "finished_at": 2.0}
    return RUNNING.model_copy(update=changed)


async def refuse(connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
    raise InputInvalid("quota", "used up")


async def test_of_many_resumes_at_once_so_many_get_a_place_as_there_are(whole: Store) -> None:
    store = whole.of("default")
    many = [ended(number) for number in range(12)]
    for run in many:
        await store.runs.archive(run, [])
    found = await asyncio.gather(*(store.admission.readmit(run, 3) for run in many))
    assert sorted(one.admitted for one in found if one) == [False] * 9 + [True] * 3
    assert sum((await whole.count_open_runs()).values()) == 3
    taken = [run for run, one in zip(many, found, strict=True) if one and one.admitted]
    again = await store.admission.readmit(taken[0], 3)
    assert again is not None
    assert (again.admitted, again.new) == (True, False), "it has its place"
    assert [one.resuming for one in await whole.open_runs(limit=9)] == [True] * 3
    assert await store.runs.get(taken[0].run_id) == taken[0], "its record stays until it goes on"
    await store.admission.release(taken[0])
    await store.runs.reopen(taken[1].run_id, "second")
    await store.admission.release(taken[1])
    (open_run, resuming) = sorted(await whole.open_runs(limit=9), key=lambda one: one.resuming)
    assert (open_run.run.run_id, open_run.run.status) == (taken[1].run_id, "running")
    assert resuming.run == taken[2]


async def test_resumes_leave_other_tenants_their_share(whole: Store) -> None:
    for number in range(4):
        await whole.of("default").runs.archive(ended(number), [])
        await whole.of("other").runs.archive(ended(number, "other"), [])
    one, other = whole.of("default").admission, whole.of("other").admission
    results = [await one.readmit(ended(number), 4) for number in range(2)]
    results += [await other.readmit(ended(number, "other"), 4) for number in range(3)]
    assert [found.admitted for found in results if found] == [True, True, True, True, False]


async def test_a_rule_that_refuses_leaves_the_run_as_it_ended(whole: Store) -> None:
    store = whole.of("default")
    await store.runs.archive(ended(1), [])
    with pytest.raises(InputInvalid):
        await store.admission.readmit(ended(1), 3, rules=[refuse])
    assert await whole.count_open_runs() == {}
    assert await store.admission.readmit(ended(2), 3) is None, "there is no such run"
    assert (await store.runs.page(limit=5, status="failed")).runs[0].run_id == "default-1"
