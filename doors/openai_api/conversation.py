"""The input of a client, as a run takes it: the question, wishes about the report, files, and what was said before.

The question is the user's last message. System and developer messages are instructions. Earlier turns, and what tools
of other agents returned, are background for the agents, the newest first to be kept. A turn that is an answer of ours
names its run, by the id of its item or by its last line: a question behind it follows that run.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from elcano.doors.openai_api.attached_files import AttachedFile
from elcano.graphs.tenants import RUN_ID
from elcano.graphs.text import shorten_text
from elcano.service.errors import FieldFault

TURN_CHARACTERS: Final = 4_000
"""Longest part of one earlier turn; a report is longer, and begins with its answer."""
TRANSCRIPT_CHARACTERS: Final = 30_000
"""Longest background, of all earlier turns."""
_PASSED_OVER: Final = frozenset({"reasoning", "mcp_approval_request", "mcp_list_tools", "compaction"})
"""Items of answers, ours and others', which clients send back with a conversation and in which no one says anything."""
_CALL: Final = "_call"
_OUTPUT: Final = "_call_output"
_TEXTS: Final = frozenset({"text", "input_text", "output_text"})
_FILES: Final = frozenset({"input_file", "file"})
_NO_TEXT: Final = {
    "input_image": "is a picture: a run quotes text. Say in words what it shows, or send its text as a file",
    "input_audio": "is a sound: a run quotes text. Send what is said as text",
}
_NO_TEXT["image_url"] = _NO_TEXT["input_image"]
_RUN_LINE: Final = re.compile(rf"\[Run (?P<run>{RUN_ID})\]\(\S+\)")
"""The last line of an answer of chat completions, as `format_run_line` writes it."""
_LONGEST_LINE: Final = 1_000
"""Characters of a last line that may be that one."""
_MESSAGE_ID: Final = re.compile(rf"msg_(?P<run>{RUN_ID})")
_OTHER_ID: Final = re.compile(rf"(?:rs|ws|in|mcpr)_{RUN_ID}[._/].*")
"""The ids of our other items, as `output_items` and `input_items` make them."""


@dataclass(frozen=True)
class Approval:
    """A decision on what a run asked for."""

    request: str
    """The id of the item that asked."""
    approve: bool
    reason: str = ""


@dataclass
class Turn:
    """A part of the conversation before, or behind, the question."""

    role: str
    """`user`, `assistant`, or `tool`."""
    text: str
    run: str = ""
    """The run whose report this is; empty: no run's."""
    place: str = ""
    """Path in the request of a turn that is only named by its id (`item_reference`)."""
    files: list[AttachedFile] = field(default_factory=list)
    unread: list[FieldFault] = field(default_factory=list)
    """Parts that are no text: pictures can be part of an earlier turn, and not of the question."""


@dataclass
class Conversation:
    """The parts of an input."""

    question: str = ""
    instructions: list[str] = field(default_factory=list)
    turns: list[Turn] = field(default_factory=list)
    """All turns but the question's, in their order."""
    files: list[AttachedFile] = field(default_factory=list)
    approvals: list[Approval] = field(default_factory=list)
    faults: list[FieldFault] = field(default_factory=list)
    tools: dict[str, str] = field(default_factory=dict)
    """The names of called tools, by the ids of their calls."""

    @property
    def named_run(self) -> str:
        """The run whose report is the last answer of an assistant; empty: that is not a run's."""
        return next((turn.run for turn in reversed(self.turns) if turn.role == "assistant"), "")

    def list_background(self, known_run: str | None) -> list[Turn]:
        """The turns that a run has to be given: all of them, or those behind the report of a run that it follows."""
        named = [place for place, turn in enumerate(self.turns) if known_run and turn.run == known_run]
        return self.turns[named[-1] + 1 :] if named else self.turns

    def write_transcript(self, known_run: str | None = None) -> str:
        """The turns as background; the oldest are left out if there is no room for all."""
        room, kept = TRANSCRIPT_CHARACTERS, list[str]()
        for one in reversed(self.list_background(known_run)):
            turn = f"{one.role.capitalize()}: {shorten_text(_split_run_line(one.text)[0].strip(), TURN_CHARACTERS)}"
            room -= len(turn)
            if room < 0:
                break
            kept.append(turn)
        return "\n\n".join(("The conversation so far:", *reversed(kept))) if kept else ""


def format_run_line(run_id: str, address: str) -> str:
    """The last line of an answer of chat completions, by which the next question of the chat follows its run."""
    return f"[Run {run_id}]({address}/v1/runs/{run_id}/report)"


def _split_run_line(text: str) -> tuple[str, str]:
    """The text without the line that names a run at its end, and that run; empty if there is no such line."""
    text = text.rstrip()
    line = text[-_LONGEST_LINE:].rpartition("\n")[2]
    found = _RUN_LINE.fullmatch(line)
    return (text[: len(text) - len(line)], found["run"]) if found else (text, "")


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
    found.files = [file for turn in found.turns for file in turn.files]
    if not found.faults and not found.approvals:
        _take_question(found, name)
    return found


def _take_question(found: Conversation, name: str) -> None:
    """Take the question out of the turns. What tools return behind it, as at a handoff, is background."""
    places = [place for place, turn in enumerate(found.turns) if turn.role == "user"]
    if places and (found.turns[-1].role == "tool" or places[-1] == len(found.turns) - 1):
        asked = found.turns.pop(places[-1])
        found.question = asked.text
        found.faults += asked.unread
        return
    found.faults.append(FieldFault(field=name, message="the last message has to be the user's: it is researched"))


