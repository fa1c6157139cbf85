"""A table as a file: CSV in UTF-8, or a workbook, a line a row, each value with its quotes; no text is a formula."""

import asyncio
import io
import json
from collections.abc import AsyncIterator, Mapping, Sequence
from typing import Final

from elcano.doors.evidence_tables.document_graph import list_columns
from elcano.doors.evidence_tables.row_views import AT_ONCE, RowView, TableCell
from elcano.doors.evidence_tables.table_store import EvidenceTable
from elcano.doors.evidence_tables.table_views import load_table
from elcano.graphs.frozen import Json
from elcano.graphs.text import shorten_text
from elcano.service.process import Services
from elcano.service.reports.results import render_csv

MEDIA_TYPES: Final[Mapping[str, str]] = {
    "csv": "text/csv; charset=utf-8",
    "xlsx": "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
}
CELL_CHARACTERS: Final = 30_000
"""Spreadsheets cut cells at 32,767."""
_FIXED: Final = ("row", "document", "title", "source", "state", "decision", "decision reason", "decided by")
_OF_COLUMN: Final = ("", " quotes", " why", " edited by", " extracted")
"""Suffixes of the heads of a column's five exported columns."""
_LAST: Final = ("run_id", "tokens", "cost_usd")


async def write_csv(table: EvidenceTable, services: Services) -> AsyncIterator[bytes]:
    """Write the table as CSV (RFC 4180); what a spreadsheet would take for a formula begins with an apostrophe."""
    yield render_csv([_build_head(table)]).encode()
    async for rows in _read_rows(table, services):
        yield render_csv(_build_line(table, row) for row in rows).encode()


async def write_workbook(table: EvidenceTable, services: Services) -> bytes:
    """Write the table as a workbook (XLSX) with one sheet, whose head and documents stay in view."""
    lines: list[list[str | int | float | bool]] = [list(_build_head(table))]
    async for rows in _read_rows(table, services):
        lines += [_build_line(table, row) for row in rows]
    return await asyncio.to_thread(_render_workbook, lines)


async def _read_rows(table: EvidenceTable, services: Services) -> AsyncIterator[list[RowView]]:
    for start in range(0, len(table.documents), AT_ONCE):
        yield await load_table(table, range(start, min(start + AT_ONCE, len(table.documents))), services)


def _build_head(table: EvidenceTable) -> list[str]:
    columns = [f"{name}{what}" for name in list_columns(table.output_schema) for what in _OF_COLUMN]
    return [*_FIXED, *columns, *_LAST]


def _build_line(table: EvidenceTable, row: RowView) -> list[str | int | float | bool]:
    last = row.decisions[-1] if row.decisions else None
    line: list[str | int | float | bool] = [row.number + 1, row.path, row.title, row.source, row.state]
    line += [row.decision or "", last.reason if last else "", last.by if last else ""]
    for name in list_columns(table.output_schema):
        cell = row.cells[name]
        line += [_write_value(cell.value), _write_quotes(cell), cell.reason, _name_editor(cell)]
        line.append(_write_value(cell.extracted) if cell.state == "edited" else "")
    line += [row.run_id or "", row.tokens, row.cost_usd]
    return [shorten_text(one, CELL_CHARACTERS) if isinstance(one, str) else one for one in line]


def _write_value(value: Json) -> str | int | float | bool:
    if isinstance(value, str | int | float):  # a negative number is no formula
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


def _write_quotes(cell: TableCell) -> str:
    """The quotes that hold, a line each, with their pages."""
    lines = []
    for one in cell.quotes:
        page = one.page_label or (str(one.page) if one.page else "")
        if one.verified:
            lines.append(f"“{' '.join(one.quote.split())}”" + (f" (page {page})" if page else ""))
    return "\n".join(lines)


def _name_editor(cell: TableCell) -> str:
    return (cell.edits[-1].by or "a person") if cell.state == "edited" else ""


def _render_workbook(lines: Sequence[Sequence[str | int | float | bool]]) -> bytes:
    import xlsxwriter

    file = io.BytesIO()
    options = {"in_memory": True, "strings_to_formulas": False, "strings_to_urls": False, "strings_to_numbers": False}
    with xlsxwriter.Workbook(file, options) as workbook:
        sheet = workbook.add_worksheet("Evidence")
        sheet.freeze_panes(1, 2)
        bold, wrapped = workbook.add_format({"bold": True}), workbook.add_format({"text_wrap": True, "valign": "top"})
        sheet.set_column(1, len(lines[0]) - 1, 24)
        for number, line in enumerate(lines):
            for place, value in enumerate(line):
                sheet.write(number, place, value, wrapped if number else bold)
    return file.getvalue()
