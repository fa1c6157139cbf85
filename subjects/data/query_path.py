"""From a schema to a result: the nodes that write, run and repair one query, and the graph of one path of several.

A path makes ten calls at the most: three before its query, that, and three repairs with theirs.
"""

from typing import Final

from elcano.graphs.builder import ASKED, DATABASES, PASSAGES, GraphBuilder
from elcano.graphs.spec.graph import Inputs, ResearchGraph
from elcano.graphs.spec.limits import DATA_PATH, ToolLimits

REPAIRS: Final = 3
PATH_SECONDS: Final = 15.0
"""Timeout of each call to a database in a path, in seconds; excludes model calls and time without a worker."""

WORK: Final = "values.data"
_EXAMPLES: Final = {"excerpt": f"{WORK}.excerpt", "examples": "outputs.sql_examples.examples"}
_REPAIR: Final = f"{WORK}.repairable && budget.iterations.remaining > `0` && 'sql_repair'"
NOT_MENDED: Final = (
    f"{WORK}.repairable && join('', ['The query was not answered (', {WORK}.fault.stage, '): ', "
    f"{WORK}.fault.message, '; the run has no iteration left to mend it.'])"
)
"""A fault that a repair might have fixed, had the run been given more iterations."""


def add_query_nodes(
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
        builder.add_conditional_edge("data_execution", given_up, when=f"{WORK}.fault", label="given up")
    return (
        builder.add_tool_node(
            "sql_examples",
            tool="sql_examples",
            description="Similar questions that were answered by SQL before",
            inputs={"database": f"{WORK}.excerpt.database", "question": question},
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
            inputs={"query": f"{WORK}.query"},
            limits=limits,
            reducer="record_execution",
            choose=f"{_REPAIR} || {WORK}.fault && '{given_up}' || {answered}",
        )
        .add_agent_node(
            "sql_repair",
            agent="sql_repairer",
            description="The query mended, with what is different",
            inputs={
                **asked,
                "query": f"{WORK}.query",
                "fault": f"{WORK}.fault",
                "attempts": f"{WORK}.repairs",
            },
            reducer="record_repair",
        )
        .connect_nodes("sql_examples", "question_answering")
        .on_error("sql_examples", "question_answering", label="no examples can be read")
        .connect_nodes("question_answering", given_up, label="it cannot be answered")
        .add_conditional_edge("question_answering", "data_execution", when=f"{WORK}.query", label="a query")
        .add_conditional_edge(
            "data_execution", "sql_repair", when=f"{WORK}.repairable", label=f"an error, {REPAIRS} times at most"
        )
        .connect_nodes("data_execution", onward, label="a result" if given_up != onward else "a result, or given up")
        .add_conditional_edge("sql_repair", given_up, when=f"!({WORK}.repairable)", label="not mended")
        .connect_nodes("sql_repair", "data_execution", label="mended", loop=True)
    )


def add_schema_context(builder: GraphBuilder, limits: ToolLimits | None = None) -> GraphBuilder:
    """Add the node that reads which tables of each database the question is about."""
    return builder.add_tool_node(
        "schema_context",
        tool="schema_context",
        description="The tables that the question is about",
        for_each=DATABASES,
        inputs={"database": "item", "question": "question"},
        reducer="choose_schema",
        limits=limits,
    )


def path_graph() -> ResearchGraph:
    """Build the graph of one path: like the whole graph, except that it hands over its result and its query."""
    limits = ToolLimits(timeout_seconds=PATH_SECONDS, retry_slow=False)
    builder = add_schema_context(
        GraphBuilder(DATA_PATH, "One of several questions side by side: a query and its result."), limits
    )
    add_query_nodes(
        builder,
        question="question",
        given_up="path_result",
        answered="'path_result'",
        onward="path_result",
        limits=limits,
    )
    return (
        builder.add_state_node("path_result", reducer="set_values", description="What the path found")
        .add_conditional_edge(
            "schema_context", "path_result", when=f"!({WORK}.excerpt)", label="no database can be read"
        )
        .connect_nodes("schema_context", "sql_examples")
        .set_entry_node("schema_context")
        .set_exit_nodes("path_result")
        .set_iterations(REPAIRS + 1)
        .set_result(
            {
                "result": f"{WORK}.results[-1]",
                "query": f"{WORK}.queries[-1]",
                "gap": f"join(' ', [{WORK}.gaps, {NOT_MENDED}][][] | [?@])",
            }
        )
        .build()
    )
