"""Loads delimited text into a table, whole, or refuses it and says what is wrong with it."""

import re
from collections.abc import Sequence
from pathlib import Path
from typing import Final

import duckdb

from elcano.subjects.data.databases.column_types import ColumnReading
from elcano.subjects.data.databases.csv_form import (
    CsvForm,
    find_csv_form,
    format_csv_error,
    join_header_rows,
    name_apart,
    require_known_columns,
    require_names,
)
from elcano.subjects.data.databases.reading_options import ReadingOptions, locate_options
from elcano.subjects.data.databases.typed_tables import (
    SAMPLED,
    Sample,
    TextRows,
    copy_with_types,
    find_shapes,
    take_sample,
)

_MOST_HEADER_ROWS: Final = 3
_VALUE: Final = re.compile(r"\s*-?[.,]?\d")
_MISSING: Final = frozenset({"", "-", ".", "?", "n/a", "na", "nan", "null", "none", "#n/a", "k.a.", "unknown"})
"""Words for a value that is not known, which make no row a row of names."""


class LoadedTable:
    """Interpretation of a table.

    Args:
        names: of its columns.
        readings: of its columns, in the same order.
        notes: on the whole of it, sentences.
    """

    def __init__(self, names: Sequence[str], readings: Sequence[ColumnReading], notes: Sequence[str]) -> None:
        self.names = list(names)
        self.readings = list(readings)
        self.notes = list(notes)


def load_text(connection: duckdb.DuckDBPyConnection, table: str, path: str, options: ReadingOptions) -> LoadedTable:
    """Make `table` of a file, with types that lose nothing of its values.

    Args:
        connection: to the database that it is made in.
        table: its name, in quotation marks.
        path: of the file, which is not blank.
        options: what the operator said of it.

    Raises:
        ValueError: its lines are not of one form, it is in no encoding that is known, or it is not what was said of it.
        duckdb.Error: DuckDB cannot read it.
    """
    try:
        form = find_csv_form(connection, path)
        return _load_rows(connection, table, path, form, options)
    except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
        raise ValueError(format_csv_error(error)) from error


def _load_rows(
    connection: duckdb.DuckDBPyConnection, table: str, path: str, form: CsvForm, options: ReadingOptions
) -> LoadedTable:
    width = len(form.names)
    heads = options.header_rows
    rows = form.build_query(1 if heads is None else heads)
    sample = take_sample(connection, rows, path, width)
    notes = [f"Above the names of the columns stands: {form.title}."] if form.title else []
    if heads is None:
        heads = _count_header_rows(connection, form, path, sample)
        if heads > 1:
            notes.append(f"The first {heads} rows were taken for the names of the columns.")
            rows = form.build_query(heads)
            sample = take_sample(connection, rows, path, width)
        elif find_second_head(connection, sample):
            notes.append(
                "Its first row looks like a second row of names, which makes columns text: "
                f'say "header_rows": 2 in {locate_options(Path(path)).name} if it is.'
            )
    names = list(form.names)
    if heads == 0:
        names = name_apart([""] * width)
    elif heads > 1:
        names = join_header_rows(_read_head(connection, form, path, heads))
    require_known_columns(names, options.columns, locate_options(Path(path)).name)
    if options.header_rows is None and heads == 1:
        require_names(names, sample.choose_readings())
    source = TextRows(rows, path, names, {})
    return LoadedTable(names, copy_with_types(connection, table, source, sample, options.columns), notes)


def _read_head(connection: duckdb.DuckDBPyConnection, form: CsvForm, path: str, count: int) -> list[tuple[object, ...]]:
    return connection.execute(f"{form.build_query(0)} LIMIT {count}", [path]).fetchall()


def _count_header_rows(connection: duckdb.DuckDBPyConnection, form: CsvForm, path: str, sample: Sample) -> int:
    """Count the rows that certainly name the columns: a row with empty or repeated names needs the one below it."""
    (first, *_) = _read_head(connection, form, path, 1) or [()]
    named = [str(name).strip() for name in first if name is not None and str(name).strip()]
    if len(set(named)) == len(form.names):
        return 1
    return 1 + find_second_head(connection, sample)


def find_second_head(connection: duckdb.DuckDBPyConnection, sample: Sample) -> int:
    """Count the first rows of a sample that are more rows of names: without them, columns have types.

    Each of these rows has a text that is no word for a missing value in every column that gets a type.
    """
    head = connection.execute(f"SELECT * FROM {SAMPLED} LIMIT {_MOST_HEADER_ROWS}").fetchall()
    before = {place for place, one in enumerate(sample.choose_readings()) if one.type != "VARCHAR"}
    width = len(sample.shapes)
    for count, row in enumerate(head, start=1):
        if any(row[place] is not None for place in before) or sum(cell is not None for cell in row) < min(2, width):
            return 0
        if any(cell is not None and _VALUE.match(str(cell)) for cell in row):
            return 0
        shapes = find_shapes(connection, f"(SELECT * FROM {SAMPLED} OFFSET {count})", range(width))
        readings = Sample(sample.complete, shapes).choose_readings()
        gained = {place for place, one in enumerate(readings) if one.type != "VARCHAR"} - before
        if gained and all(
            str(one[place] or "").strip().lower() not in _MISSING for one in head[:count] for place in gained
        ):
            return count if 2 * len(gained) >= width or len(gained) > 1 else 0
    return 0
