"""The mode `data` by scripted answers, in memory and on the real server: every way that a question can go."""

import asyncio
import uuid
from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client

from elcano.graphs.contracts import RESEARCH_WORKFLOW, ToolCall, ToolResult
from elcano.graphs.dry_run.in_memory_run import run_in_memory
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.mode_choice import MODES, with_path_seconds
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.spec.graph import ParallelNode, limits_of
from elcano.graphs.spec.limits import DATA_PATH
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.failures import Ending, FailureType
from elcano.subjects.data.query_path import path_graph
from elcano.testing.script import Refused, Script
from elcano.testing.temporal import scripted_activities
from tests.tables import asked_of_tables, fault, in_turn, mended, of_paths, result, written
from tests.workflow.conftest import worker_for

NO_FORECAST = Ending(kind="parts", detail="there is no forecast, which was asked for")

Walk = Callable[[ResearchInput], Awaitable[Run]]
"""Goes the whole way of a run; gives its state before the end."""


@pytest.fixture(params=["in memory", "on the server"])
def walk(request: pytest.FixtureRequest, temporal: Client, script: Script) -> Walk:
    async def remembered(asked: ResearchInput) -> Run:
        return (await run_in_memory(asked, script.perform, clock=lambda: 0.0)).run

    async def served(asked: ResearchInput) -> Run:
        async with worker_for(temporal, asked.run_id, scripted_activities(script)):
            await temporal.execute_workflow(
                RESEARCH_WORKFLOW, asked, id=asked.run_id, task_queue=asked.run_id, result_type=ResearchResult
            )
        (log,) = [one.log for one in script.archived if one.run.run_id == asked.run_id]
        assert log is not None
        return fold(asked, log.entries)

    return remembered if request.param == "in memory" else served


def asked(**changes: Any) -> ResearchInput:
    return asked_of_tables(f"run-{uuid.uuid4()}").model_copy(update=changes)


def given_to_the_writer(script: Script) -> list[Any]:
    """Notes what the data writer is given."""
    noted: list[Any] = []

    def write(given: JsonObject) -> JsonObject:
        noted.append(given)
        return {"artifact": "draft", "title": "T", "answered": True, "claims": 1, "cited": 0, "evidence": []}

    script.overrides["data_writer"] = write
    return noted


def given_to(script: Script, tool: str) -> list[Any]:
    """Notes what a tool is given, which answers as before."""
    noted: list[Any] = []
    answers = script.overrides[tool]

    def answer(given: JsonObject) -> JsonObject:
        noted.append(given)
        return answers(given)

    script.overrides[tool] = answer
    return noted


async def test_a_query_is_mended_until_it_is_answered(walk: Walk, script: Script) -> None:
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["sql_repairer"] = mended("SELECT less_wrong", "SELECT right")
    script.overrides["execute_sql"] = in_turn(fault("no such column: wrong"), fault("ambiguous"), result("right"))
    told = given_to_the_writer(script)
    run = await walk(asked())
    queries = ["sql_writer", "execute_sql", "sql_repairer", "execute_sql", "sql_repairer", "execute_sql"]
    assert script.calls == ["schema_context", "splitter", "sql_examples", *queries, "chart", "data_writer"]
    assert (run.ending, run.failure, run.budget.iterations) == (None, None, 3)
    assert [ref.id for ref in run.state.evidence] == ["result:right"]
    (query,) = told[0]["queries"]
    assert query["query"]["sql"] == "SELECT right"
    repairs: Any = query["repairs"]
    assert [(one["before"], one["after"]) for one in repairs] == [
        ("SELECT wrong", "SELECT less_wrong"),
        ("SELECT less_wrong", "SELECT right"),
    ]
    assert [one["artifact"] for one in told[0]["results"]] == ["right"]


async def test_a_run_without_iterations_mends_nothing_and_says_what_was_wrong(walk: Walk, script: Script) -> None:
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["execute_sql"] = lambda given: fault("no such table: sale")
    told = given_to_the_writer(script)
    run = await walk(asked(limits=asked().limits.model_copy(update={"iterations": 1})))
    assert script.calls == [
        "schema_context",
        "splitter",
        "sql_examples",
        "sql_writer",
        "execute_sql",
        "data_writer",
    ]
    assert run.ending is None
    (gap,) = told[0]["gaps"]
    assert gap.endswith("no such table: sale; the run has no iteration left to mend it.")


