"""Evidence tables on the real server: filled from uploads and a folder, screened, edited, exported, topped up."""

import asyncio
import csv
import io
import zipfile
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.cli.exit_codes import BadInput
from elcano.doors.evidence_tables.commands import list_tables, make_table, save_table, show_table
from elcano.settings import Settings, get_settings
from elcano.storage.store import Store
from elcano.worker import provider_worker
from tests.api.again.going_on import Provider, put_background_on, until
from tests.api.again.test_batches import working_on_batches
from tests.api.again.test_uploads import reading
from tests.unit.subjects.documents.files import pdf

Json = dict[str, Any]
TABLES = "/v1/evidence-tables"
DOCUMENTS = "/v1/collections/safety/documents"
COLUMNS: list[Json] = [
    {"name": "Thing", "question": "What is checked?"},
    {"name": "When", "question": "In which season is it checked?"},
]
MODEL = "openai:gpt-5.1"


@pytest.fixture(autouse=True)
def own_queues(monkeypatch: pytest.MonkeyPatch, task_queue: str) -> None:
    put_background_on(f"{task_queue}-background", monkeypatch)
    monkeypatch.setattr("elcano.subjects.uploads.background.TASK_QUEUE", f"{task_queue}-uploads")
    monkeypatch.setenv("OPENAI_API_KEY", "none is asked")


@asynccontextmanager
async def filling(
    client: Client, store: Store, settings: Settings, queue: str, provider: Provider
) -> AsyncIterator[None]:
    """A worker that reads uploads and fills tables."""
    async with working_on_batches(client, store, settings, queue, provider), reading(client, store, settings):
        yield


def text_of(number: int) -> bytes:
    return f"# Thing {number}\n\nThe thing {number} is checked for cracks every spring.\n".encode()


async def upload(api: httpx.AsyncClient, count: int) -> None:
    for number in range(count):
        await api.put(f"{DOCUMENTS}/thing-{number:03}.md", content=text_of(number))


async def until_read(api: httpx.AsyncClient) -> None:
    async def is_read() -> bool:
        return bool((await api.get("/v1/collections/safety")).json()["unread"] == 0)

    await until(is_read)


async def make(api: httpx.AsyncClient, status: int = 201, key: str = "", **fields: Any) -> Json:
    headers = {"Idempotency-Key": key} if key else {}
    body = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "model": MODEL, **fields}
    answer = await api.post(TABLES, json=body, headers=headers)
    assert answer.status_code == status, answer.text
    found: Json = answer.json()
    return found


async def until_state(api: httpx.AsyncClient, table: Json, *states: str) -> Json:
    found: Json = {}

    async def holds() -> bool:
        found.update((await api.get(f"{TABLES}/{table['id']}", params={"limit": 100})).json())
        return found["state"] in states

    await until(holds)
    return found


async def test_a_table_is_filled_by_one_call_a_document_and_says_why_a_cell_is_empty(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = Provider()
    await upload(api, 3)
    await api.put(f"{DOCUMENTS}/copy.md", content=text_of(0))
    await api.put(f"{DOCUMENTS}/scan.pdf", content=pdf([[], []]))
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        twice = [make_response(api, "once") for _ in range(2)]
        answers = await asyncio.gather(*twice)
        assert sorted(one.status_code for one in answers) == [200, 201]
        made = answers[0].json()
        assert answers[1].json()["id"] == made["id"]
        await make(api, 422, "once", name="other")
        table = await until_state(api, made, "ended")
    rows = {one["path"]: one for one in table["rows"]}
    assert {path: one["state"] for path, one in rows.items()} == {
        "copy.md": "filled",
        "scan.pdf": "unreadable",
        "thing-000.md": "duplicate",
        "thing-001.md": "filled",
        "thing-002.md": "filled",
    }
    asked = [task.kind for task in provider.model.tasks]
    assert asked == ["form_filler"] * 3, "one call a document, none for what has no text or is there twice"
    for row in table["rows"]:
        assert list(row["cells"]) == ["Thing", "When"]
        for cell in row["cells"].values():
            assert cell["reason"] or cell["quotes"][0]["verified"]
    cell = rows["thing-001.md"]["cells"]["Thing"]
    assert cell["state"] == "found"
    quote = cell["quotes"][0]
    assert quote["quote"] in text_of(1).decode()
    assert quote["end"] - quote["start"] == len(quote["quote"])
    assert rows["scan.pdf"]["cells"]["When"]["reason"] == "there is no text in it"
    assert rows["thing-000.md"]["reason"] == "the same file is in row 1"
    flow = table["flow"]
    assert (flow["records"], flow["duplicates"], flow["unreadable"], flow["undecided"]) == (5, 1, 1, 4)


async def make_response(api: httpx.AsyncClient, key: str) -> httpx.Response:
    body = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "model": MODEL}
    return await api.post(TABLES, json=body, headers={"Idempotency-Key": key})


