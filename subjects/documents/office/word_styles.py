"""Styles of a Word document: what paragraphs and runs inherit that says what they are and whether they can be seen."""

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from elcano.subjects.documents.office.word_names import WORD, get_name, get_value, parse_number
from elcano.text.xml_tree import Element

_HEADING_NAME: Final = re.compile(
    r"(?:heading|überschrift|titre|título|titolo|kop|rubrik|overskrift|otsikko|nagłówek|nadpis|заголовок|başlık|"
    r"cabeçalho|encabezado|標題|标题|見出し|제목)\s?([1-9])",
    re.IGNORECASE,
)
"""Names of heading styles that programs other than Word write in their own language."""
_TITLE_NAMES: Final = frozenset({"title", "titel", "titre", "título", "titolo", "название", "标题", "表題"})
_CAPTION_NAMES: Final = frozenset({"caption", "beschriftung", "légende", "epígrafe", "didascalia", "题注", "図表番号"})
_TOC_NAME: Final = re.compile(r"toc \d|table of figures|contents \d", re.IGNORECASE)
_MOST_ANCESTORS: Final = 30
"""Styles may be based on one another in a circle."""
_HIDDEN_SIZE: Final = 4
"""Size in half points up to which text cannot be read: two points."""
_WHITE: Final = 0xF8
"""Least red, green and blue of a colour that is indistinguishable from white paper."""


class Look(NamedTuple):
    """Relevant look of a run; None: not specified."""

    vanish: bool | None = None
    color: str | None = None
    size: int | None = None
    shade: bool | None = None
    raised: str | None = None
    """`superscript`, `subscript` or `baseline`."""
    font: str | None = None
    bold: bool | None = None
    struck: bool | None = None

    def inherit(self, base: "Look") -> "Look":
        """This look on top of another one."""
        if self is _NO_LOOK or base is _NO_LOOK:
            return base if self is _NO_LOOK else self
        return Look(
            base.vanish if self.vanish is None else self.vanish,
            base.color if self.color is None else self.color,
            base.size if self.size is None else self.size,
            base.shade if self.shade is None else self.shade,
            base.raised if self.raised is None else self.raised,
            base.font if self.font is None else self.font,
            base.bold if self.bold is None else self.bold,
            base.struck if self.struck is None else self.struck,
        )

    @property
    def is_white(self) -> bool:
        """Whether it is drawn in the colour of paper, on nothing darker of its own."""
        return not self.shade and is_paper_color(self.color)

    @property
    def is_tiny(self) -> bool:
        """Whether it is too small to be read."""
        return self.size is not None and 0 < self.size <= _HIDDEN_SIZE


def is_paper_color(color: str | None) -> bool:
    """Whether a colour such as `FFFFFF` is indistinguishable from white."""
    if color is None or not re.fullmatch(r"[0-9A-Fa-f]{6}", color):
        return False
    return all(int(color[place : place + 2], 16) >= _WHITE for place in (0, 2, 4))


def has_shading(properties: Element | None) -> bool | None:
    """Whether something darker than paper is painted behind it; None: nothing is said."""
    shading = None if properties is None else properties.find(WORD + "shd")
    return None if shading is None else _is_dark(shading)


def _is_dark(shading: Element) -> bool:
    fill, pattern = shading.get(WORD + "fill") or "", shading.get(WORD + "val") or ""
    return pattern not in ("clear", "nil", "") or not (fill in ("auto", "") or is_paper_color(fill))


def read_look(properties: Element | None) -> Look:
    """Read the look from the properties of a run."""
    if properties is None or len(properties) == 0:
        return _NO_LOOK
    said: dict[str, object] = {}
    for child in properties:
        if (reader := _LOOKS.get(get_name(child))) is not None:
            name, read = reader
            said[name] = read(child)
    if said.pop("highlight", None):
        said["shade"] = True
    return Look(**said) if said else _NO_LOOK  # type: ignore[arg-type]


def _read_value(element: Element) -> str:
    return element.get(WORD + "val") or ""


def _read_switch(element: Element) -> bool:
    return _read_value(element).lower() not in ("0", "false", "off", "none")


def _read_font(element: Element) -> str | None:
    return element.get(WORD + "ascii") or element.get(WORD + "hAnsi")


_LOOKS: Final[Mapping[str, tuple[str, Callable[[Element], object]]]] = {
    "w:vanish": ("vanish", _read_switch),
    "w:color": ("color", _read_value),
    "w:sz": ("size", lambda size: parse_number(_read_value(size))),
    "w:vertAlign": ("raised", _read_value),
    "w:rFonts": ("font", _read_font),
    "w:b": ("bold", _read_switch),
    "w:strike": ("struck", _read_switch),
    "w:dstrike": ("struck", _read_switch),
    "w:shd": ("shade", _is_dark),
    "w:highlight": ("highlight", lambda one: True if _read_value(one) not in ("none", "white") else None),
}
"""By property of a run: the field of `Look` that it fills in."""
_NO_LOOK: Final = Look()


