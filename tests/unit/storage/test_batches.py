"""The rows of batches on each database: a budget that many grant parts of at once, and what questions stand like."""

import asyncio

from elcano.doors.batches.batch_store import get_batches
from elcano.doors.batches.batch_tables import Batch, BatchQuestion
from elcano.graphs.state.budget import Limits, TopUp
from elcano.storage.store import Store
from tests.unit.storage.test_tenants import leave_all


async def test_a_budget_that_many_grant_at_once_is_never_passed(whole: Store) -> None:
    batches = get_batches(whole.of("a"))
    asked = [BatchQuestion(number=number, request={"question": "Why?"}) for number in range(12)]
    batch = Batch(id="batch-1", name="", at_once=8, tokens=50_000, deadline=4e9, created_at=1.0, since=1.0)
    assert await batches.create(batch, asked, None) == "batch-1"
    own = Limits(tokens=20_000)
    granted = await asyncio.gather(*(batches.grant("batch-1", number % 6, own) for number in range(12)))
    given = [one.granted_tokens for one in granted if isinstance(one, BatchQuestion)]
    assert sorted(given) == [10_000, 20_000, 20_000]
    assert sum("too few" in one for one in granted if isinstance(one, str)) >= 3
    spent = await batches.spending("batch-1")
    assert (spent.open, spent.granted_tokens) == (3, 50_000)
    first = (await batches.questions("batch-1", state="starting"))[0]
    await leave_all(whole.of("a"), "run-1")
    await batches.note("batch-1", first.number, "ended", run_id="run-1", tokens=7)
    assert await batches.count("batch-1") == {"completed": 1, "waiting": 11}
    await batches.note_state(batch, "out_of_budget", "why")
    await batches.top_up("batch-1", TopUp(tokens=1_000), None)
    await batches.note_state(batch, "out_of_budget", "of before the top-up")
    found = await batches.find("batch-1")
    assert found is not None
    assert (found.state, found.reason, found.tokens) == ("running", "", 51_000)
    assert await whole.of("a").runs.delete("run-1")
    assert await batches.count("batch-1") == {"deleted": 1, "waiting": 11}
    assert await get_batches(whole.of("b")).find("batch-1") is None
