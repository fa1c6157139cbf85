"""The form of delimited text: encoding, delimiter, quotes, lines above the names of the columns, and the names.

DuckDB finds out most of it. It leaves out the lines above the first one that all others fit, so one line that is too
long would cost a table every row before it; here it costs the file, and is named. What it takes for names may be a
first row of values, or the first of two rows of names: that is seen when the types of the columns are known.
"""

import csv
import io
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice, takewhile
from pathlib import Path
from typing import Any, Final

import duckdb

from elcano.graphs.text import shorten_text
from elcano.subjects.data.databases.column_types import ColumnReading
from elcano.subjects.data.databases.typed_tables import SAMPLED_ROWS

_DELIMITERS: Final = ",;\t|"
_HEAD: Final = 1_000_000
"""Characters of a line that are looked at."""
_MARKS: Final = {b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16"}
"""First bytes of a file that declare its encoding."""
TITLE_CHARACTERS: Final = 200
TITLE_ROWS: Final = 10
"""Rows among which the names of columns are looked for."""
_TITLE_PARTS: Final = 2
"""Texts of a title that other delimiters may separate, as in `Report | 2024`."""
_EMPTY: Final = "(empty)"
"""DuckDB's value for "no such character"."""
_DECLARED: Final = re.compile(r"\ufeff?sep=([^\r\n\w\"])\r?\n")
"""Line that declares the delimiter to Excel."""
_YEAR_NAME: Final = re.compile(r"[12]\d{3}")
_VALUE_NAME: Final = re.compile(r"-?\d+(?:[.,]\d+)*|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}.*)?")


@dataclass(frozen=True)
class CsvForm:
    """Format of a file of delimited text."""

    encoding: str
    skipped: int
    delimiter: str
    quote: str
    escape: str
    names: tuple[str, ...]
    """As DuckDB makes them: no two alike, none empty."""
    title: str
    """Title above the column names."""

    def build_query(self, header_rows: int) -> str:
        """SQL of the rows as texts in columns `c0`, `c1` and so on; its parameter is the path."""
        options = {
            "encoding": self.encoding,
            "delim": self.delimiter,
            "quote": self.quote,
            "escape": self.escape,
            "comment": "",
        }
        written = ", ".join(f"{name} = {quote_text(value)}" for name, value in options.items())
        columns = ", ".join(f"c{place}" for place in range(len(self.names)))
        header = "true" if header_rows else "false"
        rows = f"read_csv(?, header = {header}, skip = {self.skipped}, all_varchar = true, auto_detect = false, "
        typed = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(self.names)))
        rows += f"columns = {{{typed}}}, {written})"
        filled = f" WHERE coalesce({columns}) IS NOT NULL" if len(self.names) > 1 else ""  # `,,,` says nothing
        return f"SELECT {columns} FROM {rows}{filled}{f' OFFSET {header_rows - 1}' if header_rows > 1 else ''}"


def quote_text(text: str) -> str:
    """A text in SQL."""
    return "'" + text.replace("'", "''") + "'"


def find_csv_form(connection: duckdb.DuckDBPyConnection, path: str) -> CsvForm:
    """The form of a file that is not blank.

    Raises:
        ValueError: its lines are not of one form.
        duckdb.Error: DuckDB cannot read it.
    """
    encoding = _detect_encoding(path)
    declared = _DECLARED.match(next((text for _, text in _iter_numbered_lines(path, encoding)), ""))
    known = f"encoding = '{encoding}'" + (f", skip = 1, delim = {quote_text(declared[1])}" if declared else "")
    found = _sniff(connection, path, known)
    if (comment := found[4]) != _EMPTY and not declared:  # at the top alone: a value such as #N/A may begin a row
        marked = takewhile(lambda line: line[1].startswith(comment), _iter_numbered_lines(path, encoding))
        above = sum(1 for _ in marked)
        found = _sniff(connection, path, f"encoding = '{encoding}', comment = '', skip = {above}")
    if not declared and not found[0] and (titles := _count_title_rows(path, encoding, found[1])):
        found = _sniff(connection, path, f"encoding = '{encoding}', skip = {titles}, delim = {quote_text(found[1])}")
    skipped, delimiter, quote, escape, _, columns = found
    names = [column["name"] for column in columns]
    if not declared:
        _require_one_form(path, encoding, skipped, delimiter, names)
    title = " ".join(
        text.strip().strip(delimiter)
        for _, text in islice(_iter_numbered_lines(path, encoding), skipped if not declared else 0)
    )
    return CsvForm(
        encoding,
        skipped,
        delimiter,
        quote if quote != _EMPTY else '"',
        escape if escape != _EMPTY else '"',
        tuple(names),
        shorten_text(title.strip("\ufeff "), TITLE_CHARACTERS),
    )


def _sniff(connection: duckdb.DuckDBPyConnection, path: str, options: str) -> tuple[int, str, str, str, str, Any]:
    asked = "SELECT SkipRows, Delimiter, Quote, Escape, Comment, Columns FROM sniff_csv(?, header = true, "
    found = connection.execute(f"{asked}{options}, sample_size = {SAMPLED_ROWS})", [path]).fetchone()
    assert found is not None
    return found


