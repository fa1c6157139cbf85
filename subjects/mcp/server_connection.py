"""One connection to one server, for one piece of work: opened, used, and closed in every case.

The work runs in a task of its own, because only the task that started a program can end it: if the work is abandoned or
out of time, that task is cancelled once and awaited. Nothing is retried here.
"""

import asyncio
import logging
import tempfile
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING, Final, TextIO, TypeVar

import httpx

from elcano.activities.services import missing_extras
from elcano.activities.sources.http.trust_guard import BY_EGRESS, get_trust, require_contact
from elcano.graphs.errors import SourceRefused, ToolRefused, ToolUnavailable
from elcano.graphs.extras import install_command
from elcano.graphs.text import shorten_text
from elcano.redaction import without_secrets
from elcano.settings.secrets import list_secrets, secrets_given
from elcano.subjects.mcp.tool_servers import CLOSING_SECONDS, VARIABLE, ToolServer

if TYPE_CHECKING:  # it is imported when it is needed: see `_import_mcp_library`
    from mcp import Client

Result = TypeVar("Result")
Key = Callable[[str], str]
"""The value of a variable of the worker; empty if it is not set."""

RESPONSE_BYTES: Final = 20_000_000
"""Maximum size of one response over HTTP."""
SAID_CHARACTERS: Final = 300
"""Maximum length of a server's error message."""
TAIL_BYTES: Final = 64_000
"""Number of bytes read of a program's output, to show its end."""
TORN_CHARACTERS: Final = 4_000
"""Number of characters at its beginning that are not shown, because a key may have lost its first half there."""

for _name in ("mcp.client.stdio", "mcp.client.streamable_http", "client"):  # they log what servers write, word for word
    logging.getLogger(_name).setLevel(logging.CRITICAL)


def known_secrets(server: ToolServer, key: Key) -> tuple[str, ...]:
    """Return secrets that a server must not repeat: those given to it and all others of this process, longest first."""
    return tuple(dict.fromkeys((*secrets_given(server.model_dump(), key), *list_secrets())))


def explain_server_refusal(name: str, server: ToolServer) -> str:
    """Why the run that asks may not contact a server; empty if it may."""
    if get_trust().egress == "any":
        return ""
    if server.command:
        return f"the server {name!r} is {BY_EGRESS}: it is a program, and whom it contacts is unknown"
    try:
        require_contact(f"the server {name!r}", httpx.URL(server.url))
    except SourceRefused as error:
        return str(error)
    return ""


async def run_with_client(
    name: str, server: ToolServer, key: Key, seconds: float, work: Callable[["Client"], Awaitable[Result]]
) -> Result:
    """Return the result of `work`, given a connection to the server `name`.

    Args:
        name: for messages.
        server: its configuration.
        key: reads the variables that it names.
        seconds: time limit, including the start of its program.
        work: the work; our own errors that it raises pass through unchanged.

    Raises:
        ToolRefused: its program is missing, a variable is not set, the extra `mcp` is not installed, or its answer
            cannot be read, such as a schema that refers to itself: a retry would give the same.
        ToolUnavailable: it does not answer in time or breaks off.
    """
    if "mcp" in missing_extras():
        raise ToolRefused(f"the server {name!r} cannot be reached from here: {install_command('mcp')}")
    await asyncio.to_thread(_import_mcp_library)
    task = asyncio.create_task(_run_connected_work(name, server, key, work))
    try:
        await asyncio.wait({task}, timeout=seconds)
        if not task.done():
            await _cancel_and_wait(task)
            raise ToolUnavailable(f"the server {name!r} did not answer within {seconds:g} s")
        return task.result()
    finally:
        if not task.done():
            await _cancel_and_wait(task)


def _import_mcp_library() -> None:
    """Import the client libraries early: on a busy machine this takes seconds, and a worker must keep heartbeating."""
    import httpx2  # noqa: F401
    import jsonschema  # noqa: F401
    import mcp.client.streamable_http  # noqa: F401

    from elcano.subjects.mcp.bounded_streams import bound_lines

    bound_lines()


async def _cancel_and_wait(task: "asyncio.Task[Result]") -> None:
    """End the work, and its program with it."""
    task.cancel()
    await asyncio.wait({task}, timeout=CLOSING_SECONDS)
    if task.done() and not task.cancelled():
        task.exception()  # it is known already why it was ended


