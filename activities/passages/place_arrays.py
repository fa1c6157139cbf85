"""Lines and cells of long documents in arrays: a book of 5,000 pages has 250,000 lines, each a kilobyte as tuples."""

from array import array
from collections.abc import Iterable, Sequence
from itertools import chain
from typing import Final, overload

from elcano.graphs.report.places import Box, Cell, Line

_SHARES: Final = 100_000
"""Shares of a page are kept to a hundred-thousandth, which is what readers round them to."""
_BOX: Final = 4
_CELL: Final = len(Cell._fields)


class LineArray(Sequence[Line]):
    """Lines as numbers of four bytes, some 80 bytes for each."""

    __slots__ = ("_begins", "_numbers")

    def __init__(self, lines: Iterable[Line] = ()) -> None:
        self._numbers = array("i")
        self._begins = array("i", [0])
        for start, end, page, box, edges, turn in lines:
            self._numbers.extend((start, end, page, turn))
            self._numbers.extend([round(share * _SHARES) for share in chain(box, edges)])
            self._begins.append(len(self._numbers))

    def __len__(self) -> int:
        return len(self._begins) - 1

    @overload
    def __getitem__(self, index: int) -> Line: ...
    @overload
    def __getitem__(self, index: slice) -> list[Line]: ...
    def __getitem__(self, index: int | slice) -> Line | list[Line]:
        number = range(len(self))[index]
        if isinstance(number, range):
            return [self[one] for one in number]
        begin = self._begins[number]
        start, end, page, turn = self._numbers[begin : begin + 4]
        shares = [one / _SHARES for one in self._numbers[begin + 4 : self._begins[number + 1]]]
        return Line(start, end, page, Box(*shares[:_BOX]), tuple(shares[_BOX:]), turn)


class CellArray(Sequence[Cell]):
    """Cells of 28 bytes each."""

    __slots__ = ("_numbers",)

    def __init__(self, cells: Iterable[Cell] = ()) -> None:
        self._numbers = array("i", chain.from_iterable(cells))

    def append(self, cell: Cell) -> None:
        """Add a cell."""
        self._numbers.extend(cell)

    def __len__(self) -> int:
        return len(self._numbers) // _CELL

    @overload
    def __getitem__(self, index: int) -> Cell: ...
    @overload
    def __getitem__(self, index: slice) -> list[Cell]: ...
    def __getitem__(self, index: int | slice) -> Cell | list[Cell]:
        number = range(len(self))[index]
        if isinstance(number, range):
            return [self[one] for one in number]
        start, end, row, column, rows, columns, head = self._numbers[number * _CELL : (number + 1) * _CELL]
        return Cell(start, end, row, column, rows, columns, bool(head))
