"""Questions to a real database by a model behind HTTP: each way that one can go, as the operator sees it in Temporal.

The model is scripted, at times wrong, and thinks in hidden tokens; database, tools, forecast and workflows are real.
"""

import json
import sqlite3
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import httpx
import pytest
from pydantic_ai import models
from temporalio.api.enums.v1 import EventType as Happened
from temporalio.client import Client

from elcano.graphs.agents.envelope import TaskEnvelope, parse_envelope
from elcano.graphs.frozen import Json, JsonObject
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.testing.default_answers import build_plain_answer
from elcano.testing.provider import Provider, Reply, Request, make_completion, scripted_provider
from elcano.worker import provider_worker
from tests.api.again.going_on import ended, working
from tests.api.asking import start
from tests.api.handbook import handbook_settings
from tests.api.sse import read_all

PROGRAM = Path(__file__).parents[2] / "tool_program.py"
USAGE = {
    "prompt_tokens": 900,
    "completion_tokens": 400,
    "total_tokens": 1_300,
}
BY_REGION = "What was the revenue of each region in 2024?"
COMPARED = "Compare the revenue of 2023 and 2024"
FORECAST = "How much revenue a month will there be in the next 6 months?"
NORTH, SOUTH = 16_369, 12_271
"""What each region brought in in 2024."""
WITH_TOOL = "What was the revenue in 2024, and what is 2 and 3?"
YEAR = "SELECT SUM(amount) AS revenue FROM orders WHERE ordered_on >= '{0}-01-01' AND ordered_on < '{1}-01-01'"


def amounts() -> Iterator[tuple[str, str, int]]:
    """Four years of months: each region sells more every month, and most in December."""
    for month in range(48):
        when = f"{2021 + month // 12}-{month % 12 + 1:02d}-15"
        season = 200 if month % 12 == 11 else 5 * (month % 12)
        yield when, "north", 1_200 + 3 * month + season
        yield when, "süd", 900 + 2 * month + season


@pytest.fixture
def api_settings(tmp_path: Path) -> Settings:
    place = tmp_path / "sales.db"
    with closing(sqlite3.connect(place)) as connection:
        connection.execute("CREATE TABLE orders (id INTEGER PRIMARY KEY, ordered_on DATE, region TEXT, amount INTEGER)")
        connection.executemany("INSERT INTO orders (ordered_on, region, amount) VALUES (?, ?, ?)", amounts())
        connection.commit()
    program = {"command": sys.executable, "args": [str(PROGRAM), str(tmp_path)], "seconds": 60}
    return handbook_settings(tmp_path).model_copy(
        update={
            "databases": {"sales": f"sqlite:///{place}"},
            "mcp_servers": {"tests": program},
            "model": "openai-chat:gpt-4o",
        }
    )


def asked(request: Request) -> TaskEnvelope:
    """The task that a conversation began with, whatever was said since."""
    tasks = (parse_envelope(str(one.get("content") or "")) for one in request["messages"])
    return next(task for task in tasks if task is not None)


def analyst(request: Request) -> Reply:
    """Answers as an analyst who errs at first: a column that is not there, a sum that is not so."""
    task = asked(request)
    return make_completion(said(task, again=len(request["messages"]) > 2), usage=USAGE)


def said(task: TaskEnvelope, *, again: bool) -> JsonObject:
    match task.kind:
        case "splitter":
            return split(task)
        case "sql_writer":
            return {"decision": "query", "sql": query(task.question), "reasons": ["The question asks for revenue."]}
        case "sql_repairer":
            broken: Any = task.given["query"]
            mended = str(broken["sql"]).replace("revenue)", "amount)")
            return {"sql": mended, "changed": ["`amount` is what an order brought in."], "changes_meaning": False}
        case "data_writer":
            return told(task, again=again)
        case _:
            return build_plain_answer(task)


def split(task: TaskEnvelope) -> JsonObject:
    if task.question == COMPARED:
        paths: list[Json] = [
            {"name": year, "question": f"What was the revenue of {year}?"} for year in ("2023", "2024")
        ]
        return {"paths": paths, "reason": "Two years are set side by side."}
    if task.question == FORECAST:
        return {"forecast": {"horizon": 6, "span": "months"}, "history_question": "What was the revenue by month?"}
    if task.question == WITH_TOOL:
        return {"tool": {"server": "tests", "tool": "add", "arguments": {"a": 2, "b": 3}}}
    return {"reason": "It is one query."}


