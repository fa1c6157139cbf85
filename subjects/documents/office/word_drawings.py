"""Reads the text of drawings and embedded objects of a Word document."""

import re
from collections.abc import Iterator
from typing import Final, NamedTuple, TypeAlias

from elcano.activities.passages.document import normalize_text
from elcano.subjects.documents.office.drawing_text import read_paragraphs
from elcano.subjects.documents.office.word_names import RELATION, get_name
from elcano.text.xml_tree import Element

_INVISIBLE_STYLE: Final = re.compile(r"(?:^|;)\s*(?:visibility\s*:\s*hidden|display\s*:\s*none)", re.IGNORECASE)


class Chart(NamedTuple):
    """A chart, by the id of its part."""

    relation: str


class Diagram(NamedTuple):
    """SmartArt, by the id of its data."""

    relation: str


class EmbeddedObject(NamedTuple):
    """An object of another program, of which Word shows a picture."""

    program: str


Float: TypeAlias = Element | str | Chart | Diagram | EmbeddedObject
"""A part of a drawing: a text box (`w:txbxContent`), a text of its own, or something in a part of its own."""


def choose_alternative(alternatives: Element) -> Element | None:
    """The first version of what is written in several, which is the newest one."""
    for name in ("mc:Choice", "mc:Fallback"):
        for child in alternatives:
            if get_name(child) == name:
                return child
    return None


def list_floats(drawing: Element) -> Iterator[Float]:
    """The texts of a drawing or object, in the order in which they are written."""
    waiting = [drawing]
    while waiting:
        element = waiting.pop()
        name = get_name(element)
        if name == "w:txbxContent":
            yield element
        elif name == "mc:AlternateContent":
            chosen = choose_alternative(element)
            waiting += [] if chosen is None else [chosen]
        elif (found := _read_leaf(element, name)) is not None:
            if found:
                yield found
        elif not _is_invisible(element, name):
            waiting += reversed(element)


def _read_leaf(element: Element, name: str) -> Float | None:
    """Read the text of an element itself; None if its children have it."""
    if name == "c:chart" and (relation := element.get(RELATION + "id")):
        return Chart(relation)
    if name == "dgm:relIds":
        return Diagram(element.get(RELATION + "dm") or "")
    if name == "o:OLEObject":
        return EmbeddedObject(element.get("ProgID") or "")
    if name == "v:textpath":
        return " ".join(normalize_text(element.get("string") or "").split())
    return "\n".join(one.text for one in read_paragraphs(element)) if name.endswith(":txBody") else None


def _is_invisible(element: Element, name: str) -> bool:
    if name in ("wp:anchor", "wp:inline"):
        return any(get_name(child) == "wp:docPr" and child.get("hidden") in ("1", "true") for child in element)
    return name.startswith("v:") and bool(_INVISIBLE_STYLE.search((element.get("style") or "")[:2_000]))
