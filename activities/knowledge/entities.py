"""Finds entities in a sentence by spelling alone: symbols, as genes and drugs in trials have them, and names.

A rule that errs on the side of too little: a word that begins a sentence is no name by that, and a title in which every
word is capitalised has none. No model is asked, and none is pretended.
"""

import re
from typing import Final

MOST: Final = 12
"""Entities of one text."""

_SYMBOL: Final = re.compile(r"(?<![\w-])(?=[\w-]*[A-Z][\w-]*[A-Z0-9])[A-Z][A-Za-z]?[A-Z0-9]+(?:-[A-Z0-9]+)*(?![\w-])")
"""`TP53`, `BRCA1`, `IL-6`, `COVID-19`, `HbA1`: two signs and more, the first and another one a capital or a digit."""
_WORD: Final = re.compile(r"[^\W\d_][\w'\u2019.-]*[^\W_]|[^\W\d_]")
_NUMERAL: Final = re.compile(r"[IVXLC]+")
_PLAIN_WORDS: Final = (
    "AND OR NOT THE FOR WITH FROM TO IN ON OF BY NO YES VS CI HR RR SD SE OK ID US UK EU AI IT PDF URL DOI "
    "PMID ISBN BACKGROUND METHODS RESULTS CONCLUSION CONCLUSIONS OBJECTIVE"
)
_PLAIN: Final = frozenset(_PLAIN_WORDS.split())
"""Signs in capitals that name nothing by themselves."""
_BETWEEN: Final = frozenset({"of", "de", "del", "la", "van", "von", "der", "du", "da", "di", "al", "bin", "ibn"})
_LONGEST: Final = 80
_OPENING: Final = " (\"'\u201c\u2018\u00ab"
"""What may stand between the end of a sentence and the first word of the next one."""


def find_entities(text: str, *, names: bool = True) -> tuple[str, ...]:
    """The symbols and, if `names`, the names of two words and more in a text, each once, in its order."""
    found = {match.start(): match.group() for match in _SYMBOL.finditer(text) if _is_telling_symbol(match.group())}
    if names:
        for start, name in _find_capitalised_names(text):
            found.setdefault(start, name)
    kept = dict.fromkeys(name for _, name in sorted(found.items()) if len(name) <= _LONGEST)
    return tuple(kept)[:MOST]


def _is_telling_symbol(symbol: str) -> bool:
    return len(symbol) > 1 and symbol not in _PLAIN and not _NUMERAL.fullmatch(symbol)


def _find_capitalised_names(text: str) -> list[tuple[int, str]]:
    """Capitalised words in a row, with particles between them; the first word of a sentence does not begin one."""
    words = list(_WORD.finditer(text))
    capital = [_is_capitalised(match.group()) for match in words]
    long = [is_capital for match, is_capital in zip(words, capital, strict=True) if len(match.group()) > 3]
    if len(long) > 4 and sum(long) > 0.85 * len(long):
        return []
    found, row = [], list[re.Match[str]]()
    for match, is_capital in zip(words, capital, strict=True):
        apart = bool(row) and text[row[-1].end() : match.start()] != " "
        if apart or not (is_capital or (row and match.group() in _BETWEEN)):
            found += _as_name(text, row)
            row = []
        begins = is_capital and (bool(row) or not _begins_a_sentence(text, match.start()))
        if begins or (row and match.group() in _BETWEEN):
            row.append(match)
    return found + _as_name(text, row)


def _as_name(text: str, row: list[re.Match[str]]) -> list[tuple[int, str]]:
    while row and row[-1].group() in _BETWEEN:
        row = row[:-1]
    return [(row[0].start(), text[row[0].start() : row[-1].end()])] if len(row) > 1 else []


def _is_capitalised(word: str) -> bool:
    return len(word) > 1 and word[0].isupper() and word[1:] != word[1:].upper()


def _begins_a_sentence(text: str, start: int) -> bool:
    before = text[:start].rstrip(_OPENING)
    return not before or before[-1] in ".!?:\n"
