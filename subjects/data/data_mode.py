"""Questions to databases: schema, query, result, repair where it fails, and an answer whose numbers name their cells.

Each node's result names the next. A question that sets things side by side goes in paths, a child workflow each, whose
results code merges. The databases are those of the run's sources that are one; its other sources are documents.
"""

from typing import Final

from elcano.graphs.builder import ASKED, PASSAGES, WRITING, GraphBuilder
from elcano.graphs.catalogue.sources import DATABASE
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.mode_choice import Mode
from elcano.graphs.spec.graph import Inputs, ParallelNode, ResearchGraph
from elcano.graphs.spec.limits import ToolLimits
from elcano.subjects.data.query_path import NOT_MENDED, REPAIRS, WORK, add_query_nodes, add_schema_context, path_graph

_SCHEMA: Final = {"excerpt": f"{WORK}.excerpt", "saved": f"{WORK}.saved"}
CALL_TOOL: Final = "call_tool"
"""The tool that calls tools of servers; there is none without the plugin `mcp`."""
DOCUMENTS: Final = "pairs(sources, [databases])[?!contains(@[1], @[0])][0]"
"""The run's sources that are no databases."""
_RESULTS: Final = (
    f"[[outputs.consensus.result], outputs.parallel_paths.branches[].values.result, {WORK}.results, "
    "[outputs.forecast.forecast.table]][][] | [?@]"
)
_QUERIES: Final = f"[outputs.parallel_paths.branches[].values.query, {WORK}.queries][][] | [?@]"
_GAPS: Final = (
    f"[outputs.splitter.choices, {WORK}.gaps, {NOT_MENDED}, outputs.consensus.gaps, "
    "outputs.consensus.disagreements[].told, [outputs.forecast.refused.message], "
    "failures[].join(' failed: ', [node, message])][][] | [?@]"
)


def _add_tool_call(builder: GraphBuilder) -> GraphBuilder:
    """The call of one tool of a server in addition to the query, where tools of servers can be called."""
    return (
        builder.add_tool_node("tool_context", tool="list_tools", description="Tools that servers offer")
        .add_tool_node(
            "tool_execution",
            tool=CALL_TOOL,
            description="The tool that the question needs",
            for_each="[outputs.splitter.tool]",
            inputs={
                "server": "item.server",
                "tool": "item.tool",
                "arguments": "item.arguments",
                "as_evidence": "`true`",
            },
            reducer="add_tool_evidence",
        )
        .add_conditional_edge(
            "schema_context", "tool_context", when=f"tool_servers && !({DOCUMENTS})", label="there are tools"
        )
        .add_conditional_edge("document_context", "tool_context", when="tool_servers", label="there are tools")
        .connect_nodes("tool_context", "splitter")
        .on_error("tool_context", "splitter", label="no tools can be listed")
        .add_conditional_edge("splitter", "tool_execution", when="outputs.splitter.tool", label="a tool")
        .connect_nodes("tool_execution", "route")
        .add_conditional_edge(
            "chart",
            "synthesis",
            when="outputs.tool_execution.items[?error]",
            label="the tool that the question needs did not answer",
            ending="parts",
        )
    )


