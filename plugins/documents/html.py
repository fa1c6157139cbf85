"""HTML: the main part of a page as blocks; navigation, scripts and hidden parts are not read.

The tree is walked without recursion, since a page may be nested as deeply as its author likes. List items keep a mark
before them, `-` or their number: without it two items read like one sentence. The rows of a table are lines.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Final, NamedTuple

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.passages.document import Block, Parsed, decode_text
from elcano.activities.passages.formulas import write_formulas

_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_UNREADABLE: Final = "script|style|template|svg|math|select|iframe|object|canvas|video|audio|head"
_SKIPPED_TAGS: Final = re.compile(f"{_UNREADABLE}|noscript|nav|aside|footer|form|button|dialog")
_UNREADABLE_TAGS: Final = re.compile(_UNREADABLE)
_INLINE_TAGS: Final = re.compile(
    "a|abbr|acronym|b|bdi|bdo|big|br|button|cite|code|data|del|dfn|em|font|i|img|input|ins|kbd|label|link|mark|meta|nobr|"
    "picture|q|rp|rt|ruby|s|samp|small|source|span|strike|strong|sub|sup|time|tt|u|var|wbr"
)
_ANCHOR_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "dt", "a"})
_SKIPPED_ROLES: Final = frozenset({"navigation", "search", "banner", "contentinfo", "complementary"})
_SKIPPED_CLASSES: Final = frozenset({"headerlink", "sphinxsidebar", "related", "toctree-wrapper"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_CELLS: Final = frozenset({"td", "th"})


class Part(NamedTuple):
    """One block of a page."""

    block: Block
    table: int
    """The table that a row belongs to; 0: it is no row."""


@dataclass
class _Page:
    """The parts of a page read so far."""

    whole: bool
    """Whether parts beside the main part are read as well."""
    found: list[Part] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    tables: list[int] = field(default_factory=list)
    """The open tables."""
    seen_tables: int = 0
    preformatted: int = 0
    """Number of open `pre`s."""
    kind_tags: list[str] = field(default_factory=list)
    """The open headings and `pre`s."""
    anchor: str = ""
    """The last anchor before this place."""
    lists: list[int] = field(default_factory=list)
    """The open lists: the number of the last item of an ordered one, -1 for others."""
    mark: str = ""
    """The mark of the item that begins here."""

    def text(self, node: LexborNode) -> None:
        text = node.text_content or ""
        self.parts.append(text if self.preformatted else re.sub(r"\s+", " ", text))

    def flush(self, *, row: bool = False) -> None:
        """End a block; `row`: it is a whole row of the innermost table."""
        text = "".join(self.parts)
        self.parts.clear()
        if not text.strip(" |\n\t\r\f") and not (self.kind_tags and text.strip()):
            return
        tag = self.kind_tags[-1] if self.kind_tags else ""
        table = self.tables[-1] if row and self.tables else 0
        if tag == "pre":
            block = Block(text, kind="code", anchor=self.anchor)
        elif tag:
            block = Block(text, kind="heading", level=_HEADINGS[tag], anchor=self.anchor)
        else:
            plain = re.sub(r" *\n *", " " if table else "\n", re.sub(r" {2,}", " ", text)).strip()
            block = Block(self.mark + plain, "table" if table else "text", anchor=self.anchor)
        self.found.append(Part(block, 0 if tag else table))
        self.mark = ""

    def item(self) -> None:
        """Begin an item of the innermost list."""
        if self.lists and self.lists[-1] >= 0:
            self.lists[-1] += 1
        numbered = self.lists and self.lists[-1] >= 0 and not self.whole
        self.mark = f"{self.lists[-1]}. " if numbered else "- "


def read_html(content: bytes) -> Parsed:
    """Read a page, or a fragment of one."""
    charset = _CHARSET.search(content, 0, 4096)
    tree = LexborHTMLParser(decode_text(content, charset[1].decode("ascii") if charset else None))
    title = tree.css_first("head title")
    root = _find_main_element(tree)
    if root is None:
        return Parsed([], title.text() if title else "")
    write_formulas(root)
    return Parsed(joined_rows(parts_of(root)), title.text() if title else "")


def parts_of(root: LexborNode, *, whole: bool = False) -> list[Part]:
    """Return the blocks in `root`, in reading order.

    Args:
        root: the element to read.
        whole: include navigation, forms and the like; list items are not numbered then.
    """
    page = _Page(whole)
    _walk_tree(root, page)
    return page.found


def joined_rows(parts: Iterable[Part]) -> list[Block]:
    """Return the blocks of `parts`, with the rows of one table joined into one block."""
    return list(_merge_table_parts(parts))


def _merge_table_parts(parts: Iterable[Part]) -> Iterator[Block]:
    rows: list[str] = []
    first: Part | None = None
    for part in parts:
        if first is not None and part.table != first.table:
            yield replace(first.block, text="\n".join(rows))
            first = None
            rows = []
        if not part.table:
            yield part.block
            continue
        first = first or part
        rows.append(part.block.text)
    if first is not None:
        yield replace(first.block, text="\n".join(rows))


def _find_main_element(tree: LexborHTMLParser) -> LexborNode | None:
    """Return the element that declares itself the main part, if exactly one does."""
    main = tree.css("main, [role=main]")
    return main[0] if len(main) == 1 else tree.body


def _walk_tree(root: LexborNode, page: _Page) -> None:
    node: LexborNode | None = root
    while node is not None:
        if node.is_text_node:
            page.text(node)
        elif node.is_element_node and not _is_skipped_node(node, page):
            _enter_node(node, page)
            if node.child is not None:
                node = node.child
                continue
            _leave_node(node, page)
        while node is not None and node.next is None and node.mem_id != root.mem_id:
            node = node.parent
            if node is not None:
                _leave_node(node, page)
        node = node.next if node is not None and node.mem_id != root.mem_id else None
    page.flush()


def _is_skipped_node(node: LexborNode, page: _Page) -> bool:
    if page.whole:
        return _UNREADABLE_TAGS.fullmatch(node.tag or "") is not None
    if _SKIPPED_TAGS.fullmatch(node.tag or ""):
        return True
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in _SKIPPED_ROLES
        or not _SKIPPED_CLASSES.isdisjoint((attributes.get("class") or "").split())
    )


def _enter_node(node: LexborNode, page: _Page) -> None:
    tag = node.tag or ""
    if tag == "br":
        page.parts.append("\n")
    elif not _INLINE_TAGS.fullmatch(tag) and tag not in _CELLS:
        page.flush()
    if tag in _ANCHOR_TAGS:
        attributes = node.attributes
        page.anchor = attributes.get("id") or (attributes.get("name") if tag == "a" else None) or page.anchor
    if tag == "pre" or tag in _HEADINGS:
        page.kind_tags.append(tag)
    if tag == "pre":
        page.preformatted += 1
    elif tag == "table":
        page.seen_tables += 1
        page.tables.append(page.seen_tables)
    if tag in _LISTS:
        page.lists.append(0 if tag == "ol" else -1)
    elif tag == "li":
        page.item()


def _leave_node(node: LexborNode, page: _Page) -> None:
    tag = node.tag or ""
    if tag in _CELLS:
        page.parts.append(" | " if _has_cell_after(node) else "")
    elif not _INLINE_TAGS.fullmatch(tag):
        page.flush(row=tag == "tr")
    if page.kind_tags and page.kind_tags[-1] == tag:
        page.kind_tags.pop()
    if tag == "pre":
        page.preformatted -= 1
    elif tag == "table" and page.tables:
        page.tables.pop()
    if tag in _LISTS and page.lists:
        page.lists.pop()
    if tag == "li":
        page.mark = ""


def _has_cell_after(node: LexborNode) -> bool:
    after = node.next
    while after is not None and not after.is_element_node:
        after = after.next
    return after is not None
