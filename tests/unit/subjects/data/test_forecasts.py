"""A forecast as a node of a graph: its refusal is read by the next node, and its events say what came of it."""

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.checks.validation import find_graph_faults
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import ResearchGraph
from elcano.subjects.data.forecast_models import ForecastDigest, ForecastInput, ForecastRefusal
from elcano.testing.script import Script
from tests.unit.graphs.samples import research


def forecasting(too_short: str = "contains(outputs.forecast.refused.reasons || `[]`, 'too_short')") -> ResearchGraph:
    return (
        GraphBuilder("forecasting", "Continues a series, or thinks about why not.")
        .add_tool_node(
            "forecast",
            tool="forecast",
            inputs={"artifact": "'abc'", "horizon": "`6`", "span": "'months'"},
        )
        .add_decision_node("routed")
        .add_agent_node("thinking", agent="thinking", inputs={"question": "outputs.forecast.told || question"})
        .add_agent_node("writer", agent="writer", inputs={"question": "question", "evidence": "evidence[].id"})
        .connect_nodes("forecast", "routed")
        .add_conditional_edge("routed", "thinking", when=too_short)
        .connect_nodes("routed", "writer")
        .connect_nodes("thinking", "writer")
        .set_entry_node("forecast")
        .set_exit_nodes("writer")
        .build()
    )


@pytest.mark.parametrize(("reason", "thinks"), [("too_short", True), ("constant", False)])
async def test_a_refusal_routes(reason: str, thinks: bool) -> None:
    script = Script()
    answer: JsonObject = {"refused": {"reasons": [reason], "message": "There are 7 values.", "needed": 26}, "told": "x"}
    script.overrides["forecast"] = lambda given: answer
    journal = await research(script, graph=forecasting())
    assert ("thinking" in script.calls) == thinks
    told = [event.message for event in journal.events if event.type == "analysis_complete"]
    assert told == ["No forecast: There are 7 values."]


async def test_what_a_forecast_came_to_is_told_in_its_event() -> None:
    script = Script()
    digest: JsonObject = {
        "table": {"artifact": "a", "evidence": "e", "database": "d", "sql": "s", "columns": [], "row_count": 6},
        "history": "h",
        "time_column": "month",
        "value_column": "sales",
        "frequency": "monthly",
        "season": 12,
        "observations": 60,
        "first": "2015-01",
        "last": "2019-12",
        "horizon": 6,
        "model": "ets",
        "reason": "It was best.",
        "scores": [{"model": "seasonal_naive", "smape": 8.25}, {"model": "ets", "smape": 6.5}],
        "origins": ["2018-12", "2019-06"],
        "intervals": [],
    }
    assert ForecastDigest.model_validate(digest).model == "ets"
    script.overrides["forecast"] = lambda given: {"forecast": digest}
    journal = await research(script, graph=forecasting())
    told = [event.message for event in journal.events if event.type == "analysis_complete"]
    assert told == ["6 months ahead of sales by ets: off by 6.5 % in the back-test, repeating the last season by 8.2 %"]


def test_what_the_next_node_reads_is_checked_before_a_run() -> None:
    with pytest.raises(GraphInvalid, match="refusal"):
        forecasting("outputs.forecast.refusal")
    assert find_graph_faults(forecasting()) == []


@pytest.mark.parametrize(
    "fields",
    [
        {"horizon": 0},
        {"horizon": -3},
        {"seconds": float("nan")},
        {"seconds": 0},
        {"span": "decades"},
        {"missing": "zero"},
        {"models": []},
        {"models": ["lstm"]},
        {"until": "x" * 50},
        {"artifact": ""},
        {"colour": "red"},
    ],
)
def test_input_that_cannot_work_is_named(fields: JsonObject) -> None:
    with pytest.raises(ValueError, match=next(iter(fields))):
        ForecastInput.model_validate({"artifact": "a", **fields})


def test_a_refusal_has_a_reason() -> None:
    with pytest.raises(ValueError, match="reasons"):
        ForecastRefusal(reasons=(), message="It was.")
