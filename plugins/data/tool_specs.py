"""The tools of the plugin, as graphs name them.

What tools for answers did, in a sentence and in figures.
"""

from typing import Final

from elcano.graphs.catalogue.tools import ToolSpec
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.data_answer import ChartInput, ChartOutput
from elcano.graphs.text import ensure_list, format_count
from elcano.plugins.data.database_tools import (
    ExecuteSqlInput,
    ExecuteSqlOutput,
    MergedResults,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
    examples_told,
    execution_told,
    schema_told,
)
from elcano.plugins.data.forecast_wording import summarize_forecast
from elcano.plugins.data.models.consensus import ConsensusInput
from elcano.plugins.data.models.forecast import ForecastInput
from elcano.plugins.data.models.forecast_tool import ForecastOutput


def summarize_chart(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize what was drawn, or why nothing was."""
    chart = output.get("chart")
    if not isinstance(chart, dict):
        return str(output.get("reason") or "There is no chart."), {"drawn": False}
    return f"Drawn: {chart.get('title', '')}", {"drawn": True, "kind": chart.get("kind")}


def summarize_path_merge(output: JsonObject) -> tuple[str, JsonObject]:
    """How paths were merged."""
    gaps, count = len(ensure_list(output.get("gaps"))), output.get("disagreement_count")
    disagreements = count if isinstance(count, int) else 0
    result = output.get("result")
    rows = result.get("row_count") if isinstance(result, dict) else None
    if not isinstance(rows, int):
        return f"Nothing to merge: {format_count(gaps, 'path')} without a result", {"gaps": gaps}
    text = f"Merged into {format_count(rows, 'row')}, {format_count(disagreements, 'disagreement')}"
    text += f", {format_count(gaps, 'path')} without a result" if gaps else ""
    return text, {"rows": rows, "disagreements": disagreements, "gaps": gaps}


_RUN: Final = "elcano.plugins.data.tools"

TOOLS: Final = (
    ToolSpec(
        name="schema_context",
        description="Finds the tables of a database that a question is about.",
        input=SchemaContextInput,
        output=SchemaContextOutput,
        starts="searching",
        completes="search_complete",
        summary=schema_told,
        run=f"{_RUN}.querying:read_schema_context",
    ),
    ToolSpec(
        name="sql_examples",
        description="Finds questions to a database that somebody answered before by SQL.",
        input=SqlExamplesInput,
        output=SqlExamplesOutput,
        starts="searching",
        completes="search_complete",
        summary=examples_told,
        run=f"{_RUN}.querying:find_sql_examples",
    ),
    ToolSpec(
        name="execute_sql",
        description="Runs one query of a database, read-only and within limits, and stores its result.",
        input=ExecuteSqlInput,
        output=ExecuteSqlOutput,
        starts="searching",
        completes="search_complete",
        summary=execution_told,
        run=f"{_RUN}.querying:execute_sql",
    ),
    ToolSpec(
        name="consensus",
        description="Merges results of parallel paths by their keys, with differences, ratios and disagreements.",
        input=ConsensusInput,
        output=MergedResults,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_path_merge,
        run=f"{_RUN}.consensus_tool:merge_path_results",
    ),
    ToolSpec(
        name="chart",
        description="Draws the one chart that fits a result, if one does.",
        input=ChartInput,
        output=ChartOutput,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_chart,
        uses="plots",
        run=f"{_RUN}.charting:draw_result_chart",
    ),
    ToolSpec(
        name="forecast",
        description="Continues a series in a stored result and says what the model was worth before, or refuses.",
        input=ForecastInput,
        output=ForecastOutput,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_forecast,
        needs="forecast",
        run=f"{_RUN}.forecasting:forecast_result",
    ),
)
