"""XML of services: their answers, the text of elements, and articles in JATS, the XML of open-access archives.

Of an article sections, paragraphs, lists, tables and captions are read. Superscript reference numbers after a word are
dropped, because there they read as figures: `Mexico¹` and `10¹` look alike. The list of references and all other back
matter is not read. Trees are walked without recursion.
"""

from collections.abc import Callable, Collection, Iterator
from html import unescape
from typing import Final

from lxml import etree

from elcano.activities.passages.document import Block
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.text.formulas import write_mathml
from elcano.text.words import lower_text, raise_text
from elcano.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, get_local_name, parse_xml

_APART: Final = frozenset({"p", "title", "label", "list-item", "break", "def", "term", "sec", "td", "th"})
"""Elements whose texts are separated by a space even if none is written."""
_FORMULAS: Final = frozenset({"math", "msup", "msub", "msubsup", "mfrac", "msqrt", "mroot", "mmultiscripts"})
"""Elements of MathML that are written by themselves; services give some of them without the formula around."""


def parse_xml_root(source: str, content: bytes, root: Collection[str]) -> Element:
    """Return the root of a response, whose name without its namespace must be one of `root`.

    Raises:
        SourceUnavailable: it is no XML, is cut off, or is something else, as the page of a gateway.
        SourceRefused: it declares entities.
    """
    try:
        element = parse_xml(content)
    except XmlUnreadable as error:
        raise SourceUnavailable(f"{source}: the answer is no XML ({error})") from error
    except EntitiesDeclared as error:
        raise SourceRefused(f"{source}: the answer declares entities, which are not expanded") from error
    if (name := get_local_name(element)) not in root:
        raise SourceUnavailable(f"{source}: the answer is <{name[:40]}> instead of <{'> or <'.join(root)}>")
    return element


def flatten_element_text(element: Element | None, left_out: Collection[str] = ()) -> str:
    """Return all text of an element, on one line; empty for None.

    Superscripts stay apart: 10<sup>6</sup> is 10⁶ and not 106. Elements called one of `left_out` are not read.
    """
    if element is None:
        return ""
    if len(element) == 0:
        text = element.text
        return " ".join(text.split()) if text else ""
    return " ".join("".join(_collect_texts(element, left_out)).split())


def _collect_texts(element: Element, left_out: Collection[str]) -> list[str]:
    parts = [element.text or ""]
    open_elements: list[tuple[Iterator[Element], Element, int]] = [(iter(element), element, 0)]
    while open_elements:
        children, parent, began = open_elements[-1]
        child = next(children, None)
        if child is None:
            open_elements.pop()
            if (write := _choose_script_writer(parent)) is not None:
                parts[began:] = [write("".join(parts[began:]).strip())]
            elif get_local_name(parent) in _APART:
                parts.append(" ")
            if open_elements:
                parts.append(parent.tail or "")
        elif isinstance(child, etree._Entity):
            parts += (unescape(f"&{child.name};"), child.tail or "")
        elif get_local_name(child) in left_out or not get_local_name(child):
            parts.append(child.tail or "")
        elif get_local_name(child) in _FORMULAS:
            parts += (write_mathml(child), child.tail or "")
        else:
            if get_local_name(child) in _APART:
                parts.append(" ")
            open_elements.append((iter(child), child, len(parts)))
            parts.append(child.text or "")
    return parts


def _choose_script_writer(element: Element) -> Callable[[str], str] | None:
    """Return how the text of a raised or lowered element is written; None for others."""
    return {"sup": raise_text, "sub": lower_text}.get(get_local_name(element))


MOST_COLUMNS: Final = 60
MOST_ROWS: Final = 1_000
"""Rows of one table; beyond that it is data, not text."""

_FLOATS: Final = frozenset({"table-wrap", "table-wrap-group", "fig", "fig-group", "list", "boxed-text", "disp-quote"})
"""Elements that may occur within a paragraph and are rendered after it."""
_UNREAD: Final = frozenset(
    {"title", "label", "ref-list", "ack", "fn-group", "glossary", "supplementary-material", "media", "graphic"}
    | {"alternatives", "object-id", "sec-meta", "attrib", "permissions", "app-group"}
)
_NOT_TEXT: Final = frozenset({"tex-math", "annotation", "object-id", "graphic", "media"}) | _FLOATS


def parse_article_body(article: Element) -> Iterator[Block]:
    """Parse the body of an article, with the tables and figures next to it; the article is changed by this."""
    _set_apart(article)
    for part in article:
        if get_local_name(part) in ("body", "floats-group"):
            yield from _walk_blocks(part, 1)


def find_article_licence(article: Element) -> str:
    """Return the address of the licence, or else the sentence that states it; empty if neither exists."""
    found = article.find("front/article-meta/permissions/license")
    if found is None:
        return ""
    for one in found.iter():
        if get_local_name(one) == "license_ref" and (address := flatten_element_text(one)):
            return address
    for name, value in found.attrib.items():
        if str(name).endswith("href"):
            return str(value)
    return flatten_element_text(found)[:300]


