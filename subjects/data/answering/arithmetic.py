"""The arithmetic that a number names, done again over the cells of results, in exact decimals.

Every fault is a sentence about what was named; nothing is guessed from looks. As in SQL, NULLs count for nothing: a
sum, a mean, a count leave them out, and where nothing is left there is no value. A result that was not read to its end
gives single cells and what follows from two of them, and no total.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation, localcontext
from typing import Final

from elcano.subjects.data.data_answer import CellReference, NumberProof, Operation
from elcano.subjects.data.databases.values import parse_decimal
from elcano.subjects.data.tables import MOMENTS, NUMBERS, Cell, Kind, ResultTable

MOST_CELLS: Final = 200_000
"""Cells that one number may name."""
_PRECISION: Final = 60
_WHOLE: Final[frozenset[Operation]] = frozenset({"count", "sum", "mean", "minimum", "maximum", "share"})
"""Operations that need all rows."""

_ADDING: Final[frozenset[Operation]] = frozenset({"count", "sum", "mean", "share"})
"""Operations whose result changes if a row is repeated."""


class NotComputed(Exception):
    """A proof's arithmetic gives no number; the text is a clause without a full stop."""


@dataclass(frozen=True)
class NamedCell:
    """A cell that a proof names."""

    value: Cell
    kind: Kind
    row: int


def compute_proof(proof: NumberProof, results: Sequence[ResultTable]) -> Decimal:
    """Compute the result of a proof.

    Raises:
        NotComputed: a cell is not there or is no number, or the arithmetic cannot be done on it.
    """
    if proof.operation in _WHOLE:
        for reference in proof.cells:
            table = result_of(reference, results)
            if proof.operation == "count" and table.limit is not None:
                text = f"the query of result {reference.result} asks for {table.limit} rows at most, so how many there "
                raise NotComputed(f"{text}are does not follow from it")
            if table.truncated:
                text = f"result {reference.result} was not read to its end, so no {proof.operation} follows from it"
                raise NotComputed(text)
    count = sum((one.to_row or one.row) - one.row + 1 for one in proof.cells)
    if count > MOST_CELLS:
        raise NotComputed(f"it names {count:,} cells, and {MOST_CELLS:,} are read")
    named = [_resolve_cells(reference, results) for reference in proof.cells]
    flat = [cell for cells in named for cell in cells]
    if not flat:
        raise NotComputed("it names no cell")
    with localcontext() as context:
        context.prec = _PRECISION
        try:
            return _apply_operation(proof.operation, named, flat)
        except InvalidOperation as error:
            raise NotComputed("its arithmetic cannot be done") from error


def result_of(reference: CellReference, results: Sequence[ResultTable]) -> ResultTable:
    """The result that a reference names.

    Raises:
        NotComputed: there is none of this number.
    """
    if reference.result > len(results):
        there = f"there are {len(results)}" if results else "there is none"
        raise NotComputed(f"there is no result {reference.result}; {there}")
    return results[reference.result - 1]


def describe_cautions(proof: NumberProof, results: Sequence[ResultTable]) -> str:
    """Describe what a valid proof leaves open: rows left out or counted several times; empty: nothing."""
    found: dict[str, None] = {}
    for reference in proof.cells:
        table = result_of(reference, results)
        place = table.find_column(reference.column)
        if place is not None:
            found[table.columns[place].caution] = None
            if proof.operation in _ADDING:
                found[table.columns[place].repeated] = None
        if proof.operation in _WHOLE and table.limit is not None and table.limit > 1:
            found[f"it is of the first {table.limit} rows, which is all that its query asks for"] = None
    return "; ".join(filter(None, found))


def get_only_cell(proof: NumberProof, results: Sequence[ResultTable]) -> NamedCell:
    """The cell of a proof that names one.

    Raises:
        NotComputed: it names none or several.
    """
    if not proof.cells:
        raise NotComputed("it names no cell")
    if len(proof.cells) > 1 or (proof.cells[0].to_row or proof.cells[0].row) != proof.cells[0].row:
        raise NotComputed("`cell` names one cell, and it names several")
    return _resolve_cells(proof.cells[0], results)[0]


def number_in(cell: NamedCell) -> Decimal | None:
    """The number that a cell holds; None: it holds none. Text is no number, however it looks."""
    return None if isinstance(cell.value, str) and cell.kind not in NUMBERS else parse_decimal(cell.value)


def _apply_operation(operation: Operation, named: Sequence[Sequence[NamedCell]], flat: Sequence[NamedCell]) -> Decimal:
    match operation:
        case "count":
            return Decimal(sum(cell.value is not None for cell in flat))
        case "difference" | "ratio" | "change":
            return _of_pair(operation, flat)
        case "share":
            return _compute_share(named)
        case "cell":
            if len(flat) != 1:
                raise NotComputed(f"`cell` names one cell, and it names {len(flat)}")
            return _require_number(flat[0])
    values = _collect_numbers(flat)
    if operation in ("sum", "mean"):
        return sum(values, Decimal(0)) / (len(values) if operation == "mean" else 1)
    return min(values) if operation == "minimum" else max(values)


def _of_pair(operation: Operation, flat: Sequence[NamedCell]) -> Decimal:
    if len(flat) != 2:
        raise NotComputed(f"`{operation}` is of two cells, and it names {len(flat)}")
    first, second = (_require_number(cell) for cell in flat)
    if operation == "difference":
        return first - second
    if second == 0:
        raise NotComputed("the second cell is 0, by which nothing is divided")
    return first / second if operation == "ratio" else (first - second) / abs(second) * 100


def _compute_share(named: Sequence[Sequence[NamedCell]]) -> Decimal:
    if len(named) < 2 or len(named[0]) != 1:
        raise NotComputed("`share` is of one cell first and then of those that it is a share of")
    total = sum(_collect_numbers([cell for cells in named[1:] for cell in cells]), Decimal(0))
    if total == 0:
        raise NotComputed("the cells that it is a share of are 0 together")
    return _require_number(named[0][0]) / total * 100


def _require_number(cell: NamedCell) -> Decimal:
    value = number_in(cell)
    if value is None:
        said = "NULL" if cell.value is None else "a moment" if cell.kind in MOMENTS else "no number"
        raise NotComputed(f"the cell that it names in row {cell.row} is {said}")
    return value


def _collect_numbers(cells: Sequence[NamedCell]) -> list[Decimal]:
    values = [_require_number(cell) for cell in cells if cell.value is not None]
    if not values:
        raise NotComputed("all cells that it names are NULL")
    return values


def _resolve_cells(reference: CellReference, results: Sequence[ResultTable]) -> list[NamedCell]:
    table = result_of(reference, results)
    place = table.find_column(reference.column)
    if place is None:
        known = ", ".join(column.name for column in table.columns[:20])
        raise NotComputed(f"result {reference.result} has no column {reference.column!r}; it has: {known}")
    last = reference.to_row or reference.row
    if last < reference.row:
        raise NotComputed(f"rows {reference.row} to {last} are none")
    if last > len(table.rows):
        raise NotComputed(f"result {reference.result} has no row {last}; it has {len(table.rows):,}")
    kind = table.columns[place].kind
    rows = range(reference.row, last + 1)
    return [NamedCell(table.rows[row - 1][place], kind, row) for row in rows]
