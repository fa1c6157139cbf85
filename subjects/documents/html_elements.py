"""Elements of HTML: which begin blocks, which are not read, and what kind of block each makes."""

import re
from typing import Final

from selectolax.lexbor import LexborNode

from elcano.activities.passages.document import BlockKind

BLOCK_TAGS: Final = frozenset(
    [
        "address",
        "article",
        "aside",
        "blockquote",
        "body",
        "caption",
        "center",
        "dd",
        "details",
        "dialog",
        "dir",
        "div",
        "dl",
        "dt",
        "fieldset",
        "figcaption",
        "figure",
        "footer",
        "form",
        "frameset",
        "h1",
        "h2",
        "h3",
        "h4",
        "h5",
        "h6",
        "header",
        "hgroup",
        "hr",
        "html",
        "legend",
        "li",
        "listing",
        "main",
        "menu",
        "nav",
        "ol",
        "p",
        "plaintext",
        "pre",
        "search",
        "section",
        "summary",
        "table",
        "tbody",
        "td",
        "tfoot",
        "th",
        "thead",
        "tr",
        "ul",
        "xmp",
        "iframe",
        "video",
        "audio",
        "canvas",
        "object",
    ]
)
UNREADABLE: Final = frozenset(
    [
        "script",
        "style",
        "template",
        "noscript",
        "svg",
        "math",
        "select",
        "iframe",
        "object",
        "canvas",
        "video",
        "audio",
        "head",
        "input",
        "textarea",
        "datalist",
        "option",
        "optgroup",
        "meter",
        "progress",
        "rp",
        "frameset",
        "colgroup",
        "col",
        "map",
        "img",
        "embed",
        "applet",
    ]
)
_SKIPPED_TAGS: Final = frozenset({"nav", "footer"})
_SKIPPED_ROLES: Final = frozenset(
    {"navigation", "search", "banner", "contentinfo", "doc-toc", "doc-pagelist", "doc-pagebreak", "menu"}
)
_MARGIN_CLASSES: Final = frozenset({"pagenum", "pageno", "page-number", "lnum", "linenum", "line-number", "linenumber"})
"""Numbers of pages and lines that style sheets put into the margin: in a sentence they read as figures."""
_SKIPPED_CLASSES: Final = frozenset(
    {"headerlink", "sphinxsidebar", "related", "toctree-wrapper", "navheader", "navfooter", "nav-panel", "breadcrumbs"}
)
ANCHOR_TAGS: Final = frozenset({"h1", "h2", "h3", "h4", "h5", "h6", "section", "article", "dt", "a"})
_HEADINGS: Final = {f"h{level}": level for level in range(1, 7)}
LISTS: Final = frozenset({"ul", "ol", "menu", "dir"})
CELLS: Final = frozenset({"td", "th"})
ROW_GROUPS: Final = frozenset({"thead", "tbody", "tfoot"})
TABLE_TAGS: Final = CELLS | ROW_GROUPS | {"table", "tr"}
PREFORMATTED: Final = frozenset({"pre", "listing", "xmp", "plaintext"})
_NOTE_ROLES: Final = frozenset(
    {"doc-footnote", "doc-endnote", "doc-endnotes", "footnote", "endnote", "endnotes", "note"}
)
_NOTE_CLASSES: Final = frozenset({"footnote", "footnotes", "endnotes", "footnote-list", "mw-references-wrap"})
_DISPLAY: Final = re.compile(r"(?:^|;)\s*display\s*:\s*([a-z-]{4,20})", re.IGNORECASE)


def is_skipped(tag: str, attributes: dict[str, str | None], node: LexborNode) -> bool:
    """Whether an element is no part of the text: navigation, a search form, a running head or foot."""
    if tag in _SKIPPED_TAGS and not (tag == "footer" and _holds_words(node)):
        return True
    return (
        (attributes.get("role") or "").lower() in _SKIPPED_ROLES
        or not (_SKIPPED_CLASSES | _MARGIN_CLASSES).isdisjoint((attributes.get("class") or "").split())
        or attributes.get("role") == "doc-backlink"
        or attributes.get("epub:type") == "pagebreak"
    )


def _holds_words(node: LexborNode) -> bool:
    """Whether a footer belongs to the text: it names whom a quotation is from, or has the notes."""
    above = node.parent.tag if node.parent is not None else ""
    if above in ("blockquote", "figure"):
        return True
    child = node.child
    while child is not None:
        if child.is_element_node and (child.attributes.get("role") or "") in _NOTE_ROLES:
            return True
        child = child.next
    return False


def is_block(node: LexborNode, tag: str, attributes: dict[str, str | None]) -> bool:
    """Whether an element begins a block, as browsers show it."""
    style = attributes.get("style")
    if style and tag not in TABLE_TAGS and (found := _DISPLAY.search(style)):
        return not found[1].lower().startswith(("inline", "contents"))
    return tag in BLOCK_TAGS or ("-" in tag and _holds_blocks(node))


def find_kind(tag: str, attributes: dict[str, str | None]) -> tuple[BlockKind, int] | None:
    """The kind, and the level, that an element gives to the blocks in it; None: it gives none."""
    if tag in _HEADINGS:
        return "heading", _HEADINGS[tag]
    if tag in PREFORMATTED:
        return "code", 0
    if tag in ("figcaption", "caption"):
        return "caption", 0
    roles = (attributes.get("role") or attributes.get("epub:type") or "").lower().split()
    if not _NOTE_ROLES.isdisjoint(roles) or tag == "aside":
        return "note", 0
    if not _NOTE_CLASSES.isdisjoint((attributes.get("class") or "").lower().split()):
        return "note", 0
    return None


def _holds_blocks(node: LexborNode) -> bool:
    child = node.child
    while child is not None:
        if child.is_element_node and child.tag in BLOCK_TAGS:
            return True
        child = child.next
    return False
