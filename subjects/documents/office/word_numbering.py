"""Numbers and bullets of a Word document's lists and headings, counted as Word counts them."""

import re
from typing import Final, NamedTuple

from elcano.subjects.documents.office.list_numbers import write_number
from elcano.subjects.documents.office.symbol_fonts import decode_symbols
from elcano.subjects.documents.office.word_names import WORD, get_value, is_on, parse_number
from elcano.subjects.documents.office.word_styles import Styles
from elcano.text.xml_tree import Element

_LEVELS: Final = 9
_PLACEHOLDER: Final = re.compile(r"%([1-9])")
_DOTS: Final = frozenset("•●·∙▪■◾◼♦◆⬥❖➢➤▶►‣⁃*oO§¡")
_HOLLOW: Final = frozenset("◦○◯❍o")
_DASHES: Final = frozenset("-–—−‐")
_LABEL_CHARACTERS: Final = 60
"""Maximum length of a label: a longer text in front of each item would be repeated without end."""


class _Level(NamedTuple):
    start: int = 1
    format: str = "decimal"
    text: str = ""
    font: str = ""
    restarts_after: int | None = None
    """The level, counted from 1, whose next number makes this one begin again; 0: none; None: any above it."""
    is_legal: bool = False
    """Whether the numbers of all levels are written in digits."""


class ListLabel(NamedTuple):
    """Label printed in front of a paragraph."""

    text: str
    level: int
    """Counted from 0."""
    is_bullet: bool


class Numbering:
    """The lists of a document. `count_paragraph` is called for each paragraph in order."""

    def __init__(self, root: Element | None, styles: Styles) -> None:
        self._styles = styles
        self._abstracts: dict[str, Element] = {}
        self._numbers: dict[str, Element] = {}
        self._levels: dict[str, tuple[str, list[_Level]]] = {}
        self._counters: dict[str, list[int]] = {}
        """The last number of each level, by abstract list: lists that share one are resumed. 0: none yet."""
        self._restarted: set[tuple[str, int]] = set()
        if root is not None:
            for one in root.findall(WORD + "abstractNum"):
                self._abstracts[one.get(WORD + "abstractNumId") or ""] = one
            for one in root.findall(WORD + "num"):
                self._numbers[one.get(WORD + "numId") or ""] = one

    def count_paragraph(self, number_id: str, level: int) -> ListLabel | None:
        """Count a paragraph of a list, and return what is printed in front of it; None if there is no such list."""
        if number_id not in self._numbers or not 0 <= level < _LEVELS:
            return None
        abstract, levels = self._read_levels(number_id)
        counters = self._counters.setdefault(abstract, [0] * _LEVELS)
        self._apply_override(number_id, level, counters, levels)
        for above in range(level):  # Word counts a level that is skipped as if it were there
            counters[above] = counters[above] or levels[above].start
        counters[level] = counters[level] + 1 if counters[level] else levels[level].start
        for below in range(level + 1, _LEVELS):
            after = levels[below].restarts_after
            if after is None or level < after:
                counters[below] = 0
        own = levels[level]
        if own.format == "bullet":
            return ListLabel(simplify_bullet(decode_symbols(own.text, own.font)), level, True)
        label = _PLACEHOLDER.sub(lambda place: self._write_level(int(place[1]) - 1, own, counters, levels), own.text)
        return ListLabel(label.strip()[:_LABEL_CHARACTERS], level, False)

    def find_style_level(self, number_id: str, style_key: str) -> int | None:
        """The level of a list that belongs to a paragraph style; None if none does."""
        abstract = self._find_abstract(number_id)
        for one in () if abstract is None else abstract.findall(WORD + "lvl"):
            if style_key and get_value(one, "pStyle") == style_key:
                return parse_number(one.get(WORD + "ilvl"))
        return None

    def _write_level(self, level: int, own: _Level, counters: list[int], levels: list[_Level]) -> str:
        return write_number(counters[level], "decimal" if own.is_legal else levels[level].format)

    def _apply_override(self, number_id: str, level: int, counters: list[int], levels: list[_Level]) -> None:
        """Begin again where this list, used for the first time, says so."""
        if (number_id, level) in self._restarted:
            return
        self._restarted.add((number_id, level))
        for one in self._numbers[number_id].findall(WORD + "lvlOverride"):
            start = get_value(one, "startOverride")
            if parse_number(one.get(WORD + "ilvl"), -1) == level and start is not None:
                counters[level] = 0
                levels[level] = levels[level]._replace(start=parse_number(start, 1))

    def _find_abstract(self, number_id: str) -> Element | None:
        """The definition of a list, which may refer to that of a list style."""
        number = self._numbers.get(number_id)
        key = get_value(number, "abstractNumId") or ""
        for _ in range(3):
            abstract = self._abstracts.get(key)
            linked = get_value(abstract, "numStyleLink")
            if abstract is None or linked is None:
                return abstract
            other = self._numbers.get(self._styles.get_style(linked).number)
            key = get_value(other, "abstractNumId") or ""
        return None

    def _read_levels(self, number_id: str) -> tuple[str, list[_Level]]:
        if number_id not in self._levels:
            abstract = self._find_abstract(number_id)
            levels = [_Level() for _ in range(_LEVELS)]
            definitions = [] if abstract is None else abstract.findall(WORD + "lvl")
            for override in self._numbers[number_id].findall(WORD + "lvlOverride"):
                definitions += override.findall(WORD + "lvl")
            for one in definitions:
                place = parse_number(one.get(WORD + "ilvl"), -1)
                if 0 <= place < _LEVELS:
                    levels[place] = _read_level(one)
            key = "" if abstract is None else abstract.get(WORD + "abstractNumId") or ""
            self._levels[number_id] = (key, levels)
        return self._levels[number_id]


def _read_level(element: Element) -> _Level:
    restart = get_value(element, "lvlRestart")
    fonts = element.find(f"{WORD}rPr/{WORD}rFonts")
    text = get_value(element, "lvlText") or ""
    if is_on(element.find(WORD + "rPr"), "vanish"):
        text = ""
    return _Level(
        parse_number(get_value(element, "start"), 1),
        get_value(element, "numFmt") or "decimal",
        text,
        "" if fonts is None else fonts.get(WORD + "ascii") or fonts.get(WORD + "hAnsi") or "",
        None if restart is None else parse_number(restart),
        bool(is_on(element, "isLgl")),
    )


def simplify_bullet(bullet: str) -> str:
    """One sign for each of the many dots and dashes that only open an item; others, such as a tick, say something."""
    core = bullet.strip()
    if core in _HOLLOW:
        return "◦"
    if not core or core in _DOTS:
        return "•"
    return "–" if core in _DASHES else core[:_LABEL_CHARACTERS]
