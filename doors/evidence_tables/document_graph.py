"""The graph of one row: read a document, then fill in the form; a document that cannot be read costs no model call.

The tool reads the passages and writes an empty draft, because a report without one cites nothing. The exit takes both;
without them it fails, so the run ends before its appendix, which fills in the form, is called.

Names and fields are persisted in histories: new fields get defaults, nothing is renamed.
"""

import json
from functools import cache
from typing import Final

from pydantic import Field, model_validator

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.catalogue.reducers import ReducerSpec, with_findings
from elcano.graphs.catalogue.tools import GivesEvidence, ItemOutcomes, ToolSpec
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.spec.limits import LONGEST_EXPRESSION
from elcano.graphs.state.state import DraftRef, ResearchState
from elcano.graphs.text import ensure_list, format_count, shorten_text

MOST_PASSAGES: Final = 50
"""Passages of one document that a form is filled in from: some 45,000 characters, which is what its agent is shown."""
LONGEST_PATH: Final = 400
"""Maximum length of a document's path: its graph names it in an expression, which may have 500 characters."""
TITLE_CHARACTERS: Final = 200


class ReadDocumentInput(Frozen):
    """One document of a source, and the form that is filled in from it."""

    source: str = Field(min_length=1, max_length=100)
    document: str = Field(min_length=1, max_length=LONGEST_PATH)
    """Its path in the source."""
    output_schema: JsonObject = {}
    """Schema of the answer; of a long document, the passages that fit its fields best are read."""
    title: str = Field(default="", max_length=TITLE_CHARACTERS)
    """The title of the report; empty: the document's."""

    @property
    def queries(self) -> tuple[str, ...]:
        """Return the questions of the form's fields."""
        return tuple(list_columns(self.output_schema).values())


def get_fields(schema: Json) -> JsonObject:
    """The schemas of the fields of a form, by their names; empty: it is no form of an object."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


def list_columns(schema: Json) -> dict[str, str]:
    """The columns of a form in their order: what each asks, its description or else its name, by its name."""
    return {name: _describe_field(name, one) for name, one in get_fields(schema).items()}


def _describe_field(name: str, schema: Json) -> str:
    described = schema.get("description") if isinstance(schema, dict) else None
    return described if isinstance(described, str) and described.strip() else name


class DocumentRead(GivesEvidence):
    """A document's passages, which are in the evidence store, and the empty draft of the report on it."""

    draft: DraftRef | None = None
    left_out: int = 0
    """Passages of the document that were not read."""
    warnings: tuple[str, ...] = ()


class DraftOfDocument(Frozen):
    """The draft of a document that was read; without it the exit fails."""

    draft: DraftRef | None = None

    @model_validator(mode="after")
    def _require_draft(self) -> "DraftOfDocument":
        if self.draft is None:
            raise ValueError("the document was not read")
        return self


def add_document(state: ResearchState, output: ItemOutcomes) -> ResearchState:
    """Add the passages of the document as findings."""
    read = [DocumentRead.model_validate(one.output) for one in output.items if one.output is not None]
    grown = state.with_evidence(ref for one in read for ref in one.evidence)
    warnings = (*state.warnings, *(text for one in read for text in one.warnings))
    return with_findings(grown.model_copy(update={"warnings": warnings}), state)


def hand_in_document(state: ResearchState, output: DraftOfDocument) -> ResearchState:
    """Change nothing: the run ends with the draft that it is given."""
    return state


def summarize_reading(output: JsonObject) -> tuple[str, JsonObject]:
    """Say how many passages were read."""
    found = output.get("evidence")
    count = len(found) if isinstance(found, list) else 0
    left_out = output.get("left_out", 0)
    rest = f" of {count + left_out}" if isinstance(left_out, int) and left_out else ""
    return f"Read {format_count(count, 'passage')}{rest}", {"passages": count, "left_out": left_out}


READ_DOCUMENT: Final = ToolSpec(
    name="read_document",
    description="Reads one document of a source and stores its passages, of a long one those that fit the questions.",
    input=ReadDocumentInput,
    output=DocumentRead,
    starts="searching",
    completes="search_complete",
    summary=summarize_reading,
    run="elcano.doors.evidence_tables.document_reader:read_document",
)
REDUCERS: Final = (
    ReducerSpec(
        "add_document",
        "Adds the passages of a document.",
        ItemOutcomes,
        add_document,
        item=DocumentRead,
        adds_evidence=True,
    ),
    ReducerSpec(
        "hand_in_document",
        "Ends with the draft of a document; fails if it was not read.",
        DraftOfDocument,
        hand_in_document,
        hands_in=True,
    ),
)


def build_document_graph(source: str, document: str, title: str) -> JsonObject:
    """Build the graph that reads one document, as JSON that a request for a run has.

    Args:
        source: its source, `uploads:trials`.
        document: its path there, one that `explain_path` has nothing against.
        title: of its report; a longer one is shortened.
    """
    named = {"source": source, "document": document, "title": shorten_text(title, TITLE_CHARACTERS)}
    literals: JsonObject = {name: quote_literal(text) for name, text in named.items()}
    read, *others = _build_nodes()
    return {**_build_graph(), "nodes": [{**read, "inputs": {**literals, "output_schema": "output_schema"}}, *others]}


@cache
def _build_graph() -> JsonObject:
    """The graph of any document: it is validated once, not for each of a thousand rows."""
    return (
        GraphBuilder("evidence_table", "Read one document; the form of the table is filled in from it.")
        .add_tool_node(
            "read",
            tool=READ_DOCUMENT.name,
            inputs={name: f"values.{name}" for name in ("source", "document")},
            reducer="add_document",
            description="The passages of the document",
        )
        .add_state_node(
            "hand_in",
            reducer="hand_in_document",
            inputs={"draft": "outputs.read.draft"},
            description="What was read",
        )
        .connect_nodes("read", "hand_in")
        .set_entry_node("read")
        .set_exit_nodes("hand_in")
        .build()
        .model_dump(mode="json")
    )


def _build_nodes() -> list[JsonObject]:
    """The nodes of that graph, the one that reads first."""
    return [node for node in ensure_list(_build_graph()["nodes"]) if isinstance(node, dict)]


def quote_literal(text: str) -> str:
    """Write a text as a literal of JMESPath, whatever characters it has."""
    written = json.dumps(text, ensure_ascii=False).replace("`", "\\`")
    return f"`{written}`"


def explain_path(path: str) -> str:
    """Explain why a document's path cannot stand in its graph; empty if it can."""
    if len(path) <= LONGEST_PATH and len(quote_literal(path)) <= LONGEST_EXPRESSION:
        return ""
    return f"its path has {len(path):,} characters, and {LONGEST_PATH} are the most here: give it a shorter one"
