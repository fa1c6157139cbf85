"""The text of a Word paragraph, as a reader of the document sees it."""

import re
from dataclasses import dataclass, field
from typing import Final, NamedTuple

from elcano.subjects.documents.office.office_math import write_office_math
from elcano.subjects.documents.office.symbol_fonts import decode_symbols, has_private_signs, is_symbol_font
from elcano.subjects.documents.office.visible_text import VisibleText
from elcano.subjects.documents.office.word_drawings import Float, choose_alternative, list_floats
from elcano.subjects.documents.office.word_fields import Field, FieldStack
from elcano.subjects.documents.office.word_names import WORD, get_name, get_value, parse_number
from elcano.subjects.documents.office.word_styles import Look, Styles, read_look
from elcano.text.xml_tree import Element

_ENTERED: Final = frozenset(
    {"w:ins", "w:moveTo", "w:hyperlink", "w:smartTag", "w:customXml", "w:bdo", "w:dir", "w:sdtContent"}
)
_CHARACTERS: Final = {
    "w:tab": "\t",
    "w:ptab": "\t",
    "w:br": "\n",
    "w:cr": "\n",
    "w:noBreakHyphen": "-",
    "w:softHyphen": "",
}
_DRAWINGS: Final = frozenset({"w:drawing", "w:pict", "w:object"})
_REFERENCE_LIST: Final = re.compile(r"\d{1,4}[a-z]?(?:\s?[,;–-]\s?\d{1,4}[a-z]?)+")


class NoteReference(NamedTuple):
    """A place that refers to a note or a comment."""

    kind: str
    """`footnote`, `endnote` or `comment`."""
    id: str
    mark: str
    """The author's own mark, such as a star; empty: its number."""


@dataclass(slots=True)
class ParagraphText:
    """Content of one paragraph."""

    text: str = ""
    references: list[NoteReference] = field(default_factory=list)
    floats: list[Float] = field(default_factory=list)
    sequence: str = ""
    """The first sequence that is counted in it, such as `Figure`."""
    is_formula: bool = False
    """Whether there is nothing in it but formulas and their number."""
    is_bold: bool = False
    is_linked_file: bool = False


