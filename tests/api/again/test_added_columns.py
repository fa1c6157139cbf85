"""Evidence tables that grow: columns added later, and rows that failed asked again; only new cells are paid for."""

import asyncio
from collections.abc import Mapping
from typing import Any

import httpx
from temporalio.client import Client

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.again.going_on import Provider
from tests.api.again.test_evidence_tables import (
    MODEL,
    TABLES,
    filling,
    make,
    own_queues,
    text_of,
    until_read,
    until_state,
    upload,
)

__all__ = ["own_queues"]
SEASON = {"name": "Season", "question": "When is it looked at?"}


class FormProvider(Provider):
    """Fills in the form; documents that it is told to refuse are refused."""

    def __init__(self) -> None:
        super().__init__()
        self.refused = ""

    def _answer(self, task: TaskEnvelope) -> Any:
        if self.refused and any(self.refused in one.text for one in task.evidence):
            return "of no use"
        return super()._answer(task)

    def forms(self) -> list[list[str]]:
        """The columns of every form that was asked for."""
        forms = (task.given["output_schema"] for task in self.model.tasks if task.kind == "form_filler")
        return [[*form["properties"]] for form in forms if isinstance(form, Mapping)]  # type: ignore[misc]


async def post(api: httpx.AsyncClient, table: dict[str, Any], what: str, **body: Any) -> httpx.Response:
    return await api.post(f"{TABLES}/{table['id']}/{what}", json=body)


async def test_added_columns_are_asked_of_rows_that_are_not_excluded_and_nothing_else_is_paid(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = FormProvider()
    await upload(api, 3)
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        made = await make(api)
        before = await until_state(api, made, "ended")
        await api.patch(f"{TABLES}/{made['id']}/rows/1/screening", json={"decision": "exclude"})
        for column, field in (
            ({**SEASON, "name": "thing"}, "columns.0.name"),
            ({**SEASON, "question": "What is  checked?"}, "columns.0.question"),
        ):
            refused = await post(api, made, "columns", columns=[column])
            assert [one["field"] for one in refused.json()["errors"]] == [field]
        many = [{"name": f"C{n}", "question": f"Question {n}?"} for n in range(19)]
        refused = await post(api, made, "columns", columns=many)
        assert "20 columns are the most" in refused.text
        assert len(provider.forms()) == 3
        answers = await asyncio.gather(*(post(api, made, "columns", columns=[SEASON]) for _ in range(2)))
        assert sorted(one.status_code for one in answers) in ([202, 409], [202, 422])
        table = await until_state(api, made, "ended")
        assert provider.forms()[3:] == [["Season"], ["Season"]]
        rows = table["rows"]
        assert [[*row["cells"]] for row in rows] == [["Thing", "When", "Season"]] * 3
        assert [row["cells"]["Thing"] for row in rows] == [row["cells"]["Thing"] for row in before["rows"]]
        cell = rows[0]["cells"]["Season"]
        assert (cell["state"], cell["quotes"][0]["verified"]) == ("found", True)
        assert cell["run_id"] == rows[0]["run_id"] != rows[0]["cells"]["Thing"]["run_id"]
        assert rows[1]["cells"]["Season"]["reason"] == "the row was excluded when this was asked"
        assert [row["state"] for row in rows] == ["filled"] * 3
        assert table["counts"] == {"completed": 3}
        assert rows[0]["tokens"] > before["rows"][0]["tokens"]
        assert table["tokens"]["used"] == sum(row["tokens"] for row in rows)
        exported = (await api.get(f"{TABLES}/{made['id']}/export")).text
        assert "Season quotes" in exported.splitlines()[0]
        await api.patch(f"{TABLES}/{made['id']}/rows/1/screening", json={"decision": "include"})
        assert (await post(api, made, "fill")).status_code == 202
        table = await until_state(api, made, "ended")
    assert provider.forms()[5:] == [["Season"]]
    assert table["rows"][1]["cells"]["Season"]["state"] == "found"


async def test_failed_rows_are_asked_again_in_one_action_and_what_a_person_wrote_stays(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = FormProvider()
    await upload(api, 3)
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        provider.refused = text_of(1).decode().splitlines()[2]
        made = await make(api)
        table = await until_state(api, made, "ended")
        assert [row["state"] for row in table["rows"]] == ["filled", "failed", "filled"]
        await api.patch(f"{TABLES}/{made['id']}/rows/1/cells/1", json={"value": "spring"})
        provider.refused, paid = "", len(provider.forms())
        key = {"Idempotency-Key": "again"}
        for _ in range(2):
            assert (await api.post(f"{TABLES}/{made['id']}/fill", headers=key)).status_code == 202
        table = await until_state(api, made, "ended")
        assert provider.forms()[paid:] == [["Thing", "When"]]
        assert (table["counts"], [row["state"] for row in table["rows"]]) == ({"completed": 3}, ["filled"] * 3)
        cell = table["rows"][1]["cells"]["When"]
        assert (cell["state"], cell["value"], cell["run_id"]) == ("edited", "spring", table["rows"][1]["run_id"])
        batch = (await api.get(f"/v1/batches/{made['id']}")).json()
        assert batch["counts"] == {"completed": 3, "replaced": 1}
        await api.delete(f"/v1/runs/{table['rows'][0]['run_id']}")
        assert (await until_state(api, made, "ended"))["rows"][0]["state"] == "deleted"
        await post(api, made, "fill")
        table = await until_state(api, made, "ended")
        assert [row["state"] for row in table["rows"]] == ["filled"] * 3
        await api.delete(f"/v1/batches/{made['id']}")
        gone = await post(api, made, "fill")
    assert (gone.status_code, gone.json()["title"]) == (409, "The table was changed meanwhile")


async def test_a_table_for_screening_gets_columns_and_waits_for_its_budget(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = FormProvider()
    await upload(api, 2)
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        made = await make(api, columns=[], budget={"tokens": 4_000})
        assert made["state"] == "ended"
        refused = await post(api, made, "columns", columns=[SEASON])
        assert "needs a language model" in refused.text, "the server has none, and neither has the table"
        await post(api, made, "columns", columns=[SEASON], model=MODEL)
        table = await until_state(api, made, "out_of_budget")
        assert [row["state"] for row in table["rows"]] == ["budget", "budget"]
        await post(api, made, "cancel")
        table = await until_state(api, made, "cancelled")
        assert [row["state"] for row in table["rows"]] == ["cancelled", "cancelled"]
        await post(api, made, "fill")
        await until_state(api, made, "out_of_budget")
        await post(api, made, "top-up", tokens=200_000)
        table = await until_state(api, made, "ended")
    assert [row["cells"]["Season"]["state"] for row in table["rows"]] == ["found", "found"]
