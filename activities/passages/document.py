"""Result of reading a file: blocks from a reader, then one stored text with passages that are parts of it.

A reader turns bytes into blocks in reading order and knows nothing of offsets; `packing` places them.

The readers of plain text and reStructuredText are here: paragraphs between blank lines, headings by their underlines.
Every pattern is linear, or bounded in length: the text may be fifty megabytes of anything.
"""

import codecs
import re
import textwrap
import unicodedata
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import ClassVar, Final, Literal, NamedTuple, Protocol, TypeAlias

from pydantic import ConfigDict

from elcano.graphs.errors import ActivityFault
from elcano.graphs.report.places import Cell, Line
from elcano.graphs.text import clean_text

_REPLACED: Final = {
    0x00A0: " ",
    0x2028: "\n",
    0x2029: "\n",
    # Ligatures are one character in print and several letters in every query.
    **dict(zip(range(0xFB00, 0xFB07), ("ff", "fi", "fl", "ffi", "ffl", "st", "st"), strict=True)),
    # Soft hyphens, zero-width spaces and byte order marks are invisible and would split words.
    **dict.fromkeys((0x00AD, 0x200B, 0x2060, 0xFEFF), ""),
    # These order what is around them anew, so that a text reads otherwise than it is searched and quoted.
    **dict.fromkeys((0x061C, 0x200E, 0x200F, *range(0x202A, 0x202F), *range(0x2066, 0x206A)), ""),
}
_REPLACEABLE: Final = re.compile(f"[{''.join(map(chr, _REPLACED))}]")


class FileSkipped(ActivityFault):
    """One document cannot be read; the others can. The text is the reason, fit for "<document>: <reason>".

    `needs` is what it could be read with, as in `Gap`.
    """

    def __init__(self, reason: str, needs: str = "") -> None:
        super().__init__(reason)
        self.needs = needs


BlockKind: TypeAlias = Literal["text", "heading", "list", "code", "table", "caption", "note", "formula", "comment"]
"""Kind of a block. A list has its items on lines. A table has its rows on lines and its cells between ` | `. A caption
names the table or figure next to it. A note is a footnote, an endnote or a text next to the main one. A comment is a
reader's."""


@dataclass(frozen=True, slots=True)
class Block:
    """One paragraph, heading, list, table or the like, as a reader found it.

    Readers leave out what a person cannot see, and the running heads and feet of pages.
    """

    text: str
    kind: BlockKind = "text"
    level: int = 0
    """The level of a heading: 1 is the highest."""
    page: int = 0
    """The page on which it begins, counted from 1; 0: the format has no pages."""
    anchor: str = ""
    """Fragment that leads to it in a browser; in a workbook its sheet and range, such as `Costs!A3:F20`."""
    paragraph: int = 0
    """Counted from 1; 0: the format is cited otherwise."""
    lines: Sequence[Line] = ()
    """The places of its lines on pages, in reading order, with offsets within `text`. A paragraph may cross pages."""
    cells: Sequence[Cell] = ()
    """The cells of a table, with offsets within `text`, row by row."""
    confidence: float | None = None
    """OCR's confidence in its words, 0 to 1; None: its characters are in the file."""


class Gap(NamedTuple):
    """Something that a document holds and that was not read, or was left out on purpose."""

    reason: str
    """A sentence without its full stop, fit for `<document>: <reason>`, with what to do about it if there is anything:
    `pages 3 to 5 are pictures, and OCR is not installed: make setup`."""
    pages: tuple[int, ...] = ()
    """The pages concerned, counted from 1; empty: the format has none, or it concerns the whole document."""
    unread: bool = True
    """Whether text may be missing. False: nothing that a reader of the document sees is, as with hidden text."""
    needs: str = ""
    """Missing component that could read it: `ocr`, or a language of OCR, `ocr:deu`. Once it is, the document is read
    anew. Empty: nothing that can be installed."""


@dataclass(frozen=True, slots=True)
class Parsed:
    """The result of a document reader."""

    blocks: list[Block]
    title: str = ""
    """The title that the format itself declares, or its first page; empty if neither does."""
    authors: tuple[str, ...] = ()
    """The authors that it declares."""
    year: int = 0
    """The year of publication that it declares; 0 if it does not."""
    work: str = ""
    """The `Work` that it is the text of, as JSON; empty: a document of its own."""
    doi: str = ""
    """The DOI that the document gives as its own, in lower case; empty if it gives none."""
    gaps: tuple[Gap, ...] = ()
    page_labels: tuple[str, ...] = ()
    """Printed number of each page, such as `iv`; empty: the numbers from 1."""
    furniture: tuple[str, ...] = ()
    """Running heads and feet of the first pages, which are in no block, but may say where the document appeared."""


class Passage(NamedTuple):
    """A part of a document's text, `start` to `end` in characters, that is short enough to be shown and cited."""

    start: int
    end: int
    heading: str
    """The headings above it, joined by ` > `."""
    page: int
    """The page on which it begins."""
    anchor: str
    paragraph: int
    last_page: int = 0
    """The page on which it ends; 0: the one on which it begins."""
    head: str = ""
    """The rows that name the columns of the table of which it is a later part, cells between ` | `."""


