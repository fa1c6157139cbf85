"""Slides of PowerPoint (PPTX): each slide is a page, with its title as heading, and notes and comments apart.

What stands on a slide is read by its place, from the top to the bottom and column by column. What repeats on all slides
(masters, footers, dates, numbers) is not read. Hidden slides are left out and reported.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.activities.text.xml_tree import Element, get_local_name
from elcano.plugins.documents.drawing_text import (
    Paragraph,
    read_chart,
    read_chart_title,
    read_diagram,
    read_paragraphs,
    read_table,
)
from elcano.plugins.documents.tables import build_table, clean_line
from elcano.plugins.documents.zip_packages import Package, Relation, read_properties

_MAIN: Final = "ppt/presentation.xml"
_OFFICE: Final = (
    "{http://schemas.openxmlformats.org/officeDocument/2006/relationships}",
    "{http://purl.oclc.org/ooxml/officeDocument/relationships}",
)
MOST_SLIDES: Final = 5_000
_MOST_SHAPES: Final = 5_000
"""Shapes of one slide that are read."""
_LEFT_OUT: Final = frozenset({"ftr", "dt", "sldNum", "hdr"})
"""Placeholders whose text repeats on every slide."""
_TITLES: Final = frozenset({"title", "ctrTitle"})
_BULLETED: Final = frozenset({"", "body", "obj"})
"""Placeholders whose paragraphs have bullets unless they say otherwise."""
_OVERLAP: Final = 0.5
"""Share of the smaller shape's height or width in which two shapes must overlap to stand next to each other."""
_SHAPES: Final = frozenset({"sp", "grpSp", "graphicFrame", "pic", "cxnSp", "contentPart"})


class _Box(NamedTuple):
    left: float
    top: float
    right: float
    bottom: float


class _Shape(NamedTuple):
    element: Element
    box: _Box | None
    """Where it stands on the slide; None: the file does not say."""
    placeholder: str | None
    """The kind of placeholder that it fills; None: it fills none."""


class _Frame(NamedTuple):
    """How places within a group become places on the slide."""

    scale_x: float = 1
    scale_y: float = 1
    left: float = 0
    top: float = 0

    def place(self, box: _Box) -> _Box:
        return _Box(
            self.left + self.scale_x * box.left,
            self.top + self.scale_y * box.top,
            self.left + self.scale_x * box.right,
            self.top + self.scale_y * box.bottom,
        )


def read_pptx(content: bytes) -> Parsed:
    """Read slides.

    Raises:
        FileSkipped: it is damaged or encrypted, or would unpack to more than it should.
    """
    package = Package(content, "presentation")
    main = package.find_main_part(_MAIN)
    root = package.parse(main)
    relations = package.relations(main)
    blocks: list[Block] = []
    hidden, damaged, pictures = list[int](), list[int](), list[int]()
    listed = [_get_relation(one, relations) for one in root.iterfind("{*}sldIdLst/{*}sldId")][:MOST_SLIDES]
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
    if not blocks and damaged:
        raise FileSkipped("it is no readable presentation: its slides are missing or damaged")
    properties = read_properties(package)
    gaps = tuple(
        Gap(f"{_name_slides(numbers)} {reason}", tuple(numbers), unread)
        for numbers, reason, unread in (
            (damaged, "could not be read: missing or damaged", True),
            (pictures, "only have pictures, which are not read: save it as PDF to have OCR read them", True),
            (hidden, "hidden, left out", False),
        )
        if numbers
    )
    return Parsed(blocks, properties.title, properties.authors, gaps=gaps)


def _name_slides(numbers: Sequence[int]) -> str:
    shown = ", ".join(map(str, numbers[:10])) + (" and more" if len(numbers) > 10 else "")
    return f"slide {shown}:" if len(numbers) == 1 else f"slides {shown}:"


def _get_relation(element: Element, relations: Mapping[str, Relation]) -> Relation | None:
    name = next((value for prefix in _OFFICE if (value := element.get(f"{prefix}id"))), "")
    return relations.get(name)


