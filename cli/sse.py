"""Server-sent events: the lines of a stream as events, by the rules of the HTML standard (section 9.2.6).

Lines end with LF or CRLF only. `httpx.Response.iter_lines` would also break at characters that may stand inside JSON
(U+2028, U+0085), so the bytes are split here.
"""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass


@dataclass(frozen=True)
class ServerEvent:
    """One event."""

    event: str
    """Its type; `message` if the stream named none."""
    data: str
    id: str
    """The last id that the stream gave, here or earlier."""


def events(chunks: Iterable[bytes]) -> Iterator[ServerEvent]:
    """The events of a stream. One that is cut off before its empty line was never sent."""
    kind, data, last_id = "", list[str](), ""
    for line in _lines(chunks):
        if not line:
            if data:
                yield ServerEvent(event=kind or "message", data="\n".join(data), id=last_id)
            kind, data = "", []
            continue
        name, _, value = line.partition(":")
        value = value.removeprefix(" ")
        if name == "data":
            data.append(value)
        elif name == "event":
            kind = value
        elif name == "id" and "\0" not in value:
            last_id = value


def _lines(chunks: Iterable[bytes]) -> Iterator[str]:
    rest = b""
    for chunk in chunks:
        *complete, rest = (rest + chunk).split(b"\n")
        for line in complete:
            yield line.removesuffix(b"\r").decode()
