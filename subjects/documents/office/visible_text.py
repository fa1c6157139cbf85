"""The text of a paragraph of a word processor, put together from runs of one look each, as a reader sees it."""

import re
from collections.abc import Callable, Mapping
from typing import Final

from elcano.activities.passages.document import normalize_text
from elcano.subjects.documents.office.word_styles import Look
from elcano.text.words import lower_text, raise_text

_SPACES: Final = re.compile(r"[ \u2002-\u200a\u202f]+(?=[ \n\t]|$)|(?<=\n)[ \t]+|(?<=\t) +")
_LETTER: Final = re.compile(r"[^\W\d_]")
_WRITERS: Final[Mapping[str, Callable[[str], str]]] = {"superscript": raise_text, "subscript": lower_text}


class VisibleText:
    """Collects the runs of one paragraph after the other."""

    def __init__(self) -> None:
        self.hidden_words = self.struck_words = 0
        self._begin_paragraph()

    def _begin_paragraph(self) -> None:
        self._parts: list[tuple[str, str]] = []
        """Pairs of how a text is raised and the text: pieces of one exponent may be in several runs."""
        self._has_formula = self._has_letters = False
        self._looks = {True: False, False: False}
        """Whether there is bold and other text."""

    def _put(self, text: str, look: Look, raised: str = "") -> None:
        """Add text of one look, unless it is invisible or struck out."""
        if look.vanish or look.is_tiny or look.is_white:
            self.hidden_words += len(text.split())
            return
        if look.struck:
            self.struck_words += len(text.split())
            return
        if not text.isspace():
            self._has_letters = self._has_letters or _LETTER.search(text) is not None
            self._looks[bool(look.bold)] = True
        if self._parts and self._parts[-1][0] == raised:
            text = self._parts.pop()[1] + text
        self._parts.append((raised, text))

    def _put_formula(self, text: str) -> None:
        self._has_formula = True
        before = self._parts[-1][1] if self._parts else ""
        self._parts.append(("", f"{' ' if before[-1:].isalnum() and text[:1].isalnum() else ''}{text}"))

    @property
    def _is_formula(self) -> bool:
        """Whether there is nothing but formulas and their numbers."""
        return self._has_formula and not self._has_letters

    @property
    def _is_bold(self) -> bool:
        return self._looks[True] and not self._looks[False]

    def _write(self) -> str:
        """The text as it is stored, without spaces that separate nothing."""
        written = "".join(self._write_part(place) for place in range(len(self._parts)))
        return _SPACES.sub("", normalize_text(written)).strip()

    def _write_part(self, place: int) -> str:
        raised, text = self._parts[place]
        return _WRITERS.get(raised, str)(text)
