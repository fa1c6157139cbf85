"""Lines of the ledger are signed by the build that writes them, and a run knows all that worked on it."""

from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store, TenantStore

LINE = LedgerEntry(run_id="run", activity="0001-judge", step=1, attempt=1, node="judge", kind="agent", name="judge")


async def list_builds(store: TenantStore) -> tuple[str, ...]:
    return store.ledger.list_builds(await store.ledger.entries("run", branches=True))


async def test_whoever_writes_a_line_signs_it(whole: Store) -> None:
    await whole.written_by("0.1.0+one").of("a").ledger.record(LINE)
    await whole.of("a").ledger.record(LINE.model_copy(update={"attempt": 2, "build": "somebody else"}))
    assert [line.build for line in await whole.of("a").ledger.entries("run")] == ["0.1.0+one", ""]


async def test_a_run_is_the_work_of_all_that_wrote_a_line_and_of_the_one_that_asks(whole: Store) -> None:
    for build, of in (("two", "run"), ("one", "run.0001.a"), ("three", "other")):
        await whole.written_by(build).of("a").ledger.record(LINE.model_copy(update={"run_id": of}))
    assert await list_builds(whole.of("a")) == ("one", "two")
    assert await list_builds(whole.written_by("four").of("a")) == ("four", "one", "two")
    assert await list_builds(whole.of("b")) == ()


async def test_what_was_undone_is_nobodys_work(whole: Store) -> None:
    ledger = whole.written_by("one").of("a").ledger
    await ledger.record(LINE.model_copy(update={"undone": True}))
    assert await list_builds(whole.of("a")) == ()