def is_blank(path: str) -> bool:
    """Whether there is nothing in a file but blanks, which is no table."""
    return next(_iter_filled_lines(path, _detect_encoding(path)), None) is None


def _detect_encoding(path: str) -> str:
    with Path(path).open("rb") as file:
        return _MARKS.get(file.read(2), "utf-8")


def _require_one_form(path: str, encoding: str, skipped: int, delimiter: str, names: list[str]) -> None:
    """Lines above the names may be there if they are words alone, as in `Report of 2024`; a comment may have all."""
    for number, text in islice(_iter_numbered_lines(path, encoding), skipped):
        signs = (delimiter, *(one for one in ";\t|" if _count_filled(text, one) > _TITLE_PARTS))
        sign = next((one for one in signs if _count_filled(text, one) > 1), "")
        if sign and not text.startswith("#"):
            said = f"{len(names)} values" if sign == delimiter else "others"
            raise ValueError(
                f"line {skipped + 1} has {said} and line {number} has {len(_split_csv_line(text, sign))}: "
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


def _count_title_rows(path: str, encoding: str, delimiter: str) -> int:
    """Rows above the names of columns that have one filled cell or none, as spreadsheets write titles: `Report,,`."""
    head = islice(_iter_numbered_lines(path, encoding), TITLE_ROWS + 1)
    cells = [[cell.strip().strip("\ufeff") for cell in _split_csv_line(line, delimiter)] for _, line in head]
    named = (at for at, row in enumerate(cells) if sum(map(bool, row)) > 1 or _names_one_column(row))
    count = next(named, 0)
    return count if any(any(row) for row in cells[:count]) else 0


def _names_one_column(row: list[str]) -> bool:
    """Whether a row is how R names the only column of a table: `"","x"`, above the names or numbers of its rows."""
    return len(row) == 2 and not row[0] and bool(row[1])


def _count_filled(line: str, delimiter: str) -> int:
    return sum(bool(cell.strip().strip("\ufeff")) for cell in _split_csv_line(line, delimiter))


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


def format_csv_error(error: duckdb.Error) -> str:
    """Format DuckDB's error without the line that it is about: a table's content belongs in no error."""
    text = str(error)
    if "not utf-8 encoded" in text:
        return "it is not written in UTF-8: save it as UTF-8"
    if "sniffing file" in text or "Sniffer" in text:
        return "its lines are of no form that could be found out: save it as CSV in UTF-8, each line as many values"
    kept = [line for line in text.partition("\nPossible")[0].splitlines() if not line.startswith("Original Line")]
    return " ".join(kept).removeprefix("Invalid Input Error: ").removeprefix("Conversion Error: ")


def require_names(names: Sequence[str], readings: Sequence[ColumnReading]) -> None:
    """Refuse a first row that has values where the others have values of that kind.

    Years, and numbers that count the columns, name columns of numbers: `2023`, `2024`; `1`, `2`, `3`.

    Raises:
        ValueError: there are such values; the text says what to do.
    """
    valued = [
        name
        for name, reading in zip(names, readings, strict=True)
        if reading.type != "VARCHAR" and _VALUE_NAME.fullmatch(re.sub(r"_\d+$", "", name))
    ]
    counted = [int(name) for name in valued if name.isdecimal() and len(name) < 10]
    counts = len(counted) > 1 and counted == list(range(counted[0], counted[0] + len(counted)))
    if not valued or (len(counted) == len(valued) and (counts or all(map(_YEAR_NAME.fullmatch, valued)))):
        return
    raise ValueError(
        'its first row has values where names of columns should be: add a row of names, or say "header_rows": 0 or 1'
    )


def join_header_rows(rows: Sequence[Sequence[object]]) -> list[str]:
    """Names of columns from several rows: an empty cell of an upper row goes on with the name to its left."""
    width = max(map(len, rows))
    parts: list[list[str]] = [[] for _ in range(width)]
    for number, row in enumerate(rows):
        before = ""
        for place in range(width):
            text = "" if place >= len(row) or row[place] is None else " ".join(str(row[place]).split())
            if not text and number < len(rows) - 1:
                text = before
            before = text
            if text and text not in parts[place]:
                parts[place].append(text)
    return name_apart([" ".join(one) for one in parts])


def name_apart(names: Sequence[str]) -> list[str]:
    """Names of which none is empty and no two are alike, in any case of letters."""
    taken: set[str] = set()
    found: list[str] = []
    for place, name in enumerate(names, start=1):
        own = first = name or f"column_{place}"
        number = 1
        while own.lower() in taken:
            own, number = f"{first}_{number}", number + 1
        taken.add(own.lower())
        found.append(own)
    return found


def require_known_columns(names: Sequence[str], chosen: Mapping[str, object], place: str) -> None:
    """Refuse options of columns that are not there.

    Raises:
        ValueError: there are some.
    """
    unknown = [name for name in chosen if name not in names]
    if unknown:
        there = f"there are: {', '.join(names[:20])}"
        raise ValueError(f"{place} names columns that are not there: {', '.join(unknown[:20])}; {there}")
