"""The input of a client, as a run takes it: the question, wishes about the report, files, and what was said before.

The question is what the user said last. System and developer messages are instructions. Earlier turns are told to the
agents as background, the newest first to be kept, unless the question follows a run that knows them.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from elcano.api.http.errors import FieldFault
from elcano.graphs.tenants import RUN_ID
from elcano.graphs.text import shorten_text
from elcano.plugins.openai_api.attached_files import AttachedFile

TURN_CHARACTERS: Final = 4_000
"""How much of one earlier turn is told; a report is longer, and begins with its answer."""
TRANSCRIPT_CHARACTERS: Final = 30_000
"""How much of all earlier turns."""
_OWN_ITEMS: Final = frozenset({"reasoning", "web_search_call", "file_search_call", "mcp_approval_request"})
"""Items of our own answers, which clients send back with a conversation; the run that they are of knows more."""
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_FILES: Final = frozenset({"input_file", "file"})
_NO_TEXT: Final = {
    "input_image": "is a picture: a run quotes text. Say in words what it shows, or send its text as a file",
    "input_audio": "is a sound: a run quotes text. Send what is said as text",
}
_NO_TEXT["image_url"] = _NO_TEXT["input_image"]
_RUN_LINE: Final = re.compile(rf"\[Run (?P<run>{RUN_ID})\]\(\S+\)\s*\Z")
"""The last line of an answer of chat completions, as `format_run_line` writes it."""


@dataclass(frozen=True)
class Approval:
    """A decision on what a run asked for."""

    request: str
    """The id of the item that asked."""
    approve: bool
    reason: str = ""


@dataclass
class Conversation:
    """The parts of an input."""

    question: str = ""
    instructions: list[str] = field(default_factory=list)
    earlier: list[tuple[str, str]] = field(default_factory=list)
    """Earlier turns: who spoke, and what."""
    files: list[AttachedFile] = field(default_factory=list)
    approvals: list[Approval] = field(default_factory=list)
    faults: list[FieldFault] = field(default_factory=list)

    @property
    def followed_run(self) -> str:
        """The run that the last answer names in its last line; empty if it names none."""
        said = next((text for role, text in reversed(self.earlier) if role == "assistant"), "")
        found = _RUN_LINE.search(said)
        return found["run"] if found else ""

    @property
    def transcript(self) -> str:
        """The earlier turns as background; the oldest are left out if there is no room for all."""
        room, kept = TRANSCRIPT_CHARACTERS, list[str]()
        for role, text in reversed(self.earlier):
            turn = f"{role.capitalize()}: {shorten_text(_RUN_LINE.sub('', text).strip(), TURN_CHARACTERS)}"
            room -= len(turn)
            if room < 0:
                break
            kept.append(turn)
        return "\n\n".join(("The conversation so far:", *reversed(kept))) if kept else ""


def format_run_line(run_id: str, address: str) -> str:
    """The last line of an answer of chat completions, by which the next question of the chat follows its run."""
    return f"[Run {run_id}]({address}/v1/runs/{run_id}/report)"


def read_conversation(items: str | Sequence[dict[str, Any]], name: str) -> Conversation:
    """Read an input.

    Args:
        items: a question, or items of Responses, or messages of chat completions.
        name: the field that it came in, for faults.
    """
    found = Conversation()
    if isinstance(items, str):
        found.question = items
        return found
    for place, item in enumerate(items):
        _read_item(item, f"{name}.{place}", found)
    if not found.faults and not found.approvals:
        if found.earlier and found.earlier[-1][0] == "user":
            found.question = found.earlier.pop()[1]
        else:
            found.faults.append(
                FieldFault(field=name, message="the last message has to be the user's: it is researched")
            )
    return found


def _read_item(item: dict[str, Any], place: str, found: Conversation) -> None:
    kind = item.get("type") or ("message" if "role" in item else None)
    if kind in _OWN_ITEMS:
        return
    if kind == "mcp_approval_response":
        if isinstance(item.get("approval_request_id"), str) and isinstance(item.get("approve"), bool):
            reason = item.get("reason")
            found.approvals.append(Approval(item["approval_request_id"], item["approve"], str(reason or "")))
        else:
            found.faults.append(FieldFault(field=place, message="needs `approval_request_id` and `approve`"))
        return
    if kind != "message":
        message = f"an item of type {kind!r} cannot be researched; send messages of text"
        found.faults.append(FieldFault(field=f"{place}.type", message=message))
        return
    text = _read_text(item.get("content"), f"{place}.content", found)
    match item.get("role"):
        case "system" | "developer":
            found.instructions.append(text)
        case "user" | "assistant" as role:
            found.earlier.append((role, text))
        case role:
            message = f"{role!r} is none of user, assistant, system, developer"
            found.faults.append(FieldFault(field=f"{place}.role", message=message))


def _read_text(content: Any, place: str, found: Conversation) -> str:
    if isinstance(content, str):
        return content
    texts = list[str]()
    for number, part in enumerate(content if isinstance(content, list) else [None]):
        kind = part.get("type") if isinstance(part, dict) else None
        where = f"{place}.{number}" if isinstance(content, list) else place
        if kind in _TEXTS and isinstance(part.get("text"), str):
            texts.append(part["text"])
        elif kind in _FILES:
            _read_file(part, where, found)
        elif kind != "refusal":
            message = _NO_TEXT.get(kind or "") or (f"is {kind!r}; text and files are read" if kind else "is no text")
            found.faults.append(FieldFault(field=where, message=message))
    return "\n\n".join(texts)


def _read_file(part: dict[str, Any], place: str, found: Conversation) -> None:
    """A file as Responses have it, or with its fields in `file`, as chat completions do."""
    given = part["file"] if isinstance(part.get("file"), dict) else part
    fields = {name: given.get(name) or "" for name in ("file_id", "file_data", "file_url", "filename")}
    if not all(isinstance(value, str) for value in fields.values()):
        found.faults.append(FieldFault(field=place, message="has a field that is no text"))
        return
    name = fields.pop("filename")
    if sum(map(bool, fields.values())) != 1:
        found.faults.append(FieldFault(field=place, message="needs one of `file_id`, `file_data` and `file_url`"))
        return
    found.files.append(AttachedFile(place, fields["file_id"], fields["file_data"], fields["file_url"], name))
