"""Loads the sheets of spreadsheets into tables: a cell's type decides what it is, and a text stays a text.

Titles above the names of columns and remarks below the last row are left out and named in a note. A name that is
merged over several columns has a row of names below it.
"""

import csv
import re
import tempfile
from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime, time, timedelta
from pathlib import Path
from typing import Any, Final

import duckdb

from elcano.graphs.text import shorten_text
from elcano.subjects.data.databases.column_types import ColumnReading
from elcano.subjects.data.databases.csv_form import TITLE_ROWS, join_header_rows, name_apart, require_names
from elcano.subjects.data.databases.reading_options import ReadingOptions
from elcano.subjects.data.databases.sheet_facts import SheetFacts, inspect_sheets
from elcano.subjects.data.databases.text_loading import LoadedTable
from elcano.subjects.data.databases.typed_tables import TextRows, copy_with_types, take_sample

MOST_HEADER_ROWS: Final = 3
FOOTER_ROWS: Final = 10
NOTE_CHARACTERS: Final = 200
_EXACT_WHOLE: Final = 2**53
_PROSE: Final = re.compile(r"\S+\s+\S+\s+\S+|\w+:\s*\S+|\*+\s*\S+")
"""A remark below a table, as `Source: Eurostat`, and not the name of a row."""
_DURATION: Final = re.compile(r"(?P<minus>-)?PT(?P<hours>\d{1,6})H(?P<minutes>\d{1,2})M(?P<seconds>\d{1,2}(?:\.\d+)?)S")
"""A duration as sheets of ODF have it, without days."""


class SheetRows:
    """The rows of a sheet, apart from titles and remarks around them.

    Args:
        rows: of the sheet, empty ones left out, from the names of columns on.
        heads: how many of them name columns.
        left: the column of the sheet that the first cells are in, counted from 0.
        notes: what was left out or put together, sentences.
    """

    def __init__(self, rows: list[list[Any]], heads: int, left: int, notes: list[str]) -> None:
        self.rows, self.heads, self.left, self.notes = rows, heads, left, notes


def read_sheets(path: str, options: ReadingOptions) -> list[tuple[str, SheetRows, SheetFacts]]:
    """The sheets that have rows, with their names and what their file says of their cells."""
    from python_calamine import CalamineWorkbook  # only where there are spreadsheets

    facts = inspect_sheets(path)
    book = CalamineWorkbook.from_path(path)
    found = []
    for name in book.sheet_names:
        rows = _find_rows(book.get_sheet_by_name(name), options, durations=Path(path).suffix.lower() == ".ods")
        if rows is not None:
            found.append((name, rows, facts.get(name, SheetFacts())))
    return found


def load_sheet(
    connection: duckdb.DuckDBPyConnection,
    table: str,
    sheet: SheetRows,
    facts: SheetFacts,
    options: ReadingOptions,
) -> LoadedTable:
    """Make `table` of a sheet.

    Raises:
        ValueError: it is not what the operator said of it.
    """
    body = sheet.rows[sheet.heads :]
    width = max(map(len, sheet.rows))
    heads = [[_format_cell(cell, 0) for cell in row] for row in sheet.rows[: sheet.heads]]
    names = join_header_rows(heads) if heads else name_apart([""] * width)
    notes = [*sheet.notes, *facts.describe()]
    padded = {column - sheet.left: digits for column, digits in facts.padded.items()}
    fixed: dict[int, ColumnReading] = {}
    for place, name in enumerate(names):
        if name not in options.columns:
            cells = [row[place] for row in body if place < len(row) and row[place] not in ("", None)]
            fixed[place] = _read_cells(cells, padded.get(place, 0))
    if options.header_rows is None and sheet.heads == 1:
        require_names(names, [fixed.get(place, ColumnReading()) for place in range(width)])
    with tempfile.NamedTemporaryFile("w", suffix=".csv", newline="", encoding="utf-8") as kept:
        writer = csv.writer(kept)
        for row in body:
            cells = [*row, *[None] * (width - len(row))]
            writer.writerow([_format_cell(cell, padded.get(place, 0)) for place, cell in enumerate(cells)])
        kept.flush()
        typed = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(width))
        query = f"SELECT * FROM read_csv(?, header = false, auto_detect = false, columns = {{{typed}}}, delim = ',', "
        query += "quote = '\"', escape = '\"', new_line = '\\r\\n')"
        sample = take_sample(connection, query, kept.name, width)
        source = TextRows(query, kept.name, names, fixed)
        return LoadedTable(names, copy_with_types(connection, table, source, sample, options.columns), notes)


