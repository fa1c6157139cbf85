"""The text of an OpenDocument paragraph, as a reader of the document sees it."""

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Final

from elcano.subjects.documents.office.odf_names import get_odf_name, get_odf_value, make_odf_name
from elcano.subjects.documents.office.odf_styles import OdfStyles
from elcano.subjects.documents.office.symbol_fonts import decode_symbols, is_symbol_font
from elcano.subjects.documents.office.visible_text import VisibleText
from elcano.subjects.documents.office.word_names import parse_number
from elcano.subjects.documents.office.word_styles import Look
from elcano.text.formulas import write_mathml
from elcano.text.xml_tree import Element

_SPACE: Final = re.compile(r"[ \t\r\n]+")
_LEFT_OUT: Final = frozenset(
    {
        *("office:annotation-end", "text:tracked-changes", "svg:title", "svg:desc", "office:event-listeners"),
        *("text:toc-mark", "text:placeholder", "text:hidden-paragraph", "dc:creator", "dc:date", "draw:glue-point"),
        *("text:alphabetical-index-mark", "text:bookmark", "text:script", "office:forms", "draw:image-map"),
    }
)
_SHAPES: Final = frozenset(
    {
        *("draw:frame", "draw:g", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line"),
        *("draw:polygon", "draw:path", "draw:polyline", "draw:connector", "draw:caption", "draw:regular-polygon"),
        *("draw:control", "draw:measure", "draw:page-thumbnail"),
    }
)
_MOST_SPACES: Final = 100


@dataclass(slots=True)
class OdfText:
    """Content of one paragraph."""

    text: str = ""
    notes: list[Element] = field(default_factory=list)
    annotations: list[Element] = field(default_factory=list)
    shapes: list[Element] = field(default_factory=list)
    has_sequence: bool = False
    is_formula: bool = False


class OdfTextReader(VisibleText):
    """Reads paragraphs.

    Args:
        styles: the styles of the document.
        find_formula: the formula of a frame, if it holds one.
    """

    def __init__(self, styles: OdfStyles, find_formula: Callable[[Element], Element | None]) -> None:
        super().__init__()
        self._styles = styles
        self._find_formula = find_formula
        self._result = OdfText()

    def read(self, paragraph: Element, base: Look) -> OdfText:
        """Read a paragraph or heading, which inherits `base`."""
        self._result = OdfText()
        self._begin_paragraph()
        style = self._styles.get_style("paragraph", get_odf_value(paragraph, "text:style-name"))
        self._read_children(paragraph, style.look.inherit(base))
        result = self._result
        result.text, result.is_formula = self._write(), self._is_formula
        return result

    def _read_children(self, parent: Element, look: Look) -> None:
        self._add(parent.text, look)
        for child in parent:
            self._read_element(child, get_odf_name(child), look)
            self._add(child.tail, look)

    def _read_element(self, element: Element, name: str, look: Look) -> None:
        if name == "text:span":
            own = self._styles.get_style("text", get_odf_value(element, "text:style-name")).look
            self._read_children(element, own.inherit(look))
        elif name == "text:s":
            spaces = min(parse_number(get_odf_value(element, "text:c"), 1), _MOST_SPACES)
            self._add_kept(" " * spaces, look)
        elif name in ("text:tab", "text:line-break"):
            self._add_kept("\t" if name == "text:tab" else "\n", look)
        elif name in ("text:note", "office:annotation"):
            if not look.vanish:
                (self._result.notes if name == "text:note" else self._result.annotations).append(element)
        elif name in _SHAPES:
            self._read_shape(element)
        elif name == "text:ruby":
            self._read_ruby(element, look)
        elif name == "text:hidden-text":
            shown = get_odf_value(element, "text:is-hidden") == "false"
            self._add_kept(get_odf_value(element, "text:string-value") if shown else "", look)
        elif name == "math:math":
            self._add_formula(write_mathml(element))
        elif name not in _LEFT_OUT and get_odf_value(element, "text:display") != "none":
            self._result.has_sequence |= name == "text:sequence"
            self._read_children(element, look)

    def _read_shape(self, shape: Element) -> None:
        formula = self._find_formula(shape)
        if formula is not None:
            self._add_formula(write_mathml(formula))
        else:
            self._result.shapes.append(shape)

    def _read_ruby(self, ruby: Element, look: Look) -> None:
        """A word with its reading, as browsers show it that cannot set one above the other."""
        base, reading = (ruby.find(make_odf_name(f"text:ruby-{name}")) for name in ("base", "text"))
        if base is not None:
            self._read_children(base, look)
        if reading is not None and (text := "".join(map(str, reading.itertext())).strip()):
            self._add(f"({text})", look)

    def _add(self, text: str | None, look: Look) -> None:
        """Text of the file: its white space is one space, however much there is."""
        if text:
            self._add_kept(_SPACE.sub(" ", text), look)

    def _add_kept(self, text: str, look: Look) -> None:
        if text:
            text = decode_symbols(text, look.font) if look.font and is_symbol_font(look.font) else text
            self._put(text, look, look.raised or "")

    def _add_formula(self, text: str) -> None:
        if text:
            self._put_formula(text)
