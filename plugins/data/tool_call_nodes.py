"""The nodes of the mode `data` that call one tool of a server beside the query, where such tools can be called."""

from typing import Final

from elcano.graphs.builder import GraphBuilder

CALL_TOOL: Final = "call_tool"
"""The tool that calls tools of servers; there is none without the plugin `mcp`."""
DOCUMENTS: Final = "pairs(sources, [databases])[?!contains(@[1], @[0])][0]"
"""Those of the run's sources that are no databases."""


def add_tool_call(builder: GraphBuilder) -> GraphBuilder:
    """The call of one tool of a server beside the query, where tools of servers can be called."""
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
