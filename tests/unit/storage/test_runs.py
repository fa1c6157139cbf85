"""Runs, requests to them and the ledger: what ended stays ended, lists are newest first, a key has one owner."""

import asyncio
from collections import Counter

import pytest
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Limits, Usage, sum_usages
from elcano.graphs.state.events import AgentEvent
from elcano.graphs.state.failures import Ending
from elcano.graphs.state.state import ReportRef
from elcano.storage.ledger import LedgerEntry
from elcano.storage.runs import ControlOutcome
from elcano.storage.store import Store, TenantStore
from tests.unit.storage.conftest import Opened

RUNNING = ArchivedRun(run_id="run-1", question="Why?", mode="iterative", status="running", started_at=1.0)
REPORT = ReportRef(
    artifact="0" * 64, title="T", answered=True, partial=None, words=9, references=1, verified=1, unverified=0
)
ENDED = RUNNING.model_copy(
    update={"status": "completed", "finished_at": 2.5, "report": REPORT, "ending": Ending(kind="time", detail="late")}
)
EVENTS = [
    AgentEvent(seq=number, type="thinking", message=str(number), at=1.0, step=number, iteration=1)
    for number in range(1, 13)
]


async def test_a_run_is_kept_from_its_beginning_to_its_end(store: TenantStore) -> None:
    assert await store.runs.get("run-1") is None
    await store.runs.begin(RUNNING)
    assert await store.runs.get("run-1") == RUNNING
    assert await store.runs.events("run-1") == []
    await store.runs.archive(ENDED, EVENTS)
    assert await store.runs.get("run-1") == ENDED
    assert await store.runs.events("run-1") == EVENTS
    assert await store.runs.events("run-1", since=10) == EVENTS[10:]
    assert await store.runs.events("run-1", since=12) == []


async def test_archiving_twice_changes_nothing(store: TenantStore) -> None:
    await asyncio.gather(*(store.runs.archive(ENDED, EVENTS) for _ in range(10)))
    assert await store.runs.get("run-1") == ENDED
    assert await store.runs.events("run-1") == EVENTS


async def test_a_run_that_was_accepted_twice_stays_as_it_is(store: TenantStore) -> None:
    await store.runs.begin(RUNNING)
    await store.runs.begin(RUNNING.model_copy(update={"question": "What?"}))
    assert await store.runs.get("run-1") == RUNNING


async def test_a_resumed_run_replaces_the_whole_earlier_one(store: TenantStore) -> None:
    await store.runs.archive(ENDED, EVENTS)
    again = ENDED.model_copy(update={"status": "failed", "report": None, "finished_at": 9.0})
    await store.runs.archive(again, EVENTS[:3])
    assert await store.runs.get("run-1") == again
    assert await store.runs.events("run-1") == EVENTS[:3]
    assert (await store.runs.page(limit=5, status="completed")).runs == ()


async def test_a_run_that_ended_never_runs_again_in_the_archive(store: TenantStore) -> None:
    await store.runs.archive(ENDED, EVENTS)
    await store.runs.archive(RUNNING, EVENTS[:2])
    await store.runs.begin(RUNNING)
    assert await store.runs.get("run-1") == ENDED
    assert await store.runs.events("run-1") == EVENTS


async def test_pages_are_newest_first_and_lead_through_all_runs(store: TenantStore) -> None:
    for number in range(7):
        status = "running" if number % 2 else "completed"
        await store.runs.begin(RUNNING.model_copy(update={"run_id": f"run-{number}", "status": status}))
    first = await store.runs.page(limit=3)
    assert [run.run_id for run in first.runs] == ["run-6", "run-5", "run-4"]
    second = await store.runs.page(limit=3, before=first.next)
    third = await store.runs.page(limit=3, before=second.next)
    assert [run.run_id for run in (*second.runs, *third.runs)] == ["run-3", "run-2", "run-1", "run-0"]
    assert third.next is None
    running = await store.runs.page(limit=3, status="running")
    assert [run.run_id for run in running.runs] == ["run-5", "run-3", "run-1"]
    assert running.next is None