async def test_the_same_complaint_twice_opens_the_circuit(walk: Walk, script: Script) -> None:
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["sql_repairer"] = mended("SELECT a", "SELECT b", "SELECT c")
    script.overrides["execute_sql"] = lambda given: fault("no such table: sale")
    told = given_to_the_writer(script)
    await walk(asked())
    assert script.calls.count("execute_sql") == 2
    assert script.calls.count("sql_repairer") == 1
    (gap,) = told[0]["gaps"]
    assert "no such table: sale" in str(gap)
    assert "The same complaint came twice" in str(gap)


async def test_a_query_is_mended_three_times_at_most(walk: Walk, script: Script) -> None:
    faults = [fault(f"complaint {number}") for number in range(9)]
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["sql_repairer"] = mended(*(f"SELECT {number}" for number in range(9)))
    script.overrides["execute_sql"] = in_turn(*faults)
    told = given_to_the_writer(script)
    run = await walk(asked())
    assert (script.calls.count("execute_sql"), script.calls.count("sql_repairer")) == (4, 3)
    assert run.ending is None
    assert "It was mended 3 times in vain." in str(told[0]["gaps"])


async def test_a_database_that_is_busy_is_no_fault_of_the_query(walk: Walk, script: Script) -> None:
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["execute_sql"] = lambda given: fault("too many connections", lasting=False)
    told = given_to_the_writer(script)
    await walk(asked())
    assert "sql_repairer" not in script.calls
    assert "ask again later" in str(told[0]["gaps"])


async def test_what_no_table_answers_is_said(walk: Walk, script: Script) -> None:
    told = given_to_the_writer(script)
    await walk(asked())
    assert "execute_sql" not in script.calls
    assert told[0]["gaps"] == ["The question became no query: No query is scripted for this question."]


async def test_a_database_that_the_run_does_not_name_is_not_asked(walk: Walk, script: Script) -> None:
    given_to_the_writer(script)
    run = await walk(asked(databases=("sales", "staff")))
    read: Any = run.state.outputs["schema_context"]
    assert [one["input"]["database"] for one in read["items"]] == ["sales"]


async def test_documents_answer_what_no_table_does(walk: Walk, script: Script) -> None:
    script.overrides["sql_writer"] = lambda given: (
        {"decision": "documents", "explanation": "it is a why"} if given["documents"] else {"decision": "refused"}
    )
    run = await walk(asked(sources=("sales", "library")))
    assert script.calls == ["schema_context", "search", "splitter", "sql_examples", "sql_writer", "writer"]
    assert [ref.source for ref in run.state.evidence] == ["library"]


async def test_paths_go_side_by_side_and_are_merged(walk: Walk, script: Script) -> None:
    of_paths(script, ["2023", "2024"])
    merged = given_to(script, "consensus")
    told = given_to_the_writer(script)
    run = await walk(asked())
    assert run.ending is None
    assert script.calls.count("schema_context") == 3
    paths: Any = merged[0]["paths"]
    assert [(one["name"], one["result"]["artifact"], one["gap"]) for one in paths] == [
        ("2023", "2023", ""),
        ("2024", "2024", ""),
    ]
    results: Any = told[0]["results"]
    assert [one["artifact"] for one in results] == ["merged", "2023", "2024"]
    queries: Any = told[0]["queries"]
    assert [one["query"]["sql"] for one in queries] == ["SELECT 2023", "SELECT 2024"]
    assert {ref.id for ref in run.state.evidence} == {"result:2023", "result:2024", "result:merged"}
    branches: Any = run.state.outputs["parallel_paths"]
    ids = [one["parallel_path_id"] for one in branches["branches"]]
    assert [one.rpartition(".")[2] for one in ids] == ["path-1", "path-2"]


async def test_a_path_that_finds_nothing_is_a_named_gap(walk: Walk, script: Script) -> None:
    of_paths(script, ["2023", "2024"])
    answers = script.overrides["execute_sql"]

    def executed(given: JsonObject) -> JsonObject:
        return fault("no such table", lasting=False) if "2024" in str(given) else answers(given)

    script.overrides["execute_sql"] = executed
    merged = given_to(script, "consensus")
    run = await walk(asked())
    paths: Any = merged[0]["paths"]
    assert [one["result"] is None for one in paths] == [False, True]
    assert run.ending == Ending(kind="parts", detail="not every path has a result")
    assert "no such table" in paths[1]["gap"]


