"""A worker dies while a database works on a query: the next worker asks it again, once, and the run is answered."""

import asyncio
import json
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest
from temporalio.client import Client

from elcano.dev.stack import open_stack
from elcano.settings import Settings
from elcano.storage.payloads import connect_config
from tests.chaos.conftest import ask, completed, report, told
from tests.chaos.histories import pending_activities
from tests.unit.dev.test_dev import until

ROWS = 200_000_000
"""That the database counts one by one, for seconds, each time that it is asked."""
QUESTION = "How many readings are there?"


@pytest.fixture
def slow(readmes: Settings, tmp_path: Path) -> Settings:
    """Settings of a stack with a database whose one view takes long to count."""
    place = tmp_path / "slow.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE digits (x INTEGER)")
        connection.executemany("INSERT INTO digits VALUES (?)", [(digit,) for digit in range(10)])
        nine = ", ".join(f"digits {name}" for name in "abcdefghi")
        connection.execute(f"CREATE VIEW readings AS SELECT a.x AS id FROM {nine} WHERE a.x < 2")
        connection.commit()
    saved = tmp_path / "slow.jsonl"
    saved.write_text(json.dumps({"question": QUESTION, "sql": "SELECT COUNT(*) AS readings FROM readings"}))
    return readmes.model_copy(
        update={
            "databases": {"slow": f"sqlite:///{place}"},
            "database_examples": {"slow": saved},
            "database_seconds": 120.0,
            "database_samples": False,
        }
    )


@pytest.mark.timeout(400)
async def test_a_query_is_asked_again_by_the_worker_after_the_one_that_died(slow: Settings) -> None:
    async with open_stack(slow) as running, asyncio.timeout(380):
        run = await ask(slow, QUESTION, mode="data")
        following = asyncio.create_task(told(slow, run))
        client, run_id = await Client.connect(**connect_config(slow)), run.rpartition("/")[2]

        async def is_under_way() -> bool:
            calls = await pending_activities(client, run_id)
            return any(
                "data_execution" in name and call.HasField("last_started_time") for (_, name), call in calls.items()
            )

        await until(is_under_way)
        await asyncio.sleep(0.5)
        killed = running.worker.pid
        assert not any(node == "data_execution" for _, node, _, _ in await completed(slow, run)), "it is in mid-query"
        running.worker.kill()
        await until(lambda: running.worker.pid != killed)
        seen = await following
        done = await completed(slow, run)
        assert set(done.values()) == {1}
        assert sum(node == "data_execution" for _, node, _, _ in done) == 1
        assert f"{ROWS:,}" in await report(slow, run)
    assert [one.event for one in seen].count("complete") == 1
    assert not [one for one in seen if one.event == "error"]
