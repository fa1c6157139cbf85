"""The tool `call_tool`: one call of one tool of a server that the operator configured, and its answer as data.

A tool that writes is called at most once, whatever happens to worker, connection or run: before the call, it is
permanently claimed in the store, and an attempt that finds it claimed reports an unknown outcome. Temporal retries
calls that only read, or may be repeated.

Arguments are validated against the tool's JSON schema before anything is called: see `offered_tools`. Of an answer
its text, its JSON and the parts left out are kept, each within bounds.
"""

import asyncio
import json
import time
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import TYPE_CHECKING, Final

from pydantic import ValidationError

from elcano.activities.passages.document import normalize_text, read_text
from elcano.activities.passages.packing import assemble_document
from elcano.activities.tools.tool_activities import build_evidence_ref
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.errors import ApprovalNeeded, OutcomeUnknown, ToolRefused, ToolUnavailable
from elcano.graphs.frozen import Json
from elcano.graphs.text import shorten_text
from elcano.redaction import json_without_values, without_secrets, without_values
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.store import TenantStore
from elcano.subjects.mcp.mcp_tools import (
    KEPT_CHARACTERS,
    STRUCTURED_CHARACTERS,
    TEXT_CHARACTERS,
    CallToolInput,
    CallToolOutput,
    ToolKind,
)
from elcano.subjects.mcp.offered_tools import argument_faults, found_in, kind_of, list_offered_tools, needs_approval
from elcano.subjects.mcp.server_connection import (
    SAID_CHARACTERS,
    Key,
    explain_server_refusal,
    known_secrets,
    run_with_client,
)
from elcano.subjects.mcp.tool_servers import SETTING, ToolServer

if TYPE_CHECKING:
    from mcp import Client
    from mcp.types import CallToolResult

MOST_PASSAGES: Final = 50
"""Maximum number of passages of one result, as evidence."""
BEYOND_CHARACTERS: Final = 10_000
"""Characters read beyond the stored part, so that a key across that border is found."""
NOT_KEPT: Final = "(bytes that were not kept)"
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
    dropped: set[str] = set()
    for block in result.content:
        match block.type:
            case "text":
                texts.append(block.text)
            case "resource_link":
                texts.append(f"{block.title or block.name}: {block.uri}")
            case "resource" if hasattr(block.resource, "text"):
                texts.append(block.resource.text)
            case "resource":
                dropped.add(getattr(block.resource, "blob", ""))
                left_out.append(f"a file that was not kept: {block.resource.uri}")
            case _:
                dropped.add(block.data)
                left_out.append(f"{block.type} ({block.mime_type}) that was not kept: {len(block.data):,} characters")
    # Encodable as UTF-8, as all texts of this project are; otherwise it would fail later.
    text = normalize_text("\n\n".join(texts).encode(errors="replace").decode())
    if len(text) > KEPT_CHARACTERS:
        left_out.append(f"the text beyond {KEPT_CHARACTERS:,} of its {len(text):,} characters")
    text = without_values(text[: KEPT_CHARACTERS + BEYOND_CHARACTERS], known)[:KEPT_CHARACTERS]
    structured: Json = json_without_values(_drop_bytes(result.structured_content, dropped), known)
    left_out = [without_values(one, known) for one in left_out]
    if (size := len(json.dumps(structured))) > KEPT_CHARACTERS:
        left_out.append(f"the structured part, which has {size:,} characters as JSON")
        structured = None
    return Answer(text, structured, tuple(_limit_left_out_parts(left_out)), result.is_error)


def _drop_bytes(value: Json, dropped: Collection[str]) -> Json:
    """A structured answer without the bytes of files: those that blocks have too, and those of blocks within it.

    Servers repeat the blocks of an answer in its structured part, some with more kinds of blocks than MCP has.
    """
    if isinstance(value, str):
        return NOT_KEPT if value and value in dropped else value
    if isinstance(value, list):
        return [_drop_bytes(one, dropped) for one in value]
    if not isinstance(value, dict):
        return value
    is_file = isinstance(value.get("mimeType"), str)
    return {
        name: NOT_KEPT if is_file and name in ("data", "blob") and isinstance(one, str) else _drop_bytes(one, dropped)
        for name, one in value.items()
    }


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


def _limit_left_out_parts(parts: list[str]) -> Iterable[str]:
    yield from parts[:MOST_LEFT_OUT]
    if len(parts) > MOST_LEFT_OUT:
        yield f"and {len(parts) - MOST_LEFT_OUT} more parts"


RESULT_TYPE: Final = "application/vnd.elcano.tool-result+json"
"""The media type of a stored result."""


@dataclass(frozen=True)
class CallPlace:
    """Identifies a call of a run: the same in every attempt, also in a resumed run."""

    run_id: str
    activity: str
    """The id of its activity, which contains step, node and item."""
    attempt: str
    """Distinguishes this attempt from every other one."""
    approval: str = ""
    """The id of the approval for this one call; empty: no approval was requested."""