def _read_item(item: dict[str, Any], place: str, found: Conversation) -> None:
    kind = _read_type(item) or ("message" if "role" in item else "")
    if kind == "message":
        _read_message(item, place, found)
    elif kind == "item_reference" or (not kind and set(item) == {"id"}):
        _read_reference(item.get("id"), f"{place}.id", found)
    elif kind == "mcp_approval_response":
        if isinstance(item.get("approval_request_id"), str) and isinstance(item.get("approve"), bool):
            reason = item.get("reason")
            found.approvals.append(Approval(item["approval_request_id"], item["approve"], str(reason or "")))
        else:
            found.faults.append(FieldFault(field=place, message="needs `approval_request_id` and `approve`"))
    elif kind.endswith(_OUTPUT):
        _add_tool_turn(str(item.get("call_id")), item.get("output"), found)
    elif kind.endswith(_CALL):
        found.tools[str(item.get("call_id"))] = str(item.get("name") or kind.removesuffix(_CALL))
        if item.get("output"):  # those that a provider makes itself have both in one item
            _add_tool_turn(str(item.get("call_id")), item["output"], found)
    elif kind not in _PASSED_OVER:
        message = f"an item of type {kind!r} cannot be researched; send messages of text"
        found.faults.append(FieldFault(field=f"{place}.type", message=message))


def _read_message(item: dict[str, Any], place: str, found: Conversation) -> None:
    match item.get("role"):
        case "system" | "developer":
            found.instructions.append(_read_said(item, place, found).text)
        case "user":
            found.turns.append(_read_said(item, place, found))
        case "assistant":
            _note_calls(item.get("tool_calls"), found)
            if item.get("content") is not None:
                _add_answer(_read_said(item, place, found), str(item.get("id") or ""), found)
        case "tool" | "function":
            _add_tool_turn(str(item.get("tool_call_id") or item.get("name")), item.get("content"), found)
        case role:
            message = f"{role!r} is none of user, assistant, tool, system, developer"
            found.faults.append(FieldFault(field=f"{place}.role", message=message))


def _read_reference(id: object, place: str, found: Conversation) -> None:
    """An item that is named by its id alone, as the server is to know it."""
    if isinstance(id, str) and (named := _MESSAGE_ID.fullmatch(id)):
        found.turns.append(Turn("assistant", "", named["run"], place))
        found.approvals.clear()
    elif not isinstance(id, str) or not _OTHER_ID.fullmatch(id):
        message = f"{str(id)[:100]!r} is no item of a response of this server: send the message itself"
        found.faults.append(FieldFault(field=place, message=message))


def _add_answer(said: Turn, id: str, found: Conversation) -> None:
    """Add an assistant's message. An approval before it was decided then."""
    named = _MESSAGE_ID.fullmatch(id)
    said.run = named["run"] if named else _split_run_line(said.text)[1]
    if said.text:
        found.turns.append(said)
        found.approvals.clear()


def _note_calls(calls: object, found: Conversation) -> None:
    for call in calls if isinstance(calls, list) else ():
        if isinstance(call, dict) and isinstance(called := call.get("function") or call.get("custom"), dict):
            found.tools[str(call.get("id"))] = str(called.get("name"))


def _add_tool_turn(call: str, output: object, found: Conversation) -> None:
    texts = [output] if isinstance(output, str) else [text for _, text in _list_texts(output)]
    found.turns.append(Turn("tool", f"({found.tools.get(call, call)}) " + "\n\n".join(texts)))


def _read_type(part: object) -> str:
    """The type of an item or of a part; empty: it has none."""
    kind = part.get("type") if isinstance(part, dict) else None
    return kind if isinstance(kind, str) else "" if kind is None else repr(kind)[:100]


def _list_texts(content: object) -> Iterator[tuple[int, str]]:
    for number, part in enumerate(content if isinstance(content, list) else ()):
        if _read_type(part) in _TEXTS and isinstance(part.get("text"), str):
            yield number, part["text"]


def _read_said(item: dict[str, Any], place: str, found: Conversation) -> Turn:
    content, place, role = item.get("content"), f"{place}.content", str(item["role"])
    if isinstance(content, str):
        return Turn(role, content)
    texts = dict(_list_texts(content))
    said = Turn(role, "\n\n".join(texts.values()))
    for number, part in enumerate(content if isinstance(content, list) else [None]):
        kind = _read_type(part)
        where = f"{place}.{number}" if isinstance(content, list) else place
        if kind in _FILES:
            _read_file(part, where, said, found)
        elif kind in _NO_TEXT:
            said.unread.append(FieldFault(field=where, message=_NO_TEXT[kind]))
        elif number not in texts and kind != "refusal":
            message = f"is {kind!r}; text and files are read" if kind else "is no text"
            found.faults.append(FieldFault(field=where, message=message))
    return said


def _read_file(part: dict[str, Any], place: str, said: Turn, found: Conversation) -> None:
    """A file as Responses have it, or with its fields in `file`, as chat completions do."""
    given = part["file"] if isinstance(part.get("file"), dict) else part
    data, name = given.get("file_data"), given.get("filename") or ""
    if isinstance(data, str) and data and isinstance(name, str):
        said.files.append(AttachedFile(place, data, name))
    else:
        message = "needs `file_data`: files by id or address are uploaded with `PUT /v1/collections/...` instead"
        found.faults.append(FieldFault(field=place, message=message))
