"""What was paid for counts, even if the store was away when it was to be written down."""

import httpx
import pytest
from sqlalchemy.exc import OperationalError
from temporalio.client import Client

from elcano.activities.sources.registry import open_sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.settings import Settings
from elcano.storage.ledger import Ledger, LedgerEntry
from elcano.storage.store import Store
from elcano.testing import Reply, ScriptedModel
from elcano.testing.default_answers import build_plain_answer
from elcano.worker import build_worker
from tests.api.again.going_on import ended
from tests.api.asking import QUESTION


@pytest.mark.parametrize("times", [1, 2])
async def test_an_answer_whose_line_the_store_did_not_take_is_counted(
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
    times: int,
) -> None:
    answered: list[str] = []

    def answer(task: TaskEnvelope) -> Reply:
        answered.append(task.kind)
        return Reply(output=dict(build_plain_answer(task)), reasoning_tokens=1_000)

    record, refused = Ledger.record, 0

    async def refusing(self: Ledger, entry: LedgerEntry, *, source: str = "") -> Usage:
        nonlocal refused
        if entry.name == "judge" and refused < times:
            refused += 1
            raise OperationalError("INSERT", {}, OSError("database is away"))
        return await record(self, entry, source=source)

    monkeypatch.setattr(Ledger, "record", refusing)
    model = ScriptedModel(default=answer, name="counting")
    async with (
        open_sources(api_settings) as sources,
        build_worker(temporal, store, sources, api_settings, resolve=model.resolve),
    ):
        started = await api.post("/v1/runs", json={"question": QUESTION, "mode": "iterative"})
        run_id = started.json()["run_id"]
        run = await ended(api, run_id)
    lines = await store.of("default").ledger.entries(run_id)
    first = next(line for line in lines if line.name == "judge")
    assert refused == times
    assert answered.count("judge") == len([line for line in lines if line.name == "judge" and line.usage.requests])
    assert (first.attempt, first.outcome, first.usage.requests) == (1, "completed", 1)
    assert run["budget"]["used"]["tokens"] == sum_usages(line.usage for line in lines).tokens