async def test_a_key_has_one_owner_however_many_ask_at_once(opened: Opened) -> None:
    async with opened() as one, opened() as two:
        stores = (one, two)
        claims = await asyncio.gather(
            *(
                stores[number % 2].of("default").admission.claim("key", f"hash-{number}", f"run-{number}")
                for number in range(50)
            )
        )
    assert Counter(claim.mine for claim in claims) == {True: 1, False: 49}
    owner = next(number for number, claim in enumerate(claims) if claim.mine)
    assert {(claim.run_id, claim.request_hash) for claim in claims} == {(f"run-{owner}", f"hash-{owner}")}


async def test_different_keys_are_free(store: TenantStore) -> None:
    claims = [await store.admission.claim(key, "hash", f"run-{key}") for key in ("a", "b")]
    assert [(claim.run_id, claim.mine) for claim in claims] == [("run-a", True), ("run-b", True)]


async def test_the_ledger_counts_every_attempt_once(store: TenantStore) -> None:
    line = LedgerEntry(
        run_id="run",
        activity="0002-judge",
        step=2,
        attempt=1,
        node="judge",
        kind="agent",
        name="judge",
        outcome="failed",
    )
    again = line.model_copy(update={"attempt": 2, "outcome": "completed", "usage": Usage(requests=1, input_tokens=7)})
    other = line.model_copy(update={"activity": "0001-search-4", "step": 1, "item": 3})
    for entry in (line, again, other, line.model_copy(update={"run_id": "another"})):
        await store.ledger.record(entry)
    assert await store.ledger.entries("run") == [other, line, again]
    mended = again.model_copy(update={"model": "offline"})
    await store.ledger.record(mended)
    assert await store.ledger.entries("run") == [other, line, mended]


@pytest.mark.parametrize("noted", [0, 5])
async def test_an_attempt_that_was_taken_for_dead_counts_as_the_next_one_told(store: TenantStore, noted: int) -> None:
    """Whatever the order in which the two are written: what the last one told of all is what the run has used."""
    first = LedgerEntry(
        run_id="run", activity="0002-judge", step=2, attempt=1, node="judge", kind="agent", name="judge"
    )
    half, whole = (first.model_copy(update={"usage": Usage(input_tokens=tokens)}) for tokens in (noted, 9))
    second = whole.model_copy(update={"attempt": 2})
    if noted:
        await store.ledger.record(half)
    told = await store.ledger.record(second) + second.usage
    assert told.tokens == noted + 9
    await store.ledger.record(whole)
    assert await store.ledger.used("run") == told
    assert sum_usages(line.usage for line in await store.ledger.of_activity("run", "", "0002-judge")) == told
    third = await store.ledger.record(second.model_copy(update={"attempt": 3}))
    assert third == told


async def test_branches_are_parts_of_runs_and_not_listed(store: TenantStore) -> None:
    for run_id in ("run-1", "run-1.0004.loop-1", "run-1.0004.loop-2", "run-2"):
        await store.runs.begin(RUNNING.model_copy(update={"run_id": run_id}))
    page = await store.runs.page(limit=1)
    assert [run.run_id for run in page.runs] == ["run-2"]
    assert [run.run_id for run in (await store.runs.page(limit=9, before=page.next)).runs] == ["run-1"]
    assert [run.run_id for run in (await store.runs.page(limit=9, status="running")).runs] == [
        "run-2",
        "run-1",
    ]


async def test_a_runs_journals_are_its_own_and_those_of_its_branches(store: TenantStore) -> None:
    ids = ("run-1", "run-1.0004.loop-1", "run-1.0004.loop-1.0003.y", "run-1-other", "run-10", "run-1/x")
    for number, run_id in enumerate(ids, 1):
        await store.runs.archive(ENDED.model_copy(update={"run_id": run_id}), EVENTS[:number])
    await store.runs.begin(RUNNING.model_copy(update={"run_id": "run-1.0004.loop-9"}))
    found = await store.runs.journals("run-1")
    assert found == {run_id: EVENTS[:number] for number, run_id in enumerate(ids[:3], 1)}
    assert await store.runs.journals("run-nobody") == {}


