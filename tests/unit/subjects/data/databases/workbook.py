"""Excel files written by hand: the least that makes one, with formulas and merged cells as programs leave them."""

import zipfile
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import NamedTuple, TypeAlias
from xml.sax.saxutils import escape

_MAIN = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"
_DOCUMENT = "http://schemas.openxmlformats.org/officeDocument/2006/relationships"
_PACKAGE = "http://schemas.openxmlformats.org/package/2006"
_SHEET = "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"


_FORMATS = ("General", "yyyy-mm-dd", "yyyy-mm-dd hh:mm", "00000", "[h]:mm")
DAY, MOMENT, ZIP, HOURS = range(1, 5)
"""Styles of numbers."""


class Styled(NamedTuple):
    """A number that is shown in a style."""

    value: float
    style: int


Content: TypeAlias = str | float | Styled | None


_ODF = "urn:oasis:names:tc:opendocument:xmlns:"


def write_open_sheet(path: Path, rows: Sequence[Sequence[str]]) -> None:
    """Writes a sheet of ODF with texts and durations, such as `PT26H00M00S`."""
    spaces = " ".join(f'xmlns:{name}="{_ODF}{name}:1.0"' for name in ("office", "table", "text"))
    body = "".join(f"<table:table-row>{''.join(map(_open_cell, row))}</table:table-row>" for row in rows)
    kind = "application/vnd.oasis.opendocument.spreadsheet"
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("mimetype", kind)
        file.writestr(
            "META-INF/manifest.xml",
            f'<manifest:manifest xmlns:manifest="{_ODF}manifest:1.0" manifest:version="1.3"><manifest:file-entry '
            f'manifest:full-path="/" manifest:media-type="{kind}"/></manifest:manifest>',
        )
        file.writestr(
            "content.xml",
            f"<office:document-content {spaces}><office:body><office:spreadsheet><table:table "
            f'table:name="S">{body}</table:table></office:spreadsheet></office:body></office:document-content>',
        )


def _open_cell(content: str) -> str:
    lasts = content.lstrip("-").startswith("PT")
    value = f'"time" office:time-value="{content}"' if lasts else '"string"'
    return f"<table:table-cell office:value-type={value}><text:p>{content}</text:p></table:table-cell>"


def write_workbook(
    path: Path, sheets: Mapping[str, Sequence[Sequence[Content]]], merged: Mapping[str, str] | None = None
) -> None:
    """Writes sheets by name. A text that begins with `=` is a formula that nobody has computed; `merged` is `A2:A3`."""
    linked = "".join(
        f'<Relationship Id="r{at}" Type="{_DOCUMENT}/worksheet" Target="worksheets/{at}.xml"/>'
        for at in range(len(sheets))
    )
    linked += f'<Relationship Id="s" Type="{_DOCUMENT}/styles" Target="styles.xml"/>'
    formats = "".join(f'<numFmt numFmtId="{170 + at}" formatCode="{code}"/>' for at, code in enumerate(_FORMATS))
    styles = "".join(f'<xf numFmtId="{170 + at}" applyNumberFormat="1"/>' for at in range(len(_FORMATS)))
    named = "".join(f'<sheet name="{escape(name)}" sheetId="{at + 1}" r:id="r{at}"/>' for at, name in enumerate(sheets))
    parts = {
        "[Content_Types].xml": f'<Types xmlns="{_PACKAGE}/content-types"><Default Extension="xml" '
        'ContentType="application/xml"/><Default Extension="rels" ContentType="application/'
        'vnd.openxmlformats-package.relationships+xml"/>'
        f'<Override PartName="/xl/workbook.xml" ContentType="{_SHEET}"/></Types>',
        "_rels/.rels": f'<Relationships xmlns="{_PACKAGE}/relationships"><Relationship Id="r" '
        f'Type="{_DOCUMENT}/officeDocument" Target="xl/workbook.xml"/></Relationships>',
        "xl/workbook.xml": f'<workbook xmlns="{_MAIN}" xmlns:r="{_DOCUMENT}"><sheets>{named}</sheets></workbook>',
        "xl/_rels/workbook.xml.rels": f'<Relationships xmlns="{_PACKAGE}/relationships">{linked}</Relationships>',
    }
    parts["xl/styles.xml"] = (
        f'<styleSheet xmlns="{_MAIN}"><numFmts>{formats}</numFmts><cellXfs>{styles}</cellXfs></styleSheet>'
    )
    for at, (name, rows) in enumerate(sheets.items()):
        body = "".join(_row(number, row) for number, row in enumerate(rows, start=1))
        one = f'<mergeCells><mergeCell ref="{merged[name]}"/></mergeCells>' if merged and name in merged else ""
        parts[f"xl/worksheets/{at}.xml"] = f'<worksheet xmlns="{_MAIN}"><sheetData>{body}</sheetData>{one}</worksheet>'
    with zipfile.ZipFile(path, "w") as file:
        for place, text in parts.items():
            file.writestr(place, f'<?xml version="1.0"?>{text}')


def _row(number: int, row: Sequence[Content]) -> str:
    cells = (_cell(f"{chr(65 + place)}{number}", value) for place, value in enumerate(row))
    return f'<row r="{number}">{"".join(cells)}</row>'


def _cell(place: str, value: Content) -> str:
    if value is None:
        return ""
    if isinstance(value, Styled):
        return f'<c r="{place}" s="{value.style}"><v>{value.value}</v></c>'
    if not isinstance(value, str):
        return f'<c r="{place}"><v>{value}</v></c>'
    if value.startswith("="):
        return f'<c r="{place}"><f>{escape(value[1:])}</f></c>'
    return f'<c r="{place}" t="inlineStr"><is><t>{escape(value)}</t></is></c>'
