"""Fragments of JATS and HTML in the fields of services, as blocks of text.

They are often not well-formed, so they are parsed by the rules of HTML5, which never fail and know no custom entities.
A `<` that begins no whole tag is text: `<LOD` in an abstract hides nothing. The tree is walked without recursion.
"""

import html
import re
from typing import Final

from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.passages.document import Block
from elcano.activities.passages.formulas import write_exponents

MOST_CHARACTERS: Final = 50_000
"""Length of one fragment; the longest abstracts have some ten thousand."""
_BLOCKS: Final = frozenset(
    {"p", "sec", "title", "list", "list-item", "li", "ul", "ol", "div", "br", "tr", "table", "disp-formula", "body"}
    | {f"h{level}" for level in range(1, 7)}
)
_HEADINGS: Final = frozenset({"title", *(f"h{level}" for level in range(1, 7))})
_SET_APART: Final = frozenset({"italic", "i", "em"})
_UNREAD: Final = frozenset({"script", "style", "template", "annotation", "annotation-xml"})
_ASIDE: Final = re.compile(r"<!--.{0,1000}?-->|<!\[CDATA\[|\]\]>|<\?[^<>]{0,200}\?>", re.DOTALL)
"""Comments, processing instructions, and the marks around literal text."""
_STRAY: Final = re.compile(
    r"<(?!/?[a-z][a-z0-9:-]{0,30}+(?:\s++[\w:-]{1,40}+\s*+=\s*+(?:\"[^\"<>]{0,500}+\"|'[^'<>]{0,500}+'))*+\s*+/?>)",
    re.IGNORECASE,
)
_ESCAPED: Final = re.compile(
    r"&lt;(/?)((?:jats:)?(?:p|i|b|em|strong|italic|bold|sup|sub|sec|title|div|span|u|br|li|ul|ol|h[1-6]))"
    r"(?:\s[^<>&]{0,200})?/?&gt;",
    re.IGNORECASE,
)
"""A tag that was escaped once too often."""
_NO_NAME: Final = re.compile(r"(?i)\W*abstract\W*")


def parse_markup_blocks(fragment: str) -> tuple[Block, ...]:
    """Return the paragraphs and headings of a fragment, without a first heading that only says `Abstract`."""
    read = list(_parse_fragment(fragment[:MOST_CHARACTERS]))
    if read and read[0].kind == "heading" and _NO_NAME.fullmatch(read[0].text):
        del read[0]
    return tuple(read)


def flatten_markup(fragment: str) -> str:
    """Return all text of a fragment, such as a title, on one line."""
    return " ".join(block.text for block in _parse_fragment(fragment[:MOST_CHARACTERS]))


def _parse_fragment(fragment: str) -> list[Block]:
    if "<" not in fragment and "&" not in fragment:
        return [Block(plain)] if (plain := " ".join(fragment.split())) else []
    reading = _Reading()
    escaped = _STRAY.sub("&lt;", _ASIDE.sub(" ", _with_tags(fragment)))
    root = LexborHTMLParser(f"<!doctype html><body>{escaped}").body
    if root is not None:
        write_exponents(root)
        _walk_nodes(root, reading)
    reading.end()
    return reading.blocks


def _with_tags(fragment: str) -> str:
    """Return `fragment` with escaped elements that are closed as elements; `x &lt;b&gt; y` stays as it is."""
    closed = {found[2].lower() for found in _ESCAPED.finditer(fragment) if found[1]}
    if not closed:
        return fragment
    return _ESCAPED.sub(lambda tag: html.unescape(tag[0]) if tag[2].lower() in {*closed, "br"} else tag[0], fragment)


class _Reading:
    """The blocks and open headings read so far."""

    def __init__(self) -> None:
        self.blocks: list[Block] = []
        self._parts: list[str] = []
        self._kinds: list[str] = []
        """The open headings."""

    def add(self, text: str) -> None:
        self._parts.append(text)

    def enter(self, name: str) -> None:
        if name in _BLOCKS:
            self.end()
        if name in _HEADINGS:
            self._kinds.append(name)

    def leave(self, name: str) -> None:
        if name in _BLOCKS:
            self.end()
        if name in _HEADINGS and self._kinds:
            self._kinds.pop()

    def apart(self, following: str) -> None:
        """Separate two words that only a change of type separates: some publishers lose the space between them."""
        before = self._parts[-1][-1:] if self._parts else ""
        if before.isalnum() and re.match(r"\w\w", following):
            self._parts.append(" ")

    def end(self) -> None:
        text = " ".join("".join(self._parts).split())
        self._parts.clear()
        if not text:
            return
        self.blocks.append(Block(text, "heading", level=1) if self._kinds else Block(text))


def _walk_nodes(root: LexborNode, reading: _Reading) -> None:
    node: LexborNode | None = root.child
    while node is not None:
        if node.is_text_node:
            _add_text_node(node, reading)
        elif node.is_element_node and not _is_skipped_node(node):
            reading.enter(_get_local_name(node))
            if node.child is not None:
                node = node.child
                continue
            reading.leave(_get_local_name(node))
        while node is not None and node.next is None and node.mem_id != root.mem_id:
            node = node.parent
            if node is not None and node.mem_id != root.mem_id:
                reading.leave(_get_local_name(node))
        node = node.next if node is not None and node.mem_id != root.mem_id else None


def _add_text_node(node: LexborNode, reading: _Reading) -> None:
    text = node.text_content or ""
    parent, before = node.parent, node.prev
    if (before is not None and _get_local_name(before) in _SET_APART) or (
        before is None and parent is not None and _get_local_name(parent) in _SET_APART
    ):
        reading.apart(text)
    reading.add(text)


def _is_skipped_node(node: LexborNode) -> bool:
    """Whether a node says nothing, or repeats what another says: TeX beside MathML."""
    parent = node.parent
    name = _get_local_name(node)
    return name in _UNREAD or (name == "tex-math" and parent is not None and _get_local_name(parent) == "alternatives")


def _get_local_name(node: LexborNode) -> str:
    """Return the name of an element without its prefix, such as `jats:` or `mml:`."""
    return (node.tag or "").rpartition(":")[2]