async def test_the_ledger_of_a_run_can_have_its_branches(store: TenantStore) -> None:
    line = LedgerEntry(run_id="run", activity="0002-judge", step=2, attempt=1, node="judge", kind="agent", name="judge")
    branch = line.model_copy(update={"run_id": "run.0004.loop-1", "step": 1})
    for entry in (branch, line, line.model_copy(update={"run_id": "run-2"})):
        await store.ledger.record(entry)
    assert await store.ledger.entries("run") == [line]
    assert await store.ledger.entries("run", branches=True) == [line, branch]


async def test_a_list_counts_evidence_that_it_does_not_read(store: TenantStore) -> None:
    found = ENDED.model_copy(update={"evidence": tuple(f"e-{number}" for number in range(2_000)), "execution": "first"})
    await store.runs.archive(found, EVENTS)
    assert await store.runs.get(found.run_id) == found
    (listed,) = (await store.runs.page(limit=1)).runs
    assert (listed.run.evidence, listed.evidence) == ((), 2_000)
    assert listed.run == found.model_copy(update={"evidence": ()})


async def test_a_run_that_was_taken_up_again_has_lost_its_end_and_what_grew_with_it(store: TenantStore) -> None:
    found = ENDED.model_copy(update={"evidence": ("e-1", "e-2"), "execution": "first"})
    await store.runs.archive(found, EVENTS)
    await store.runs.reopen(found.run_id, "first")
    assert await store.runs.get(found.run_id) == found
    await store.runs.reopen(found.run_id, "second")
    opened = await store.runs.get(found.run_id)
    assert opened is not None
    assert (opened.status, opened.evidence) == ("running", ())
    assert (await store.runs.page(limit=1)).runs[0].evidence == 0
    assert await store.runs.events(found.run_id) == []


async def test_a_control_request_has_one_first_sender_and_keeps_its_first_answer(store: TenantStore) -> None:
    claims = await asyncio.gather(*(store.controls.claim("run-1", "key", f"hash-{number}") for number in range(20)))
    assert Counter(claim.mine for claim in claims) == {True: 1, False: 19}
    assert len({claim.request_hash for claim in claims}) == 1
    assert {claim.outcome for claim in claims} == {None}
    first = ControlOutcome(accepted=False, text="too late")
    await store.controls.settle("run-1", "key", first)
    await store.controls.settle("run-1", "key", ControlOutcome(accepted=True, text="null"))
    assert (await store.controls.claim("run-1", "key", "another")).outcome == first
    elsewhere = await store.controls.claim("run-2", "key", "hash")
    assert (elsewhere.mine, elsewhere.outcome) == (True, None)


async def test_a_run_that_is_being_started_is_kept_and_not_listed(store: TenantStore, whole: Store) -> None:
    assert (await whole.of(RUNNING.tenant).admission.admit(RUNNING, 5)).new
    assert not (await whole.of(RUNNING.tenant).admission.admit(RUNNING, 5)).new
    assert await store.runs.get("run-1") == RUNNING
    assert await store.runs.get("run-1", begun=True) is None
    assert (await store.runs.page(limit=5)).runs == ()
    assert [(kept.run, kept.begun) for kept in await whole.open_runs(limit=5)] == [(RUNNING, False)]
    assert await whole.count_open_runs() == {(False, RUNNING.mode): 1}
    await store.runs.begin(RUNNING)
    assert await store.runs.get("run-1", begun=True) == RUNNING
    assert await whole.count_open_runs() == {(True, RUNNING.mode): 1}
    assert [one.run for one in (await store.runs.page(limit=5, status="running")).runs] == [RUNNING]
    assert [kept.begun for kept in await whole.open_runs(limit=5)] == [True]
    await store.admission.withdraw("run-1")
    assert await store.runs.get("run-1") == RUNNING
    await store.runs.archive(ENDED, EVENTS)
    assert await whole.open_runs(limit=5) == []
    assert await whole.count_open_runs() == {}