async def test_the_budget_is_asked_before_the_paths_begin(walk: Walk, script: Script) -> None:
    names = [f"part {number}" for number in range(8)]
    of_paths(script, names)
    script.tokens = 1_000
    run = await walk(asked(limits=Limits(tokens=30_000, iterations=4)))
    branches: Any = run.state.outputs["parallel_paths"]
    left_out = [one for one in branches["branches"] if one["gap"]]
    assert left_out
    assert all(one["gap"]["type"] == FailureType.BUDGET and not one["usage"]["requests"] for one in left_out)
    assert script.calls.count("sql_writer") == len(names) - len(left_out)
    assert run.budget.used.tokens <= 30_000


async def test_a_forecast_is_made_of_the_result_if_the_question_asks_for_it(walk: Walk, script: Script) -> None:
    wish: JsonObject = {"horizon": 6, "span": "months"}
    script.overrides["splitter"] = lambda given: {"forecast": wish, "history_question": "revenue by month"}
    asked_of: list[JsonObject] = []

    def write(given: JsonObject) -> JsonObject:
        asked_of.append(given)
        return written()

    script.overrides["sql_writer"] = write
    script.overrides["execute_sql"] = lambda given: result("series", rows=60)
    forecast: list[JsonObject] = []

    def refuse(given: JsonObject) -> JsonObject:
        forecast.append(given)
        return {"refused": {"reasons": ["constant"], "message": "The series is constant."}, "told": "no"}

    script.overrides["forecast"] = refuse
    told = given_to_the_writer(script)
    run = await walk(asked())
    assert run.ending == NO_FORECAST
    assert asked_of[0]["question"] == "revenue by month"
    assert (forecast[0]["artifact"], forecast[0]["horizon"], forecast[0]["span"]) == ("series", 6, "months")
    assert told[0]["gaps"] == ["The series is constant."]


async def test_a_forecast_that_fails_is_told_and_the_history_is_answered(walk: Walk, script: Script) -> None:
    script.overrides["splitter"] = lambda given: {
        "forecast": {"span": "periods"},
        "history_question": "revenue by month",
    }
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["execute_sql"] = lambda given: result("series", rows=60)

    def fail(given: JsonObject) -> JsonObject:
        raise Refused("this worker has no library for forecasts", type=FailureType.INPUT_INVALID)

    script.overrides["forecast"] = fail
    told = given_to_the_writer(script)
    run = await walk(asked())
    assert (run.failure, run.ending) == (None, NO_FORECAST)
    assert told[0]["gaps"] == ["forecast failed: this worker has no library for forecasts"]
    assert [one["artifact"] for one in told[0]["results"]] == ["series"]


async def test_a_tool_is_called_that_was_offered_and_its_refusal_leaves_the_rest(walk: Walk, script: Script) -> None:
    offered: JsonObject = {"server": "time", "name": "now", "kind": "reads"}
    servers: JsonObject = {"servers": [{"server": "time", "transport": "stdio", "tools": [offered]}]}
    script.overrides["list_tools"] = lambda given: servers
    seen: list[Any] = []

    def split(given: JsonObject) -> JsonObject:
        seen.append(given)
        return {"tool": {"server": "time", "tool": "now", "arguments": {"zone": "UTC"}}}

    def call(given: JsonObject) -> JsonObject:
        assert given == {"server": "time", "tool": "now", "arguments": {"zone": "UTC"}, "as_evidence": True}
        raise Refused("it writes, and nobody allowed that", type=FailureType.APPROVAL_NEEDED)

    script.overrides["splitter"] = split
    script.overrides["call_tool"] = call
    script.overrides["sql_writer"] = lambda given: written()
    script.overrides["execute_sql"] = lambda given: result("right")
    run = await walk(asked(tool_servers=("time",)))
    assert seen[0]["tools"][0]["name"] == "now"
    assert script.calls.index("call_tool") < script.calls.index("execute_sql")
    assert run.ending == Ending(kind="parts", detail="the tool that the question needs did not answer")
    assert run.state.warnings == ("The tool time/now failed: it writes, and nobody allowed that",)


async def test_a_run_without_a_database_that_can_be_read_says_so(walk: Walk, script: Script) -> None:
    def away(given: JsonObject) -> JsonObject:
        raise Refused("it is away", type=FailureType.SOURCE_UNAVAILABLE)

    script.overrides["schema_context"] = away
    told = given_to_the_writer(script)
    run = await walk(asked())
    assert run.ending == Ending(kind="sources", detail="no database can be read")
    assert script.calls == ["schema_context", "splitter", "data_writer"]
    assert told[0]["gaps"] == ["The database 'sales' could not be read: it is away"]