def _read_slide(package: Package, name: str, slide: Element, number: int) -> Iterator[Block]:
    relations = package.relations(name)
    tree = slide.find("{*}cSld/{*}spTree")
    boxes = _read_layout_boxes(package, relations.values())
    shapes = list(_list_shapes(tree, boxes)) if tree is not None else []
    titles = [one for one in shapes if one.placeholder in _TITLES]
    others = [one for one in shapes if one.placeholder not in _TITLES]
    for shape in titles:
        body = shape.element.find("{*}txBody")
        text = " ".join(one.text for one in read_paragraphs(body)) if body is not None else ""
        if text.strip():
            yield Block(clean_line(text), "heading", 1, page=number)
    for shape in _order_shapes(others):
        yield from _read_shape(package, shape, relations, number)
    for relation in relations.values():
        root = package.parse_if_sound(relation.target) if relation.kind in ("notesSlide", "comments") else None
        if root is not None and relation.kind == "notesSlide":
            yield from _read_notes(root, number)
        elif root is not None:
            yield from _read_comments(root, number)


def _read_layout_boxes(package: Package, relations: Iterable[Relation]) -> dict[tuple[str, str], _Box]:
    """Where the layout of a slide, or its master, puts placeholders, by their kind and number."""
    boxes: dict[tuple[str, str], _Box] = {}
    pending = [(one, 0) for one in relations if one.kind == "slideLayout"]
    for relation, depth in pending:
        root = package.parse_if_sound(relation.target)
        tree = root.find("{*}cSld/{*}spTree") if root is not None else None
        for shape in _list_shapes(tree, {}) if tree is not None else ():
            if shape.placeholder is not None and shape.box is not None:
                number = _find_placeholder(shape.element).get("idx", "")  # type: ignore[union-attr]
                boxes.setdefault((shape.placeholder, number), shape.box)
                boxes.setdefault((shape.placeholder, ""), shape.box)
                boxes.setdefault(("", number), shape.box)
        if depth == 0:
            pending += [(one, 1) for one in package.relations(relation.target).values() if one.kind == "slideMaster"]
    return boxes


def _list_shapes(tree: Element, boxes: dict[tuple[str, str], _Box]) -> Iterator[_Shape]:
    """The shapes below `tree` in their order, those of groups in the place of their group."""
    pending: list[tuple[Element, _Frame]] = [(one, _Frame()) for one in reversed(tree)]
    count = 0
    while pending and count < _MOST_SHAPES:
        element, frame = pending.pop()
        name = get_local_name(element)
        if name == "AlternateContent":
            choices = [one for one in element if any(get_local_name(part) in _SHAPES for part in one)]
            pending += [(one, frame) for choice in choices[:1] for one in reversed(choice)]
        elif name == "grpSp":
            inner = _enter_group(element, frame)
            pending += [(one, inner) for one in reversed(element)]
        elif name in _SHAPES and not _is_hidden(element):
            count += 1
            placeholder = _find_placeholder(element)
            kind = placeholder.get("type", "") if placeholder is not None else None
            if kind in _LEFT_OUT:
                continue
            box = _read_box(element)
            if box is not None:
                box = frame.place(box)
            elif placeholder is not None:
                number = placeholder.get("idx", "")
                keys = ((kind or "", number), ("", number), (kind or "", ""), ("body", ""))
                box = next((boxes[key] for key in keys if key in boxes), None)
            yield _Shape(element, box, kind)


def _find_placeholder(element: Element) -> Element | None:
    for part in element:
        if get_local_name(part).startswith("nv"):
            return part.find("{*}nvPr/{*}ph")
    return None


def _is_hidden(element: Element) -> bool:
    return any(
        one.get("hidden") in ("1", "true")
        for part in element
        if get_local_name(part).startswith("nv")
        for one in part.iterchildren("{*}cNvPr")
    )


def _read_box(element: Element) -> _Box | None:
    place = next((one for one in (element.find("{*}spPr/{*}xfrm"), element.find("{*}xfrm")) if one is not None), None)
    if place is None:
        return None
    start, size = place.find("{*}off"), place.find("{*}ext")
    if start is None or size is None:
        return None
    left, top = _read_length(start, "x"), _read_length(start, "y")
    return _Box(left, top, left + _read_length(size, "cx"), top + _read_length(size, "cy"))