async def test_two_people_who_decide_at_once_are_both_recorded_and_the_flow_counts_the_last(
    api: httpx.AsyncClient,
) -> None:
    await upload(api, 4)
    made = await make(api, columns=[])
    assert (made["state"], made["flow"]["undecided"]) == ("ended", 4), "nothing is asked, so nothing waits"
    path = f"{TABLES}/{made['id']}/rows/0/screening"
    bodies = [{"decision": "include"}, {"decision": "exclude", "reason": "no control group"}]
    answers = await asyncio.gather(*(api.patch(path, json=body) for body in bodies))
    assert [one.status_code for one in answers] == [200, 200]
    row = (await api.get(f"{TABLES}/{made['id']}/rows/0")).json()
    assert sorted(one["decision"] for one in row["decisions"]) == ["exclude", "include"]
    assert row["decision"] == row["decisions"][-1]["decision"]
    for _ in range(2):  # a double click
        await api.patch(f"{TABLES}/{made['id']}/rows/1/screening", json=bodies[1])
    await api.patch(f"{TABLES}/{made['id']}/rows/2/screening", json={"decision": "unsure"})
    await api.patch(f"{TABLES}/{made['id']}/rows/2/screening", json={"decision": None})
    await api.patch(path, json=bodies[1])
    table = (await api.get(f"{TABLES}/{made['id']}", params={"decision": "undecided"})).json()
    assert [one["number"] for one in table["rows"]] == [2, 3]
    flow = table["flow"]
    assert (flow["screened"], flow["excluded"], flow["included"], flow["unsure"]) == (2, 2, 0, 0)
    assert flow["reasons"] == {"no control group": 2}
    assert len((await api.get(f"{TABLES}/{made['id']}/rows/1")).json()["decisions"]) == 1
    first = (await api.get(f"{TABLES}/{made['id']}", params={"decision": "exclude", "limit": 1})).json()
    rest = (await api.get(f"{TABLES}/{made['id']}", params={"decision": "exclude", "cursor": first["next"]})).json()
    assert [one["number"] for one in (*first["rows"], *rest["rows"])] == [0, 1]
    wrong = await api.patch(f"{TABLES}/{made['id']}/rows/4/screening", json=bodies[0])
    assert (wrong.status_code, "has no row 4" in wrong.json()["detail"]) == (404, True)
    assert (await api.patch(path, json={"decision": "maybe"})).status_code == 422
    again = await make(api, documents=[{"table": made["id"], "decision": "exclude"}], columns=[])
    assert again["flow"]["records"] == 2


