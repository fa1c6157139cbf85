"""Fields of Word: what is in the document for an instruction, such as a citation, a number or a cross-reference."""

import re
from typing import Final

from elcano.subjects.documents.office.symbol_fonts import decode_symbols
from elcano.subjects.documents.office.word_names import WORD, get_value, is_on, parse_number
from elcano.text.xml_tree import Element

_MOST_NESTED: Final = 50
"""Maximum depth of fields in fields; more are opened by no one who means to close them."""
_INSTRUCTION_CHARACTERS: Final = 2_000
"""An instruction is read no further: citation managers store whole records in it."""
_CITATION: Final = re.compile(
    r"\s*(?:ADDIN\s+(?:EN\.CITE|ZOTERO_ITEM|CSL_CITATION|Mendeley|REFMGR|NE\.Ref)|CITATION)\b"
)
_NOTE_REFERENCE: Final = re.compile(r"\s*(?:NOTEREF|FTNREF)\b")
_SYMBOL: Final = re.compile(r'\s*SYMBOL\s+(\d{1,5}|0x[0-9A-Fa-f]{1,4})(?=\s|$)(?:[^"]{0,200}\\f\s*"([^"]{1,100})")?')
_BUTTON: Final = re.compile(r"\s*(?:MACROBUTTON|GOTOBUTTON)\s+\S{1,200}\s+(.{1,500})")
_FRACTION: Final = re.compile(r"\s*EQ\s+\\f\s*\(([^(),;]{1,200})[,;]([^(),;]{1,200})\)\s*$", re.IGNORECASE)
_SEQUENCE: Final = re.compile(r"\s*SEQ\s+([^\s\\]{1,100})")


class Field:
    """A field that is open: its instruction is being read, or its result."""

    def __init__(self, begin: Element | None = None, instruction: str = "") -> None:
        self._parts = [instruction]
        self._length = len(instruction)
        self._form = None if begin is None else begin.find(WORD + "ffData")
        self.in_result = begin is None

    def add_instruction(self, text: str) -> None:
        """Append to the instruction, which may be spread over several runs."""
        if self._length <= _INSTRUCTION_CHARACTERS:
            self._parts.append(text)
            self._length += len(text)

    @property
    def instruction(self) -> str:
        """Return the instruction of the field."""
        return "".join(self._parts)[:_INSTRUCTION_CHARACTERS]

    @property
    def kind(self) -> str:
        """The first word of its instruction."""
        return self.instruction.split(maxsplit=1)[0].upper() if self.instruction.strip() else ""

    @property
    def is_contents(self) -> bool:
        """Whether its result is a table of contents or a list of figures."""
        return self.kind == "TOC"

    @property
    def is_citation(self) -> bool:
        """Whether its result is a reference to a work or a note, which may be raised."""
        instruction = self.instruction
        return bool(_CITATION.match(instruction) or _NOTE_REFERENCE.match(instruction))

    @property
    def sequence(self) -> str:
        """The name of the sequence that it counts, such as `Figure`; empty if it counts none."""
        found = _SEQUENCE.match(self.instruction)
        return found[1] if found else ""

    def show_without_result(self) -> str:
        """Return the text of a field that has no result of its own, such as a box to tick."""
        if self._form is not None and (shown := _show_form_field(self._form)):
            return shown
        instruction = self.instruction
        if found := _SYMBOL.match(instruction):
            code = int(found[1], 0 if found[1].startswith("0x") else 10)
            return decode_symbols(chr(code) if 32 <= code < 0xD800 else "", found[2] or "")
        if found := _BUTTON.match(instruction):
            return found[1].strip()
        if found := _FRACTION.match(instruction):
            return f"{found[1].strip()}/{found[2].strip()}"
        return ""


def _show_form_field(form: Element) -> str:
    box = form.find(WORD + "checkBox")
    if box is not None:
        state = is_on(box, "checked")
        return "☒" if (is_on(box, "default") if state is None else state) else "☐"
    choices = form.find(WORD + "ddList")
    if choices is not None:
        entries = [one.get(WORD + "val") or "" for one in choices.findall(WORD + "listEntry")]
        chosen = get_value(choices, "result")
        place = parse_number(get_value(choices, "default") if chosen is None else chosen)
        return entries[place] if 0 <= place < len(entries) else ""
    return ""


class FieldStack:
    """The fields that are open at a place of a text; they may end paragraphs later."""

    def __init__(self, *, keep_all: bool = False) -> None:
        """`keep_all`: hide instructions only, as is right where a field is never closed."""
        self._open: list[Field] = []
        self._keep_all = keep_all
        self.is_muted = False
        """Whether text at this place is no part of what is read."""
        self.in_citation = False
        self.has_muted = False
        """Whether any place was muted."""

    def __bool__(self) -> bool:
        return bool(self._open)

    def open(self, field: Field) -> None:
        """Begin a field within the innermost one."""
        if len(self._open) < _MOST_NESTED:
            self._open.append(field)
        self._update()

    def separate(self) -> None:
        """The instruction of the innermost field ends, and its result begins."""
        if self._open:
            self._open[-1].in_result = True
        self._update()

    def close(self) -> Field | None:
        """End the innermost field and return it; None if there is none."""
        closed = self._open.pop() if self._open else None
        self._update()
        return closed

    def add_instruction(self, text: str) -> None:
        """Append to the instruction of the innermost field."""
        if self._open and not self._open[-1].in_result:
            self._open[-1].add_instruction(text)

    def _update(self) -> None:
        self.is_muted = not self._keep_all and any(not one.in_result or one.is_contents for one in self._open)
        self.in_citation = any(one.in_result and one.is_citation for one in self._open)
        self.has_muted |= self.is_muted
