"""The blocks of a page in reading order, found by a walk over its tree that does not recurse.

An element begins a block if browsers show it so. Elements that browsers do not know are inline, unless they hold
blocks: those are components of a page, drawn as its style sheets say. List items keep a mark before them, `-` or their
number: without it two items read like one sentence.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborNode

from elcano.activities.passages.document import Block, BlockKind
from elcano.subjects.documents.html_elements import (
    ANCHOR_TAGS,
    BLOCK_TAGS,
    LISTS,
    PREFORMATTED,
    ROW_GROUPS,
    TABLE_TAGS,
    UNREADABLE,
    find_kind,
    is_block,
    is_skipped,
)
from elcano.subjects.documents.html_lists import ListMarks
from elcano.subjects.documents.html_parts import Part, Scope
from elcano.subjects.documents.html_tables import (
    MOST_ROWS,
    HtmlCell,
    Table,
    build_html_table,
    is_layout,
    list_layout_parts,
    parse_span,
)
from elcano.subjects.documents.tables import MOST_COLUMNS

HEADING_CHARACTERS: Final = 200
"""Length of a heading; a longer one is a paragraph in large type, and is read as text."""
MOST_TABLES: Final = 30
"""Depth up to which tables in tables are separated; real pages have some ten. Deeper cells are read as text."""
_QUOTES: Final = ("\u201c\u201d", "\u2018\u2019")
"""The marks that browsers draw around `<q>`, and around one within another."""
_SPACES: Final = re.compile(r"[^\S\xa0]+")
_NEXT_RELS: Final = frozenset({"next", "prev", "previous", "up", "contents", "index", "start", "toc", "top", "home"})
_NAVIGATION: Final = re.compile(
    r"[\W\d_]*(?:(?:next|previous|prev|up|top|home|contents|index|back|page|chapter|section|topic|post|article|older|newer)"
    r"[\W\d_]*){1,8}",
    re.IGNORECASE,
)
"""Text next to the links of a navigation line: `Next: …, Previous: …`."""
_EDGES: Final = " |\n\t\r\f"


@dataclass(slots=True)
class _Open:
    """An element whose end has not been reached."""

    node: LexborNode
    tag: str
    is_block: bool
    scope: Scope | None = None
    """The scope around it, to return to."""
    kind: bool = False
    """Whether it decides the kind of blocks in it."""
    blocks: int = 0
    """Number of block elements begun before it."""
    is_table: bool = False
    is_cell: bool = False


@dataclass
class _Page:
    """The parts of a page read so far."""

    whole: bool
    """Whether parts besides the main part are read as well."""
    found: list[Part] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    tables: list[Table] = field(default_factory=list)
    """The open tables."""
    sinks: list[list[Part]] = field(default_factory=list)
    """Targets of parts in open cells; empty: to `found`."""
    kinds: list[tuple[BlockKind, int]] = field(default_factory=list)
    """The kinds, and levels, that open elements give to blocks."""
    preformatted: int = 0
    """Number of open `pre`s."""
    anchor: str = ""
    """The last anchor before this place."""
    lists: ListMarks = field(default_factory=ListMarks)
    mark: str = ""
    """The mark of the item that begins here."""
    scope: Scope | None = None
    blocks: int = 0
    links: int = 0
    """Number of open links."""
    linked: int = 0
    leading_links: int = 0
    """Number of links of the block that say that they lead to the next page or the like."""
    unlinked: list[str] = field(default_factory=list)
    quotes: int = 0
    readings: list[list[str]] = field(default_factory=list)
    """The readings of open rubies."""
    reading: int = 0
    """Number of open readings."""

    def add_text(self, text: str) -> None:
        if not self.preformatted:
            text = _SPACES.sub(" ", text)
        if self.reading and self.readings:
            self.readings[-1].append(text)
            return
        self.texts.append(text)
        if self.links:
            self.linked += len(text)
        elif len(self.unlinked) < 20:
            self.unlinked.append(text)

    def flush(self) -> None:
        """End a block."""
        if not self.texts:
            return
        text = "".join(self.texts)
        self.texts.clear()
        linked, self.linked = self.linked, 0
        unlinked = "".join(self.unlinked)
        self.unlinked.clear()
        leading, self.leading_links = self.leading_links, 0
        kind, level = self.kinds[-1] if self.kinds else ("text", 0)
        if not text.strip(_EDGES) and not (kind in ("heading", "code") and text.strip()):
            return
        leads_on = bool(linked) and (
            (leading > 0 and len(unlinked.strip()) <= linked)
            or _NAVIGATION.fullmatch(unlinked.strip()[:200]) is not None
        )
        if kind == "code" and self.preformatted:
            block = Block(text, kind="code", anchor=self.anchor)
            mark, self.mark = "", ""
        else:
            plain = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text)).strip()
            if kind == "heading" and len(plain) > HEADING_CHARACTERS:
                kind, level = "text", 0
            mark = self.mark if kind in ("text", "note") else ""
            self.mark = ""
            block = Block(mark + plain, kind=kind, level=level, anchor=self.anchor)
        self.emit(Part(block, mark, linked, self.scope, leads_on))

    def emit(self, part: Part) -> None:
        if self.whole or not part.leads_on:
            (self.sinks[-1] if self.sinks else self.found).append(part)

    def enter(self, node: LexborNode) -> _Open | None:
        """Begin an element; None: it is not read."""
        tag = node.tag or ""
        if tag in UNREADABLE or (tag == "button" and not self._in_heading()):
            if tag in BLOCK_TAGS:
                self.flush()
            return None
        attributes = node.attributes
        if not self.whole and is_skipped(tag, attributes, node):
            return None
        element = _Open(node, tag, is_block(node, tag, attributes), self.scope, blocks=self.blocks)
        if element.is_block:
            self._enter_block(element, attributes)
        else:
            self._enter_inline(tag, attributes)
        if tag in ANCHOR_TAGS:
            named = attributes.get("name") if tag == "a" else None
            self.anchor = attributes.get("id") or named or self.anchor
        return element

    def leave(self, element: _Open) -> None:
        tag = element.tag
        if element.is_block or (self.blocks > element.blocks and "-" in tag):
            self.flush()
        if tag in PREFORMATTED and element.kind:
            self.preformatted -= 1
        if element.kind:
            self.kinds.pop()
        if element.is_cell:
            self.sinks.pop()
        elif element.is_table:
            self._close_table()
        if tag in LISTS and element.is_block:
            self.lists.close()
        elif tag == "li":
            self.mark = ""
        elif not element.is_block:
            self._leave_inline(tag)
        self.scope = element.scope

    def _enter_block(self, element: _Open, attributes: dict[str, str | None]) -> None:
        self.flush()
        self.blocks += 1
        tag = element.tag
        names = " ".join(filter(None, (attributes.get(name) for name in ("class", "id", "role"))))
        self.scope = Scope(tag, names, self.scope)
        if (kind := find_kind(tag, attributes)) is not None:
            element.kind = True
            self.kinds.append(kind)
            self.preformatted += tag in PREFORMATTED
        if tag in TABLE_TAGS:
            self._enter_table(element, attributes)
        elif tag in LISTS:
            self.lists.open(element.node, attributes)
        elif tag == "li":
            self.mark = self.lists.next_mark(attributes)

    def _enter_inline(self, tag: str, attributes: dict[str, str | None]) -> None:
        if tag == "br":
            self.add_text("\n") if self.preformatted else self.texts.append("\n")
        elif tag == "a" and "href" in attributes:
            self.links += 1
            rels = (attributes.get("rel") or "").lower().split()
            self.leading_links += not _NEXT_RELS.isdisjoint(rels)
        elif tag == "q":
            self.texts.append(_QUOTES[self.quotes % 2][0])
            self.quotes += 1
        elif tag == "ruby":
            self.readings.append([])
        elif tag in ("rt", "rtc") and self.readings:
            self.reading += 1

    def _leave_inline(self, tag: str) -> None:
        if tag == "a":
            self.links = max(self.links - 1, 0)
        elif tag == "q":
            self.quotes -= 1
            self.texts.append(_QUOTES[self.quotes % 2][1])
        elif tag in ("rt", "rtc") and self.readings:
            self.reading = max(self.reading - 1, 0)
        elif tag == "ruby" and self.readings:
            reading = " ".join("".join(self.readings.pop()).split())
            self.texts.append(f"({reading})" if reading else "")

    def _in_heading(self) -> bool:
        return bool(self.kinds) and self.kinds[-1][0] == "heading"

    def _enter_table(self, element: _Open, attributes: dict[str, str | None]) -> None:
        tag = element.tag
        if tag == "table":
            if len(self.tables) < MOST_TABLES:
                element.is_table = True
                self.tables.append(Table((attributes.get("role") or "").lower() in ("presentation", "none")))
                self.sinks.append(self.tables[-1].outside)
        elif not self.tables:
            return
        elif tag in ROW_GROUPS:
            self.tables[-1].open_group(tag)
        elif tag == "tr":
            self.tables[-1].open_row()
        else:
            cell = HtmlCell(
                [],
                parse_span(attributes.get("rowspan"), 0, MOST_ROWS),
                parse_span(attributes.get("colspan"), 1, MOST_COLUMNS),
                tag == "th" or self.tables[-1].order == 0,
            )
            self.tables[-1].open_cell(cell)
            element.is_cell = True
            self.sinks.append(cell.parts)

    def _close_table(self) -> None:
        table = self.tables.pop()
        self.sinks.pop()
        sink = self.sinks[-1] if self.sinks else self.found
        if is_layout(table):
            sink += list_layout_parts(table)
            return
        sink += table.outside
        parts = [part for row in table.rows for cell in row.cells for part in cell.parts]
        anchor = parts[0].block.anchor if parts else ""
        if (block := build_html_table(table, anchor)) is not None:
            sink.append(Part(block, "", sum(part.linked for part in parts), self.scope))


def list_parts(root: LexborNode, *, whole: bool = False) -> list[Part]:
    """Return the blocks in `root`, in reading order.

    Args:
        root: the element to read.
        whole: include navigation and the like.
    """
    page = _Page(whole)
    _walk_tree(root, page)
    page.flush()
    return page.found


def _walk_tree(root: LexborNode, page: _Page) -> None:
    stack: list[_Open] = []
    node: LexborNode | None = root
    while True:
        if node is None:
            element = stack.pop()
            page.leave(element)
            if not stack:
                return
            node = element.node.next
            continue
        if node.is_text_node:
            page.add_text(node.text_content or "")
        elif node.is_element_node and (opened := page.enter(node)) is not None:
            stack.append(opened)
            node = node.child
            continue
        if not stack:
            return
        node = node.next
