"""The sums of usage agree with the ledger to the token, whatever became of its lines."""

from datetime import date, timedelta

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Usage
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store, TenantStore
from elcano.storage.usage_totals import UsageSums

DAY = date(2026, 11, 26)
NOON = 1_795_694_400.0
"""Of that day, in seconds since the epoch."""
LINE = LedgerEntry(
    run_id="run-1",
    activity="a",
    step=1,
    attempt=1,
    node="n",
    kind="agent",
    name="judge",
    model="small",
    usage=Usage(requests=1, input_tokens=10, output_tokens=1, cost_microusd=5),
    at=NOON,
)
RUN = ArchivedRun(
    run_id="run-1", question="?", mode="deep", tenant="default", status="running", started_at=NOON, api_key="key-1"
)


async def total(store: TenantStore) -> UsageSums:
    (row,) = await store.usage.summarize([], DAY, DAY)
    return row.used


async def test_a_replaced_line_counts_once_and_each_attempt_by_itself(store: TenantStore) -> None:
    await store.ledger.record(LINE)
    await store.ledger.record(LINE)
    larger = LINE.model_copy(update={"usage": Usage(requests=2, input_tokens=30), "model": "large"})
    await store.ledger.record(larger)
    assert await total(store) == UsageSums(calls=1, requests=2, input_tokens=30)
    await store.ledger.record(LINE.model_copy(update={"attempt": 2}))
    assert await total(store) == UsageSums(calls=2, requests=3, input_tokens=40, output_tokens=1, cost_microusd=5)
    late = LINE.model_copy(update={"attempt": 1, "usage": Usage(requests=9)})  # it has a line, which stays
    await store.ledger.record(late)
    assert (await total(store)).requests == 3


async def test_a_late_line_and_an_undone_one_were_paid_for(store: TenantStore) -> None:
    await store.ledger.record(LINE.model_copy(update={"attempt": 2}))
    await store.ledger.record(LINE)
    assert (await total(store)).tokens == 22
    await store.lineage.undo("run-1", 0, execution="", found=())
    assert (await total(store)).tokens == 22


async def test_usage_is_told_apart_by_all_that_is_asked_for(store: TenantStore, whole: Store) -> None:
    await store.admission.admit(RUN, 9)
    await store.ledger.record(LINE.model_copy(update={"run_id": "run-1.0004.loop-1"}))
    search = LINE.model_copy(update={"activity": "b", "kind": "tool", "name": "search", "model": "", "usage": Usage()})
    await store.ledger.record(search, source="pubmed")
    await store.ledger.record(LINE.model_copy(update={"activity": "c", "at": NOON + 86_400}))
    await whole.of("other").ledger.record(LINE)
    tomorrow = DAY + timedelta(days=1)
    rows = await store.usage.summarize(["day", "key", "mode", "model", "source"], DAY, tomorrow)
    assert [(tuple(row.group.values()), row.used.runs, row.used.calls, row.used.tokens) for row in rows] == [
        (("2026-11-26", "key-1", "deep", "", ""), 1, 0, 0),
        (("2026-11-26", "key-1", "deep", "", "pubmed"), 0, 1, 0),
        (("2026-11-26", "key-1", "deep", "small", ""), 0, 1, 11),
        (("2026-11-27", "key-1", "deep", "small", ""), 0, 1, 11),
    ]
    everybody = await whole.usage.summarize(["tenant"], DAY, DAY)
    assert {row.group["tenant"]: row.used.tokens for row in everybody} == {"default": 11, "other": 11}


async def test_sums_stay_when_a_run_is_deleted(store: TenantStore) -> None:
    await store.runs.archive(RUN.model_copy(update={"status": "completed"}), [])
    await store.ledger.record(LINE)
    assert await store.runs.delete("run-1")
    assert (await total(store)).tokens == 11
