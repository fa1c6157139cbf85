"""Markdown as text to read and quote: structure becomes blocks, links their words, badges nothing.

Every pattern is bounded in length: the text may be fifty megabytes of opening brackets.
"""

import html
import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Final

from elcano.activities.passages.document import Block, Parsed, build_paragraph, decode_text
from elcano.subjects.documents.authorship import parse_authors, parse_year
from elcano.subjects.documents.tables import TableCell, build_table
from elcano.text.inline_markup import write_tagged_scripts

_FENCE: Final = re.compile(r" {0,3}(`{3,}|~{3,})")
_HEADING: Final = re.compile(r" {0,3}(#{1,6})(?:\s+(.*))?$")
_SETEXT: Final = re.compile(r" {0,3}(=+|-+)\s*$")
_RULE: Final = re.compile(r"[\s|:*_-]+$")
_DEFINITION: Final = re.compile(r" {0,3}\[[^\]\n]{1,200}\]:\s")
_FRONT_FIELD: Final = re.compile(r"(?P<name>[A-Za-z][\w-]{0,40})\s*:(?:\s+(?P<value>.*))?$")
_FRONT_ITEM: Final = re.compile(r"\s*-\s+(.+)$")
_CODE_SPAN: Final = re.compile(r"(`[^`\n]{1,500}`)")
_IMAGE: Final = re.compile(r"!\[[^\]]{0,500}\](?:\([^()]{0,1000}\)|\[[^\]]{0,200}\])")
_LINK: Final = re.compile(r"\[([^\[\]]{0,500})\](?:\([^()]{0,1000}\)|\[[^\[\]]{0,200}\])")
_TAG: Final = re.compile(r"</?[a-zA-Z][^<>]{0,1000}>")
_AUTOLINK: Final = re.compile(r"<((?:https?|mailto):[^<>\s]{1,1000})>")
_STRUCK: Final = re.compile(
    r" ?(?:(?<!~)~~(?=\S)[^~\n]{1,500}(?<=\S)~~(?!~)|<(s|del|strike)>[^<\n]{0,500}</\1>)", re.IGNORECASE
)
_EMPHASIS: Final = re.compile(r"(\*\*|__)(?=\S)([^*_\n]{1,500})(?<=\S)\1")
_CELL_END: Final = re.compile(r"(?<!\\)\|")
_NOT_SLUG: Final = re.compile(r"[^\w\- ]")


def read_markdown(content: bytes) -> Parsed:
    """Read Markdown, with or without front matter."""
    lines = decode_text(content).splitlines()
    front, lines = _front_matter(lines)
    authors = parse_authors(front.get("authors", "") or front.get("author", ""))
    year = parse_year(front.get("year", "") or front.get("date", ""))
    return Parsed(list(_add_heading_anchors(_parse_blocks(lines))), front.get("title", ""), authors, year)


def _front_matter(lines: list[str]) -> tuple[dict[str, str], list[str]]:
    """Read the front matter, by name, items of lists each on a line; and the lines of the text."""
    if not lines or lines[0].rstrip() != "---" or "---" not in (ends := [line.rstrip() for line in lines[1:200]]):
        return {}, lines
    end = ends.index("---") + 1
    front: dict[str, str] = {}
    name = ""
    for line in lines[1:end]:
        if found := _FRONT_FIELD.match(line):
            name = found["name"].lower()
            front.setdefault(name, (found["value"] or "").strip().strip("\"'"))
        elif (item := _FRONT_ITEM.match(line)) and name in front:
            front[name] = f"{front[name]}\n{item[1].strip()}".strip()
    return front, lines[end + 1 :]