async def _run_connected_work(
    name: str, server: ToolServer, key: Key, work: Callable[["Client"], Awaitable[Result]]
) -> Result:

    from elcano.subjects.mcp.bounded_streams import when_too_long

    values = _with_variables(name, server, key)
    task, exceeded = asyncio.current_task(), 0

    def end_work(most: int) -> None:
        nonlocal exceeded
        exceeded = most
        if task is not None:
            task.cancel()

    when_too_long(end_work)
    # What a program writes to its stderr; the last of it is reported if it fails.
    with tempfile.TemporaryFile("w+", prefix=f"mcp-{name}-", errors="replace") as said:
        try:
            async with _open_client(values, said) as client:
                return await work(client)
        except asyncio.CancelledError:
            if exceeded:
                raise ToolRefused(f"the server {name!r} answered more than {exceeded:,} characters") from None
            raise
        except Exception as error:
            raise _translate_server_error(name, server, error, said, known_secrets(server, key)) from None


@asynccontextmanager
async def _open_client(server: ToolServer, said: TextIO) -> AsyncIterator["Client"]:
    import httpx2
    from mcp import Client, StdioServerParameters
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamable_http_client

    from elcano.subjects.mcp.bounded_streams import BoundedTransport

    if server.command:
        program = StdioServerParameters(
            command=server.command,
            args=list(server.args),
            env=dict(server.environment),
            cwd=server.folder or None,
            encoding_error_handler="replace",
        )
        async with Client(stdio_client(program, errlog=said), cache=None) as client:
            yield client
        return
    timeout = httpx2.Timeout(server.seconds, connect=min(server.seconds, 10.0))
    transport = BoundedTransport(httpx2.AsyncHTTPTransport(), RESPONSE_BYTES)
    async with httpx2.AsyncClient(headers=server.headers, timeout=timeout, transport=transport) as http:
        way = streamable_http_client(server.url, http_client=http, max_sse_event_size=RESPONSE_BYTES)
        async with Client(way, cache=None) as client:
            yield client


def _with_variables(name: str, server: ToolServer, key: Key) -> ToolServer:
    """Return the server with the values of variables in place of their names.

    Raises:
        ToolRefused: one is not set.
    """
    if missing := [variable for variable in server.variables() if not key(variable)]:
        raise ToolRefused(f"the server {name!r} needs variables that are not set here: {', '.join(missing)}")

    def filled(values: dict[str, str]) -> dict[str, str]:
        return {one: VARIABLE.sub(lambda found: key(found[1]), text) for one, text in values.items()}

    given = {"headers": filled(server.headers), "environment": filled(server.environment)}
    return server.model_copy(update=given)


def _translate_server_error(
    name: str, server: ToolServer, error: Exception, said: TextIO, known: tuple[str, ...]
) -> Exception:
    """Translate an error into one of ours, without the values given to the server."""
    from mcp.shared.exceptions import MCPError
    from pydantic import ValidationError

    leaves = list(_iter_leaf_errors(error))
    for leaf in leaves:
        if type(leaf) in (ToolRefused, ToolUnavailable):
            return type(leaf)(without_secrets(str(leaf), known))
        if type(leaf).__module__.startswith("elcano."):
            return leaf
    for leaf in leaves:
        if isinstance(leaf, FileNotFoundError | PermissionError | NotADirectoryError) and server.command:
            return ToolRefused(f"the program of the server {name!r} cannot be started: {leaf.strerror}")
    first = next((leaf for leaf in leaves if isinstance(leaf, MCPError)), leaves[0])
    if isinstance(first, RecursionError | ValueError):
        what = "the protocol does not know it" if isinstance(first, ValidationError) else _first_line(first, known)
        return ToolRefused(f"what the server {name!r} says cannot be read: {shorten_text(what, SAID_CHARACTERS)}")
    what = _first_line(first, known)
    last = _read_last_output(said, known) if server.command else ""
    text = f"the server {name!r} failed: {shorten_text(what or type(first).__name__, SAID_CHARACTERS)}"
    return ToolUnavailable(text + (f"; it wrote: {last}" if last else ""))


def _first_line(error: Exception, known: tuple[str, ...]) -> str:
    """Return an error's first line, without keys or input that a library echoes. A line may end within a key."""
    return without_secrets(str(error), known).partition("\n")[0].strip()


def _iter_leaf_errors(error: Exception) -> Iterator[Exception]:
    if isinstance(error, ExceptionGroup):
        for inner in error.exceptions:
            yield from _iter_leaf_errors(inner)
    else:
        yield error


def _read_last_output(said: TextIO, known: tuple[str, ...]) -> str:
    """Return the last output of a program, on one line and without keys."""
    said.flush()
    said.seek(0, 2)
    begin = max(0, said.tell() - TAIL_BYTES)
    said.seek(begin)
    text = without_secrets(said.read(), known)[TORN_CHARACTERS if begin else 0 :]
    return " ".join(text.split())[-SAID_CHARACTERS:]
