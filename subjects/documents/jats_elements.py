"""Single elements of JATS: which begin a block, which are only marks, and how captions, tables and references read."""

from collections.abc import Iterator
from typing import Final

from elcano.subjects.documents.article_stream import ArticleStream
from elcano.subjects.documents.article_text import (
    TextRules,
    join_lines,
    parse_span,
    write_text,
)
from elcano.subjects.documents.tables import TableCell, place_spans
from elcano.text.xml_tree import Element, get_local_name

TABLE_PARTS: Final = frozenset({"thead", "tbody", "tfoot", "tgroup"})
BLOCKS: Final = frozenset(
    {
        "p", "sec", "list", "def-list", "disp-formula", "disp-formula-group", "disp-quote", "table-wrap",
        "table-wrap-group", "fig", "fig-group", "boxed-text", "preformat", "code", "verse-group", "statement",
        "supplementary-material", "fn", "fn-group", "ref-list", "ack", "app", "app-group", "glossary", "notes", "bio",
        "table-wrap-foot", "alternatives", "array", "speech", "question-wrap", "media", "graphic", "chem-struct-wrap",
        "title", "label", "caption", "table",
    }
)  # fmt: skip
"""Elements that begin a block where they are in a paragraph."""
_REFERENCES: Final = frozenset({"bibr", "fn", "table-fn", "author-notes", "corresp", "aff"})
LEFT_OUT: Final = frozenset(
    {"object-id", "alt-text", "long-desc", "permissions", "processing-meta", "index-term", "custom-meta", "kwd-group",
     "institution-id",
     "x", "graphic", "inline-graphic", "media", "ext-link-hidden", "textual-form", "fn", "strike"}
)  # fmt: skip

_PARTED: Final = (
    *("surname", "given-names", "name", "string-name", "collab", "year", "article-title", "chapter-title"),
    *("data-title", "source", "volume", "fpage", "elocation-id", "pub-id", "publisher-name", "publisher-loc"),
    *("conf-name", "institution", "award-id"),
)
_INLINE: Final = frozenset(
    {"bold", "italic", "sup", "sub", "sc", "underline", "overline", "strike", "monospace", "roman", "sans-serif",
     "xref", "ext-link", "uri", "email", "named-content", "styled-content", "abbrev", "inline-formula", "break",
     "milestone-start", "milestone-end"}
)  # fmt: skip


def _is_mark(element: Element) -> bool:
    """Whether an element is only marks of references or notes, raised behind a word."""
    name = get_local_name(element)
    if name not in ("sup", "xref"):
        return False
    links = [one for one in element.iter("{*}xref") if one.get("ref-type") in _REFERENCES]
    if name == "sup" and links:
        text = "".join(element.itertext())
        for link in links:
            text = text.replace("".join(link.itertext()), "", 1)
        return not any(map(str.isalnum, text))
    if name == "xref" and links[:1] == [element]:
        inner = [one for one in element if get_local_name(one)]
        return bool(inner) and not (element.text or "").strip() and all(get_local_name(one) == "sup" for one in inner)
    return False


RULES: Final = TextRules(
    left_out=LEFT_OUT,
    spaced=frozenset({"p", "title", "list-item", "def-item", "td", "th", "sec", "label", "caption", "verse-line"}),
    raised=lambda element: get_local_name(element) == "sup",
    lowered=lambda element: get_local_name(element) == "sub",
    is_mark=_is_mark,
    is_formula=lambda element: get_local_name(element) in ("inline-formula", "math", "tex-math", "disp-formula"),
    parted=_PARTED,
    is_inline=lambda element: get_local_name(element) in _INLINE and not has_blocks(element),
)


def has_blocks(element: Element) -> bool:
    """Whether blocks begin within an element."""
    return any(get_local_name(one) in BLOCKS for one in element)


def write_caption(element: Element) -> str:
    """Return the label and the caption of a figure or table."""
    label = " ".join((element.findtext("{*}label") or "").split())
    caption = element.find("{*}caption")
    text = join_lines(write_text(caption, RULES)) if caption is not None else ""
    return " ".join(filter(None, (f"{label}." if label and label[-1].isalnum() else label, text)))


def read_table(stream: ArticleStream, table: Element) -> Iterator[TableCell]:
    """The cells of a table of the model of HTML or of OASIS, of which one row after the other is parsed."""
    columns: dict[str, int] = {}
    """Of OASIS, by their names."""

    def list_rows(parent: Element, in_head: bool) -> Iterator[list[TableCell]]:
        for one in stream.list_children(parent):
            name = get_local_name(one)
            if name in ("tr", "row"):
                yield [_read_cell(cell, in_head) for cell in one if get_local_name(cell) in ("td", "th", "entry")]
            elif name == "colspec":
                columns[one.get("colname", "")] = len(columns)
            elif name in TABLE_PARTS:
                yield from list_rows(one, in_head or name == "thead")

    def _read_cell(cell: Element, in_head: bool) -> TableCell:
        text = join_lines(write_text(cell, RULES)).replace("\n", " ")
        if get_local_name(cell) != "entry":
            rows, wide = parse_span(cell.get("rowspan")), parse_span(cell.get("colspan"))
            return TableCell(text, rows=rows, columns=wide, head=in_head or get_local_name(cell) == "th")
        more = parse_span(cell.get("morerows")) if cell.get("morerows", "0") != "0" else 0
        wide = max(columns.get(cell.get("nameend", ""), 0) - columns.get(cell.get("namest", ""), 0), 0)
        return TableCell(text, rows=more + 1, columns=wide + 1, head=in_head)

    return place_spans(list_rows(table, False))


def write_reference(element: Element) -> str:
    """A reference as it is printed, or its parts in the usual order where only these are given."""
    label = " ".join((element.findtext("{*}label") or "").split())
    for one in element.iter("{*}mixed-citation", "{*}citation"):
        if (one.text or "").strip() or any((part.tail or "").strip() for part in one):
            return f"{label} {write_text(one, RULES)}"
    citation = next(element.iter("{*}element-citation", "{*}mixed-citation", "{*}citation", "{*}nlm-citation"), None)
    if citation is None:
        return f"{label} {write_text(element, RULES, ('label',))}"
    names = [
        " ".join(filter(None, (one.findtext("{*}surname"), one.findtext("{*}given-names"))))
        for one in citation.iter("{*}name")
    ]
    names += [" ".join("".join(one.itertext()).split()) for one in citation.iter("{*}collab")]
    parts = {get_local_name(one): " ".join(write_text(one, RULES).split()) for one in reversed(citation)}
    pages = "-".join(filter(None, (parts.get("fpage"), parts.get("lpage")))) or parts.get("elocation-id", "")
    source = ", ".join(filter(None, (parts.get("source"), parts.get("volume"), pages)))
    title = parts.get("article-title") or parts.get("chapter-title") or parts.get("data-title")
    identifier = next((one.text or "" for one in citation.iter("{*}pub-id") if one.get("pub-id-type") == "doi"), "")
    year = f"({parts['year']})" if parts.get("year") else ""
    listed = (", ".join(names), year, title, source, f"doi:{identifier}" if identifier else "")
    return " ".join(filter(None, (label, ". ".join(filter(None, listed)))))
