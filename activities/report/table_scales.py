"""Tables in thousands or millions: rows have figures bare, and a head or caption says how large they are.

A statement may write such a figure out (`$8.3 million` of `8300` under `Revenue ($000)`); one that gives it a
currency without the scale says a thousandth.
"""

import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Final

from elcano.graphs.report.cells import CitedCell
from elcano.text.number_words import parse_scale_word
from elcano.text.phrases import ENGLISH
from elcano.text.support.figures import extract_figures, read_scale

_ZEROS: Final = re.compile(
    r"(?<![\w.,])(?:in 1[,. \u00a0]?)?['\u2019]?000(?P<more>[ ,.\u00a0'\u2019]000)?s?(?![\w.,]*\d)"
)
_WORD: Final = re.compile(r"(?P<rate>(?:\b(?:per|pro|par|por|je)|/)[ \u00a0]?)?\b(?P<word>[^\W\d_]{3,12})\b\.?")
"""A word of a head, with what makes it a rate: `deaths per million`."""
_MONEY: Final = re.compile(r"[$\u20ac\u00a3\u00a5]|\b(?:USD|EUR|GBP|CHF|JPY)\b")
_CAPTION: Final = re.compile(
    r"\bin (?:(?:US|U\.S\.)?[ \u00a0]?[$\u20ac\u00a3\u00a5A-Z]{1,3}[ \u00a0]?)?"
    r"(?:thousands|millions|billions|Mio|Mrd|Tsd)\b"
    r"|\((?:US)?[$\u20ac\u00a3\u00a5]?[ \u00a0]?['\u2019]?000(?:[ ,.\u00a0'\u2019]000)?s?\)"
)
_EXCEPT: Final = re.compile(r"\b(?:except|excluding|per|ohne|außer|pro|sauf|par)\b|/", re.IGNORECASE)
"""Words of a head that leave some of its figures as they are: `(in thousands, except per share data)`."""
_SAID: Final = {3: "thousand", 6: "million", 9: "billion"}


def read_head_scale(head: str) -> int:
    """The power of ten that a head says its figures are in: 3 for `($000)` and `in thousands`; 0: it says none."""
    if found := _ZEROS.search(head):
        return 6 if found["more"] else 3
    powers = (parse_scale_word(one["word"]) for one in _WORD.finditer(head) if not one["rate"])
    return next((power for power in powers if power in _SAID), 0)


def list_scaled_amounts(cells: Iterable[CitedCell], captions: Iterable[str] = ()) -> Iterator[str]:
    """Yield the figures of quoted cells as they are written out, such as `$8300 thousand`.

    Args:
        cells: those of tables.
        captions: texts that may say it for cells whose heads do not: which tables they mean takes a reader.
    """
    said = [found[0] for text in captions if (found := _CAPTION.search(text))]
    for cell in cells:
        for head in (cell.column_head, cell.row_head, *said):
            if power := read_head_scale(head):
                money = found[0] if (found := _MONEY.search(head)) else ""
                yield from _write_out(cell.text, money, power)
                break


def _write_out(text: str, money: str, power: int) -> Iterator[str]:
    for one in extract_figures(text):
        if one.unit.isupper() or not one.unit:
            yield f"{'' if one.unit else money}{' ' if money.isalpha() else ''}{one.written} {_SAID[power]}"


def scale_by_head(text: str, context: str) -> str:
    """The words of a cell of a report with the scale that its own head gives: `8.3 million` under `Revenue (million)`.

    Empty: the head gives none, or the cell has words of its own.
    """
    power = read_head_scale(context)
    figures = extract_figures(text) if power else []
    return f"{text.strip()} {_SAID[power]}" if len(figures) == 1 and not figures[0].unit else ""


def find_unscaled_figures(
    text: str, context: str, cells: Sequence[CitedCell], quotes: Sequence[str]
) -> tuple[str, ...]:
    """Say of each amount of money of a statement that the table it quotes has it in thousands or millions only.

    Args: as for `find_misread_units`.
    """
    if read_head_scale(f"{context} {text}"):
        return ()
    found: dict[str, None] = {}
    quoted = [one for each in quotes for one in extract_figures(each) if one.unit.isupper()]
    for figure in extract_figures(text) if cells else ():
        if not figure.unit.isupper() or read_scale(figure.written):
            continue
        there = [cell for cell in cells if any(figure.values & one.values for one in extract_figures(cell.text))]
        written_so = any(one.values & figure.values for one in quoted)
        if there and not written_so and all(_scales_money(cell.column_head) for cell in there):
            found[ENGLISH.figure_misplaced.format(said=figure.written, there=there[0].column_head)] = None
    return tuple(found)


def _scales_money(head: str) -> bool:
    """Whether each amount of money below a head is in thousands or millions, and nothing else is."""
    said = _CAPTION.search(head) or (_MONEY.search(head) and read_head_scale(head))
    return bool(said) and not _EXCEPT.search(head)
