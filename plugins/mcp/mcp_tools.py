"""What the tools `call_tool` and `list_tools` are given and what they answer.

What a server says, in a description as in a result, is data that somebody else wrote: it is handed on as data, and
becomes evidence only if a node asks for it to be stored and a reducer takes it.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.catalogue.looks import LookSpec
from elcano.graphs.catalogue.reducers import WARNED_CHARACTERS, ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import ItemOutcomes, ToolSpec
from elcano.graphs.frozen import Answer, Frozen, Json, JsonObject
from elcano.graphs.state.state import EvidenceRef, ResearchState
from elcano.graphs.text import shorten_text

TEXT_CHARACTERS: Final = 8_000
"""Of a result's text, in the state of a run."""
STRUCTURED_CHARACTERS: Final = 20_000
"""Of a result's structured part, as JSON, in the state of a run; a longer one is in the artifact alone."""
KEPT_CHARACTERS: Final = 5_000_000
"""Of a result, as it is kept; what is beyond is left out, and said to be."""
MOST_SHOWN: Final = 200
"""Tools in one answer of `list_tools`."""
DESCRIPTION_CHARACTERS: Final = 1_000
SCHEMA_CHARACTERS: Final = 10_000
"""Of a schema, as JSON, that is shown; a longer one is not."""

ToolKind: TypeAlias = Literal["reads", "repeatable", "writes"]
"""`repeatable`: it writes, and doing it twice is as doing it once."""


class CallToolInput(Frozen):
    """One call of one tool of one server."""

    server: str = Field(min_length=1, max_length=64)
    """As the operator named it."""
    tool: str = Field(min_length=1, max_length=200)
    arguments: JsonObject = {}
    """They are held against the tool's schema before anything is called."""
    as_evidence: bool = False
    """Whether the text of the result is stored as passages, which the reducer `add_tool_evidence` can take."""


class CallToolOutput(Frozen):
    """The output of a tool call. The full output is in an artifact."""

    server: str
    tool: str
    kind: ToolKind
    is_error: bool = False
    """The tool itself says that it failed; `text` says why. An error is never evidence."""
    text: str = ""
    """At most 8,000 characters of it."""
    structured: Json = None
    """What it answered as JSON; null if it did not, or if that is longer than 20,000 characters."""
    truncated: bool = False
    """Whether `text` or `structured` lack something that the artifact has."""
    artifact: str = ""
    """The artifact hash of the whole result, as JSON: `text`, `structured`, `left_out`."""
    left_out: tuple[str, ...] = ()
    """Parts that are not kept, in words: images, sounds, files, and what is beyond 5,000,000 characters."""
    evidence: tuple[EvidenceRef, ...] = ()
    """Its stored passages, if they were asked for."""


class ListToolsInput(Frozen):
    """A look at what servers offer."""

    servers: tuple[str, ...] = Field(default=(), max_length=100)
    """Their names; empty: all that there are."""
    limit: int = Field(default=50, ge=1, le=MOST_SHOWN)
    """Tools at most, of all servers together."""


class OfferedTool(Frozen):
    """One tool as its server describes it. Name, title and description are the server's words."""

    server: str
    name: str
    title: str = ""
    description: str = ""
    """Quoted, at most 1,000 characters of it."""
    kind: ToolKind
    needs_approval: bool = False
    """It writes, and the operator has not allowed that (`writes` of its server): somebody has to approve each call."""
    input_schema: JsonObject = {}
    """What its arguments have to meet; empty if that is longer than 10,000 characters as JSON."""


class ServerTools(Frozen):
    """One server and how it stands."""

    server: str
    transport: Literal["stdio", "http"]
    answers: bool = True
    error: str = ""
    """Why it does not."""
    protocol: str = ""
    """The version of the protocol that both speak."""
    count: int = 0
    """How many tools it has that may be called."""
    seconds: float = 0.0
    """That its answer took."""
    tools: tuple[OfferedTool, ...] = ()


class ListToolsOutput(Answer):
    """The tools of the servers; a server that does not answer gives an error instead."""

    servers: tuple[ServerTools, ...] = ()
    truncated: bool = False
    """Whether there are more tools than were asked for."""


def add_tool_evidence(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Adds the stored passages of what tools answered, each once. What failed, or says so itself, is a warning."""
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
        run="elcano.plugins.mcp.checks:call_tool",
    ),
    ToolSpec(
        name="list_tools",
        description="Lists the tools of the MCP servers, in the servers' own words, for the agent that chooses one.",
        input=ListToolsInput,
        output=ListToolsOutput,
        starts="analyzing",
        completes="analysis_complete",
        uses="mcp",
        run="elcano.plugins.mcp.checks:list_tools",
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
    """Input of a look at what servers of tools offer."""

    asked: ListToolsInput = ListToolsInput()
    fresh: bool = False
    """Whether what a worker kept from the last minute does not do."""


TOOL_LOOK: Final = LookSpec(
    name="tools",
    input=ToolLook,
    output=ListToolsOutput,
    seconds=45.0,
    run="elcano.plugins.mcp.checks:look_at_tools",
)
