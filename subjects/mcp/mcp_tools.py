"""Inputs and outputs of the tools `call_tool` and `list_tools`.

A server's text, in a description as in a result, is untrusted data: it is passed on as data, and becomes evidence only
if a node asks for it to be stored and a reducer accepts it.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.reducers import WARNED_CHARACTERS, ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import ItemOutcomes, LookSpec, ToolSpec
from elcano.graphs.frozen import Answer, Frozen, Json, JsonObject
from elcano.graphs.state.state import EvidenceRef, ResearchState
from elcano.graphs.text import shorten_text

TEXT_CHARACTERS: Final = 8_000
"""Maximum length of a result's text in the state of a run."""
STRUCTURED_CHARACTERS: Final = 20_000
"""Maximum length of a result's structured part, as JSON, in the state of a run; a longer one is only in the artifact.
"""
KEPT_CHARACTERS: Final = 5_000_000
"""Maximum length of a stored result; the rest is dropped, and reported."""
MOST_SHOWN: Final = 200
"""Maximum number of tools in one answer of `list_tools`."""
DESCRIPTION_CHARACTERS: Final = 1_000
SCHEMA_CHARACTERS: Final = 10_000
"""Maximum length of a schema, as JSON, that is shown."""

ToolKind: TypeAlias = Literal["reads", "repeatable", "writes"]
"""`repeatable`: it writes, and calling it twice has the same effect as once."""


class CallToolInput(Frozen):
    """One call of one tool of one server."""

    server: str = Field(min_length=1, max_length=64)
    """The operator's name of the server."""
    tool: str = Field(min_length=1, max_length=200)
    arguments: JsonObject = {}
    """Validated against the tool's schema before anything is called."""
    as_evidence: bool = False
    """Whether the text of the result is stored as passages, which the reducer `add_tool_evidence` can accept."""


class CallToolOutput(Frozen):
    """The output of a tool call. The full output is in an artifact."""

    server: str
    tool: str
    kind: ToolKind
    is_error: bool = False
    """Whether the tool itself reports a failure; `text` has the reason. An error is never evidence."""
    text: str = ""
    """The text, at most 8,000 characters of it."""
    structured: Json = None
    """The answer as JSON; null if there is none, or if it is longer than 20,000 characters."""
    truncated: bool = False
    """Whether `text` or `structured` lack something that the artifact has."""
    artifact: str = ""
    """The artifact hash of the whole result, as JSON: `text`, `structured`, `left_out`."""
    left_out: tuple[str, ...] = ()
    """Descriptions of parts that are not stored: images, sounds, files, and text beyond 5,000,000 characters."""
    evidence: tuple[EvidenceRef, ...] = ()
    """The stored passages, if they were requested."""


class ListToolsInput(Frozen):
    """A request to list the tools of servers."""

    servers: tuple[str, ...] = Field(default=(), max_length=100)
    """The names of the servers; empty: all."""
    limit: int = Field(default=50, ge=1, le=MOST_SHOWN)
    """Maximum number of tools, of all servers together."""


class OfferedTool(Frozen):
    """One tool as its server describes it. Name, title and description are the server's words."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    """The server's description, at most 1,000 characters of it."""
    kind: ToolKind
    needs_approval: bool = False
    """Whether each call needs approval: it writes, and the operator has not allowed that (`writes` of its server)."""
    input_schema: JsonObject = {}
    """The schema of its arguments; empty if that is longer than 10,000 characters as JSON."""


class ServerTools(Frozen):
    """One server and its status."""

    server: str
    transport: Literal["stdio", "http"]
    answers: bool = True
    error: str = ""
    """Why it does not answer."""
    protocol: str = ""
    """The version of the protocol in use."""
    count: int = 0
    """The number of its tools that may be called."""
    seconds: float = 0.0
    """Duration of the call."""
    tools: tuple[OfferedTool, ...] = ()


class ListToolsOutput(Answer):
    """The tools of the servers; a server that does not answer has an error instead."""

    servers: tuple[ServerTools, ...] = ()
    truncated: bool = False
    """Whether there are more tools than were requested."""


def add_tool_evidence(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Adds the stored passages of tools' answers, each once. Failures and errors become warnings."""
    found: list[EvidenceRef] = []
    warnings = list(state.warnings)
    for item in output.items:
        answered = None if item.output is None else CallToolOutput.model_validate(item.output)
        if answered is not None and not answered.is_error:
            found += answered.evidence
            continue
        called = f"{item.input.get('server', '')}/{item.input.get('tool', '')}"
        why = (
            item.error if answered is None else shorten_text(answered.text, WARNED_CHARACTERS)
        ) or "it did not say why"
        if (text := f"The tool {called} failed: {why}") not in warnings:
            warnings.append(text)
    grown = state.with_evidence(found).model_copy(update={"warnings": tuple(warnings)})
    return with_findings(grown, state)


def summarize_tool_call(output: JsonObject) -> tuple[str, JsonObject]:
    """Summarize a tool call in a sentence and in figures, without text from the server."""
    called = f"{output['server']}/{output['tool']}"
    text = output.get("text")
    figures: JsonObject = {
        "server": output["server"],
        "tool": output["tool"],
        "kind": output["kind"],
        "is_error": output.get("is_error", False),
        "characters": len(text) if isinstance(text, str) else 0,
    }
    return f"{called} {'says that it failed' if figures['is_error'] else 'answered'}", figures


TOOLS: Final = (
    ToolSpec(
        name="call_tool",
        description="Calls one tool of an MCP server that the operator named, with arguments that fit its schema.",
        input=CallToolInput,
        output=CallToolOutput,
        starts="analyzing",
        completes="analysis_complete",
        summary=summarize_tool_call,
        needs="mcp",
        run="elcano.subjects.mcp.checks:call_tool",
    ),
    ToolSpec(
        name="list_tools",
        description="Lists the tools of the MCP servers, in the servers' own words, for the agent that chooses one.",
        input=ListToolsInput,
        output=ListToolsOutput,
        starts="analyzing",
        completes="analysis_complete",
        uses="mcp",
        run="elcano.subjects.mcp.checks:list_tools",
    ),
)

REDUCERS: Final = (
    ReducerSpec(
        "add_tool_evidence",
        "Adds the stored passages of what tools of MCP servers answered.",
        ItemOutcomes,
        add_tool_evidence,
        item=CallToolOutput,
        adds_evidence=True,
    ),
)


class ToolLook(Frozen):
    """Input of a look at the tools of tool servers."""

    asked: ListToolsInput = ListToolsInput()
    fresh: bool = False
    """Whether the worker must not use its cached list of the last minute."""


TOOL_LOOK: Final = LookSpec(
    name="tools",
    input=ToolLook,
    output=ListToolsOutput,
    seconds=45.0,
    run="elcano.subjects.mcp.checks:look_at_tools",
)