def query(question: str) -> str:
    if "by month" in question:
        return "SELECT strftime('%Y-%m', ordered_on) AS month, SUM(amount) AS revenue FROM orders GROUP BY 1 ORDER BY 1"
    if question == BY_REGION:
        return (
            YEAR.format(2024, 2025).replace("SUM(amount)", "region, SUM(revenue)") + " GROUP BY region ORDER BY region"
        )
    year = next(year for year in (2023, 2024) if str(year) in question)
    return YEAR.format(year, year + 1)


def told(task: TaskEnvelope, *, again: bool) -> JsonObject:
    """One sentence of the first result; of regions it is a wrong sum first, and mended when it is told so."""
    results: Any = task.given["results"]
    first = results[0]
    names = [column["name"] for column in first["columns"]]
    cells = [
        (names[place], row, value) for row, values in enumerate(first["rows"], 1) for place, value in enumerate(values)
    ]
    shown = [(f"{value:,}", name, row) for name, row, value in cells if isinstance(value, int | float)][:6]
    numbers: list[Json] = [_of_cell(text, name, row) for text, name, row in shown]
    words = "; ".join(text for text, _, _ in shown)
    if task.question == BY_REGION:
        total = sum(value for _, _, value in cells if isinstance(value, int))
        together = f"{total if again else total + 1:,}"
        both: list[Json] = [{"result": 1, "column": "revenue", "row": 1, "to_row": 2}]
        numbers = [*numbers, {"text": together, "operation": "sum", "cells": both}]
        words += f", together {together}"
    citations: list[Json] = [{"evidence": first["key"], "quote": "Row 1", "mark": first["key"]}]
    text = f"The results say: {words} [{first['key']}]."
    for passage in task.evidence:
        citations.append({"evidence": passage.key, "quote": passage.text, "mark": passage.key})
        text += f" And the tool says 5 [{passage.key}]."
    return {"title": "Revenue", "introduction": text, "citations": citations, "numbers": numbers}


def _of_cell(text: str, column: str, row: int) -> JsonObject:
    return {"text": text, "cells": [{"result": 1, "column": column, "row": row}]}


@pytest.fixture(scope="module")
def provider() -> Iterator[Provider]:
    """One for tests of this file that follow each other."""
    with scripted_provider(analyst) as served, pytest.MonkeyPatch.context() as patched:
        patched.setenv("OPENAI_API_KEY", "scripted")
        patched.setenv("OPENAI_BASE_URL", served.url)
        with models.override_allow_model_requests(True):
            yield served


@dataclass(frozen=True)
class Walked:
    """A run that has ended, in each place where somebody looks."""

    view: Any
    report: Any
    events: list[Any]
    seen: dict[str, dict[str, str]]
    """By workflow, that of the run first: what Temporal shows of each activity, by its id."""

    @property
    def nodes(self) -> list[str]:
        """Nodes of the run itself that were called, in their order."""
        ids = next(iter(self.seen.values()))
        return [one.partition("-")[2] for one in ids if one[0].isdigit()]

    @property
    def numbers(self) -> dict[str, str]:
        """What became of the numbers of the answer."""
        return {one["text"]: one["status"] for one in self.report["attachments"]["data"]["numbers"]}

    def told(self, node: str, kind: str) -> Any:
        """The one event of this kind about a node."""
        (found,) = [one for one in self.events if (one["node"], one["type"]) == (node, kind)]
        return found


Walk: TypeAlias = Callable[[str], Awaitable[Walked]]


@pytest.fixture
async def walk(
    api: httpx.AsyncClient, temporal: Client, store: Store, api_settings: Settings, provider: Provider
) -> AsyncIterator[Walk]:
    """Asks a question of the database, and looks at what came of it."""

    async def walked(question: str) -> Walked:
        run_id = await start(api, question, mode="data", sources=["sales"])
        view = await ended(api, run_id)
        events = await read_all(f"/v1/runs/{run_id}/events", client=api)
        report = (await api.get(f"/v1/runs/{run_id}/report", headers={"Accept": "application/json"})).json()
        paths = [branch["run_id"] for branch in view["branches"]]
        seen = {one: await shown(temporal, one) for one in (run_id, *paths)}
        return Walked(view, report, [one.data for one in events], seen)

    provider.requests.clear()
    async with working(temporal, store, api_settings), provider_worker(temporal, store, api_settings):
        yield walked