@dataclass(frozen=True, slots=True)
class Document:
    """A document as it is stored: quotes are looked up in `text`."""

    __pydantic_config__: ClassVar = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    title: str
    media_type: str
    text: str
    passages: tuple[Passage, ...]
    authors: tuple[str, ...] = ()
    year: int = 0
    """0: not known."""
    work: str = ""
    """The `Work` that it is the text of, as JSON."""
    doi: str = ""
    """In lower case; empty: not known."""
    gaps: tuple[Gap, ...] = ()
    places: bytes = b""
    """The places of its lines and cells, its blocks, and the labels of its pages; see `StoredPlaces`."""


def normalize_text(text: str) -> str:
    """`text` in NFC, with plain spaces and line feeds, without invisible and control characters and noncharacters.

    Compatibility forms other than ligatures stay: NFKC would turn 10² into 102.
    """
    if _REPLACEABLE.search(text):  # much quicker than to translate what has nothing to translate
        text = text.translate(_REPLACED)
    return unicodedata.normalize("NFC", clean_text(text))


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
    file_hash: str = ""
    """SHA-256 of the file that `data` was read from; empty: `data` are the file's bytes."""


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
    """Folder or set of documents under one name."""

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


_MARKS: Final = (  # The longer marks first: that of UTF-32 begins with that of UTF-16.
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_FALLBACKS: Final = ("utf-8", "cp1252", "latin-1")
_STRANGE: Final = re.compile(r"[\x00-\x08\x0e-\x1a\x1c-\x1f\x7f-\x9f]")
_STRANGE_SHARE: Final = 0.02
"""More control characters than this are no text in any encoding."""

_ITEM: Final = re.compile(r"\s*(?:[-*+•]|\d{1,3}[.)]|[|>])\s")
_UNDERLINE: Final = re.compile(r"([=\-~^\"#*+.:_`'])\1{2,}\s*$")
_DROPPED: Final = re.compile(r"\.\. (?:image|figure|_|\||raw|contents|include|code|sourcecode|highlight)")
_RST_LINK: Final = re.compile(r"`([^`<>\n]{1,300}?)\s*<[^<>\n]{1,500}>`__?")
_RST_ROLE: Final = re.compile(r":[a-z:]{1,40}:`([^`\n]{1,300})`")


def decode_text(content: bytes, declared: str | None = None) -> str:
    """The text of `content`: by its byte order mark, its declared encoding, as UTF-8, else as Western European.

    Raises:
        FileSkipped: it is not text.
    """
    for mark, encoding in _MARKS:
        if content.startswith(mark):
            try:
                return content.decode(encoding)
            except UnicodeDecodeError as error:
                raise FileSkipped(f"it claims to be {encoding.upper()} and is not") from error
    if b"\0" in content:
        raise FileSkipped("it is binary, not text")
    text = _decode_with_fallbacks(content, (declared, *_FALLBACKS) if declared else _FALLBACKS)
    if len(_STRANGE.findall(text)) > len(text) * _STRANGE_SHARE:
        raise FileSkipped("it is binary, not text")
    return text


def _decode_with_fallbacks(content: bytes, encodings: Sequence[str]) -> str:
    for encoding in encodings:
        try:
            return content.decode(encoding)
        except (UnicodeDecodeError, LookupError):  # LookupError: a page may declare an encoding that does not exist
            continue
    raise AssertionError("latin-1 decodes everything")


def read_text(content: bytes) -> Parsed:
    """Plain text."""
    return Parsed(list(_parse_text_blocks(decode_text(content).splitlines(), build_paragraph)))


def read_rst(content: bytes) -> Parsed:
    """reStructuredText: as plain text, without pictures, targets and the marks of links."""
    text = _RST_ROLE.sub(r"`\1`", _RST_LINK.sub(r"\1", decode_text(content)))
    blocks = _parse_text_blocks(text.splitlines(), lambda lines: build_paragraph(lines, indent="   "))
    return Parsed([block for block in blocks if not _DROPPED.match(block.text)])


def build_paragraph(lines: Sequence[str], indent: str = "    ") -> Block:
    """Lines without a blank one between them: indented ones are code, others flow, but items keep their lines."""
    if all(line.startswith((indent, "\t")) for line in lines):
        return Block(textwrap.dedent("\n".join(lines)), kind="code")
    parts = [lines[0].strip()]
    for line in lines[1:]:
        parts.append("\n" if _ITEM.match(line) else " ")
        parts.append(line.strip())
    return Block("".join(parts))


def _parse_text_blocks(lines: Sequence[str], paragraph: Callable[[Sequence[str]], Block]) -> Iterator[Block]:
    levels: list[str] = []
    waiting: list[str] = []
    for line in lines:
        if _is_underline(line, waiting):
            title = waiting.pop().strip()
            if waiting and not _UNDERLINE.match(waiting[-1]):
                yield paragraph(waiting)
            waiting = []
            if line[0] not in levels:
                levels.append(line[0])
            yield Block(title, kind="heading", level=levels.index(line[0]) + 1)
        elif line.strip():
            waiting.append(line)
        elif waiting:
            yield paragraph(waiting)
            waiting = []
    if waiting:
        yield paragraph(waiting)


def _is_underline(line: str, above: Sequence[str]) -> bool:
    """An underline belongs to a one-line title that is not longer than it and no rule itself."""
    if not above or not _UNDERLINE.match(line) or _UNDERLINE.match(above[-1]):
        return False
    title = above[-1].rstrip()
    return len(title) <= len(line.rstrip()) + 2 and (len(above) == 1 or bool(_UNDERLINE.match(above[-2])))
