"""Questions to databases: schema, query, result, repair where it fails, and an answer whose numbers name their cells.

Each node's result names the next. A question that sets things side by side goes in paths, a child workflow each, whose
results code merges. A path makes ten calls at the most: three before its query, that, and three repairs with theirs.
Which databases there are says the run: those of its sources that are databases; its other sources are documents.
"""

from typing import Final

from elcano.graphs.builder import ASKED, DATABASES, PASSAGES, WRITING, GraphBuilder
from elcano.graphs.catalogue.tools import TOOLS
from elcano.graphs.spec.graph import Inputs, ParallelNode, ResearchGraph
from elcano.graphs.spec.limits import DATA_PATH, ToolLimits
from elcano.plugins.data.tool_call_nodes import CALL_TOOL, DOCUMENTS, add_tool_call

REPAIRS: Final = 3
PATH_SECONDS: Final = 15.0
"""How long each call to a database may take in a path: neither the thinking of models nor time without a worker."""

_WORK: Final = "values.data"
_SCHEMA: Final = {"excerpt": f"{_WORK}.excerpt", "saved": f"{_WORK}.saved"}
_EXAMPLES: Final = {"excerpt": f"{_WORK}.excerpt", "examples": "outputs.sql_examples.examples"}
_REPAIR: Final = f"{_WORK}.repairable && budget.iterations.remaining > `0` && 'sql_repair'"
_NOT_MENDED: Final = (
    f"{_WORK}.repairable && join('', ['The query was not answered (', {_WORK}.fault.stage, '): ', "
    f"{_WORK}.fault.message, '; the run has no iteration left to mend it.'])"
)
"""A fault that a repair might have mended, had the run been given more iterations."""
_RESULTS: Final = (
    f"[[outputs.consensus.result], outputs.parallel_paths.branches[].values.result, {_WORK}.results, "
    "[outputs.forecast.forecast.table]][][] | [?@]"
)
_QUERIES: Final = f"[outputs.parallel_paths.branches[].values.query, {_WORK}.queries][][] | [?@]"
_GAPS: Final = (
    f"[outputs.splitter.choices, {_WORK}.gaps, {_NOT_MENDED}, outputs.consensus.gaps, "
    "outputs.consensus.disagreements[].told, [outputs.forecast.refused.message], "
    "failures[].join(' failed: ', [node, message])][][] | [?@]"
)


def _query_nodes(
    builder: GraphBuilder,
    *,
    question: str,
    given_up: str,
    answered: str,
    onward: str,
    limits: ToolLimits | None = None,
) -> GraphBuilder:
    """From a schema to a result: examples, the query, its execution, and its repair in a loop.

    Args:
        builder: of the graph that they are put into.
        question: the expression of what is asked of the database.
        given_up: the node that comes if there is no query, or no more repair of it.
        answered: the expression that names the node after a result.
        onward: the node that comes after a result if that names none.
        limits: of each call to a database.
    """
    asked: Inputs = {**ASKED, **_EXAMPLES, "question": question}
    if given_up != onward:
        builder.add_conditional_edge("data_execution", given_up, when=f"{_WORK}.fault", label="given up")
    return (
        builder.add_tool_node(
            "sql_examples",
            tool="sql_examples",
            description="Questions like this one that somebody answered before by SQL",
            inputs={"database": f"{_WORK}.excerpt.database", "question": question},
            limits=limits,
        )
        .add_agent_node(
            "question_answering",
            agent="sql_writer",
            description="One query, or a word on why there is none",
            inputs={
                **asked,
                "saved_questions": "outputs.sql_examples.others",
                "documents": f"length({PASSAGES}) > `0`",
            },
            reducer="record_query",
        )
        .add_tool_node(
            "data_execution",
            tool="execute_sql",
            description="The query, read-only and within limits",
            inputs={"query": f"{_WORK}.query"},
            limits=limits,
            reducer="record_execution",
            choose=f"{_REPAIR} || {_WORK}.fault && '{given_up}' || {answered}",
        )
        .add_agent_node(
            "sql_repair",
            agent="sql_repairer",
            description="The query mended, with what is different",
            inputs={
                **asked,
                "query": f"{_WORK}.query",
                "fault": f"{_WORK}.fault",
                "attempts": f"{_WORK}.attempts",
            },
            reducer="record_repair",
        )
        .connect_nodes("sql_examples", "question_answering")
        .on_error("sql_examples", "question_answering", label="no examples can be read")
        .connect_nodes("question_answering", given_up, label="it cannot be answered")
        .add_conditional_edge("question_answering", "data_execution", when=f"{_WORK}.query", label="a query")
        .add_conditional_edge(
            "data_execution", "sql_repair", when=f"{_WORK}.repairable", label=f"an error, {REPAIRS} times at most"
        )
        .connect_nodes("data_execution", onward, label="a result" if given_up != onward else "a result, or given up")
        .add_conditional_edge("sql_repair", given_up, when=f"!({_WORK}.repairable)", label="not mended")
        .connect_nodes("sql_repair", "data_execution", label="mended", loop=True)
    )


def _schema_context(builder: GraphBuilder, question: str, limits: ToolLimits | None = None) -> GraphBuilder:
    return builder.add_tool_node(
        "schema_context",
        tool="schema_context",
        description="The tables that the question is about",
        for_each=DATABASES,
        inputs={"database": "item", "question": question},
        reducer="choose_schema",
        limits=limits,
    )


def path_graph(seconds: float = PATH_SECONDS) -> ResearchGraph:
    """Build the graph of one path: like the whole graph, except that it hands over its result and its query.

    `seconds`: how long each of its calls to a database may take.
    """
    limits = ToolLimits(timeout_seconds=seconds, retry_slow=False)
    builder = _schema_context(
        GraphBuilder(DATA_PATH, "One of several questions side by side: a query and its result."), "question", limits
    )
    _query_nodes(
        builder,
        question="question",
        given_up="path_result",
        answered="'path_result'",
        onward="path_result",
        limits=limits,
    )
    return (
        builder.add_state_node("path_result", reducer="set_values", description="What it hands over")
        .add_conditional_edge(
            "schema_context", "path_result", when=f"!({_WORK}.excerpt)", label="no database can be read"
        )
        .connect_nodes("schema_context", "sql_examples")
        .set_entry_node("schema_context")
        .set_exit_nodes("path_result")
        .set_iterations(REPAIRS + 1)
        .set_result(
            {
                "result": f"{_WORK}.results[-1]",
                "query": f"{_WORK}.queries[-1]",
                "gap": f"join(' ', [{_WORK}.gaps, {_NOT_MENDED}][][] | [?@])",
            }
        )
        .build()
    )


def data_graph() -> ResearchGraph:
    """The graph of the mode `data`."""
    history = "outputs.splitter.forecast && outputs.splitter.history_question || question"
    builder = _schema_context(
        GraphBuilder("data", "Put a question to databases: schema, query, result, repair, answer with its cells."),
        "question",
    )
    _query_nodes(
        builder,
        question=history,
        given_up="synthesis",
        answered="outputs.splitter.forecast && 'forecast' || 'chart'",
        onward="chart",
    )
    tools: Inputs = {}
    if CALL_TOOL in TOOLS:
        add_tool_call(builder)
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
                "artifact": f"{_WORK}.results[-1].artifact",
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
            when=f"!({_WORK}.excerpt) && {PASSAGES}",
            label="no database can be read, but documents",
            ending="sources",
        )
        .add_conditional_edge(
            "route", "synthesis", when=f"!({_WORK}.excerpt)", label="no database can be read", ending="sources"
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