async def test_a_run_whose_start_failed_is_withdrawn(store: TenantStore, whole: Store) -> None:
    await whole.of(RUNNING.tenant).admission.admit(RUNNING, 5)
    await store.admission.withdraw("run-1")
    assert await store.runs.get("run-1") is None
    await store.runs.begin(RUNNING)  # it had been started after all
    assert [one.run for one in (await store.runs.page(limit=5)).runs] == [RUNNING]


async def test_open_runs_are_walked_through_in_order(store: TenantStore, whole: Store) -> None:
    for number in range(5):
        await whole.of(RUNNING.tenant).admission.admit(RUNNING.model_copy(update={"run_id": f"run-{number}"}), 9)
    first = await whole.open_runs(limit=3)
    assert [kept.run.run_id for kept in first] == ["run-0", "run-1", "run-2"]
    assert [kept.run.run_id for kept in await whole.open_runs(after=first[-1], limit=3)] == ["run-3", "run-4"]


async def test_no_more_runs_are_admitted_than_may_be_open_however_many_processes_ask(opened: Opened) -> None:
    async with opened() as one, opened() as two:
        asked = [RUNNING.model_copy(update={"run_id": f"run-{number:02}"}) for number in range(40)]
        places = [one.of(RUNNING.tenant).admission, two.of(RUNNING.tenant).admission]
        admissions = await asyncio.gather(*(places[number % 2].admit(run, 7) for number, run in enumerate(asked)))
        assert Counter(admission.admitted for admission in admissions) == {True: 7, False: 33}
        kept = await one.open_runs(limit=99)
        assert len(kept) == 7
        assert (await places[0].admit(kept[0].run, 7)).admitted
        await one.of("default").runs.archive(kept[0].run.model_copy(update={"status": "completed"}), [])
        assert (await places[1].admit(RUNNING.model_copy(update={"run_id": "run-late"}), 7)).admitted


async def test_runs_that_wait_to_be_admitted_leave_connections_to_others(store: TenantStore, whole: Store) -> None:
    reached, go_on = asyncio.Event(), asyncio.Event()

    async def wait(connection: AsyncConnection, run: ArchivedRun, limits: Limits) -> None:
        reached.set()
        await go_on.wait()

    asked = [RUNNING.model_copy(update={"run_id": f"run-{number:02}"}) for number in range(40)]
    admission = whole.of(RUNNING.tenant).admission
    waiting = [asyncio.create_task(admission.admit(run, 99, rules=[wait])) for run in asked]
    await reached.wait()
    assert await store.runs.get("run-unknown") is None
    go_on.set()
    assert all([(await one).admitted for one in waiting])


async def test_tenants_share_what_may_be_open(store: TenantStore, whole: Store) -> None:
    def of(tenant: str, number: int) -> ArchivedRun:
        return RUNNING.model_copy(update={"run_id": f"run-{tenant}-{number}", "tenant": tenant})

    async def admitted(run: ArchivedRun) -> bool:
        return (await whole.of(run.tenant).admission.admit(run, 6)).admitted

    assert [await admitted(of("a", number)) for number in range(7)] == [True] * 6 + [False]
    assert not await admitted(of("b", 0))
    await whole.of("a").runs.archive(of("a", 0).model_copy(update={"status": "completed"}), [])
    assert await admitted(of("b", 0))
    await whole.of("a").runs.archive(of("a", 1).model_copy(update={"status": "completed"}), [])
    assert not await admitted(of("a", 7))  # five of six are a's, and b is there
    assert await admitted(of("b", 1))
    admission = await whole.of("a").admission.admit(of("a", 8), 6)
    assert (admission.open, admission.share) == (6, 3)
    assert (await whole.of("a").admission.admit(of("a", 8), 5)).share == 2
