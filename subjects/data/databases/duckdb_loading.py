"""CSV, Parquet and spreadsheets as tables of a new DuckDB file; each file a table, each sheet of several one too.

They are copied once, so that a question needs no access to files, and answers are of one state of them. How a file was
read is kept as comments on its tables and columns, where it had to be interpreted.
"""

from collections.abc import Iterable
from pathlib import Path
from typing import Final

import duckdb

from elcano.graphs.text import shorten_text
from elcano.subjects.data.databases.column_types import ColumnReading
from elcano.subjects.data.databases.csv_form import is_blank, quote_text, require_known_columns
from elcano.subjects.data.databases.engine import SHEETS, FileToLoad, make_plain_name
from elcano.subjects.data.databases.reading_options import load_options, locate_options
from elcano.subjects.data.databases.text_loading import LoadedTable, load_text
from elcano.subjects.data.databases.typed_tables import SAMPLED
from elcano.subjects.data.databases.values import quote_identifier
from elcano.subjects.data.tables import EXACT_NOTE, READING_NOTE

MOST_FAULTS: Final = 6
"""Files of a folder whose faults are reported; the others are counted."""
FAULT_CHARACTERS: Final = 300
MOST_COMMENTS: Final = 100
"""Columns of a table that get a comment: in a table of many, DuckDB takes tens of milliseconds for each."""
_CONFIGURATION: Final = {
    "autoinstall_known_extensions": "false",
    "memory_limit": "2GB",
    "threads": "2",
}
"""A file of any size is copied in this much; what does not fit is written next to the copy meanwhile."""


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
        connection.execute(f"DROP TABLE IF EXISTS {SAMPLED}")
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
        options = load_options(place)
        table = _reserve_table_name(file.table, taken)
        _keep_notes(connection, table, load_text(connection, table, file.path, options), place)


def _load_sheets(connection: duckdb.DuckDBPyConnection, file: FileToLoad, taken: set[str]) -> None:
    from elcano.subjects.data.databases.sheet_loading import load_sheet, read_sheets

    place = Path(file.path)
    options = load_options(place)
    sheets = read_sheets(file.path, options)
    names: list[str] = []
    for name, rows, facts in sheets:
        own = file.table if len(sheets) == 1 else f"{file.table}_{make_plain_name(name)}"
        table = _reserve_table_name(own, taken)
        loaded = load_sheet(connection, table, rows, facts, options)
        _keep_notes(connection, table, loaded, place)
        names += loaded.names
    if sheets:
        require_known_columns(names, options.columns, locate_options(place).name)


def _keep_notes(connection: duckdb.DuckDBPyConnection, table: str, loaded: LoadedTable, file: Path) -> None:
    """Write how a table was read into comments on it and its columns."""
    notes = [*loaded.notes, *_find_total_row(connection, table, loaded)]
    noted = sum(bool(reading.note) for reading in loaded.readings)
    if noted > MOST_COMMENTS:
        notes.append(f"{noted:,} columns had to be interpreted; the first {MOST_COMMENTS} have a comment.")
    if notes:
        text = f"{READING_NOTE}{' '.join(notes)}"
        connection.execute(f"COMMENT ON TABLE {table} IS {quote_text(text)}")
    connection.execute("BEGIN")
    comments = [
        (name, comment)
        for name, reading in zip(loaded.names, loaded.readings, strict=True)
        if (comment := _describe_reading(reading, file))
    ]
    for name, comment in comments[:MOST_COMMENTS]:
        connection.execute(f"COMMENT ON COLUMN {table}.{quote_identifier(name)} IS {quote_text(comment)}")
    connection.execute("COMMIT")


def _describe_reading(reading: ColumnReading, file: Path) -> str:
    parts = []
    if reading.note:
        parts.append(f"{READING_NOTE}{reading.note}{f' in {locate_options(file).name}' if reading.open else ''}.")
    if reading.type.startswith("DECIMAL"):
        parts.append(EXACT_NOTE)
    return " ".join(parts)


_LEAST_ROWS: Final = 3
"""Rows above a total: of fewer, the last one is often their sum by chance."""


def _find_total_row(connection: duckdb.DuckDBPyConnection, table: str, loaded: LoadedTable) -> list[str]:
    """A note if the last row is the sum of all others in every column of numbers that it has a value in."""
    numbers = [
        quote_identifier(name)
        for name, reading in zip(loaded.names, loaded.readings, strict=True)
        if reading.type.startswith(("BIGINT", "HUGEINT", "DECIMAL", "DOUBLE"))
    ][:50]
    if not numbers:
        return []
    last = f"(SELECT max(rowid) FROM {table})"
    ends = connection.execute(f"SELECT {', '.join(numbers)} FROM {table} WHERE rowid = {last}").fetchone()
    wanted = [(name, end) for name, end in zip(numbers, ends or (), strict=False) if end]
    if not wanted:
        return []
    sums = ", ".join(f"sum({name})" for name, _ in wanted)
    counts = ", ".join(f"count({name})" for name, _ in wanted)
    asked = f"SELECT least({counts}, count(*)), {sums} FROM {table} WHERE rowid < {last}"
    count, *totals = connection.execute(asked).fetchone() or (0,)
    alike = all(
        total is not None and abs(float(total) - float(end)) <= 1e-9 * abs(float(end))
        for (_, end), total in zip(wanted, totals, strict=True)
    )
    if count < _LEAST_ROWS or not alike:
        return []
    return ["Its last row is the sum of all others: leave it out of totals and counts."]


def _reserve_table_name(name: str, taken: set[str]) -> str:
    """A name that no table has yet, in quotation marks."""
    number, own = 2, name
    while own.lower() in taken:
        own, number = f"{name}_{number}", number + 1
    taken.add(own.lower())
    return quote_identifier(own)
