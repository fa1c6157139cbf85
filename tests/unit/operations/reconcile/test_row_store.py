"""The small changes by which rows are mended: made twice, or cut off anywhere, they come to the same."""

import asyncio
import gc
import time
from collections.abc import Awaitable, Callable, Generator
from datetime import UTC, datetime
from typing import Any

import pytest

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Estimate, Usage
from elcano.operations.quotas.limits import Quotas
from elcano.operations.quotas.quota_state import find_stale_claims, get_tenant_quotas
from elcano.operations.reconcile.row_store import ArtifactRow, get_rows
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store

RUN = ArchivedRun(
    run_id="acme-1", question="Why?", mode="deep", tenant="acme", status="running", started_at=time.time()
)


class CutOff:
    """Awaits something, which is cancelled when it waits for the time numbered `at`."""

    def __init__(self, awaited: Awaitable[object], at: int) -> None:
        self._awaited = awaited
        self._at = at

    def __await__(self) -> Generator[Any, Any, object]:
        inner = self._awaited.__await__()
        waits = 0
        sent: Any = None
        while True:
            try:
                waited_for = inner.send(sent) if waits != self._at else inner.throw(asyncio.CancelledError())
            except StopIteration as ended:
                return ended.value
            waits += 1
            sent = yield waited_for


async def cut_off_everywhere(change: Callable[[], Awaitable[object]]) -> int:
    """Make a change again and again, cut off one wait later each time, until it comes to its end; how often."""
    for at in range(1, 1_000):
        try:
            await CutOff(change(), at)
        except asyncio.CancelledError:
            continue
        gc.collect()  # a connection that a cut left checked out is a warning here, not in some later test
        return at
    raise AssertionError("it never ends")


def line(activity: str, tokens: int, at: float) -> LedgerEntry:
    usage = Usage(requests=1, input_tokens=tokens)
    return LedgerEntry(
        run_id="acme-1",
        execution="execution",
        activity=activity,
        step=1,
        attempt=1,
        node="judge",
        kind="agent",
        name="judge",
        model="m",
        usage=usage,
        at=at,
    )


async def tokens_in_usage(store: Store) -> int:
    today = datetime.now(UTC).date()
    (row,) = await store.of("acme").usage.summarize([], today, today)
    return row.used.tokens


async def test_a_run_is_added_and_counted_once(whole: Store) -> None:
    rows = get_rows(whole)
    cuts = await cut_off_everywhere(lambda: rows.add_run(RUN))
    await rows.add_run(RUN.model_copy(update={"question": "Something else?"}))
    assert cuts > 1
    assert await whole.of("acme").runs.get("acme-1") == RUN
    today = datetime.now(UTC).date()
    (row,) = await whole.of("acme").usage.summarize([], today, today)
    assert row.used.runs == 1
    assert set(await rows.read_runs([("acme", "acme-1"), ("acme", "acme-2"), ("other", "acme-1")])) == {
        ("acme", "acme-1")
    }


async def test_lines_set_aside_stay_paid_and_do_not_stand_in_the_way_of_their_repetition(whole: Store) -> None:
    rows, ledger = get_rows(whole), whole.of("acme").ledger
    await rows.add_run(RUN)
    now = time.time()
    for activity in ("0001-judge", "0002-judge"):
        await ledger.record(line(activity, 100, now))
    ahead = [one for one in await ledger.entries("acme-1") if one.activity == "0002-judge"]
    assert await cut_off_everywhere(lambda: rows.set_aside("acme", ahead)) > 1
    await rows.set_aside("acme", ahead)
    assert (await ledger.used("acme-1")).tokens == 100
    await ledger.record(line("0002-judge", 70, now + 1))
    assert (await ledger.used("acme-1")).tokens == 170
    assert await tokens_in_usage(whole) == 270
    assert [(one.activity, one.undone, one.usage.tokens) for one in await ledger.entries("acme-1")] == [
        ("0001-judge", False, 100),
        ("0002-judge", True, 100),
        ("0002-judge", False, 70),
    ]


async def test_artifacts_are_read_page_by_page_and_get_their_rows_back(
    whole: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.operations.reconcile.row_store.PAGE", 2)
    rows = get_rows(whole)
    made = [ArtifactRow("acme", "acme-1", str(number) * 64, "application/json") for number in range(5)]
    for one in [*made, *made]:
        await rows.add_artifact(one)
    pages = [page async for page in rows.read_artifacts()]
    assert [len(page) for page in pages] == [2, 2, 1]
    assert [one for page in pages for one in page] == made


async def test_claims_of_runs_that_are_not_there_are_dropped_and_those_of_others_stay(whole: Store) -> None:
    rows, claims = get_rows(whole), get_tenant_quotas(whole.of("acme"))
    await rows.add_run(RUN)
    for run_id in ("acme-1", "acme-gone"):
        await claims.claim(Quotas(), run_id, "request", Estimate(tokens=10), at_exit=False)
    found = [one async for one in find_stale_claims(whole)]
    assert [(one.kind, one.run_id) for one in found] == [("claim_stale", "acme-gone")]
    for one in found:
        assert one.mend is not None
        await cut_off_everywhere(one.mend)
    assert [one async for one in find_stale_claims(whole)] == []