class Style(NamedTuple):
    """A paragraph or character style, with what it inherits."""

    name: str = ""
    look: Look = _NO_LOOK
    outline: int = 0
    """The level of a heading, from 1; 0: it is none."""
    number: str = ""
    """The list that numbers its paragraphs, as its `numId`; empty: none."""
    number_level: int = 0
    is_title: bool = False
    is_caption: bool = False
    is_contents: bool = False
    """Whether its paragraphs are lines of a table of contents."""
    has_dark_parts: bool = False
    """Whether a table style paints cells, such as those of a head."""
    has_head_row: bool = False
    has_head_column: bool = False


class Styles:
    """The styles of a document."""

    def __init__(self, root: Element | None) -> None:
        self._elements: dict[str, Element] = {}
        self._styles: dict[str, Style] = {}
        self._default_paragraph = ""
        self.default_look = _NO_LOOK
        if root is None:
            return
        for one in root.findall(WORD + "style"):
            key = one.get(WORD + "styleId") or ""
            self._elements.setdefault(key, one)
            if one.get(WORD + "type") == "paragraph" and one.get(WORD + "default") in ("1", "true", "on"):
                self._default_paragraph = key
        self.default_look = read_look(root.find(f"{WORD}docDefaults/{WORD}rPrDefault/{WORD}rPr"))

    def get_paragraph_style(self, properties: Element | None) -> Style:
        """The style of the paragraph with these properties."""
        return self.get_style(get_value(properties, "pStyle") or self._default_paragraph)

    def get_style(self, key: str | None) -> Style:
        """A style by its id; a plain one if there is none."""
        if not key or key not in self._elements:
            return _PLAIN
        if key not in self._styles:
            self._styles[key] = self._read_style(key)
        return self._styles[key]

    def _list_with_ancestors(self, key: str) -> Iterator[Element]:
        for _ in range(_MOST_ANCESTORS):
            element = self._elements.get(key)
            if element is None or not key:  # styles without an id exist, and are no one's ancestors
                return
            yield element
            key = get_value(element, "basedOn") or ""

    def _read_style(self, key: str) -> Style:
        chain = list(self._list_with_ancestors(key))
        names = [get_value(one, "name") or "" for one in chain]
        look, parts = _NO_LOOK, dict[str, Element]()
        for one in chain:
            look = look.inherit(read_look(one.find(WORD + "rPr")))
            for part in one.findall(WORD + "tblStylePr"):
                parts.setdefault(part.get(WORD + "type") or "", part)
        number, number_level = _find_numbering(chain)
        own = names[0].lower()
        return Style(
            own,
            look._replace(shade=look.shade or any(map(_paints_paragraphs, chain)) or None),
            0 if own in _TITLE_NAMES else _find_outline(chain, names),
            number,
            number_level,
            own in _TITLE_NAMES,
            any(name.lower() in _CAPTION_NAMES for name in names),
            bool(_TOC_NAME.match(own)),
            any(map(_paints_cells, chain)) or any(map(_paints_cells, parts.values())),
            "firstRow" in parts,
            "firstCol" in parts,
        )


_PLAIN: Final = Style()


def _paints_paragraphs(style: Element) -> bool:
    return bool(has_shading(style.find(WORD + "pPr")))


def _paints_cells(style: Element) -> bool:
    return bool(has_shading(style.find(WORD + "tcPr")))


def _find_outline(chain: list[Element], names: list[str]) -> int:
    """The level of a heading style: as the nearest style says, else by its name."""
    for one, name in zip(chain, names, strict=True):
        level = get_value(one.find(WORD + "pPr"), "outlineLvl")
        if level is not None:
            return parse_number(level, 9) + 1 if parse_number(level, 9) < 9 else 0
        if found := _HEADING_NAME.fullmatch(name.strip()):
            return int(found[1])
    return 0


def _find_numbering(chain: list[Element]) -> tuple[str, int]:
    """The list of a paragraph style and its level there: each may be inherited by itself."""
    number: str | None = None
    level: str | None = None
    for one in chain:
        properties = one.find(f"{WORD}pPr/{WORD}numPr")
        number = get_value(properties, "numId") if number is None else number
        level = get_value(properties, "ilvl") if level is None else level
    return ("" if number in (None, "0") else number or "", parse_number(level))


TableLook = Mapping[str, bool]


def read_table_look(properties: Element | None) -> TableLook:
    """Which special formats of its style a table uses: `firstRow`, `firstColumn`."""
    look = None if properties is None else properties.find(WORD + "tblLook")
    if look is None:
        return {}
    value = look.get(WORD + "val") or ""
    bits = int(value, 16) if re.fullmatch(r"[0-9A-Fa-f]{1,8}", value) else 0
    found: dict[str, bool] = {}
    for name, bit in (("firstRow", 0x20), ("firstColumn", 0x80)):
        said = look.get(WORD + name)
        found[name] = bool(bits & bit) if said is None else said in ("1", "true", "on")
    return found
