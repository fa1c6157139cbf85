"""Slides of PowerPoint (PPTX): each slide is a page, with its title as heading, and notes and comments apart.

What is on a slide is read by its place, from the top to the bottom and column by column. What repeats on all slides
(masters, footers, dates, numbers) is not read. Hidden slides are left out and reported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.subjects.documents.office.drawing_text import (
    Paragraph,
    build_chart_blocks,
    read_diagram,
    read_paragraphs,
    read_table,
)
from elcano.subjects.documents.office.gaps import GapCollector
from elcano.subjects.documents.office.properties import read_properties
from elcano.subjects.documents.slide_shapes import Box, Shape, find_placeholder, list_shapes, order_shapes
from elcano.subjects.documents.tables import build_table, clean_line
from elcano.subjects.documents.zip_packages import RELATION_ID, Package, Relation
from elcano.text.xml_tree import Element, get_local_name

_MAIN: Final = "ppt/presentation.xml"
MOST_SLIDES: Final = 5_000
_TITLES: Final = frozenset({"title", "ctrTitle"})
_BULLETED: Final = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs have bullets unless they say otherwise."""


def read_pptx(content: bytes) -> Parsed:
    """Read slides.

    Raises:
        FileSkipped: it is damaged or encrypted, or would unpack to more than it should.
    """
    package = Package(content, "presentation")
    main = package.find_main_part(_MAIN)
    root = package.parse_main(main)
    relations = package.relations(main)
    blocks: list[Block] = []
    hidden, damaged, pictures = list[int](), list[int](), list[int]()
    unread = GapCollector()
    listed = [relations.get(one.get(RELATION_ID, "")) for one in root.iterfind("{*}sldIdLst/{*}sldId")][:MOST_SLIDES]
    for number, relation in enumerate(listed, 1):
        slide = package.parse_if_sound(relation.target) if relation is not None else None
        if relation is None or slide is None:
            damaged.append(number)
        elif slide.get("show", "1") in ("0", "false"):
            hidden.append(number)
        else:
            found = list(_read_slide(package, relation.target, slide, number))
            blocks += found
            if not found and next(slide.iter("{*}pic"), None) is not None:
                pictures.append(number)
            # A slide has each object twice: for newer and for older programs.
            objects = {one.get(RELATION_ID, ""): one.get("progId", "") for one in slide.iter("{*}oleObj")}
            for program in objects.values():
                unread.add_object(program)
    if not blocks and damaged:
        raise FileSkipped("it is no readable presentation: its slides are missing or damaged")
    properties = read_properties(package.parse_properties())
    gaps = tuple(
        Gap(f"{name_slides(numbers)} {reason}", tuple(numbers), is_unread)
        for numbers, reason, is_unread in (
            (damaged, "could not be read: missing or damaged", True),
            (pictures, "only pictures, which are not read: save it as PDF to have OCR read them", True),
            (hidden, "hidden, left out", False),
        )
        if numbers
    )
    return Parsed(blocks, *properties, gaps=(*gaps, *unread.list_gaps()))


def name_slides(numbers: Sequence[int]) -> str:
    """The numbers of slides before what is said of them."""
    shown = ", ".join(map(str, numbers[:10])) + (" and more" if len(numbers) > 10 else "")
    return f"slide {shown}:" if len(numbers) == 1 else f"slides {shown}:"


def _read_slide(package: Package, name: str, slide: Element, number: int) -> Iterator[Block]:
    relations = package.relations(name)
    tree = slide.find("{*}cSld/{*}spTree")
    boxes = _read_layout_boxes(package, relations.values())
    shapes = list(list_shapes(tree, boxes)) if tree is not None else []
    titles = [one for one in shapes if one.placeholder in _TITLES]
    others = [one for one in shapes if one.placeholder not in _TITLES]
    for shape in titles:
        body = shape.element.find("{*}txBody")
        text = " ".join(one.text for one in read_paragraphs(body)) if body is not None else ""
        if text.strip():
            yield Block(clean_line(text), "heading", 1, page=number)
    for shape in order_shapes(others):
        yield from _read_shape(package, shape, relations, number)
    for relation in relations.values():
        root = package.parse_if_sound(relation.target) if relation.kind in ("notesSlide", "comments") else None
        if root is not None and relation.kind == "notesSlide":
            yield from _read_notes(root, number)
        elif root is not None:
            yield from _read_comments(root, number)


