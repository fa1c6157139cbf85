"""Plain text and reStructuredText: paragraphs between blank lines, headings by their underlines.

Every pattern here is linear, or bounded in length: the text may be fifty megabytes of anything.
"""

import codecs
import re
import textwrap
from collections.abc import Callable, Iterator, Sequence
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Parsed

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
