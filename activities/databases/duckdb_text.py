"""Loads CSV, TSV and other delimited text into a table, whole, or refuses it and says what is wrong.

DuckDB leaves out the lines above the first one that all others fit. One line that is too long would so cost a table
every row before it; here it costs the file, and is named.
"""

import csv
import io
from collections.abc import Iterator
from itertools import islice
from pathlib import Path
from typing import Final

import duckdb

SAMPLED: Final = 100_000
"""Lines that types are guessed from at first."""
_DELIMITERS: Final = ",;\t|"
_OWN_FORM: Final = "header = true, delim = ',', quote = '\"', escape = '\"', comment = '', skip = 0"
_HEAD: Final = 1_000_000
"""Characters of a line that are looked at."""
_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""What a file begins with that says how it is written."""


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
