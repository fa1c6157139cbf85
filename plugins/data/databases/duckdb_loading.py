"""CSV, Parquet and spreadsheets as tables of a new DuckDB file; each file a table, each sheet of several one too.

They are copied once, so that a question needs no access to files, and answers are of one state of them. The first line
is taken for the names of columns; types are guessed from the values.

Loads CSV, TSV and other delimited text into a table, whole, or refuses it and says what is wrong.

DuckDB leaves out the lines above the first one that all others fit. One line that is too long would so cost a table
every row before it; here it costs the file, and is named.
"""

import csv
import io
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time, timedelta
from itertools import islice
from pathlib import Path
from typing import Any, Final

import duckdb

from elcano.graphs.text import shorten_text
from elcano.plugins.data.databases.engine import SHEETS, FileToLoad, make_plain_name

SAMPLED: Final = 100_000
"""Lines that types are guessed from at first."""
_DELIMITERS: Final = ",;\t|"
_OWN_FORM: Final = "header = true, delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0"
_HEAD: Final = 1_000_000
"""Characters of a line that are looked at."""
_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""First bytes of a file that declare its encoding."""


def load_text(connection: duckdb.DuckDBPyConnection, table: str, path: str, *, own: bool = False) -> None:
    """Makes `table` of a file, by the types of its beginning; if a later line has others, by those of all lines.

    Args:
        connection: to the database that it is made in.
        table: its name, in quotation marks.
        path: of the file, which is not blank.
        own: whether this program wrote it, so that its form is known.

    Raises:
        ValueError: its lines are not of one form, or in no encoding that is known.
        duckdb.Error: DuckDB cannot read it.
    """
    encoding = _detect_encoding(path)
    form = _OWN_FORM if own else f"header = true, encoding = '{encoding}'"
    try:
        if not own:
            skipped, delimiter, names = _sniff_csv_form(connection, path, form)
            _require_one_form(path, encoding, skipped, delimiter, names)
        for sample in (SAMPLED, -1):
            options = f"{form}, sample_size = {sample}"
            try:
                connection.execute(f"CREATE TABLE {table} AS SELECT * FROM read_csv(?, {options})", [path])
                return
            except (duckdb.ConversionException, duckdb.InvalidInputException):
                if sample == -1:
                    raise
    except (duckdb.ConversionException, duckdb.InvalidInputException) as error:
        raise ValueError(_format_csv_error(error)) from error


def is_blank(path: str) -> bool:
    """Whether there is nothing in a file but blanks, which is no table."""
    return next(_iter_filled_lines(path, _detect_encoding(path)), None) is None


def _detect_encoding(path: str) -> str:
    with Path(path).open("rb") as file:
        return _MARKS.get(file.read(2), "utf-8")


def _sniff_csv_form(connection: duckdb.DuckDBPyConnection, path: str, form: str) -> tuple[int, str, list[str]]:
    """How many lines DuckDB would leave out at the top, what separates values, and the names of the columns."""
    asked = f"SELECT SkipRows, Delimiter, Columns FROM sniff_csv(?, {form}, sample_size = {SAMPLED})"
    found = connection.execute(asked, [path]).fetchone()
    skipped, delimiter, columns = found or (0, ",", [])
    return skipped, delimiter, [column["name"] for column in columns]


def _require_one_form(path: str, encoding: str, skipped: int, delimiter: str, names: list[str]) -> None:
    """Lines above the names may be there if they are words alone, as in `Report of 2024`; a comment may have all."""
    for number, text in islice(_iter_numbered_lines(path, encoding), skipped):
        if text.strip() and not text.startswith("#") and len(_split_csv_line(text, delimiter)) > 1:
            raise ValueError(
                f"line {skipped + 1} has {len(names)} values and line {number} has "
                f"{len(_split_csv_line(text, delimiter))}: "
                "give all lines as many as the first one"
            )
    first = next(_iter_filled_lines(path, encoding), "")
    ragged = next((sign for sign in _DELIMITERS if len(names) == 1 and len(_split_csv_line(first, sign)) > 1), None)
    if ragged is not None:
        raise ValueError(
            f"its first line has {len(_split_csv_line(first, ragged))} values, and other lines "
            "have more or fewer: give all "
            "lines as many (a name or value with a comma in it needs quotation marks)"
        )


def _iter_filled_lines(path: str, encoding: str) -> Iterator[str]:
    """Yield the lines that are not blank."""
    return (text for _, text in _iter_numbered_lines(path, encoding) if text.strip().strip("\ufeff"))


def _iter_numbered_lines(path: str, encoding: str) -> Iterator[tuple[int, str]]:
    with Path(path).open(encoding=encoding, errors="replace") as file:
        yield from enumerate(iter(lambda: file.readline(_HEAD), ""), start=1)


def _split_csv_line(line: str, delimiter: str) -> list[str]:
    try:
        return next(csv.reader(io.StringIO(line.strip("\r\n")), delimiter=delimiter), [])
    except csv.Error:
        return [line]


def _format_csv_error(error: duckdb.Error) -> str:
    """What DuckDB said, without the line that it said it of: a table's content belongs in no error."""
    text = str(error)
    if "not utf-8 encoded" in text:
        return "it is not written in UTF-8: save it as UTF-8"
    if "sniffing file" in text or "Sniffer" in text:
        return "its lines are of no form that could be found out: save it as CSV in UTF-8, each line as many values"
    told = [line for line in text.partition("\nPossible")[0].splitlines() if not line.startswith("Original Line")]
    return " ".join(told).removeprefix("Invalid Input Error: ").removeprefix("Conversion Error: ")


MOST_FAULTS: Final = 6
"""Files of a folder whose faults are told; the others are counted."""
FAULT_CHARACTERS: Final = 300
TITLE_ROWS: Final = 10
"""Number of rows of a sheet searched for the names of its columns."""
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
