"""XML of services: their answers, and the text of elements. A tree is walked without recursion."""

from collections.abc import Callable, Collection, Iterator
from html import unescape
from typing import Final

from lxml import etree

from elcano.activities.text.words import lower_text, raise_text
from elcano.activities.text.xml_tree import Element, EntitiesDeclared, XmlUnreadable, get_local_name, parse_xml
from elcano.graphs.errors import SourceRefused, SourceUnavailable

_APART: Final = frozenset({"p", "title", "label", "list-item", "break", "def", "term", "sec", "td", "th"})
"""Elements whose texts are separated by a space even if none is written."""
_SCRIPTS: Final = {
    ("msup", 1): raise_text,
    ("msub", 1): lower_text,
    ("msubsup", 1): lower_text,
    ("msubsup", 2): raise_text,
}
"""How the children of MathML elements are written, by the name of their parent and their position in it."""


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
        else:
            if get_local_name(child) in _APART:
                parts.append(" ")
            open_elements.append((iter(child), child, len(parts)))
            parts.append(child.text or "")
    return parts


def _choose_script_writer(element: Element) -> Callable[[str], str] | None:
    """Return how the text of a raised or lowered element is written; None for others."""
    name = get_local_name(element)
    if name in ("sup", "sub"):
        return raise_text if name == "sup" else lower_text
    above = element.getparent()
    if above is None or not (within := get_local_name(above)).startswith("ms"):
        return None
    return _SCRIPTS.get((within, above.index(element)))