async def test_a_path_that_takes_too_long_is_a_named_gap(temporal: Client, script: Script) -> None:
    of_paths(script, ["2023", "2024"])
    merged = given_to(script, "consensus")

    async def endless(given: JsonObject) -> None:
        while given["question"] == "What of 2024?" and "saved_questions" in given:  # its SQL writer
            activity.heartbeat()
            await asyncio.sleep(0.05)

    script.watching = endless
    graph = MODES["data"]
    nodes = (
        one.model_copy(update={"timeout_seconds": 5}) if isinstance(one, ParallelNode) else one for one in graph.nodes
    )
    question = asked(graph=graph.model_copy(update={"nodes": tuple(nodes)}))
    async with worker_for(temporal, question.run_id, scripted_activities(script)):
        handle = await temporal.start_workflow(
            RESEARCH_WORKFLOW, question, id=question.run_id, task_queue=question.run_id, result_type=ResearchResult
        )
        ended = await handle.result()
    paths: Any = merged[0]["paths"]
    assert [one["result"] is None for one in paths] == [False, True]
    assert paths[1]["gap"]
    assert ended.ending is not None
    assert "2024" in ended.ending.detail


@pytest.mark.parametrize("mode", ["data", "auto"])
def test_a_call_to_a_database_has_fifteen_seconds_in_a_path_unless_others_are_given(mode: str) -> None:
    (path,) = [one for one in MODES[mode].branches.values() if one.name == DATA_PATH]
    assert path == path_graph()
    (longer,) = [one for one in with_path_seconds(MODES[mode], 60).branches.values() if one.name == DATA_PATH]
    for graph, seconds in ((path, 15), (longer, 60)):
        limits = {node.id: limits.timeout_seconds for node in graph.nodes if (limits := limits_of(node)) is not None}
        assert limits == dict.fromkeys(("schema_context", "sql_examples", "data_execution"), seconds)
    changed = path.model_copy(update={"description": "One's own"})
    own = MODES[mode].model_copy(update={"branches": {"path": changed}})
    assert with_path_seconds(own, 60) == own


async def test_the_thinking_of_a_model_is_no_time_of_a_path(temporal: Client, script: Script) -> None:
    of_paths(script, ["2023", "2024"])

    async def slowly(given: JsonObject) -> None:
        if given["question"] == "What of 2024?" and "saved_questions" in given:  # its SQL writer
            await asyncio.sleep(3)

    script.watching = slowly
    question = asked(graph=with_path_seconds(MODES["data"], 1))
    assert (await answered(temporal, question, scripted_activities(script))).ending is None


async def test_paths_and_charts_are_called_so_on_the_page_of_temporal(temporal: Client, script: Script) -> None:
    of_paths(script, ["2023", "2024"])
    question = asked()
    await answered(temporal, question, scripted_activities(script))
    history = await temporal.get_workflow_handle(question.run_id).fetch_history()
    summaries = [event.user_metadata.summary.data.decode() for event in history.events]
    assert {'"Path: 2023"', '"Path: 2024"', '"The one chart that fits, if one does"'} <= {*summaries}
    assert not [one for one in summaries if "Section" in one]


async def test_a_database_that_takes_too_long_in_a_path_is_told_with_what_would_help(
    temporal: Client, script: Script
) -> None:
    of_paths(script, ["2023", "2024"])
    merged = given_to(script, "consensus")
    asked_for: list[str] = []

    async def use(call: ToolCall) -> ToolResult:
        if call.tool == "execute_sql" and "2024" in str(call.input):
            asked_for.append(call.run_id)
            while True:
                activity.heartbeat()
                await asyncio.sleep(0.05)
        return ToolResult(output=script.answer(call.tool, call.input), last_event=call.last_event)

    question = asked(graph=with_path_seconds(MODES["data"], 1))
    ended = await answered(temporal, question, scripted_activities(script, use=use))
    paths: Any = merged[0]["paths"]
    assert [one["result"] is None for one in paths] == [False, True]
    assert ended.ending is not None
    assert "2024" in ended.ending.detail
    assert "ore `path_seconds` than 1 would" in ended.ending.detail
    assert "(`seconds`)" not in ended.ending.detail
    assert len(asked_for) == 1, "what took too long is not asked again"


async def answered(
    temporal: Client, question: ResearchInput, activities: Sequence[Callable[..., Any]]
) -> ResearchResult:
    """What a run of these activities ends with."""
    async with worker_for(temporal, question.run_id, activities):
        handle = await temporal.start_workflow(
            RESEARCH_WORKFLOW, question, id=question.run_id, task_queue=question.run_id, result_type=ResearchResult
        )
        ended: ResearchResult = await handle.result()
    return ended
