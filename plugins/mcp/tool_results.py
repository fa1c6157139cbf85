"""A tool's answer as data: its text, its JSON and the parts left out, each within bounds."""

import json
from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from elcano.activities.passages.document import normalize_text, read_text
from elcano.activities.passages.packing import assemble_document
from elcano.graphs.frozen import Json
from elcano.plugins.mcp.mcp_tools import KEPT_CHARACTERS
from elcano.redaction import json_without_values, without_values
from elcano.storage.evidence import Evidence, StoredText

if TYPE_CHECKING:
    from mcp.types import CallToolResult

MOST_PASSAGES: Final = 50
"""Maximum number of passages of one result, as evidence."""
BEYOND_CHARACTERS: Final = 10_000
"""Characters read beyond the stored part, so that a key across that border is found."""
MOST_LEFT_OUT: Final = 50
EVIDENCE_CHARACTERS: Final = 200_000


@dataclass(frozen=True)
class Answer:
    """The result of a call."""

    text: str
    structured: Json
    left_out: tuple[str, ...]
    is_error: bool

    def whole(self) -> str:
        """The whole stored answer, as JSON."""
        return json.dumps(
            {"text": self.text, "structured": self.structured, "left_out": list(self.left_out)}, ensure_ascii=False
        )


def answer_from_tool_result(result: "CallToolResult", known: tuple[str, ...] = ()) -> Answer:
    """Return the parts of a result that are stored, without the secrets in `known`.

    Images, sounds and files are named and dropped; half of a JSON value is none.
    """
    texts: list[str] = []
    left_out: list[str] = []
    for block in result.content:
        match block.type:
            case "text":
                texts.append(block.text)
            case "resource_link":
                texts.append(f"{block.title or block.name}: {block.uri}")
            case "resource" if hasattr(block.resource, "text"):
                texts.append(block.resource.text)
            case "resource":
                left_out.append(f"a file that was not kept: {block.resource.uri}")
            case _:
                left_out.append(f"{block.type} ({block.mime_type}) that was not kept: {len(block.data):,} characters")
    text = _make_encodable_text("\n\n".join(texts))
    if len(text) > KEPT_CHARACTERS:
        left_out.append(f"the text beyond {KEPT_CHARACTERS:,} of its {len(text):,} characters")
    text = without_values(text[: KEPT_CHARACTERS + BEYOND_CHARACTERS], known)[:KEPT_CHARACTERS]
    structured: Json = json_without_values(result.structured_content, known)
    left_out = [without_values(one, known) for one in left_out]
    if (size := len(json.dumps(structured))) > KEPT_CHARACTERS:
        left_out.append(f"the structured part, which has {size:,} characters as JSON")
        structured = None
    return Answer(text, structured, tuple(_limit_left_out_parts(left_out)), result.is_error)


def passages_from_answer(server: str, tool: str, said: Answer, now: float) -> tuple[list[Evidence], list[StoredText]]:
    """Return the text of a result as quotable passages; none for an error or without text."""
    if said.is_error or not said.text.strip():
        return [], []
    name = f"{server}/{tool}"
    document = assemble_document(read_text(said.text[:EVIDENCE_CHARACTERS].encode()), name, "text/plain")
    if not document.text:
        return [], []
    content_hash = sha256(document.text.encode()).hexdigest()
    found = [
        Evidence(
            id=f"mcp:{name}@{content_hash[:16]}:{place.start}-{place.end}"[-300:],
            source=f"mcp:{server}",
            document=f"mcp:{name}@{content_hash[:16]}",
            content_hash=content_hash,
            title=f"{tool} of {server}",
            locator=f"mcp:{name}",
            heading=place.heading,
            text=document.text[place.start : place.end],
            start=place.start,
            end=place.end,
            retrieved_at=now,
        )
        for place in document.passages[:MOST_PASSAGES]
    ]
    stored = StoredText(
        content_hash=content_hash, document=found[0].document, title=f"{tool} of {server}", text=document.text
    )
    return found, [stored]


def _make_encodable_text(text: str) -> str:
    """Make a text encodable as UTF-8, as all texts of this project are; otherwise it would fail later."""
    return normalize_text(text.encode(errors="replace").decode())


def _limit_left_out_parts(parts: list[str]) -> Iterable[str]:
    yield from parts[:MOST_LEFT_OUT]
    if len(parts) > MOST_LEFT_OUT:
        yield f"and {len(parts) - MOST_LEFT_OUT} more parts"