async def shown(temporal: Client, workflow: str) -> dict[str, str]:
    """The activities of a workflow by their ids, each with its summary, as the Temporal UI shows them."""
    history = await temporal.get_workflow_handle(workflow).fetch_history()
    begun = (one for one in history.events if one.event_type == Happened.EVENT_TYPE_ACTIVITY_TASK_SCHEDULED)
    told = ((one.activity_task_scheduled_event_attributes, one.user_metadata.summary.data) for one in begun)
    return {activity.activity_id: json.loads(summary or b'""') for activity, summary in told}


async def test_a_query_is_mended_and_a_wrong_sum_is_told_to_its_writer(walk: Walk, provider: Provider) -> None:
    found = await walk(BY_REGION)
    assert found.nodes[-7:] == [
        "sql_examples",
        "question_answering",
        "data_execution",
        "sql_repair",
        "data_execution",
        "chart",
        "synthesis",
    ]
    assert (found.view["status"], found.view["ending"]) == ("completed", None)
    repaired = found.told("sql_repair", "analysis_complete")
    assert "-SELECT region, SUM(revenue) AS revenue\n+SELECT region, SUM(amount) AS revenue" in repaired["data"]["diff"]
    (shown,) = [text for name, text in next(iter(found.seen.values())).items() if name.endswith("sql_repair")]
    assert "no table of the query has a column 'revenue'" in shown
    (table,) = found.report["attachments"]["data"]["tables"]
    assert table["rows"] == [["north", NORTH], ["süd", SOUTH]]
    assert len(table["repairs"]) == 1
    assert found.numbers == {f"{one:,}": "proven" for one in (NORTH, SOUTH, NORTH + SOUTH)}
    again = str(provider.requests[-1]["messages"][-1])
    assert f"{NORTH + SOUTH + 1:,}" in again, "the wrong sum was told"
    assert found.view["budget"]["used"]["tokens"] == len(provider.requests) * USAGE["total_tokens"]


@pytest.mark.long
async def test_two_years_go_in_paths_of_their_own_and_are_merged(walk: Walk) -> None:
    found = await walk(COMPARED)
    assert found.nodes[-3:] == ["consensus", "chart", "synthesis"]
    assert [one.rpartition(".")[2] for one in found.seen][1:] == ["path-1", "path-2"]
    for path in list(found.seen.values())[1:]:
        assert [one.partition("-")[2] for one in path][1:4] == ["sql_examples", "question_answering", "data_execution"]
    assert {(one["section"], one["status"]) for one in found.view["branches"]} == {("2023", "done"), ("2024", "done")}
    merged, *single = found.report["attachments"]["data"]["tables"]
    before, after = (one["rows"][0][0] for one in single)
    assert after == NORTH + SOUTH
    assert merged["rows"][0][:3] == [before, after, str(after - before)]
    assert set(found.numbers.values()) == {"proven"}


@pytest.mark.long
async def test_a_forecast_continues_the_series(walk: Walk) -> None:
    found = await walk(FORECAST)
    assert found.nodes[-4:] == ["data_execution", "forecast", "chart", "synthesis"]
    history, points = found.report["attachments"]["data"]["tables"]
    assert (history["row_count"], points["row_count"]) == (48, 6)
    assert [row[0][:7] for row in points["rows"]] == [f"2025-{month:02d}" for month in range(1, 7)]
    names = [column["name"] for column in points["columns"]]
    assert {"forecast", "low_80", "high_80"} <= set(names)
    assert all(12 * row[names.index("forecast")] * 0.5 < NORTH + SOUTH for row in points["rows"])
    (told,) = found.report["attachments"]["data"]["forecasts"]
    assert "back-test" in told
    assert found.report["attachments"]["data"]["chart"]["title"] == "History and forecast"
    assert set(found.numbers.values()) == {"proven"}


async def test_a_tool_is_called_and_its_words_can_be_cited(walk: Walk) -> None:
    found = await walk(WITH_TOOL)
    assert "tool_execution-1" in found.nodes
    assert found.told("tool_execution", "analysis_complete")["data"]["is_error"] is False
    assert {one["source"] for one in found.report["references"]} == {"sales", "mcp:tests"}
    assert found.numbers == {f"{NORTH + SOUTH:,}": "proven", "5": "quoted"}
