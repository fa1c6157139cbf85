"""`schema_context` and `execute_sql` as a worker runs them: what is stored, what is told, what is a failure."""

import sqlite3
from contextlib import closing
from dataclasses import replace
from pathlib import Path

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.services import Services
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.contracts import ToolCall
from elcano.graphs.frozen import JsonObject
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.data.databases.database import Database, Databases, open_databases
from elcano.subjects.data.query_models import ExecuteSqlOutput, SchemaContextOutput
from elcano.subjects.data.results import RESULT_TYPE
from elcano.subjects.data.tables import ResultTable
from elcano.subjects.data.tool_specs import summarize_execution, summarize_schema
from tests.unit.subjects.data.databases.shop import sqlite_shop


@pytest.fixture
def tools(store: Store, tmp_path: Path) -> ToolActivities:
    return ToolActivities(
        store,
        Sources({}),
        services=Services(
            Settings(_env_file=None), {open_databases: Databases({"shop": Database(sqlite_shop(tmp_path))})}
        ),
    )


async def used(tools: ToolActivities, tool: str, given: JsonObject) -> JsonObject:
    call = ToolCall(run_id="run", step=1, node="asking", tool=tool, input=given)
    return (await ActivityEnvironment().run(tools.run_tool, call)).output


def query(sql: str) -> JsonObject:
    return {"query": {"database": "shop", "dialect": "sqlite", "sql": sql}}


async def test_a_result_is_kept_as_a_table_and_as_evidence(tools: ToolActivities, store: Store) -> None:
    said = await used(tools, "execute_sql", query("SELECT name, born FROM customers ORDER BY id"))
    output = ExecuteSqlOutput.model_validate(said)
    assert output.fault is None
    assert output.result is not None
    kept = store.of("default")
    text = await kept.artifacts.get(output.result.artifact)
    assert text is not None
    table = ResultTable.model_validate_json(text)
    assert table.rows == (("Zoë", "2001-02-03"), (None, None), ("O'Hara", None)) == output.result.head
    assert [column.kind for column in table.columns] == ["text", "date"]
    assert await kept.artifacts.keys("run", RESULT_TYPE) == [output.result.artifact]
    (passage,) = await kept.evidence.of_run("run")
    assert (passage.id, passage.source) == (output.result.evidence, "shop")
    assert passage.text.splitlines()[2:] == [
        "Columns: name | born",
        "Row 1: Zoë | 2001-02-03",
        "Row 2: NULL | NULL",
        "Row 3: O'Hara | NULL",
    ]
    assert passage.metadata["read"] == {"database": "shop", "tables": ["customers"]}
    assert [one.id for one in output.evidence] == [passage.id]
    assert summarize_execution(said)[0] == "shop answered with 3 rows."


async def test_what_another_attempt_finds_does_not_count_beside_the_first(
    tools: ToolActivities, store: Store, tmp_path: Path
) -> None:
    attempts = ActivityEnvironment()  # of one and the same activity, as its info says
    call = ToolCall(run_id="run", step=1, node="asking", tool="execute_sql", input=query("SELECT id FROM orders"))
    first = (await attempts.run(tools.run_tool, call)).output
    with closing(sqlite3.connect(tmp_path / "shop.db")) as connection:
        connection.execute("DELETE FROM orders WHERE id = 1")
        connection.commit()
    assert (await attempts.run(tools.run_tool, call)).output == first
    assert ExecuteSqlOutput.model_validate(first).result is not None
    assert len(await store.of("default").evidence.of_run("run")) == 1
    again = ActivityEnvironment()
    again.info = replace(again.info, activity_id="another step")
    assert (await again.run(tools.run_tool, call)).output != first
    assert len(await store.of("default").evidence.of_run("run")) == 2


async def test_a_long_value_is_whole_in_the_table_and_short_in_the_state(tools: ToolActivities, store: Store) -> None:
    said = await used(tools, "execute_sql", query("SELECT REPLACE(HEX(ZEROBLOB(200)), '00', 'ab') AS long FROM orders"))
    output = ExecuteSqlOutput.model_validate(said)
    if output.fault is not None:  # the policy may not know these functions
        said = await used(tools, "execute_sql", query("SELECT name || name AS long FROM customers"))
        output = ExecuteSqlOutput.model_validate(said)
    assert output.result is not None
    assert all(len(str(cell)) <= 200 for row in output.result.head for cell in row)


async def test_a_fault_is_an_answer_and_leaves_nothing(tools: ToolActivities, store: Store) -> None:
    said = await used(tools, "execute_sql", query("DELETE FROM orders"))
    output = ExecuteSqlOutput.model_validate(said)
    assert output.result is None
    assert output.fault is not None
    assert output.fault.stage == "policy"
    assert "not answered (policy)" in summarize_execution(said)[0]
    assert await store.of("default").evidence.count_of_run("run") == 0


async def test_a_database_that_is_away_is_tried_again_and_one_that_is_not_there_is_not(
    tools: ToolActivities, tmp_path: Path
) -> None:
    with pytest.raises(ApplicationError, match="no database 'shp'; there are: shop; did you mean 'shop'") as unknown:
        await used(tools, "schema_context", {"database": "shp", "question": "x"})
    assert unknown.value.non_retryable
    (tmp_path / "shop.db").unlink()
    with pytest.raises(ApplicationError, match="cannot be opened") as away:
        await used(tools, "execute_sql", query("SELECT 1"))
    assert not away.value.non_retryable
    assert str(tmp_path) not in away.value.message


async def test_a_context_tells_of_values_unless_they_may_not_be_shown(tools: ToolActivities, tmp_path: Path) -> None:
    said = await used(tools, "schema_context", {"database": "shop", "question": "How much did O'Hara spend?"})
    output = SchemaContextOutput.model_validate(said)
    assert output.whole
    assert "Zoë" in said["found"]["tables"][0].__repr__()  # type: ignore[index, call-overload]
    assert summarize_schema(said)[0] == "Read what shop holds: all of its tables."
    settings = Settings(_env_file=None, databases={"shop": f"sqlite:///{tmp_path / 'shop.db'}"}, database_samples=False)
    quiet = await open_databases(settings).get("shop").schema()
    columns = [column for table in quiet.tables for column in table.columns]
    assert not [column for column in columns if column.samples or column.lowest or column.highest]
    assert [table.name for table in quiet.tables] == ["customers", "orders", "shipments", "spending"]
