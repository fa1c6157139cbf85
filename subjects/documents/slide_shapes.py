"""Shapes of a slide: where each is, and the order in which people read them."""

from collections.abc import Iterator
from typing import Final, NamedTuple

from elcano.text.xml_tree import Element, get_local_name

MOST_SHAPES: Final = 5_000
"""Shapes of one slide that are read."""
_LEFT_OUT: Final = frozenset({"ftr", "dt", "sldNum", "hdr"})
"""Placeholders whose text repeats on every slide."""
_OVERLAP: Final = 0.5
"""Share of the smaller shape's height or width in which two shapes must overlap to be next to each other."""
_SHAPES: Final = frozenset({"sp", "grpSp", "graphicFrame", "pic", "cxnSp", "contentPart"})


class Box(NamedTuple):
    """A place on a slide."""

    left: float
    top: float
    right: float
    bottom: float


class Shape(NamedTuple):
    """A shape of a slide, of its layout or of its notes."""

    element: Element
    box: Box | None
    """Position on the slide; None: the file does not say."""
    placeholder: str | None
    """The kind of placeholder that it fills; None: it fills none."""


class _Frame(NamedTuple):
    """Transformation from places within a group to places on the slide."""

    scale_x: float = 1
    scale_y: float = 1
    left: float = 0
    top: float = 0

    def place(self, box: Box) -> Box:
        return Box(
            self.left + self.scale_x * box.left,
            self.top + self.scale_y * box.top,
            self.left + self.scale_x * box.right,
            self.top + self.scale_y * box.bottom,
        )


def list_shapes(tree: Element, boxes: dict[tuple[str, str], Box]) -> Iterator[Shape]:
    """The shapes below `tree` in their order, those of groups in the place of their group."""
    pending: list[tuple[Element, _Frame]] = [(one, _Frame()) for one in reversed(tree)]
    count = 0
    while pending and count < MOST_SHAPES:
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
            placeholder = find_placeholder(element)
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
            yield Shape(element, box, kind)


def find_placeholder(element: Element) -> Element | None:
    """Return the part of a shape that says which placeholder it fills."""
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


def _read_box(element: Element) -> Box | None:
    place = next((one for one in (element.find("{*}spPr/{*}xfrm"), element.find("{*}xfrm")) if one is not None), None)
    if place is None:
        return None
    start, size = place.find("{*}off"), place.find("{*}ext")
    if start is None or size is None:
        return None
    left, top = _read_length(start, "x"), _read_length(start, "y")
    return Box(left, top, left + _read_length(size, "cx"), top + _read_length(size, "cy"))


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


def order_shapes(shapes: list[Shape]) -> list[Shape]:
    """Shapes as people read them: bands from the top to the bottom, in each band columns from left to right.

    Shapes of which nothing is known stay behind the one before them.
    """
    placed: list[list[Shape]] = []
    for shape in shapes:
        if shape.box is None and placed:
            placed[-1].append(shape)
        else:
            placed.append([shape])
    ordered = _order_groups([group for group in placed if group[0].box is not None])
    unknown = [group for group in placed if group[0].box is None]
    return [shape for group in (*unknown, *ordered) for shape in group]


def _order_groups(groups: list[list[Shape]], axis: int = 1, failed: bool = False) -> list[list[Shape]]:
    """Cut between bands (axis 1) and columns (axis 0) in turn, until neither can be cut."""
    if len(groups) < 2:
        return groups
    parts = _cut_groups(groups, axis)
    if len(parts) == 1:
        if failed:  # they overlap: by their upper edges, then from left to right
            return sorted(groups, key=lambda group: (group[0].box.top, group[0].box.left) if group[0].box else (0, 0))
        return _order_groups(groups, 1 - axis, failed=True)
    return [group for part in parts for group in _order_groups(part, 1 - axis)]


def _cut_groups(groups: list[list[Shape]], axis: int) -> list[list[list[Shape]]]:
    """Groups that overlap along an axis, in the order of their places."""
    parts: list[list[list[Shape]]] = []
    end = 0.0
    for group in sorted(groups, key=lambda group: (group[0].box or Box(0, 0, 0, 0))[axis]):
        box = group[0].box or Box(0, 0, 0, 0)
        overlap = end - box[axis]
        if parts and overlap > _OVERLAP * min(box[axis + 2] - box[axis], end - box[axis] + 1):
            parts[-1].append(group)
            end = max(end, box[axis + 2])
        else:
            parts.append([group])
            end = box[axis + 2]
    return parts
