"""Finds figures in another unit than the head of their column gives: `2.73 minutes` of a column of seconds.

A row has its figures bare, so they are in its quote whatever unit a statement gives them.
"""

import re
from collections.abc import Sequence
from decimal import Decimal
from typing import Final

from elcano.graphs.report.cells import CitedCell
from elcano.text.phrases import ENGLISH
from elcano.text.support.figures import Figure, extract_figures
from elcano.text.unit_comparison import can_convert, same_amount

_JOINED: Final = re.compile(r"\d[-\u2010\u2011](?=[^\W\d_])")
"""A figure of a name, as in `5-year survival`."""
_BRACKETED: Final = re.compile(r"[(\[]([^()\[\]]{1,30})[)\]]\s*$")


def find_misread_units(text: str, context: str, cells: Sequence[CitedCell], quotes: Sequence[str]) -> tuple[str, ...]:
    """Say of each figure of a statement that the quoted table has it in another unit of the same dimension alone.

    Args:
        text: of the statement.
        context: what names its row and column, if it is a cell: the unit may be there.
        cells: those that it quotes.
        quotes: what it quotes: a figure that is there with the statement's own unit is right.
    """
    own = _read_head_unit(context)
    heads = [(cell, unit) for cell in cells if (unit := _read_head_unit(cell.column_head))]
    found: dict[str, None] = {}
    told = [one for one in extract_figures(text) if not _JOINED.search(one.written)] if heads else []
    for figure in told:
        unit = figure.unit or own
        bare = [cell for cell in cells if _list_bare_values(cell) & figure.values]
        there = [unit for cell, unit in heads if cell in bare]
        quoted = any(
            one.unit == unit and one.values & figure.values for each in quotes for one in extract_figures(each)
        )
        if (
            unit
            and there
            and len(there) == len(bare)
            and not quoted
            and all(_differs(figure, unit, one) for one in there)
        ):
            said = figure.written if figure.unit else f"{figure.written} {_name_head_unit(context)}"
            head = next(cell.column_head for cell, _ in heads if cell in bare)
            found[ENGLISH.figure_misplaced.format(said=said, there=head)] = None
    return tuple(found)


def _differs(figure: Figure, unit: str, other: str) -> bool:
    return can_convert(unit, other) and not any(same_amount(one, unit, one, other) for one in figure.values)


def _list_bare_values(cell: CitedCell) -> frozenset[Decimal]:
    return frozenset(value for one in extract_figures(cell.text) if not one.unit for value in one.values)


def _name_head_unit(head: str) -> str:
    found = _BRACKETED.search(head)
    return found[1].strip() if found else ""


def _read_head_unit(head: str) -> str:
    """The unit in brackets at the end of a head; empty if there is none that is known."""
    figures = extract_figures(f"1 {_name_head_unit(head)}")
    return figures[0].unit if len(figures) == 1 and figures[0].values == {Decimal(1)} else ""
