"""HTML: the main part of a page as blocks; navigation, scripts and hidden parts are not read.

The tree is walked without recursion, since a page may be nested as deeply as its author likes. Items of lists keep a
mark before them, `-` or their number: without it two items read like one sentence.
"""

import re
from dataclasses import dataclass, field
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.sources.documents.document import Block, Parsed
from elcano.activities.sources.documents.plain import decode

_CHARSET: Final = re.compile(rb"<meta[^>]{0,200}charset=[\"']?([\w-]{1,40})", re.IGNORECASE)
_SKIPPED_TAGS: Final = re.compile(
    "script|style|noscript|template|svg|math|nav|aside|footer|form|button|select|iframe|object|canvas|video|audio|"
    "head|dialog"
)
_INLINE_TAGS: Final = re.compile(
    "a|abbr|b|bdi|bdo|br|cite|code|data|del|dfn|em|font|i|img|ins|kbd|label|mark|q|rp|rt|ruby|s|samp|small|span|strike|"
    "strong|sub|sup|time|tt|u|var|wbr"
)
_ANCHOR_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "dt", "a"})
_SKIPPED_ROLES: Final = frozenset({"navigation", "search", "banner", "contentinfo", "complementary"})
_SKIPPED_CLASSES: Final = frozenset({"headerlink", "sphinxsidebar", "related", "toctree-wrapper"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
_LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
_CELLS: Final = frozenset({"td", "th"})


@dataclass
class _Page:
    """What was read so far."""

    blocks: list[Block] = field(default_factory=list)
    parts: list[str] = field(default_factory=list)
    kind_tags: list[str] = field(default_factory=list)
    """The open headings and `pre`s."""
    anchor: str = ""
    """The last one before this place."""
    lists: list[int] = field(default_factory=list)
    """The open lists: the number of the last item of an ordered one, -1 of others."""
    mark: str = ""
    """Of the item that begins here."""

    def text(self, text: str) -> None:
        self.parts.append(text if "pre" in self.kind_tags else re.sub(r"\s+", " ", text))

    def flush(self) -> None:
        text = "".join(self.parts)
        self.parts.clear()
        if not text.strip():
            return
        tag = self.kind_tags[-1] if self.kind_tags else ""
        if tag == "pre":
            self.blocks.append(Block(text, kind="code", anchor=self.anchor))
        elif tag:
            self.blocks.append(Block(text, kind="heading", level=_HEADINGS[tag], anchor=self.anchor))
        else:
            plain = re.sub(r" *\n *", "\n", re.sub(r" {2,}", " ", text)).strip()
            self.blocks.append(Block(self.mark + plain, anchor=self.anchor))
        self.mark = ""

    def item(self) -> None:
        """Begins an item of the innermost list."""
        if self.lists and self.lists[-1] >= 0:
            self.lists[-1] += 1
        self.mark = f"{self.lists[-1]}. " if self.lists and self.lists[-1] >= 0 else "- "


def read(content: bytes) -> Parsed:
    """A page, or a fragment of one."""
    charset = _CHARSET.search(content, 0, 4096)
    tree = LexborHTMLParser(decode(content, charset[1].decode("ascii") if charset else None))
    title = tree.css_first("head title")
    root = _main(tree)
    page = _Page()
    if root is not None:
        _walk(root, page)
    return Parsed(page.blocks, title.text() if title else "")


def _main(tree: LexborHTMLParser) -> LexborNode | None:
    """The element that says it is the main part, if exactly one does."""
    main = tree.css("main, [role=main]")
    return main[0] if len(main) == 1 else tree.body


def _walk(root: LexborNode, page: _Page) -> None:
    node: LexborNode | None = root
    while node is not None:
        if node.is_text_node:
            page.text(node.text_content or "")
        elif node.is_element_node and not _skipped(node):
            _enter(node, page)
            if node.child is not None:
                node = node.child
                continue
            _leave(node, page)
        while node is not None and node.next is None and node.mem_id != root.mem_id:
            node = node.parent
            if node is not None:
                _leave(node, page)
        node = node.next if node is not None and node.mem_id != root.mem_id else None
    page.flush()


def _skipped(node: LexborNode) -> bool:
    if _SKIPPED_TAGS.fullmatch(node.tag or ""):
        return True
    attributes = node.attributes
    return bool(attributes) and (
        "hidden" in attributes
        or attributes.get("aria-hidden") == "true"
        or attributes.get("role") in _SKIPPED_ROLES
        or not _SKIPPED_CLASSES.isdisjoint((attributes.get("class") or "").split())
    )


def _enter(node: LexborNode, page: _Page) -> None:
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
    if tag in _LISTS:
        page.lists.append(0 if tag == "ol" else -1)
    elif tag == "li":
        page.item()


def _leave(node: LexborNode, page: _Page) -> None:
    tag = node.tag or ""
    if tag in _CELLS:
        page.text(" | " if node.next is not None else "")
    elif not _INLINE_TAGS.fullmatch(tag):
        page.flush()
    if page.kind_tags and page.kind_tags[-1] == tag:
        page.kind_tags.pop()
    if tag in _LISTS and page.lists:
        page.lists.pop()
    if tag == "li":
        page.mark = ""