def _read_length(element: Element, name: str) -> float:
    text = element.get(name, "0")
    return float(text) if text.removeprefix("-").isdecimal() and len(text) < 16 else 0.0


def _enter_group(group: Element, frame: _Frame) -> _Frame:
    place = group.find("{*}grpSpPr/{*}xfrm")
    parts = {get_local_name(one): one for one in place} if place is not None else {}
    if not {"off", "ext", "chOff", "chExt"} <= parts.keys():
        return frame
    width, height = _read_length(parts["chExt"], "cx"), _read_length(parts["chExt"], "cy")
    scale_x = _read_length(parts["ext"], "cx") / width if width else 1
    scale_y = _read_length(parts["ext"], "cy") / height if height else 1
    left = _read_length(parts["off"], "x") - scale_x * _read_length(parts["chOff"], "x")
    top = _read_length(parts["off"], "y") - scale_y * _read_length(parts["chOff"], "y")
    return _Frame(
        frame.scale_x * scale_x, frame.scale_y * scale_y, frame.left + frame.scale_x * left,
        frame.top + frame.scale_y * top,
    )  # fmt: skip


def _order_shapes(shapes: list[_Shape]) -> list[_Shape]:
    """Shapes as people read them: bands from the top to the bottom, in each band columns from left to right.

    Shapes of which nothing is known stay behind the one before them.
    """
    placed: list[list[_Shape]] = []
    for shape in shapes:
        if shape.box is None and placed:
            placed[-1].append(shape)
        else:
            placed.append([shape])
    ordered = _order_groups([group for group in placed if group[0].box is not None])
    unknown = [group for group in placed if group[0].box is None]
    return [shape for group in (*unknown, *ordered) for shape in group]


def _order_groups(groups: list[list[_Shape]], axis: int = 1, failed: bool = False) -> list[list[_Shape]]:
    """Cut between bands (axis 1) and columns (axis 0) in turn, until neither can be cut."""
    if len(groups) < 2:
        return groups
    parts = _cut_groups(groups, axis)
    if len(parts) == 1:
        if failed:  # they overlap: by their upper edges, then from left to right
            return sorted(groups, key=lambda group: (group[0].box.top, group[0].box.left) if group[0].box else (0, 0))
        return _order_groups(groups, 1 - axis, failed=True)
    return [group for part in parts for group in _order_groups(part, 1 - axis)]


def _cut_groups(groups: list[list[_Shape]], axis: int) -> list[list[list[_Shape]]]:
    """Groups that overlap along an axis, in the order of their places."""
    parts: list[list[list[_Shape]]] = []
    end = 0.0
    for group in sorted(groups, key=lambda group: (group[0].box or _Box(0, 0, 0, 0))[axis]):
        box = group[0].box or _Box(0, 0, 0, 0)
        overlap = end - box[axis]
        if parts and overlap > _OVERLAP * min(box[axis + 2] - box[axis], end - box[axis] + 1):
            parts[-1].append(group)
            end = max(end, box[axis + 2])
        else:
            parts.append([group])
            end = box[axis + 2]
    return parts


def _read_shape(package: Package, shape: _Shape, relations: Mapping[str, Relation], number: int) -> Iterator[Block]:
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
        names = (one.get(f"{prefix}{'id' if is_chart else 'dm'}", "") for prefix in _OFFICE)
        relation = next((relations[name] for name in names if name in relations), None)
        root = package.parse_if_sound(relation.target) if relation is not None else None
        if root is None:
            continue
        if is_chart:
            if title := read_chart_title(root):
                yield Block(title, "caption", page=number)
            if cells := read_chart(root):
                yield build_table(cells, page=number)
        else:
            yield from _build_paragraphs(read_diagram(root), number, bulleted=True)


def _read_notes(root: Element, number: int) -> Iterator[Block]:
    tree = root.find("{*}cSld/{*}spTree")
    for shape in _list_shapes(tree, {}) if tree is not None else ():
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
