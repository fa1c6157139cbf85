"""Databases are listed, described and asked through a worker, and no answer tells where one is."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from fastapi import FastAPI
from temporalio.client import Client
from temporalio.worker import Worker

from elcano.activities.services import Services
from elcano.activities.tools.tool_activities import LookActivities
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.data.query_models import ExecuteSqlOutput, SqlExamplesOutput
from elcano.worker import provider_worker
from tests.api.again.going_on import ended, log_of, working
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.serving import speaking
from tests.unit.subjects.data.databases.shop import sqlite_shop


async def test_what_each_holds_is_read_and_never_where_it_is(
    make_app: Callable[[Settings], FastAPI],
    api_settings: Settings,
    store: Store,
    temporal: Client,
    task_queue: str,
    tmp_path: Path,
) -> None:
    sqlite_shop(tmp_path)
    (tmp_path / "ragged.csv").write_text("a,b\n" + "1,2\n" * 50 + "1,2,3\n")
    named = {
        "shop": f"sqlite:///{tmp_path / 'shop.db'}",
        "ragged": str(tmp_path / "ragged.csv"),
        "gone": f"sqlite:///{tmp_path / 'gone.db'}",
        "far": "postgresql://reader:hunter22@127.0.0.1:1/far",
    }
    settings = api_settings.model_copy(update={"databases": named})
    looks = LookActivities(Services(settings)).look
    async with (
        speaking(make_app(settings)) as api,
        provider_worker(temporal, store, settings),
        Worker(temporal, task_queue=task_queue, activities=[looks]),
    ):
        listed = await api.get("/v1/databases")
        assert listed.json() == [
            {"name": "shop", "dialect": "sqlite"},
            {"name": "ragged", "dialect": "duckdb"},
            {"name": "gone", "dialect": "sqlite"},
            {"name": "far", "dialect": "postgresql"},
        ]
        shop = (await api.get("/v1/databases/shop")).json()
        tables = {table["name"]: table for table in shop["tables"]}
        assert tables["orders"]["rows"] == 3
        assert [column["name"] for column in tables["customers"]["columns"]] == ["id", "name", "größe", "born"]
        quick = (await api.get("/v1/databases/shop?values=false")).json()
        assert (quick["hash"], quick["tables"][0]["columns"][1]["samples"]) == (shop["hash"], [])
        unknown = await api.get("/v1/databases/shp")
        assert (unknown.status_code, unknown.json()["type"]) == (404, "urn:elcano:database-not-found")
        ragged = (await api.get("/v1/databases/ragged")).json()["detail"]
        assert "ragged.csv cannot be read: line 52 has 3 values and line 1 has 2" in ragged
        for name in ("gone", "far", "ragged"):
            away = await api.get(f"/v1/databases/{name}")
            assert (away.status_code, away.json()["type"]) == (502, "urn:elcano:database-unavailable")
            assert name in away.json()["detail"]
            for secret in (str(tmp_path), "127.0.0.1", "hunter22", "reader"):
                assert secret not in away.text


ASKING: dict[str, Any] = {
    "name": "asking",
    "nodes": [
        {
            "id": "schema",
            "kind": "tool",
            "tool": "schema_context",
            "inputs": {"database": "'shop'", "question": "question"},
        },
        {
            "id": "examples",
            "kind": "tool",
            "tool": "sql_examples",
            "inputs": {"database": "'shop'", "question": "question"},
        },
        {
            "id": "ask",
            "kind": "tool",
            "tool": "execute_sql",
            "inputs": {
                "query": "{database: 'shop', dialect: outputs.schema.found.dialect, sql: 'SELECT name FROM customers'}"
            },
        },
        {
            "id": "writer",
            "kind": "agent",
            "agent": "writer",
            "inputs": {"question": "question", "evidence": "outputs.ask.evidence[].id"},
        },
    ],
    "edges": [
        {"kind": "sequential", "from_node": "schema", "to_node": "examples"},
        {"kind": "sequential", "from_node": "examples", "to_node": "ask"},
        {"kind": "sequential", "from_node": "ask", "to_node": "writer"},
    ],
    "entry_node": "schema",
    "exit_nodes": ["writer"],
}


async def test_nodes_of_a_run_ask_the_databases_of_their_workers_settings(
    make_app: Callable[[Settings], FastAPI],
    store: Store,
    temporal: Client,
    tmp_path: Path,
) -> None:
    sqlite_shop(tmp_path)
    examples = tmp_path / "shop.jsonl"
    examples.write_text('{"question": "Which customers are there?", "sql": "SELECT name FROM customers"}\n', "utf-8")
    named = {"databases": {"shop": f"sqlite:///{tmp_path / 'shop.db'}"}, "database_examples": {"shop": examples}}
    settings = handbook_settings(tmp_path).model_copy(update=named)
    async with speaking(make_app(settings)) as api, working(temporal, store, settings):
        run_id = await start(api, question="Which customers are there?", graph=ASKING)
        await ended(api, run_id)
        outputs = (await log_of(store, run_id)).run.state.outputs
    (example,) = SqlExamplesOutput.model_validate(outputs["examples"]).examples
    assert example.sql == "SELECT name FROM customers"
    answered = ExecuteSqlOutput.model_validate(outputs["ask"])
    assert (answered.fault, answered.result and answered.result.row_count) == (None, 3)
