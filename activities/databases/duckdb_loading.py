"""CSV, Parquet and spreadsheets as tables of a new DuckDB file; each file a table, each sheet of several one too.

They are copied once, so that a question needs no access to files, and answers are of one state of them. The first line
is taken for the names of columns; types are guessed from the values.
"""

import csv
import tempfile
from collections.abc import Iterable, Sequence
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

import duckdb

from elcano.activities.databases.duckdb_text import is_blank, load_text
from elcano.activities.databases.engine_requests import SHEETS, FileToLoad, make_plain_name
from elcano.graphs.shortening import shorten_text

MOST_FAULTS: Final = 6
"""Files of a folder whose faults are told; the others are counted."""
FAULT_CHARACTERS: Final = 300
TITLE_ROWS: Final = 10
"""Of a sheet, among which the names of its columns are looked for."""
_CONFIGURATION: Final = {
    "autoinstall_known_extensions": "false",
    "memory_limit": "2GB",
    "threads": "2",
}
"""A file of any size is copied in this much; what does not fit is written beside the copy meanwhile."""


def load_files_into_duckdb(path: str, files: Iterable[FileToLoad]) -> None:
    """Makes the database at `path`, which must not be there.

    Raises:
        ValueError: a file cannot be read; the text names it without its folder.
    """
    with duckdb.connect(path, config=dict(_CONFIGURATION)) as connection:
        taken: set[str] = set()
        faults: list[str] = []
        for file in files:
            try:
                _load_file_as_table(connection, file, taken)
            except Exception as error:  # whatever a reader says of a stranger's file, it is said with its name
                faults.append(f"{Path(file.path).name} cannot be read: {_format_load_error(error, file)}")
        if len(faults) > MOST_FAULTS:
            faults[MOST_FAULTS:] = [f"and {len(faults) - MOST_FAULTS} more"]
        if faults:
            raise ValueError("; ".join(faults))
        if not taken:
            raise ValueError("there is nothing in its files")


def _format_load_error(error: Exception, file: FileToLoad) -> str:
    """Its first paragraph, on one line and without the place of the file."""
    text = " ".join(str(error).replace(file.path, "it").split("\n\n")[0].split())
    return shorten_text(text or type(error).__name__, FAULT_CHARACTERS)


def _load_file_as_table(connection: duckdb.DuckDBPyConnection, file: FileToLoad, taken: set[str]) -> None:
    place = Path(file.path)
    if place.suffix.lower() in SHEETS:
        _load_sheets(connection, file, taken)
    elif place.suffix.lower() == ".parquet":
        connection.execute(
            f"CREATE TABLE {_reserve_table_name(file.table, taken)} AS SELECT * FROM read_parquet(?)", [file.path]
        )
    elif not is_blank(file.path):
        load_text(connection, _reserve_table_name(file.table, taken), file.path)


def _load_sheets(connection: duckdb.DuckDBPyConnection, file: FileToLoad, taken: set[str]) -> None:
    from python_calamine import CalamineWorkbook  # only where there are spreadsheets

    book = CalamineWorkbook.from_path(file.path)
    sheets = [(name, rows) for name in book.sheet_names if (rows := _read_sheet_rows(book.get_sheet_by_name(name)))]
    for name, rows in sheets:
        table = file.table if len(sheets) == 1 else f"{file.table}_{make_plain_name(name)}"
        with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as kept:
            csv.writer(kept).writerows(
                [_convert_sheet_value(value) for value in row] for row in _fill_column_names(rows)
            )
            kept.flush()
            load_text(connection, _reserve_table_name(table, taken), kept.name, own=True)


def _read_sheet_rows(sheet: Any) -> list[list[Any]]:
    """The rows of a sheet from the names of its columns on, without what stands alone above them, as a title does.

    A text that is merged over several rows stands in each of them; a number in the first alone, or sums would count it
    again.
    """
    rows: list[list[Any]] = sheet.to_python()
    top, left = sheet.start or (0, 0)
    for (first, column), (last, _) in sheet.merged_cell_ranges or ():
        at, place = first - top, column - left
        if 0 <= at < len(rows) and 0 <= place < len(rows[at]) and isinstance(value := rows[at][place], str):
            for row in rows[at + 1 : last - top + 1]:
                row[place] = value
    names = next((at for at, row in enumerate(rows[:TITLE_ROWS]) if sum(cell not in ("", None) for cell in row) > 1), 0)
    return rows[names:]


def _fill_column_names(rows: Sequence[Sequence[Any]]) -> Iterable[Sequence[Any]]:
    """The rows with a name for each column of the first one."""
    yield [name if name not in ("", None) else f"column_{at}" for at, name in enumerate(rows[0], 1)]
    yield from rows[1:]


def _convert_sheet_value(value: object) -> object:
    match value:
        case datetime():
            return value.isoformat(sep=" ")
        case date() | time():
            return value.isoformat()
        case timedelta():
            return str(value)
        case float() if value.is_integer() and abs(value) < 2**53:
            return int(value)  # a spreadsheet knows no whole numbers
        case _:
            return value


def _reserve_table_name(name: str, taken: set[str]) -> str:
    """A name that no table has yet, in quotation marks."""
    number, own = 2, name
    while own.lower() in taken:
        own, number = f"{name}_{number}", number + 1
    taken.add(own.lower())
    return '"' + own.replace('"', '""') + '"'
