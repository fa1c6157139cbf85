"""The artifacts of a call are listed with its line in the ledger: both are there, or neither."""

import pytest

from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store, TenantStore

RUN, BRANCH = "run-1", "run-1.0004.loop-1"
TYPE = "text/plain"


def line(attempt: int = 1) -> LedgerEntry:
    return LedgerEntry(
        run_id=BRANCH, activity="0001-writer", step=1, attempt=attempt, node="writer", kind="agent", name="writer"
    )


async def test_artifacts_of_a_call_are_listed_with_its_next_line(whole: Store, store: TenantStore) -> None:
    call = whole.of_call("default", BRANCH)
    keys = {await call.artifacts.put(BRANCH, text, TYPE) for text in ("a draft", "a review")}
    assert await store.artifacts.keys(RUN, TYPE) == []
    assert {await call.artifacts.get(key) for key in keys} == {"a draft", "a review"}
    await call.ledger.record(line())
    assert await store.artifacts.keys(RUN, TYPE) == sorted(keys)
    assert {await store.artifacts.get(key) for key in keys} == {"a draft", "a review"}
    again = await call.artifacts.put(BRANCH, "a draft", TYPE)  # as another attempt does
    await call.ledger.record(line(2))
    assert again in keys
    assert await store.artifacts.keys(RUN, TYPE) == sorted(keys)
    assert len(await store.ledger.entries(BRANCH)) == 2


async def test_artifacts_stay_pending_while_the_line_cannot_be_written(
    whole: Store, store: TenantStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = whole.of_call("default", BRANCH)
    key = await call.artifacts.put(BRANCH, "a draft", TYPE)

    async def fail(*_: object) -> None:
        raise OSError("the store is away")

    with monkeypatch.context() as patched:
        patched.setattr(call.ledger, "_record", fail)
        with pytest.raises(OSError, match="away"):
            await call.ledger.record(line())
    assert await store.artifacts.keys(RUN, TYPE) == []
    await call.ledger.record(line())
    assert await store.artifacts.keys(RUN, TYPE) == [key]


async def test_a_call_reads_what_other_runs_made(whole: Store, store: TenantStore) -> None:
    key = await store.artifacts.put("run-0", "an earlier report", TYPE)
    assert await whole.of_call("default", BRANCH).artifacts.get(key) == "an earlier report"
