"""Slides of LibreOffice Impress and other programs that write OpenDocument presentations (ODP).

As of PowerPoint, each slide is a page with its title as heading and its notes apart, and is read by the places of what
is on it. Masters, their dates, footers and numbers, and hidden slides are left out; hidden ones are reported.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.subjects.documents.office.odf_documents import OdfReader, read_odf_parts
from elcano.subjects.documents.office.odf_names import get_odf_name, get_odf_value, make_odf_name
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.slide_shapes import MOST_SHAPES, Box, Shape, order_shapes
from elcano.subjects.documents.slides import MOST_SLIDES, name_slides
from elcano.subjects.documents.zip_packages import Package
from elcano.text.xml_tree import Element

_LENGTH: Final = re.compile(r"(-?\d{1,6}(?:\.\d{1,9})?)(cm|mm|in|pt|pc|px)")
_POINTS: Final = {"cm": 72 / 2.54, "mm": 72 / 25.4, "in": 72.0, "pt": 1.0, "pc": 12.0, "px": 0.75}
_LEFT_OUT: Final = frozenset({"date-time", "footer", "header", "page-number", "page"})
"""Classes of what repeats on every slide, and of the small picture of a slide above its notes."""


def read_odp(content: bytes) -> Parsed:
    """Read slides.

    Raises:
        FileSkipped: it is damaged or encrypted, or would unpack to more than it should.
    """
    package = Package(content, "OpenDocument presentation")
    roots = list(read_odf_parts(package))
    slides = roots[0].find(f"{make_odf_name('office:body')}/{make_odf_name('office:presentation')}")
    if slides is None:
        raise FileSkipped("it is not a readable OpenDocument presentation: it has no slides in its body")
    reader = OdfReader(roots, package)
    hidden_styles = set(_list_hidden_styles(roots))
    blocks: list[Block] = []
    hidden: list[int] = []
    pictures: list[int] = []
    for number, slide in enumerate(list(slides.iterchildren(make_odf_name("draw:page")))[:MOST_SLIDES], 1):
        if get_odf_value(slide, "draw:style-name") in hidden_styles:
            hidden.append(number)
            continue
        found = list(_read_slide(reader, slide))
        blocks += (replace(block, page=number, paragraph=0) for block in found)
        if not found and next(slide.iter(make_odf_name("draw:image")), None) is not None:
            pictures.append(number)
    metadata = (one for root in roots for one in root.iter(make_odf_name("office:meta")))
    gaps = [
        Gap(f"{name_slides(numbers)} {reason}", tuple(numbers), unread)
        for numbers, reason, unread in (
            (pictures, "only pictures, which are not read: save it as PDF to have OCR read them", True),
            (hidden, "hidden, left out", False),
        )
        if numbers
    ]
    return Parsed(blocks, *read_properties(next(metadata, None)), gaps=(*gaps, *reader.gaps.list_gaps()))


def _list_hidden_styles(roots: Iterable[Element]) -> Iterator[str]:
    """The names of styles of slides that are not shown."""
    for root in roots:
        for one in root.iter(make_odf_name("style:drawing-page-properties")):
            if get_odf_value(one, "presentation:visibility") == "hidden":
                yield get_odf_value(one.getparent(), "style:name")


def _read_slide(reader: OdfReader, slide: Element) -> Iterator[Block]:
    shapes = list(_list_shapes(slide))
    titles = [one for one in shapes if one.placeholder == "title"]
    for title in titles:
        text = " ".join(block.text for block in reader.read([title.element]))
        if text.strip():
            yield Block(" ".join(text.split()), "heading", 1)
    others = order_shapes([one for one in shapes if one not in titles])
    yield from reader.read([one.element for one in others])
    yield from reader.read(slide.iterchildren(make_odf_name("office:annotation")))
    for notes in slide.iterchildren(make_odf_name("presentation:notes")):
        text = "\n".join(block.text for block in reader.read([one.element for one in _list_shapes(notes)]))
        if text.strip():
            yield Block(text, "note")


def _list_shapes(slide: Element) -> Iterator[Shape]:
    """The shapes of a slide, those of groups one by one."""
    pending = list(reversed(slide))
    count = 0
    while pending and count < MOST_SHAPES:
        element = pending.pop()
        name = get_odf_name(element)
        if name == "draw:g":
            pending += reversed(element)
        elif name.startswith("draw:") and get_odf_value(element, "presentation:class") not in _LEFT_OUT:
            count += 1
            yield Shape(element, _read_box(element), get_odf_value(element, "presentation:class") or None)


def _read_box(element: Element) -> Box | None:
    lengths = [_LENGTH.fullmatch(get_odf_value(element, f"svg:{side}")) for side in ("x", "y", "width", "height")]
    sizes = [float(length[1]) * _POINTS[length[2]] for length in lengths if length]
    if len(sizes) < len(lengths):
        return None
    left, top, width, height = sizes
    return Box(left, top, left + width, top + height)
