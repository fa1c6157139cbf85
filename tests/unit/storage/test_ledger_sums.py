"""Sums over the ledger are made by the database, from the lines of a run and of its branches alone."""

import sqlite3
from pathlib import Path

import pytest
from sqlalchemy import select
from sqlalchemy.dialects import sqlite

from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.storage.ledger import BranchProgress, LedgerEntry
from elcano.storage.sql.dialect import run_and_branches
from elcano.storage.sql.tables import events, findings, ledger
from elcano.storage.store import Store, TenantStore, open_store

RUN, BRANCH, WITHOUT, OTHERS = "run-1", "run-1.0004.loop-1", "run-2", ("run-1-other", "run-10", "run-1/x")
DEAR = Usage(requests=2, input_tokens=700, output_tokens=30, cost_microusd=3_000_000_000, unpriced_requests=1)


def line(run_id: str, activity: str, usage: Usage) -> LedgerEntry:
    return LedgerEntry(
        run_id=run_id, activity=activity, step=1, attempt=1, node="judge", kind="agent", name="judge", usage=usage
    )


async def test_a_run_has_used_what_the_lines_of_it_and_of_its_branches_say(whole: Store, store: TenantStore) -> None:
    usages = [DEAR, Usage(requests=1, input_tokens=5, estimated=True), DEAR]
    for run_id in (RUN, BRANCH, WITHOUT, *OTHERS):
        await store.runs.begin(
            ArchivedRun(run_id=run_id, question="Why?", mode="simple", status="running", started_at=1.0)
        )
    for number, (run_id, usage) in enumerate(zip((RUN, RUN, BRANCH), usages, strict=True)):
        await store.ledger.record(line(run_id, f"000{number}-judge", usage))
    for run_id in OTHERS:
        await store.ledger.record(line(run_id, "0001-judge", DEAR))
    await whole.of("others").ledger.record(line(RUN, "0009-judge", DEAR))
    await store.ledger.record(line(RUN, "0008-judge", DEAR).model_copy(update={"undone": True}))
    assert await store.ledger.used(RUN) == sum_usages(usages)
    assert await store.ledger.used(RUN, branches=False) == sum_usages(usages[:2])
    assert await store.ledger.used(WITHOUT) == Usage()
    each = await store.ledger.used_by_each([RUN, WITHOUT, "run-10", "unknown"])
    assert each == {RUN: sum_usages(usages), WITHOUT: Usage(), "run-10": DEAR, "unknown": Usage()}
    assert await store.ledger.used_by_each([]) == {}


@pytest.fixture
def file(tmp_path: Path) -> Path:
    """The file of a store in the folder of the test."""
    return tmp_path / "elcano.db"


async def test_a_counter_that_older_lines_lack_counts_as_nothing(tmp_path: Path, file: Path) -> None:
    async with open_store(tmp_path) as whole:
        await whole.of("default").ledger.record(line(RUN, "0001-judge", DEAR))
        with sqlite3.connect(file) as connection:
            connection.execute("""UPDATE ledger SET usage = '{"requests": 1, "input_tokens": 7}'""")
        connection.close()
        assert await whole.of("default").ledger.used(RUN) == Usage(requests=1, input_tokens=7)


async def test_sqlite_finds_the_rows_of_a_run_and_its_branches_by_their_index(tmp_path: Path, file: Path) -> None:
    """Without statistics, which nobody makes, it would read every row of the tenant."""
    async with open_store(tmp_path):
        pass
    with sqlite3.connect(file) as connection:
        for table in (ledger, events, findings):
            rows = select(table).where(table.c.tenant == "default", run_and_branches(table.c.run_id, RUN))
            compiled = rows.compile(dialect=sqlite.dialect(), compile_kwargs={"literal_binds": True})
            ((*_, plan),) = connection.execute(f"EXPLAIN QUERY PLAN {compiled}").fetchall()
            assert "tenant=? AND run_id>? AND run_id<?" in plan
    connection.close()


async def test_the_calls_of_branches_show_their_rounds_steps_and_tokens(store: TenantStore) -> None:
    """A loop of two nodes that is in its third turn, with a repeated call, one that was undone, and a branch within."""
    inner = f"{BRANCH}.0002.part"
    for step, node, attempt in (
        (1, "think", 1),
        (2, "judge", 1),
        (3, "think", 1),
        (3, "think", 2),
        (4, "judge", 1),
        (5, "think", 1),
    ):
        one = line(BRANCH, f"{step:04d}-{node}", DEAR)
        await store.ledger.record(one.model_copy(update={"step": step, "node": node, "attempt": attempt}))
    await store.ledger.record(line(BRANCH, "0006-judge", DEAR).model_copy(update={"step": 6, "undone": True}))
    await store.ledger.record(line(inner, "0001-judge", DEAR))
    for other in (RUN, *OTHERS):
        await store.ledger.record(line(other, "0009-judge", DEAR).model_copy(update={"step": 9}))
    assert await store.ledger.progress_of_branches(RUN) == {
        BRANCH: BranchProgress(iterations=3, steps=5, tokens=6 * DEAR.tokens),
        inner: BranchProgress(iterations=1, steps=1, tokens=DEAR.tokens),
    }