def _parse_blocks(lines: list[str]) -> Iterator[Block]:
    waiting: list[str] = []
    number = 0
    while number < len(lines):
        line = lines[number]
        number += 1
        fence, heading = _FENCE.match(line), _HEADING.match(line)
        if fence or heading or not line.strip() or line.lstrip().startswith("<!--"):
            yield from _parse_paragraph(waiting)
            waiting = []
        if fence:
            end = _find_closing_fence(lines, number, fence[1])
            yield Block("\n".join(lines[number:end]), kind="code")
            number = end + 1
        elif heading:
            yield Block(_parse_inline_text((heading[2] or "").rstrip("# ")), kind="heading", level=len(heading[1]))
        elif line.lstrip().startswith("<!--"):
            number = _after_comment(lines, number - 1)
        elif len(waiting) == 1 and (rule := _SETEXT.match(line)):
            yield Block(_parse_inline_text(waiting.pop()), kind="heading", level=1 if rule[1][0] == "=" else 2)
        elif line.strip() and not _DEFINITION.match(line) and (not _RULE.match(line) or _is_delimiter(line)):
            waiting.append(line)
    yield from _parse_paragraph(waiting)


def _find_closing_fence(lines: list[str], start: int, fence: str) -> int:
    """Return the line that closes the fence; the end of the text if none does."""
    for number in range(start, len(lines)):
        stripped = lines[number].strip()
        if len(stripped) >= len(fence) and set(stripped) == {fence[0]}:
            return number
    return len(lines)


def _after_comment(lines: list[str], start: int) -> int:
    for number in range(start, len(lines)):
        if "-->" in lines[number]:
            return number + 1
    return start + 1  # Never closed: only its first line is taken for a comment, so that no text is lost.


def _is_delimiter(line: str) -> bool:
    """Whether a line parts the names of a table's columns from its rows."""
    return set("|-") <= set(line.strip()) <= set("|:- \t")


def _parse_table(rows: list[str], *, heads: bool) -> Block:
    cells = (_CELL_END.split(_parse_inline_text(row.strip().strip("|").strip())) for row in rows)
    return build_table(
        TableCell(text.strip(), number, column, head=heads and number == 0)
        for number, row in enumerate(cells)
        for column, text in enumerate(row)
    )


def _parse_paragraph(lines: list[str]) -> Iterator[Block]:
    rule = next((at for at, line in enumerate(lines) if at and _is_delimiter(line) and "|" in lines[at - 1]), 0)
    above, rows = ([one for one in part if not _is_delimiter(one)] for part in (lines[:rule], lines[rule:]))
    lines = [*above, *rows]
    if rule and rows:
        yield from _parse_paragraph(above[:-1])
        yield _parse_table([above[-1], *rows], heads=True)
    elif len(lines) > 1 and all(line.lstrip().startswith("|") for line in lines):
        yield _parse_table(lines, heads=False)
    elif lines:
        block = build_paragraph(lines)
        yield block if block.kind == "code" else Block(_parse_inline_text(block.text))


def _parse_inline_text(text: str) -> str:
    """Return running text without pictures, link targets, struck text, tags and emphasis; code spans stay."""
    parts = _CODE_SPAN.split(text)
    return "".join(part if index % 2 else _strip_inline_markup(part) for index, part in enumerate(parts)).strip()


def _strip_inline_markup(text: str) -> str:
    text = write_tagged_scripts(text)
    for pattern, replacement in (
        (_IMAGE, ""),
        (_STRUCK, ""),
        (_LINK, r"\1"),
        (_AUTOLINK, r"\1"),
        (_TAG, ""),
        (_EMPHASIS, r"\2"),
    ):
        text = pattern.sub(replacement, text)
    return html.unescape(text)


def _add_heading_anchors(blocks: Iterator[Block]) -> Iterator[Block]:
    """Give blocks the anchor of the heading above them, as the common hosts of Markdown form it."""
    seen: dict[str, int] = {}
    anchor = ""
    for block in blocks:
        if block.kind == "heading":
            slug = _NOT_SLUG.sub("", block.text.lower()).strip().replace(" ", "-")
            anchor = f"{slug}-{seen[slug]}" if slug in seen else slug
            seen[slug] = seen.get(slug, 0) + 1
        yield replace(block, anchor=anchor)
