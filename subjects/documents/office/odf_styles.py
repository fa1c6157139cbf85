"""Styles of an OpenDocument text: what can be seen of a run, and how lists and headings are numbered."""

import re
from collections.abc import Iterator, Sequence
from typing import Final, NamedTuple

from elcano.subjects.documents.office.list_numbers import write_number
from elcano.subjects.documents.office.odf_names import get_odf_name, get_odf_value, make_odf_name
from elcano.subjects.documents.office.symbol_fonts import decode_symbols
from elcano.subjects.documents.office.word_names import parse_number
from elcano.subjects.documents.office.word_numbering import simplify_bullet
from elcano.subjects.documents.office.word_styles import Look, is_paper_color
from elcano.text.xml_tree import Element

_MOST_ANCESTORS: Final = 30
"""Styles may have one another for parents in a circle."""
_FORMATS: Final = {"1": "decimal", "i": "lowerRoman", "I": "upperRoman", "a": "lowerLetter", "A": "upperLetter"}
_LEVELS: Final = 10
_SIZE: Final = re.compile(r"(\d{1,4}(?:\.\d{1,4})?)pt")
_PERCENT: Final = re.compile(r"(-?\d{1,3})%")


class OdfStyle(NamedTuple):
    """A style, with what it inherits."""

    name: str = ""
    """The name of the nearest style that its author sees."""
    look: Look = Look()
    list_style: str = ""
    is_painted: bool = False
    """Whether a cell or box of this style has a colour of its own."""


class OdfLevel(NamedTuple):
    """One level of a list."""

    format: str = ""
    prefix: str = ""
    suffix: str = ""
    shown_levels: int = 1
    start: int = 1
    bullet: str = ""


class OdfStyles:
    """The styles of a document, those of its content before those of its templates."""

    def __init__(self, roots: Sequence[Element]) -> None:
        self._elements: dict[tuple[str, str], Element] = {}
        self._styles: dict[tuple[str, str], OdfStyle] = {}
        self._lists: dict[str, list[OdfLevel]] = {}
        self.outline: list[OdfLevel] = []
        """Numbering of headings."""
        for root in roots:
            for one in root.iter(make_odf_name("style:style")):
                key = (get_odf_value(one, "style:family"), get_odf_value(one, "style:name"))
                self._elements.setdefault(key, one)
            for one in root.iter(make_odf_name("text:list-style")):
                self._lists.setdefault(get_odf_value(one, "style:name"), _read_levels(one))
            for one in root.iter(make_odf_name("text:outline-style")):
                self.outline = self.outline or _read_levels(one)

    def get_style(self, family: str, name: str) -> OdfStyle:
        """A style of a family, such as `paragraph`; a plain one if there is none."""
        key = (family, name)
        if key not in self._elements:
            return OdfStyle(name)
        if key not in self._styles:
            self._styles[key] = self._read_style(family, name)
        return self._styles[key]

    def get_levels(self, name: str) -> list[OdfLevel]:
        """The levels of a list style; none if it is not known."""
        return self._lists.get(name, [])

    def _list_with_ancestors(self, family: str, name: str) -> Iterator[Element]:
        for _ in range(_MOST_ANCESTORS):
            element = self._elements.get((family, name))
            if element is None or not name:
                return
            yield element
            name = get_odf_value(element, "style:parent-style-name")

    def _read_style(self, family: str, name: str) -> OdfStyle:
        look = Look()
        visible = list_style = ""
        is_painted = False
        for one in self._list_with_ancestors(family, name):
            own = get_odf_value(one, "style:name")
            if not visible and not re.fullmatch(r"[A-Z]{1,3}\d{1,6}", own):  # styles made for one place have such names
                visible = get_odf_value(one, "style:display-name") or own
            list_style = list_style or get_odf_value(one, "style:list-style-name")
            look = look.inherit(_read_look(one.find(make_odf_name("style:text-properties"))))
            is_painted |= any(map(_has_background, one))
        return OdfStyle(visible, look._replace(shade=True) if is_painted else look, list_style, is_painted)


def _has_background(properties: Element) -> bool:
    color = get_odf_value(properties, "fo:background-color")
    fill = get_odf_value(properties, "draw:fill")
    return (color not in ("", "transparent") and not is_paper_color(color.lstrip("#"))) or fill not in ("", "none")


def _read_look(properties: Element | None) -> Look:
    if properties is None:
        return Look()
    display = get_odf_value(properties, "text:display")
    size = _SIZE.fullmatch(get_odf_value(properties, "fo:font-size"))
    weight = get_odf_value(properties, "fo:font-weight")
    line = get_odf_value(properties, "style:text-line-through-style")
    return Look(
        display == "none" if display else None,
        get_odf_value(properties, "fo:color").lstrip("#") or None,
        round(float(size[1]) * 2) if size else None,
        True if _has_background(properties) else None,
        _read_position(get_odf_value(properties, "style:text-position")),
        get_odf_value(properties, "style:font-name") or get_odf_value(properties, "fo:font-family") or None,
        weight in ("bold", "600", "700", "800", "900") if weight else None,
        line != "none" if line else None,
    )


def _read_position(position: str) -> str | None:
    """`super 58%` and the like; a share of the size says how far text is raised or lowered."""
    first = position.split()[0] if position.split() else ""
    percent = _PERCENT.fullmatch(first)
    height = int(percent[1]) if percent else 0
    if first == "super" or height > 0:
        return "superscript"
    if first == "sub" or height < 0:
        return "subscript"
    return "baseline" if first else None


def _read_levels(style: Element) -> list[OdfLevel]:
    levels = [OdfLevel() for _ in range(_LEVELS)]
    for one in style:
        place = parse_number(get_odf_value(one, "text:level")) - 1
        if not 0 <= place < _LEVELS:
            continue
        if get_odf_name(one) == "text:list-level-style-bullet":
            levels[place] = OdfLevel(bullet=simplify_bullet(decode_symbols(get_odf_value(one, "text:bullet-char"), "")))
        elif get_odf_name(one) == "text:list-level-style-image":
            levels[place] = OdfLevel(bullet="•")
        else:
            levels[place] = OdfLevel(
                _FORMATS.get(get_odf_value(one, "style:num-format")[:1], ""),
                get_odf_value(one, "style:num-prefix"),
                get_odf_value(one, "style:num-suffix"),
                parse_number(get_odf_value(one, "text:display-levels"), 1),
                parse_number(get_odf_value(one, "text:start-value"), 1),
            )
    return levels


class OdfCounters:
    """The numbers of one list, or of the headings."""

    def __init__(self) -> None:
        self._counters = [0] * _LEVELS

    def count_item(self, levels: Sequence[OdfLevel], level: int, start: str) -> str:
        """Count an item, and return what is printed in front of it.

        Args:
            levels: of the style of the innermost list, which may differ from that of the lists around it.
            level: of the item, from 0.
            start: the number that it has by itself; empty: none.
        """
        if not 0 <= level < len(levels):
            return ""
        own = levels[level]
        for above in range(level):
            self._counters[above] = self._counters[above] or levels[above].start
        self._counters[level] = self._counters[level] + 1 if self._counters[level] else own.start
        if start:
            self._counters[level] = parse_number(start)
        self._counters[level + 1 :] = [0] * (_LEVELS - level - 1)
        if own.bullet or not own.format:
            return own.bullet
        first = max(level + 1 - max(own.shown_levels, 1), 0)
        numbers = [
            write_number(self._counters[place], levels[place].format)
            for place in range(first, level + 1)
            if levels[place].format
        ]
        return f"{own.prefix}{'.'.join(numbers)}{own.suffix}".strip()
