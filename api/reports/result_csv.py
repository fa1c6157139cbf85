"""Results of queries as CSV: exact numbers as they are, and no text that a spreadsheet would take for a formula.

A text that begins with `=`, `+`, `-`, `@` (in any width), a tab or a line break gets an apostrophe before it, and so
does such a name of a column. A program that reads CSV takes that apostrophe away, or takes the JSON, which has none.
"""

import csv
import io
import re
import unicodedata
from typing import Final

from elcano.graphs.report.tables import NUMBERS, Cell, Kind, ResultTable

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")
_NUMBER: Final = re.compile(r"[-+]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][-+]?\d+)?", re.ASCII)


def as_csv(table: ResultTable) -> str:
    """RFC 4180, with a line of names. NULL is empty; an empty text is empty as well."""
    written = io.StringIO()
    lines = csv.writer(written, lineterminator="\r\n")
    lines.writerow([_escape_formula(column.name) for column in table.columns])
    kinds = [column.kind for column in table.columns]
    for row in table.rows:
        lines.writerow([_format_csv_cell(value, kind) for value, kind in zip(row, kinds, strict=True)])
    return written.getvalue()


def _format_csv_cell(value: Cell, kind: Kind) -> str:
    if value is None:
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    return value if kind in NUMBERS and _NUMBER.fullmatch(value) else _escape_formula(value)


def _escape_formula(text: str) -> str:
    begins = unicodedata.normalize("NFKC", text[:1])
    return f"'{text}" if begins.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text
