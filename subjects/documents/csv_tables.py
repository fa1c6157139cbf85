"""CSV and TSV as documents. Values stay as they are in the file: nothing is taken for a number or a date."""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from itertools import islice
from typing import Final

from elcano.activities.passages.document import FileSkipped, Parsed, decode_text
from elcano.subjects.documents.sheet_tables import build_sheet_blocks
from elcano.subjects.documents.sheets import MOST_CHARACTERS, Budget, Sheet, Value, ValueKind, describe_sheet_gaps
from elcano.subjects.documents.tables import MOST_COLUMNS

_DELIMITERS: Final = (",", ";", "\t", "|")
_SAMPLE_CHARACTERS: Final = 64_000
_SAMPLE_ROWS: Final = 100
_DECLARED: Final = re.compile(r"sep=(.)\r?\n")
"""Line that declares the delimiter to Excel."""
_LINE: Final = re.compile(r"[^\r\n]*(?:\r\n?|\n)|[^\r\n]+")
_NUMBER: Final = re.compile(
    r"[-+\u2212]?[$\u20ac\u00a3\u00a5]?\s?(?:\d{1,3}(?:[,.'\u2019 ]\d{3}){1,6}|\d{1,18})(?:[.,]\d{1,18})?"
    r"(?:[eE][-+]?\d{1,3})?\s?%?"
)
_DATE: Final = re.compile(r"\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}(?:[ T]\d{1,2}:\d{2}\S{0,20})?|\d{1,2}:\d{2}(?::\d{2})?")


def read_csv(content: bytes) -> Parsed:
    """Read a table, whatever is between its values: commas, semicolons, tabs or bars.

    Raises:
        FileSkipped: it is no text.
    """
    return _read_table(decode_text(content))


def read_tsv(content: bytes) -> Parsed:
    """Read a table whose name says that tabs are between its values, as they are if there are any.

    Raises:
        FileSkipped: it is no text.
    """
    text = decode_text(content)
    return _read_table(text, "\t" if "\t" in text[:_SAMPLE_CHARACTERS] else "")


def _read_table(text: str, delimiter: str = "") -> Parsed:
    limit = csv.field_size_limit(MOST_CHARACTERS)  # of the whole process: others rely on theirs
    try:
        return _read_values(text, delimiter)
    finally:
        csv.field_size_limit(limit)


def _read_values(text: str, delimiter: str) -> Parsed:
    declared = _DECLARED.match(text)
    if declared:
        text = text[declared.end() :]
        delimiter = declared[1]
    delimiter = delimiter or _find_delimiter(text[:_SAMPLE_CHARACTERS])
    sheet, budget = Sheet(), Budget()
    try:
        for number, row in enumerate(_split_rows(text, delimiter)):
            for column, value in enumerate(row[:MOST_COLUMNS]):
                if not (plain := value.strip()):
                    continue
                if not budget.take(plain):
                    sheet.first_unread_row = number + 1
                    break
                sheet.cells[number, column] = Value(plain, _find_kind(plain))
            if sheet.first_unread_row:
                break
    except csv.Error as error:
        raise FileSkipped(f"it is no table that can be read ({error})") from error
    return Parsed(build_sheet_blocks(sheet), gaps=tuple(describe_sheet_gaps(sheet)))


def _split_rows(text: str, delimiter: str) -> Iterator[list[str]]:
    # Not by `StringIO`, which takes four bytes for each character.
    return iter(csv.reader((found[0] for found in _LINE.finditer(text)), delimiter=delimiter))


def _find_delimiter(sample: str) -> str:
    """The delimiter with which most rows, comments aside, have the same number of values, and more than one."""

    def rate(delimiter: str) -> tuple[float, int]:
        try:
            rows = (row for row in _split_rows(sample, delimiter) if any(row) and not row[0].startswith("# "))
            widths = [len(row) for row in islice(rows, _SAMPLE_ROWS)]
        except csv.Error:
            return 0.0, 0
        usual, count = Counter(widths).most_common(1)[0] if widths else (0, 0)
        return (count / len(widths), usual) if usual > 1 else (0.0, 0)

    return max(_DELIMITERS, key=rate)


def _find_kind(value: str) -> ValueKind:
    if _NUMBER.fullmatch(value):
        return "number"
    return "date" if _DATE.fullmatch(value) else "text"
