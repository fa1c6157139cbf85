"""A run that goes back to a step: what it did from there on is undone, by itself and in its branches."""

from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import TenantStore


async def test_all_from_the_step_on_is_undone_but_by_who_continues(store: TenantStore) -> None:
    made = [("run", 1, "first"), ("run", 2, "first"), ("run", 3, "first"), ("run", 2, "next")]
    made += [("run.0001.loop", 4, "section"), ("run.0002.loop", 1, "section"), ("run.0003.loop", 1, "section")]
    for run_id, step, execution in made:
        line = LedgerEntry(
            run_id=run_id,
            execution=execution,
            activity=f"{step:04d}-judge",
            step=step,
            attempt=1,
            node="judge",
            kind="agent",
            name="judge",
        )
        await store.ledger.record(line)
    await store.lineage.undo("run", 2, execution="next")
    lines = await store.ledger.entries("run", branches=True)
    kept = {(one.run_id, one.step, one.execution) for one in lines if not one.undone}
    assert kept == {("run", 1, "first"), ("run", 2, "next"), ("run.0001.loop", 4, "section")}