class TextReader(VisibleText):
    """Reads the paragraphs of one story (the main text, a note, a text box) in order: a field may span several.

    Args:
        styles: the styles of the document.
        keep_fields: see `FieldStack`.
    """

    def __init__(self, styles: Styles, *, keep_fields: bool = False) -> None:
        super().__init__()
        self._styles = styles
        self.fields = FieldStack(keep_all=keep_fields)
        self._base = Look()
        self._result = ParagraphText()
        self._in_citation = 0
        self.prompt_words = 0
        """Words of controls that ask to be filled in, which were left out."""

    def read(self, paragraph: Element, base: Look) -> ParagraphText:
        """Read a paragraph whose runs inherit `base`."""
        self._base = base
        self._result = ParagraphText()
        self._begin_paragraph()
        self._read_children(paragraph)
        result = self._result
        result.text, result.is_formula, result.is_bold = self._write(), self._is_formula, self._is_bold
        return result

    def _read_children(self, parent: Element) -> None:
        for child in parent:
            name = get_name(child)
            if name == "w:r":
                self._read_run(child)
            elif name in _ENTERED:
                self._read_children(child)
            elif name == "w:sdt":
                self._read_control(child)
            elif name == "w:fldSimple":
                self._read_simple_field(child)
            elif name in ("m:oMath", "m:oMathPara"):
                self._add_formula(child)
            elif name == "mc:AlternateContent":
                chosen = choose_alternative(child)
                if chosen is not None:
                    self._read_children(chosen)
            elif name == "w:subDoc":
                self._result.is_linked_file = True

    def _read_control(self, control: Element) -> None:
        """A content control, without the text that asks to fill it in."""
        if is_placeholder(control, self._styles):
            self.prompt_words += count_words(control)
            return
        properties = control.find(WORD + "sdtPr")
        tag = get_value(properties, "tag") or ""
        is_citation = tag.startswith("MENDELEY_CITATION") or get_value(properties, "citation") is not None
        self._in_citation += is_citation
        self._read_children(control)
        self._in_citation -= is_citation

    def _read_simple_field(self, element: Element) -> None:
        simple = Field(instruction=element.get(WORD + "instr") or "")
        self.fields.open(simple)
        self._note_sequence(simple)
        self._read_children(element)
        self.fields.close()

    def _note_sequence(self, closed: Field) -> None:
        self._result.sequence = self._result.sequence or closed.sequence

    def _read_run(self, run: Element) -> None:
        properties = run.find(WORD + "rPr")
        look = self._base
        if properties is not None and len(properties):
            character_style = get_value(properties, "rStyle")
            if character_style:
                look = self._styles.get_style(character_style).look.inherit(look)
            look = read_look(properties).inherit(look)
        self._read_run_content(run, look)

    def _read_run_content(self, run: Element, look: Look) -> None:
        is_mark = False
        for child in run:
            name = get_name(child)
            if name == "w:t":
                text = (child.text or "").replace("\n", " ")
                if is_mark:
                    self._result.references[-1] = self._result.references[-1]._replace(mark=text.strip()[:10])
                else:
                    self._add_text(_decode_font(text, look.font or ""), look)
            elif name in _CHARACTERS:
                self._add_text(_CHARACTERS[name], look)
            elif name == "w:sym":
                sign = chr(int(child.get(WORD + "char") or "20", 16)) if _is_code(child.get(WORD + "char")) else ""
                self._add_text(decode_symbols(sign, child.get(WORD + "font") or ""), look)
            elif name in ("w:footnoteReference", "w:endnoteReference", "w:commentReference"):
                is_mark = self._add_reference(name.removeprefix("w:").removesuffix("Reference"), child, look)
            else:
                self._read_special(child, name, look)

    def _read_special(self, child: Element, name: str, look: Look) -> None:
        """Read elements that occur in few runs."""
        if name == "w:instrText":
            self.fields.add_instruction(child.text or "")
        elif name == "w:fldChar":
            self._read_field_mark(child, look)
        elif name in _DRAWINGS:
            if not (self.fields.is_muted or look.vanish):
                self._result.floats += list_floats(child)
        elif name == "mc:AlternateContent":
            chosen = choose_alternative(child)
            if chosen is not None:
                self._read_run_content(chosen, look)
        elif name == "w:ruby":
            self._read_ruby(child)

    def _read_ruby(self, ruby: Element) -> None:
        """A word with its reading, as browsers show it that cannot set one above the other."""
        for name, before, after in (("rubyBase", "", ""), ("rt", "(", ")")):
            part = ruby.find(WORD + name)
            if part is not None and "".join(map(str, part.itertext())).strip():
                self._add_text(before, self._base)
                self._read_children(part)
                self._add_text(after, self._base)

    def _read_field_mark(self, mark: Element, look: Look) -> None:
        kind = mark.get(WORD + "fldCharType")
        if kind == "begin":
            self.fields.open(Field(mark))
        elif kind == "separate":
            self.fields.separate()
        elif kind == "end":
            closed = self.fields.close()
            if closed is not None:
                self._note_sequence(closed)
                if not closed.in_result:
                    self._add_text(closed.show_without_result(), look)

    def _add_reference(self, kind: str, element: Element, look: Look) -> bool:
        """Note a reference; True if the author's own mark follows in its run."""
        if self.fields.is_muted or look.vanish:
            return False
        self._result.references.append(NoteReference(kind, element.get(WORD + "id") or "", ""))
        return element.get(WORD + "customMarkFollows") in ("1", "true", "on")

    def _add_text(self, text: str, look: Look) -> None:
        if not text or self.fields.is_muted:
            return
        raised = look.raised if look.raised in ("superscript", "subscript") else ""
        if raised == "superscript" and (self._in_citation or self.fields.in_citation):
            raised = "citation"
        self._put(text, look, raised)

    def _add_formula(self, formula: Element) -> None:
        if not self.fields.is_muted and (text := write_office_math(formula)):
            self._put_formula(text)

    def _write_part(self, place: int) -> str:
        """A part, of which a raised one may be a reference to literature."""
        raised, text = self._parts[place]
        core = text.strip()
        before = self._parts[place - 1][1].rstrip()[-1:] if place else ""
        is_list = raised == "superscript" and _REFERENCE_LIST.fullmatch(core) and before and not before.isdigit()
        if raised == "citation" or is_list:
            return text.replace(core, f"[{core}]") if core and core[0] not in "[(" else text
        return super()._write_part(place)


def is_placeholder(control: Element, styles: Styles) -> bool:
    """Whether a content control shows nothing but what to fill in.

    Templates mark their sample text too, which looks like any other text: only a prompt in the style of prompts, or in
    brackets, is one.
    """
    if get_value(control.find(WORD + "sdtPr"), "showingPlcHdr") in (None, "0", "false", "off"):
        return False
    texts = [run for run in control.iter(WORD + "r") if run.find(WORD + "t") is not None]
    if all(_is_prompt(get_value(run.find(WORD + "rPr"), "rStyle"), styles) for run in texts):
        return True
    shown = "".join(one.text or "" for one in control.iter(WORD + "t")).strip()
    return shown.startswith("[") and shown.endswith("]")


def count_words(element: Element) -> int:
    """The words in an element, hidden ones included."""
    return len("".join(one.text or "" for one in element.iter(WORD + "t")).split())


def _is_prompt(style: str | None, styles: Styles) -> bool:
    return bool(style) and "placeholder" in (style or "").lower() + styles.get_style(style).name


def _is_code(text: str | None) -> bool:
    return bool(text and re.fullmatch(r"[0-9A-Fa-f]{1,4}", text) and not 0xD800 <= int(text, 16) < 0xE000)


def _decode_font(text: str, font: str) -> str:
    return decode_symbols(text, font) if is_symbol_font(font) or has_private_signs(text) else text


def parse_level(properties: Element | None) -> int | None:
    """The outline level that a paragraph gives itself, from 1; 0: none; None: as its style says."""
    level = get_value(properties, "outlineLvl")
    if level is None:
        return None
    return parse_number(level, 9) + 1 if parse_number(level, 9) < 9 else 0
