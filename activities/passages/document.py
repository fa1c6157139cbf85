"""What reading a file yields: blocks from a reader, then one stored text with passages that are parts of it.

A reader turns bytes into blocks in reading order and knows nothing of offsets; `packing` places them.
"""

import re
import unicodedata
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, Literal, NamedTuple, Protocol

from elcano.graphs.errors import ActivityFault

_REPLACED: Final = {
    0x00A0: " ",
    0x2028: "\n",
    0x2029: "\n",
    # Ligatures are one character in print and several letters in every query.
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    # Soft hyphens, zero-width spaces and byte order marks are invisible and would split words.
    **dict.fromkeys((0x00AD, 0x200B, 0x2060, 0xFEFF), ""),
    # These order what stands around them anew, so that a text reads otherwise than it is searched and quoted.
    **dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), ""),
}
_REPLACEABLE: Final = re.compile(f"[{''.join(map(chr, _REPLACED))}]")
_CONTROL: Final = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\ud800-\udfff]+")


class FileSkipped(ActivityFault):
    """One document cannot be read; the others can. The text is the reason, fit for "<document>: <reason>"."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, piece of code or table, as a reader found it."""

    text: str
    kind: Literal["text", "heading", "code", "table"] = "text"
    """A table has its rows on lines and its cells between ` | `."""
    level: int = 0
    """The level of a heading: 1 is the highest."""
    page: int = 0
    """Counted from 1; 0: the format has no pages."""
    anchor: str = ""
    """Fragment that leads to it in a browser."""
    paragraph: int = 0
    """Counted from 1; 0: the format is cited otherwise."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of a document reader."""

    blocks: list[Block]
    title: str = ""
    """The title that the format itself declares; empty if it does not."""
    authors: tuple[str, ...] = ()
    """The authors that it declares."""
    year: int = 0
    """The year of publication that it declares; 0 if it does not."""


class Passage(NamedTuple):
    """A part of a document's text, `start` to `end` in characters, that is short enough to be shown and cited."""

    start: int
    end: int
    heading: str
    """The headings above it, joined by ` > `."""
    page: int
    anchor: str
    paragraph: int


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored: quotes are looked up in `text`."""

    title: str
    media_type: str
    text: str
    passages: tuple[Passage, ...]
    authors: tuple[str, ...] = ()
    year: int = 0
    """0: not known."""


def normalize_text(text: str) -> str:
    """`text` in NFC, with plain spaces and line feeds, without invisible and control characters.

    Compatibility forms other than ligatures stay: NFKC would turn 10² into 102.
    """
    unified = text.replace("\r\n", "\n").replace("\r", "\n")
    if _REPLACEABLE.search(unified):  # much quicker than to translate what has nothing to translate
        unified = unified.translate(_REPLACED)
    return unicodedata.normalize("NFC", _CONTROL.sub(" ", unified))


WARNED: Final = 20
"""How many skipped documents a search names; it counts the rest."""


class SkippedDocument(NamedTuple):
    """A document, or a group of files, that is not searched."""

    key: str
    reason: str


class Content(NamedTuple):
    """One document's bytes."""

    name: str
    """Its suffix says how to read it, its stem what to call it if it has no title."""
    data: bytes
    title: str = ""
    """The title that overrides the document's own; empty: its own."""


@dataclass(frozen=True)
class Listing:
    """The current documents of a collection."""

    documents: Mapping[str, str]
    """Fingerprints by key."""
    skipped: tuple[SkippedDocument, ...] = ()
    """Documents that cannot be searched; a search warns of them."""
    ignored: tuple[SkippedDocument, ...] = ()
    """Files that were never meant to be searched, for users who ask why they are not found."""


class Collection(Protocol):
    """Where documents come from."""

    def listing(self) -> Listing:
        """List the documents without reading them.

        Raises:
            SourceRefused: there is nothing, or it cannot be listed.
        """
        ...

    def content(self, key: str) -> Content:
        """The bytes of one document.

        Raises:
            FileSkipped: it cannot be read for what it is.
            OSError: it is gone, or cannot be read now.
        """
        ...


def list_skip_warnings(source: str, skipped: list[SkippedDocument]) -> tuple[str, ...]:
    """Return warnings about documents that a search could not cover: the first 20, and how many more."""
    lines = [f"{source}: {key} was skipped: {reason}" for key, reason in skipped[:WARNED]]
    if len(skipped) > WARNED:
        lines.append(f"{source}: {len(skipped) - WARNED} more files were skipped")
    return tuple(lines)
