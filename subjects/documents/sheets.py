"""Sheets as the readers of XLSX, ODS and CSV fill them, and how much of a workbook is read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final, Literal, NamedTuple, TypeAlias

from elcano.activities.passages.document import Gap
from elcano.subjects.documents.tables import MOST_COLUMNS

MOST_CELLS: Final = 200_000
"""Cells with text of one workbook that are read: some 5 MB of text, and 100 MB of memory while it is read."""
MOST_CHARACTERS: Final = 8_000_000
"""Their characters together: a file may repeat one long text in every cell."""
MOST_MERGES: Final = 20_000
AS_DATABASE: Final = "name the file in ELCANO_DATABASES to have all of it asked"
ValueKind: TypeAlias = Literal["text", "number", "date"]


class Value(NamedTuple):
    """Displayed content of a cell."""

    text: str
    kind: ValueKind = "text"
    strong: bool = False
    """Whether it is set in bold letters."""


class Budget:
    """Remaining limits for reading a workbook."""

    def __init__(self, cells: int = MOST_CELLS, characters: int = MOST_CHARACTERS) -> None:
        self._cells = cells
        self._characters = characters

    def take(self, text: str) -> bool:
        """Count one cell with `text`; returns whether there is room for it."""
        self._cells -= 1
        self._characters -= len(text)
        return self._cells >= 0 and self._characters >= 0


class Merge(NamedTuple):
    """Cells that are one."""

    top: int
    left: int
    bottom: int
    """The last row."""
    right: int
    """The last column."""


Place: TypeAlias = tuple[int, int]
"""Row and column, from 0."""


@dataclass
class Sheet:
    """One sheet as it was read."""

    name: str = ""
    cells: dict[Place, Value] = field(default_factory=dict)
    """The visible cells that show something."""
    merges: list[Merge] = field(default_factory=list)
    heads: set[int] = field(default_factory=set)
    """Rows that the file declares to name columns."""
    comments: list[tuple[Place, str]] = field(default_factory=list)
    texts: list[str] = field(default_factory=list)
    """Texts in boxes over the cells."""
    objects: int = 0
    """Embedded documents of other programs."""
    formulas_without_value: int = 0
    far_cells: int = 0
    """Filled cells in columns that are not read, since they are beyond the last that is."""
    hidden_rows: int = 0
    hidden_columns: int = 0
    first_unread_row: int = 0
    """The row from which on the sheet was not read, counted from 1; 0: all were."""


def describe_sheet_gaps(sheet: Sheet) -> Iterator[Gap]:
    """Yield the unread parts of a sheet."""
    name = sheet.name or "the table"
    if sheet.formulas_without_value:
        yield Gap(f"formulas of {name} have no stored values: save it in a spreadsheet program")
    if sheet.far_cells:
        yield Gap(f"what {name} has beyond column {MOST_COLUMNS:,} was not read: {AS_DATABASE}")
    if sheet.first_unread_row:
        yield Gap(f"the rows of {name} from {sheet.first_unread_row:,} on were not read: {AS_DATABASE}")
    hidden = " and ".join(
        f"{count:,} hidden {what}{'s' * (count != 1)}"
        for count, what in ((sheet.hidden_rows, "row"), (sheet.hidden_columns, "column"))
        if count
    )
    if sheet.objects:
        one = sheet.objects == 1
        objects = f"{sheet.objects:,} embedded object{'' if one else 's'} of {name}"
        yield Gap(f"{objects} {'was' if one else 'were'} not read: save {'it' if one else 'each'} as a file of its own")
    if hidden:
        yield Gap(f"left out of {name}: {hidden}", unread=False)
