"""Finds displayed formulas: lines by themselves that are made of signs rather than of words."""

from collections.abc import Sequence
from typing import Final

import regex

from elcano.subjects.documents.pdf.lines import TextLine
from elcano.subjects.documents.pdf.paragraph_signs import INDENT, is_caption, sign_of

NEAR: Final = 1.1
"""The parts of a fraction stand so many sizes from its line at most."""
_OPERATOR: Final = regex.compile(r"[=<>+|/^\u00b1\u00d7\u00f7\u2190-\u22ff\u2a00-\u2aff\p{Greek}]|\p{Sm}")
_RELATION: Final = regex.compile(r"[=<>\u2190-\u21ff\u2208-\u220b\u223c-\u2289]")
_EQUATION_NUMBER: Final = regex.compile(r"\([A-Z]?\d{1,3}(?:\.\d{1,3})*[a-z]?\)")
_MARKUP: Final = regex.compile(r"://|</?\p{L}")
_WORD: Final = regex.compile(
    r"(?:\p{L}|['\u2019-]){3,}[,.;:]?|.*[\p{Han}\p{Hiragana}\p{Katakana}\p{Hangul}\p{Hebrew}\p{Arabic}\p{Thai}]"
)
_NAMES: Final = regex.compile(
    r"(?:arg|cosh?|coth?|csc|deg|det|diag|dim|div|erf|exp|for|grad|if|inf|ker|lim|ln|log|max|min|"
    r"mod|otherwise|prob|rot|sec|sgn|sinh?|sup|tanh?|tr|var)[,.;:]?"
)
"""Words that are in formulas."""


def find_formulas(lines: Sequence[TextLine]) -> set[int]:
    """The numbers of the lines of a page that are displayed formulas, or parts of them such as a numerator."""
    signs = [number for number, line in enumerate(lines) if _may_be_formula(line)]
    found = {number for number in signs if _states_something(lines[number])}
    for number in signs:
        line = lines[number]
        neighbours = (one for one in (number - 1, number + 1, number - 2, number + 2) if one in found)
        if number not in found and any(_is_part_of(line, lines[one]) for one in neighbours):
            found.add(number)
    return found


def _may_be_formula(line: TextLine) -> bool:
    """Whether a line is apart from the left edge of its column and has hardly a word."""
    if line.thing is not None or line.fixed or line.turn or line.start < INDENT * line.size or not line.tokens:
        return False
    if _MARKUP.search(line.text) or is_caption(line.text):
        return False
    if sign_of(line) == "bullet" or (sign_of(line) and line.text[0] != "("):
        return False
    words = [_WORD.fullmatch(token) is not None and not _NAMES.fullmatch(token) for token in line.tokens]
    return 5 * sum(words) <= len(words) and not (words[0] and line.text[0].islower())


def _states_something(line: TextLine) -> bool:
    text = line.text
    if _EQUATION_NUMBER.fullmatch(line.tokens[-1]) and line.pieces > 1:
        return True
    return bool(_RELATION.search(text)) and sum(1 for token in line.tokens if _OPERATOR.search(token)) * 8 >= len(
        line.tokens
    )


def _is_part_of(line: TextLine, formula: TextLine) -> bool:
    """Whether a line is above or below a formula, within its width and as near as the parts of a fraction."""
    near = abs(line.base - formula.base) <= NEAR * max(line.size, formula.size)
    return (
        near
        and line.column == formula.column
        and line.left >= formula.left - formula.size
        and line.right <= formula.right
    )