def _find_rows(sheet: Any, options: ReadingOptions, *, durations: bool = False) -> SheetRows | None:
    """The rows of a sheet that are not empty, and what was left out around them; None: it has none.

    A text that is merged over several rows is repeated in each of them; a number is in the first alone, or sums would
    count it again.
    """
    rows: list[list[Any]] = sheet.to_python()
    if durations:
        rows = [[_parse_duration(cell) for cell in row] for row in rows]
    top, left = sheet.start or (0, 0)
    spans = [
        (first - top, column - left, last - top, end - left)
        for (first, column), (last, end) in sheet.merged_cell_ranges or ()
    ]
    for first, column, last, _ in spans:
        if 0 <= first < len(rows) and 0 <= column < len(rows[first]) and isinstance(value := rows[first][column], str):
            for row in rows[first + 1 : last + 1]:
                row[column] = value
    filled = [at for at, row in enumerate(rows) if any(cell not in ("", None) for cell in row)]
    if not filled:
        return None
    begin = next((at for at in filled[:TITLE_ROWS] if _count_filled(rows[at]) > 1), filled[0])
    notes = []
    if title := " ".join(str(cell) for row in rows[:begin] for cell in row if cell not in ("", None)):
        notes.append(f"Above the names of the columns stands: {shorten_text(title, NOTE_CHARACTERS)}.")
    heads = options.header_rows
    if heads is None:
        heads = 1
        while heads < MOST_HEADER_ROWS and _spans_columns(spans, begin + heads - 1) and _is_head(rows, begin + heads):
            heads += 1
        if heads > 1:
            notes.append(f"The first {heads} rows were taken for the names of the columns.")
    end = filled[-1] + 1
    remarks: list[str] = []
    while end - 1 > begin + heads and len(remarks) < FOOTER_ROWS and (text := _find_remark(rows, end - 1, begin)):
        remarks.insert(0, text)
        end = max(at for at in filled if at < end - 1) + 1
    if remarks:
        notes.append(f"Below the last row stands: {shorten_text(' '.join(remarks), NOTE_CHARACTERS)}.")
    kept = [rows[at] for at in filled if begin <= at < end]
    return SheetRows(kept, min(heads, len(kept)), left, notes)


def _count_filled(row: Sequence[Any]) -> int:
    return sum(cell not in ("", None) for cell in row)


def _spans_columns(spans: Sequence[tuple[int, int, int, int]], row: int) -> bool:
    """Whether a cell of a row is merged over several columns."""
    return any(first == row and end > column for first, column, _, end in spans)


def _is_head(rows: Sequence[Sequence[Any]], at: int) -> bool:
    """Whether a row can name columns: it has texts alone, or years, and rows below it."""
    if at >= len(rows) - 1:
        return False
    cells = [cell for cell in rows[at] if cell not in ("", None)]
    return bool(cells) and all(isinstance(cell, str) or (cell in range(1900, 2101)) for cell in cells)


def _find_remark(rows: Sequence[Sequence[Any]], at: int, begin: int) -> str:
    """The text of a row that is a remark below a table: its only cell, in a table of several columns."""
    cells = [cell for cell in rows[at] if cell not in ("", None)]
    if len(cells) != 1 or not isinstance(cells[0], str) or _count_filled(rows[begin]) < 2:
        return ""
    after_gap = not _count_filled(rows[at - 1])
    return cells[0] if after_gap or _PROSE.match(cells[0].strip()) else ""


def _read_cells(cells: Sequence[Any], padded: int) -> ColumnReading:
    """The type of a column by the types of its cells; texts make a column of several types text."""
    if padded:
        return ColumnReading(note="text, because its format shows zeros before its numbers")
    kinds = {_find_cell_kind(cell) for cell in cells}
    for kind in ("BOOLEAN", "DATE", "TIME"):
        if kinds == {kind}:
            return _fix_type(kind)
    if kinds and kinds <= {"TIME", "INTERVAL"}:  # of a sheet of ODF, those below a day come as times
        return replace(_fix_type("INTERVAL"), note="durations, of which epoch() has the seconds to add up")
    if kinds == {"DOUBLE"}:
        whole = all(_is_whole(cell) for cell in cells)
        return _fix_type("BIGINT" if whole else "DOUBLE")
    if kinds and kinds <= {"DATE", "TIMESTAMP"}:
        return _fix_type("TIMESTAMP")
    others = sum(_find_cell_kind(cell) == "VARCHAR" for cell in cells)
    if len(kinds) > 1:
        said = f", {others:,} of {len(cells):,} text" if others else ""
        return ColumnReading(note=f"text, because its cells are of several types{said}")
    return ColumnReading()


def _fix_type(kind: str) -> ColumnReading:
    return ColumnReading(kind, f"CAST({{text}} AS {kind})", "true")


def _find_cell_kind(cell: Any) -> str:
    match cell:
        case bool():
            return "BOOLEAN"
        case int() | float():
            return "DOUBLE"
        case datetime():
            return "TIMESTAMP"
        case date():
            return "DATE"
        case time():
            return "TIME"
        case timedelta():
            return "INTERVAL"
        case _:
            return "VARCHAR"


def _format_duration(duration: timedelta) -> str:
    """Write hours, minutes and seconds: `26:30:00`, also of a day and more."""
    seconds, fraction = divmod(abs(duration), timedelta(seconds=1))
    hours, minutes = divmod(seconds // 60, 60)
    decimals = f".{fraction.microseconds:06}" if fraction else ""
    return f"{'-' if duration < timedelta() else ''}{hours:02}:{minutes:02}:{seconds % 60:02}{decimals}"


def _parse_duration(cell: Any) -> Any:
    """A duration of a sheet of ODF that is below zero, or a day or longer, comes as its text; others as they are."""
    found = _DURATION.fullmatch(cell) if isinstance(cell, str) else None
    if found is None:
        return cell
    lasting = timedelta(hours=int(found["hours"]), minutes=int(found["minutes"]), seconds=float(found["seconds"]))
    return -lasting if found["minus"] else lasting


def _is_whole(cell: float) -> bool:
    return float(cell).is_integer() and abs(cell) < _EXACT_WHOLE


def _format_cell(cell: Any, padded: int) -> object:
    match cell:
        case bool():
            return str(cell).lower()
        case datetime():
            return cell.isoformat(sep=" ")
        case date() | time():
            return cell.isoformat()
        case timedelta():
            return _format_duration(cell)
        case int() | float() if _is_whole(cell):  # a spreadsheet knows no whole numbers
            return f"{int(cell):0{padded}d}"
        case _:
            return cell