def _set_apart(article: Element) -> None:
    """Remove superscript reference numbers, and put those on the line in brackets."""
    references = [one for one in article.iter("xref") if one.get("ref-type") == "bibr"]
    marks: dict[Element, None] = {}
    for one in references:
        shown = flatten_element_text(one)
        above = next(one.iterancestors("sup"), None)
        if above is not None:
            marks[above] = None
        elif any(sign.isalpha() for sign in shown):
            continue  # an author's name
        elif one.find("sup") is not None:
            marks[one] = None
        elif len(one) == 0 and shown and _text_before(one)[-1:].isalnum():
            one.text = f" [{shown}]"
    for mark in marks:
        _remove_keeping_tail(mark)


def _text_before(element: Element) -> str:
    before, parent = element.getprevious(), element.getparent()
    if before is not None:
        return before.tail or ""
    return "" if parent is None else parent.text or ""


def _remove_keeping_tail(element: Element) -> None:
    """Remove an element, and keep the text after it."""
    before, parent = element.getprevious(), element.getparent()
    if parent is None:
        return
    tail, element.tail = element.tail or "", None
    if before is not None:
        before.tail = (before.tail or "") + tail
    else:
        parent.text = (parent.text or "") + tail
    parent.remove(element)


def _walk_blocks(root: Element, level: int) -> Iterator[Block]:
    waiting: list[tuple[Iterator[Element], int]] = [(iter(root), level)]
    while waiting:
        children, depth = waiting[-1]
        child = next(children, None)
        if child is None:
            waiting.pop()
            continue
        name = get_local_name(child)
        if not name or name in _UNREAD:
            continue
        if name == "sec":
            if heading := _format_section_heading(child):
                yield Block(heading, kind="heading", level=min(depth, 6))
            waiting.append((iter(child), depth + 1))
        elif name in ("p", "disp-formula", "def", "term"):
            yield Block(flatten_element_text(child, _NOT_TEXT))
            waiting.append((iter(_find_outer_floats(child)), depth))
        elif name == "list-item":
            yield Block("- " + flatten_element_text(child, _NOT_TEXT))
            waiting.append((iter(_find_outer_floats(child)), depth))
        elif name == "table-wrap":
            yield from _render_table(child)
        elif name == "fig":
            yield Block(_format_caption(child))
        elif len(child):
            waiting.append((iter(child), depth))
        else:
            yield Block(flatten_element_text(child))


def _format_section_heading(section: Element) -> str:
    parts = (flatten_element_text(section.find(part), _NOT_TEXT) for part in ("label", "title"))
    return " ".join(part for part in parts if part)


def _find_outer_floats(element: Element) -> list[Element]:
    """Find the floats within it that are in no other one."""
    found: list[Element] = []
    inside: set[Element] = set()
    for one in element.iter():
        if one is element:
            continue
        if one.getparent() in inside:
            inside.add(one)
        elif get_local_name(one) in _FLOATS:
            found.append(one)
            inside.add(one)
    return found


def _format_caption(element: Element) -> str:
    """Return an element's label and caption, as `Table 1. What it shows`."""
    label = flatten_element_text(element.find("label")).rstrip(".")
    caption = flatten_element_text(element.find("caption"), _NOT_TEXT)
    return ". ".join(part for part in (label, caption) if part)


def _render_table(wrap: Element) -> Iterator[Block]:
    yield Block(_format_caption(wrap))
    for table in wrap.iter("table"):
        yield Block("\n".join(_render_table_rows(table)), kind="code")
    yield Block(flatten_element_text(wrap.find("table-wrap-foot")))


def _render_table_rows(table: Element) -> Iterator[str]:
    """Render each row as a line; a cell that spans columns or rows is repeated in each, to keep columns aligned."""
    below: dict[int, tuple[int, str]] = {}
    for at, row in enumerate(table.iter("tr")):
        if at == MOST_ROWS:
            yield "(Further rows are left out.)"
            return
        cells = [cell for cell in row if get_local_name(cell) in ("td", "th")]
        line: list[str] = []
        while len(line) < MOST_COLUMNS and (cells or len(line) in below):
            column = len(line)
            if column in below:
                left, text = below.pop(column)
                line.append(text)
                if left > 1:
                    below[column] = (left - 1, text)
                continue
            cell = cells.pop(0)
            text = flatten_element_text(cell, ("tex-math",))
            down = _parse_cell_span(cell, "rowspan", MOST_ROWS)
            for _ in range(_parse_cell_span(cell, "colspan", MOST_COLUMNS - column)):
                if down > 1:
                    below[len(line)] = (down - 1, text)
                line.append(text)
        if any(line):
            yield " | ".join(line)


def _parse_cell_span(cell: Element, name: str, most: int) -> int:
    given = cell.get(name, "1").strip()
    return min(int(given), most) if given.isascii() and given.isdigit() and 0 < len(given) < 6 and int(given) else 1