def _read_layout_boxes(package: Package, relations: Iterable[Relation]) -> dict[tuple[str, str], Box]:
    """Read the boxes of placeholders in the layout of a slide, or its master, by their kind and number."""
    boxes: dict[tuple[str, str], Box] = {}
    pending = [(one, 0) for one in relations if one.kind == "slideLayout"]
    for relation, depth in pending:
        root = package.parse_if_sound(relation.target)
        tree = root.find("{*}cSld/{*}spTree") if root is not None else None
        for shape in list_shapes(tree, {}) if tree is not None else ():
            if shape.placeholder is not None and shape.box is not None:
                number = find_placeholder(shape.element).get("idx", "")  # type: ignore[union-attr]
                boxes.setdefault((shape.placeholder, number), shape.box)
                boxes.setdefault((shape.placeholder, ""), shape.box)
                boxes.setdefault(("", number), shape.box)
        if depth == 0:
            pending += [(one, 1) for one in package.relations(relation.target).values() if one.kind == "slideMaster"]
    return boxes


def _read_shape(package: Package, shape: Shape, relations: Mapping[str, Relation], number: int) -> Iterator[Block]:
    element = shape.element
    name = get_local_name(element)
    if name == "graphicFrame":
        yield from _read_graphic(package, element, relations, number)
        return
    body = element.find("{*}txBody")
    paragraphs = list(read_paragraphs(body)) if body is not None else []
    if not paragraphs:
        return
    if shape.placeholder == "subTitle":
        yield from (Block(one.text, page=number) for one in paragraphs)
    else:
        yield from _build_paragraphs(paragraphs, number, bulleted=shape.placeholder in _BULLETED)


def _build_paragraphs(paragraphs: Sequence[Paragraph], number: int, *, bulleted: bool) -> Iterator[Block]:
    """Paragraphs with marks are a list, others texts."""
    items: list[str] = []
    counts = [0] * 9
    for paragraph in paragraphs:
        mark = paragraph.mark if paragraph.mark is not None else "-" if bulleted and len(paragraphs) > 1 else ""
        counts[paragraph.level + 1 :] = [0] * (8 - paragraph.level)
        if mark == "1.":
            counts[paragraph.level] += 1
            mark = f"{counts[paragraph.level]}."
        else:
            counts[paragraph.level] = 0
        text = paragraph.text.replace("\n", " ") if mark else paragraph.text
        if mark:
            items.append(f"{mark} {text}")
            continue
        if items:
            yield Block("\n".join(items), "list", page=number)
            items = []
        yield Block(text, page=number)
    if items:
        yield Block("\n".join(items), "list", page=number)


def _read_graphic(package: Package, frame: Element, relations: Mapping[str, Relation], number: int) -> Iterator[Block]:
    table = next(frame.iter("{*}tbl"), None)
    if table is not None:
        if cells := read_table(table):
            yield build_table(cells, page=number)
        return
    for one in frame.iter("{*}chart", "{*}relIds"):
        is_chart = get_local_name(one) == "chart"
        relation = relations.get(one.get(RELATION_ID if is_chart else f"{RELATION_ID[:-2]}dm", ""))
        root = package.parse_if_sound(relation.target) if relation is not None else None
        if root is None:
            continue
        if is_chart:
            yield from build_chart_blocks(root, page=number)
        else:
            yield from _build_paragraphs(read_diagram(root), number, bulleted=True)


def _read_notes(root: Element, number: int) -> Iterator[Block]:
    tree = root.find("{*}cSld/{*}spTree")
    for shape in list_shapes(tree, {}) if tree is not None else ():
        body = shape.element.find("{*}txBody")
        if shape.placeholder == "body" and body is not None:
            text = "\n".join(one.text for one in read_paragraphs(body))
            if text.strip():
                yield Block(text, "note", page=number)


def _read_comments(root: Element, number: int) -> Iterator[Block]:
    for one in root.iter("{*}cm", "{*}reply"):
        texts = [part.text or "" for part in one.iterchildren("{*}text")]
        texts += [part.text for body in one.iterchildren("{*}txBody") for part in read_paragraphs(body)]
        if text := " ".join(filter(str.strip, texts)):
            yield Block(text, "comment", page=number)
