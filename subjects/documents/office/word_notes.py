"""Footnotes, endnotes and comments of a Word document, and their numbers."""

from collections.abc import Callable
from typing import Final

from elcano.subjects.documents.office.list_numbers import write_number
from elcano.subjects.documents.office.word_names import WORD, get_value, parse_number
from elcano.subjects.documents.office.word_text import NoteReference
from elcano.text.xml_tree import Element

_FORMATS: Final = {"footnote": "decimal", "endnote": "lowerRoman"}


class Notes:
    """The notes of a document. `number_reference` is called for each reference in order."""

    def __init__(self, read_part: Callable[[str], Element | None], document: Element) -> None:
        self._elements: dict[tuple[str, str], Element] = {}
        self._next: dict[str, int] = {}
        self._formats: dict[str, str] = {}
        settings = read_part("settings")
        for kind in ("footnote", "endnote", "comment"):
            root = read_part(f"{kind}s")
            for one in () if root is None else root.findall(WORD + kind):
                if one.get(WORD + "type") in (None, "normal"):
                    self._elements.setdefault((kind, one.get(WORD + "id") or ""), one)
            if kind in _FORMATS:
                self._read_format(kind, settings, document)

    def _read_format(self, kind: str, settings: Element | None, document: Element) -> None:
        """Read the numbering of notes: that of the first section, else of the settings.

        Where numbers begin again on each page or section they are not known.
        """
        sections = (one.find(f"{WORD}{kind}Pr") for one in document.iter(WORD + "sectPr"))
        section = next((one for one in sections if one is not None), None)
        general = None if settings is None else settings.find(f"{WORD}{kind}Pr")
        said = {
            name: next((value for one in (section, general) if (value := get_value(one, name)) is not None), None)
            for name in ("numFmt", "numStart", "numRestart")
        }
        restarts = said["numRestart"] not in (None, "continuous")
        self._formats[kind] = "" if restarts else said["numFmt"] or _FORMATS[kind]
        self._next[kind] = parse_number(said["numStart"], 1)

    def number_reference(self, reference: NoteReference) -> NoteReference:
        """The reference with the mark that is printed, if it is known."""
        if reference.mark or reference.kind not in _FORMATS or self.find(reference) is None:
            return reference
        number = self._next[reference.kind]
        self._next[reference.kind] = number + 1
        style = self._formats[reference.kind]
        return reference._replace(mark=write_number(number, style) if style else "")

    def find(self, reference: NoteReference) -> Element | None:
        """The note or comment; None if it is missing."""
        return self._elements.get((reference.kind, reference.id))