async def test_an_edit_is_a_persons_keeps_what_was_there_and_exports_hold_no_formula(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    await upload(api, 1)
    columns = [*COLUMNS, {"name": "=Count", "question": "How many?", "type": "integer"}]
    async with filling(temporal, store, api_settings, task_queue, Provider()):
        await until_read(api)
        made = await make(api, columns=columns)
        table = await until_state(api, made, "ended")
    extracted = table["rows"][0]["cells"]["Thing"]["value"]
    path = f"{TABLES}/{made['id']}/rows/0/cells"
    wrong = await api.patch(f"{path}/2", json={"value": "many"})
    assert (wrong.status_code, wrong.json()["errors"][0]["field"]) == (422, "value")
    assert (await api.patch(f"{path}/3", json={"value": 1})).status_code == 404
    assert (await api.patch(f"{path}/2", json={"value": 1, "restore": True})).status_code == 422
    await api.patch(f"{path}/2", json={"value": -7})
    formula = '=HYPERLINK("http://evil")'
    row = (await api.patch(f"{path}/0", json={"value": formula, "reason": "@home"})).json()
    cell = row["cells"]["Thing"]
    assert (cell["state"], cell["value"], cell["extracted"]) == ("edited", formula, extracted)
    assert (cell["quotes"][0]["verified"], cell["confidence"]) == (True, None)
    lines = list(csv.reader(io.StringIO((await api.get(f"{TABLES}/{made['id']}/export")).text)))
    saved = dict(zip(*lines, strict=True))
    assert (saved["Thing"], saved["Thing why"], saved["Thing extracted"]) == (f"'{formula}", "'@home", extracted)
    assert (saved["'=Count"], saved["'=Count edited by"]) == ("-7", "a person")
    assert saved["When quotes"].startswith("“")
    workbook = await api.get(f"{TABLES}/{made['id']}/export", params={"format": "xlsx"})
    with zipfile.ZipFile(io.BytesIO(workbook.content)) as packed:
        sheet, texts = packed.read("xl/worksheets/sheet1.xml").decode(), packed.read("xl/sharedStrings.xml").decode()
    assert "<f>" not in sheet
    assert "=HYPERLINK" in texts
    assert "<v>-7</v>" in sheet
    restored = (await api.patch(f"{path}/0", json={"restore": True})).json()["cells"]["Thing"]
    assert (restored["state"], restored["value"], len(restored["edits"])) == ("found", extracted, 2)


async def test_rows_without_budget_say_so_and_a_top_up_fills_them(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = Provider()
    provider.input_tokens = 8_000
    await upload(api, 5)
    async with filling(temporal, store, api_settings, task_queue, provider):
        await until_read(api)
        made = await make(api, budget={"tokens": 20_000}, at_once=2)
        table = await until_state(api, made, "out_of_budget")
        waiting = [one for one in table["rows"] if one["state"] == "budget"]
        assert waiting
        assert all(cell["reason"].startswith("budget: ") for one in waiting for cell in one["cells"].values())
        assert table["tokens"]["used"] <= 20_000
        paid = len(provider.model.tasks)
        for _ in range(2):
            more = {"tokens": 200_000}
            path = f"{TABLES}/{made['id']}/top-up"
            assert (await api.post(path, json=more, headers={"Idempotency-Key": "more"})).status_code == 202
        table = await until_state(api, made, "ended")
        assert {one["state"] for one in table["rows"]} == {"filled"}
        assert (paid < 5, len(provider.model.tasks)) == (True, 5)
        assert table["tokens"]["limit"] == 220_000
        provider.input_tokens = None
        one = {"source": "uploads:safety", "paths": ["thing-000.md"]}
        small = await make(api, documents=[one], budget={"tokens": 4_000})
        table = await until_state(api, small, "out_of_budget")
        assert [row["state"] for row in table["rows"]] == ["budget"], "it would end without an answer, for good"
        await api.post(f"{TABLES}/{small['id']}/top-up", json={"tokens": 1_300})
        table = await until_state(api, small, "ended")
    assert [row["state"] for row in table["rows"]] == ["filled"]


async def test_a_document_that_is_deleted_before_its_turn_costs_nothing_and_a_cancelled_table_can_be_deleted(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    provider = Provider()
    await upload(api, 2)
    made = await make(api)
    await api.delete(f"{DOCUMENTS}/thing-000.md")
    async with filling(temporal, store, api_settings, task_queue, provider):
        table = await until_state(api, made, "ended")
        assert [one["state"] for one in table["rows"]] == ["failed", "filled"]
        assert "it was deleted since" in table["rows"][0]["cells"]["Thing"]["reason"]
        assert len(provider.model.tasks) == 1
        provider.slow[("form_filler", "")] = 600.0
        again = await make(api)
        assert (await api.delete(f"{TABLES}/{again['id']}")).status_code == 409
        assert (await api.post(f"{TABLES}/{again['id']}/cancel")).status_code == 202
        await until_state(api, again, "cancelled")
    run = table["rows"][1]["run_id"]
    assert (await api.delete(f"/v1/batches/{made['id']}")).status_code == 204
    lost = (await api.get(f"{TABLES}/{made['id']}")).json()
    assert (lost["state"], lost["rows"][1]["reason"]) == ("deleted", "the batch that filled the table was deleted")
    for one in (made, again):
        assert (await api.delete(f"{TABLES}/{one['id']}")).status_code == 204
        assert (await api.get(f"{TABLES}/{one['id']}")).status_code == 404
    assert (await api.get(TABLES)).json()["tables"] == []
    assert (await api.get(f"/v1/runs/{run}")).status_code == 200


async def test_a_folder_is_listed_by_a_worker_and_read(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, task_queue: str
) -> None:
    (name,) = api_settings.collections
    async with (
        filling(temporal, store, api_settings, task_queue, Provider()),
        provider_worker(temporal, store, api_settings),
    ):
        wrong = await make(api, 422, documents=[{"source": name, "paths": ["none.md"]}])
        assert wrong["errors"][0]["field"] == "documents.0.paths", wrong
        made = await make(api, documents=[{"source": name}])
        table = await until_state(api, made, "ended")
    assert {one["state"] for one in table["rows"]} == {"filled"}
    assert table["flow"]["by_source"] == {name: len(table["rows"])}


async def test_faults_of_a_request_are_told_at_their_place(
    api: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    await upload(api, 1)
    column = COLUMNS[0]

    async def fields(**body: Any) -> list[str]:
        return [error["field"] for error in (await make(api, 422, **body))["errors"]]

    assert await fields(columns=[column, {**column, "question": "Else?"}]) == ["columns.1.name"]
    assert await fields(columns=[column, {**column, "name": "Else"}]) == ["columns.1.question"]
    assert await fields(columns=[{"name": "Thing", "question": " "}]) == ["columns.0.question"]
    assert await fields(columns=[{"name": "Thing"}]) == ["columns.0.question"]
    many = [{"name": f"C{n}", "question": f"What of {n}?"} for n in range(21)]
    assert await fields(columns=many) == ["columns"]
    assert await fields(columns=[{**column, "type": "number", "choices": ["1"]}]) == ["columns.0.choices"]
    schema = {"type": "object", "properties": {one["name"]: {"type": "string"} for one in many}}
    assert await fields(output_schema=schema, columns=[]) == ["output_schema"]
    assert await fields(output_schema=schema) == ["columns"]
    assert await fields(documents=[{"source": "uploads:none"}]) == ["documents.0.source"]
    assert await fields(documents=[{"source": "nowhere"}]) == ["documents.0.source"]
    assert await fields(documents=[{}]) == ["documents.0.source"]
    assert await fields(documents=[{"table": "none"}]) == ["documents.0.table"]
    assert await fields(documents=[{"source": "uploads:safety", "paths": ["none.md"]}]) == ["documents.0.paths"]
    assert await fields(review_run="default-01kb1q3yw5v7c8m2n4p6r8t0vx") == ["review_run"]
    assert await fields(model="offline") == ["columns"]
    monkeypatch.setattr("elcano.doors.evidence_tables.table_request.MOST_CHARACTERS", 100)
    assert await fields() == ["columns"], "each row is stored with its columns"
    assert (await api.get(TABLES)).json()["tables"] == []


async def test_the_command_line_makes_shows_and_saves_a_table(
    served: str,
    api: httpx.AsyncClient,
    temporal: Client,
    store: Store,
    api_settings: Settings,
    task_queue: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    monkeypatch.setenv("ELCANO_API_URL", served)
    get_settings.cache_clear()
    await upload(api, 2)
    async with filling(temporal, store, api_settings, task_queue, Provider()):
        await until_read(api)
        with pytest.raises(BadInput, match="is no column"):
            await asyncio.to_thread(make_table, ["uploads:safety"], column=["Thing"])
        columns = [f"{one['name']}={one['question']}" for one in COLUMNS]
        await asyncio.to_thread(make_table, ["uploads:safety"], column=columns, model=MODEL, name="Things")
        table = (await api.get(TABLES)).json()["tables"][0]
        await until_state(api, table, "ended")
    await asyncio.to_thread(show_table, table["id"])
    await asyncio.to_thread(list_tables)
    for name in ("things.csv", "things.xlsx"):
        await asyncio.to_thread(save_table, table["id"], tmp_path / name)
        assert (tmp_path / name).stat().st_size > 500
    with pytest.raises(BadInput, match="end it with"):
        await asyncio.to_thread(save_table, table["id"], tmp_path / "things.doc")
    said = capsys.readouterr().out
    assert "2 records, 0 duplicates, 0 screened" in said
    assert "ended  2 completed  Things" in said
    get_settings.cache_clear()