def data_graph() -> ResearchGraph:
    """The graph of the mode `data`."""
    history = "outputs.splitter.forecast && outputs.splitter.history_question || question"
    builder = add_schema_context(
        GraphBuilder("data", "Put a question to databases: schema, query, result, repair, answer with its cells.")
    )
    add_query_nodes(
        builder,
        question=history,
        given_up="synthesis",
        answered="outputs.splitter.forecast && 'forecast' || 'chart'",
        onward="chart",
    )
    tools: Inputs = {}
    if CALL_TOOL in TOOLS:
        _add_tool_call(builder)
        tools = {"tools": "outputs.tool_context.servers[].tools[]"}
    return (
        builder.add_tool_node(
            "document_context",
            tool="search",
            description="Passages of documents that the question may be about",
            for_each=DOCUMENTS,
            inputs={"source": "item", "query": "question"},
            reducer="add_evidence",
        )
        .add_agent_node(
            "splitter",
            agent="splitter",
            description="One query, paths side by side, a forecast, a tool?",
            inputs={**ASKED, **_SCHEMA, **tools},
        )
        .add_decision_node("route", description="Which way?")
        .add_parallel_node(
            ParallelNode(
                id="parallel_paths",
                description="Each path a query of its own, side by side",
                for_each="outputs.splitter.paths",
                max_concurrency=8,
                timeout_seconds=3_600,
                must_succeed=0,
                reducer="collect_results",
            )
        )
        .add_branch("parallel_paths", "path", path_graph(), inputs={"question": "item.question", "title": "item.name"})
        .add_tool_node(
            "consensus",
            tool="consensus",
            description="The paths' results as one, gaps named",
            inputs={
                "paths": "outputs.parallel_paths.branches[].{name: title, result: values.result, "
                "gap: values.gap || gap.reason || ending}"
            },
            reducer="add_results",
        )
        .add_tool_node(
            "forecast",
            tool="forecast",
            description="The series continued, or why not",
            inputs={
                "artifact": f"{WORK}.results[-1].artifact",
                "horizon": "outputs.splitter.forecast.horizon",
                "span": "outputs.splitter.forecast.span",
                "until": "outputs.splitter.forecast.until",
            },
            reducer="add_results",
            limits=ToolLimits(timeout_seconds=60),
        )
        .add_tool_node(
            "chart",
            tool="chart",
            description="The one chart that fits, if one does",
            inputs={
                "results": _RESULTS,
                "spec": "outputs.forecast.forecast.chart",
                "title": "outputs.forecast.forecast && 'History and forecast'",
                "result": "outputs.forecast.forecast && `2`",
            },
        )
        .add_agent_node(
            "synthesis",
            agent="data_writer",
            description="The answer, every number with its cells",
            inputs={
                **ASKED,
                "instructions": "instructions",
                "results": _RESULTS,
                "queries": _QUERIES,
                "forecasts": "outputs.forecast.forecast && [outputs.forecast.told]",
                "gaps": _GAPS,
                "chart": "outputs.chart.chart",
                "no_chart": "outputs.chart.reason",
                "evidence": PASSAGES,
            },
        )
        .add_agent_node(
            "document_synthesis",
            agent="writer",
            description="The answer from documents, every claim with its quote",
            inputs={**WRITING, "evidence": PASSAGES},
        )
        .add_conditional_edge("schema_context", "document_context", when=DOCUMENTS, label="there are documents")
        .connect_nodes("schema_context", "splitter")
        .connect_nodes("document_context", "splitter")
        .connect_nodes("splitter", "route")
        .add_conditional_edge(
            "route",
            "document_synthesis",
            when=f"!({WORK}.excerpt) && {PASSAGES}",
            label="no database can be read, but documents",
            ending="sources",
        )
        .add_conditional_edge(
            "route", "synthesis", when=f"!({WORK}.excerpt)", label="no database can be read", ending="sources"
        )
        .add_conditional_edge("route", "parallel_paths", when="outputs.splitter.paths", label="paths side by side")
        .connect_nodes("route", "sql_examples", label="one query")
        .add_conditional_edge(
            "question_answering",
            "document_synthesis",
            when="outputs.question_answering.decision == 'documents'",
            label="documents answer it",
        )
        .connect_nodes("parallel_paths", "consensus", "chart")
        .on_error("consensus", "chart", label="they cannot be merged")
        .add_conditional_edge(
            "data_execution", "forecast", when="outputs.splitter.forecast", label="a forecast is asked for"
        )
        .connect_nodes("forecast", "chart")
        .on_error("forecast", "chart", label="no forecast can be made")
        .add_conditional_edge(
            "chart",
            "synthesis",
            when="outputs.splitter.forecast && !(outputs.forecast.forecast)",
            label="there is no forecast, which was asked for",
            ending="parts",
        )
        .add_conditional_edge(
            "chart",
            "synthesis",
            when="outputs.parallel_paths.branches[?!(values.result || gap)]",
            label="not every path has a result",
            ending="parts",
        )
        .connect_nodes("chart", "synthesis")
        .on_error("chart", "synthesis", label="no chart can be drawn")
        .set_entry_node("schema_context")
        .set_exit_nodes("synthesis", "document_synthesis")
        .set_iterations(REPAIRS + 1)
        .build()
    )


DATA: Final = data_graph()
MODE: Final = Mode(
    DATA,
    "A question to databases: writes, runs and repairs SQL; every number names its cell.",
    when="its answer is a figure, a list or a forecast that comes of counting, adding, ranking or comparing rows of "
    "the tables that `databases` tells of; never if it asks what texts say, why something is, or of what no "
    "table is about",
    kinds=(DATABASE,),
    instead="iterative",
    prefix="",
)
