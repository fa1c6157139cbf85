"""The tools of the plugin, as graphs name them, and how events summarize what each did."""

from typing import Final

from elcano.graphs.catalogue.tools import ToolSpec
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import ensure_list, format_count
from elcano.subjects.data.data_answer import ChartInput, ChartOutput, QueryFault
from elcano.subjects.data.forecast_models import ForecastInput, ForecastOutput, summarize_forecast
from elcano.subjects.data.query_models import (
    ConsensusInput,
    ExecuteSqlInput,
    ExecuteSqlOutput,
    MergedResults,
    SchemaContextInput,
    SchemaContextOutput,
    SqlExamplesInput,
    SqlExamplesOutput,
)


def summarize_examples(output: JsonObject) -> tuple[str, JsonObject]:
    """Count the examples for a question."""
    found = len(SqlExamplesOutput.model_validate(output).examples)
    return f"Found {format_count(found, 'example')} of SQL for questions like this one.", {"examples": found}


def summarize_schema(output: JsonObject) -> tuple[str, JsonObject]:
    """Name the tables that were read."""
    said = SchemaContextOutput.model_validate(output)
    tables = [table.name for table in said.found.tables]
    whole = "all of its tables" if said.whole else f"{len(tables)} of {len(tables) + len(said.others)} tables"
    listed: list[Json] = [*tables]
    return f"Read what {said.found.database} holds: {whole}.", {"database": said.found.database, "tables": listed}


def summarize_execution(output: JsonObject) -> tuple[str, JsonObject]:
    """Say how many rows a query gave, or why it was not answered."""
    said = ExecuteSqlOutput.model_validate(output)
    if said.result is not None:
        rows = "1 row" if said.result.row_count == 1 else f"{said.result.row_count} rows"
        more = ", and there is more" if said.result.truncated else ""
        figures: JsonObject = {"database": said.result.database, "rows": said.result.row_count, "sql": said.result.sql}
        return f"{said.result.database} answered with {rows}{more}.", figures
    fault = said.fault or QueryFault(stage="database", message="it gave no answer")
    return f"The query was not answered ({fault.stage}): {fault.message}", {"stage": fault.stage}


def summarize_chart(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize the chart, or why there is none."""
    chart = output.get("chart")
    if not isinstance(chart, dict):
        return str(output.get("reason") or "There is no chart."), {"drawn": False}
    return f"Drawn: {chart.get('title', '')}", {"drawn": True, "kind": chart.get("kind")}


def summarize_path_merge(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize how paths were merged."""
    gaps, count = len(ensure_list(output.get("gaps"))), output.get("disagreement_count")
    disagreements = count if isinstance(count, int) else 0
    result = output.get("result")
    rows = result.get("row_count") if isinstance(result, dict) else None
    if not isinstance(rows, int):
        return f"Nothing to merge: {format_count(gaps, 'path')} without a result", {"gaps": gaps}
    text = f"Merged into {format_count(rows, 'row')}, {format_count(disagreements, 'disagreement')}"
    text += f", {format_count(gaps, 'path')} without a result" if gaps else ""
    return text, {"rows": rows, "disagreements": disagreements, "gaps": gaps}


_RUN: Final = "elcano.subjects.data.tools"

TOOLS: Final = (
    ToolSpec(
        name="schema_context",
        description="Finds the tables of a database that a question is about.",
        input=SchemaContextInput,
        output=SchemaContextOutput,
        starts="searching",
        completes="search_complete",
        summary=summarize_schema,
        run=f"{_RUN}:read_schema_context",
    ),
    ToolSpec(
        name="sql_examples",
        description="Finds questions to a database that were answered by SQL before.",
        input=SqlExamplesInput,
        output=SqlExamplesOutput,
        starts="searching",
        completes="search_complete",
        summary=summarize_examples,
        run=f"{_RUN}:find_sql_examples",
    ),
    ToolSpec(
        name="execute_sql",
        description="Runs one query of a database, read-only and within limits, and stores its result.",
        input=ExecuteSqlInput,
        output=ExecuteSqlOutput,
        starts="searching",
        completes="search_complete",
        summary=summarize_execution,
        run=f"{_RUN}:execute_sql",
    ),
    ToolSpec(
        name="consensus",
        description="Merges results of parallel paths by their keys, with differences, ratios and disagreements.",
        input=ConsensusInput,
        output=MergedResults,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_path_merge,
        run=f"{_RUN}:merge_path_results",
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
        run=f"{_RUN}:draw_result_chart",
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
        run=f"{_RUN}:forecast_result",
    ),
)