class Caller:
    """Calls tools of this worker's servers."""

    def __init__(self, servers: Mapping[str, ToolServer], key: Key) -> None:
        self._servers = servers
        self._key = key

    async def call(
        self, store: TenantStore, place: CallPlace, given: CallToolInput, within: float | None
    ) -> CallToolOutput:
        """Call a tool and return its answer, which is stored in full before this returns.

        Args:
            store: the tenant's.
            place: the call.
            given: the tool and its arguments.
            within: time limit of this attempt in seconds; None: the server's.

        Raises:
            ToolRefused: no such server or tool, arguments that do not fit, or an answer that no tool may give.
            ApprovalNeeded: it writes without approval, and nothing else prevents it.
            ToolUnavailable: nothing was done, or the tool only reads: a retry may help.
            OutcomeUnknown: it writes, and was called before or broke off.
        """
        server = found_in(self._servers, given.server)
        if why := explain_server_refusal(given.server, server):
            raise ToolRefused(why)
        if not server.offers(given.tool):
            raise ToolRefused(f"the operator does not offer {given.tool!r} of {given.server!r} (`tools` in {SETTING})")
        kinds: list[ToolKind] = []
        known = known_secrets(server, self._key)

        async def work(client: "Client") -> "CallToolResult":
            kind = await self._ready(client, server, given, known, approved=bool(place.approval))
            if kind == "writes":
                await _claim_tool_call(store, place, given)
            kinds.append(kind)
            return await _call_server_tool(client, given, known)

        seconds = server.seconds if within is None else max(1.0, min(server.seconds, within))
        try:
            result = await run_with_client(given.server, server, self._key, seconds, work)
        except (ToolUnavailable, ToolRefused) as error:
            raise (_build_outcome_unknown(given, str(error)) if kinds == ["writes"] else error) from None
        said = await asyncio.to_thread(answer_from_tool_result, result, known)
        return await _store_call_result(store, place.run_id, given, kinds[0], said)

    async def _ready(
        self, client: "Client", server: ToolServer, given: CallToolInput, known: tuple[str, ...], *, approved: bool
    ) -> ToolKind:
        """Return the kind of tool, once nothing prevents the call.

        Raises:
            ToolRefused: there is no such tool, or its arguments do not fit.
            ApprovalNeeded: it writes, and neither the operator nor an approval allows that.
        """
        tools = {tool.name: tool for tool in await list_offered_tools(given.server, client, known)}
        if (tool := tools.get(given.tool)) is None:
            (text,) = explain_unknown_name(f"tool of the server {given.server!r}", given.tool, list(tools)[:200])
            raise ToolRefused(text)
        called = f"{given.server}/{given.tool}"
        try:
            faults = await asyncio.to_thread(argument_faults, given.arguments, tool.input_schema)
        except ToolRefused as error:
            raise ToolRefused(f"{called}: {error}") from None
        if faults:
            raise ToolRefused(f"the arguments of {called} do not fit its schema: {'; '.join(faults)}")
        kind = kind_of(tool, server)
        if needs_approval(given.tool, kind, server) and not approved:
            raise ApprovalNeeded(
                f"{called} writes, or does not say that it only reads, and this is not allowed: the operator may "
                f"add {given.tool!r} to `writes` of {given.server!r} in {SETTING} (or to `reads`, if it only reads)"
            )
        return kind


async def _call_server_tool(client: "Client", given: CallToolInput, known: tuple[str, ...]) -> "CallToolResult":
    """Return the server's answer.

    Raises:
        ToolRefused: it does not accept the call, or gives an answer that no tool may give.
    """
    from mcp.shared.exceptions import MCPError
    from mcp.types import INVALID_PARAMS, METHOD_NOT_FOUND

    called = f"{given.server}/{given.tool}"
    try:
        return await client.call_tool(given.tool, given.arguments)
    except MCPError as error:
        if error.code not in (INVALID_PARAMS, METHOD_NOT_FOUND):
            raise
        said = shorten_text(without_secrets(str(error), known), SAID_CHARACTERS)
        raise ToolRefused(f"{called}: the server does not take the call: {said}") from None
    except (RuntimeError, ValidationError) as error:  # the library's, of what does not fit its schema or the protocol
        said = shorten_text(without_secrets(str(error), known).partition("\n")[0].strip(), SAID_CHARACTERS)
        raise ToolRefused(f"{called} answered what it may not: {said}") from None


async def _claim_tool_call(store: TenantStore, place: CallPlace, given: CallToolInput) -> None:
    """Claim the call for this attempt, permanently.

    Raises:
        OutcomeUnknown: another attempt, or the run before it was resumed, made the call.
    """
    asked = json.dumps([given.server, given.tool, given.arguments], sort_keys=True)
    call = json.dumps([place.run_id, place.approval or place.activity, asked])
    # A line feed, which no header has: no client's own key can be one of these.
    key = f"call\n{sha256(call.encode()).hexdigest()}"
    claim = await store.admission.claim(key, place.attempt, place.run_id.partition(".")[0])
    if not claim.mine:
        raise _build_outcome_unknown(
            given, "it was called before at this step of the run, and what came of that was lost"
        )


def _build_outcome_unknown(given: CallToolInput, why: str) -> OutcomeUnknown:
    return OutcomeUnknown(
        f"{given.server}/{given.tool} was called, and it is unknown whether its write happened: {why}. It is not "
        "called again. Check what it did; to call it again, fork the run at this step"
    )


async def _store_call_result(
    store: TenantStore, run_id: str, given: CallToolInput, kind: ToolKind, said: Answer
) -> CallToolOutput:
    artifact = await store.artifacts.put(run_id, said.whole(), RESULT_TYPE)
    found, texts = passages_from_answer(given.server, given.tool, said, time.time()) if given.as_evidence else ([], [])
    if found:
        await store.evidence.add(run_id, found, texts)
    fits = len(json.dumps(said.structured)) <= STRUCTURED_CHARACTERS
    return CallToolOutput(
        server=given.server,
        tool=given.tool,
        kind=kind,
        is_error=said.is_error,
        text=shorten_text(said.text, TEXT_CHARACTERS),
        structured=said.structured if fits else None,
        truncated=len(said.text) > TEXT_CHARACTERS or not fits,
        artifact=artifact,
        left_out=said.left_out,
        evidence=tuple(build_evidence_ref(passage) for passage in found),
    )
