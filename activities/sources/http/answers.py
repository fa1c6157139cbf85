"""What came back from a service: bytes, and what they are said to be. What they are said to be may be wrong."""

import codecs
import json
from typing import Any, Final, NamedTuple

import httpx

from elcano.graphs.errors import SourceUnavailable

_MARKS: Final = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
"""How a text begins that says its encoding itself; that goes before what was declared, as in browsers."""
_NOT_FOR_TEXTS: Final = frozenset({"idna", "punycode", "undefined", "unicode_escape", "raw_unicode_escape"})
"""Encodings of Python's own, which turn text into other text or nothing."""


class Answer(NamedTuple):
    """An HTTP response of any status."""

    url: str
    """Where it is from, after redirects."""
    status: int
    headers: httpx.Headers
    content: bytes
    """Decoded from its content encoding."""
    encoding: str = "utf-8"
    """As its first bytes say, or as declared; `utf-8` if nothing was, or what is no encoding of texts."""

    @property
    def media_type(self) -> str:
        """Lower case, without parameters; empty if it says none."""
        return media_type(self.headers)

    @property
    def text(self) -> str:
        """The content as text; what cannot be decoded becomes U+FFFD."""
        return self.content.decode(self.encoding, errors="replace")

    def json(self, source: str) -> Any:
        """The content as JSON.

        Raises:
            SourceUnavailable: it is none.
        """
        try:
            return json.loads(self.content)
        except ValueError as error:
            raise SourceUnavailable(f"{source}: the answer is no JSON ({error})") from error
        except RecursionError as error:
            raise SourceUnavailable(f"{source}: the answer is JSON too deep to be read") from error


def media_type(headers: httpx.Headers) -> str:
    """What `Content-Type` says, in lower case and without parameters; empty if it says nothing."""
    declared: str = headers.get("content-type", "")
    return declared.partition(";")[0].strip().lower()


def encoding_of(content: bytes, declared: str | None) -> str:
    """The encoding that `content` can be decoded with, by Python's name.

    Args:
        content: its first bytes are enough.
        declared: the `charset` of its `Content-Type`.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            return encoding
    try:
        found = codecs.lookup((declared or "utf-8").strip("'\" "))
        b"x".decode(found.name, errors="replace")  # refuses what turns bytes into bytes, such as base64
    except (LookupError, ValueError):
        return "utf-8"
    return "utf-8" if found.name.replace("-", "_") in _NOT_FOR_TEXTS else found.name
