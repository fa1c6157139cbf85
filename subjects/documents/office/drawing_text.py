"""DrawingML: the paragraphs, tables, charts and diagrams of Office documents, as slides have them."""

from collections.abc import Iterator, Mapping
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block
from elcano.subjects.documents.number_formats import format_number
from elcano.subjects.documents.office.office_math import write_office_math
from elcano.subjects.documents.office.symbol_fonts import decode_symbols, has_private_signs, is_symbol_font
from elcano.subjects.documents.tables import TableCell, build_table
from elcano.text.words import lower_text, raise_text
from elcano.text.xml_tree import Element, get_local_name

_LEFT_OUT_FIELD: Final = "slidenum"
"""The field for the number of a slide, which says nothing that its page does not."""
_MOST_POINTS: Final = 5_000
"""Points of one series of a chart that are read."""
_MOST_SERIES: Final = 200
_ON: Final = ("1", "true")


class Paragraph(NamedTuple):
    """One paragraph of a shape."""

    text: str
    level: int
    """Indentation level, from 0."""
    mark: str | None
    """`-` for a bullet, `1.` for a number; empty if it has none, None if it does not say."""


def read_paragraphs(body: Element) -> Iterator[Paragraph]:
    """Yield the paragraphs of a text body that show something."""
    for paragraph in body.iterchildren("{*}p"):
        text = _read_paragraph(paragraph)
        if not text.strip():
            continue
        properties = paragraph.find("{*}pPr")
        level, mark = 0, None
        if properties is not None:
            level = int(properties.get("lvl", "0")) if properties.get("lvl", "0").isdecimal() else 0
            names = {get_local_name(one) for one in properties}
            if "buNone" in names:
                mark = ""
            elif "buAutoNum" in names:
                mark = "1."
            elif names & {"buChar", "buBlip"}:
                mark = "-"
        yield Paragraph(text, min(level, 8), mark)


def _read_paragraph(paragraph: Element) -> str:
    parts: list[str] = []
    for one in paragraph:
        name = get_local_name(one)
        if name in ("r", "fld"):
            if not one.get("type", "").startswith(_LEFT_OUT_FIELD):
                parts.append(_read_run(one))
        elif name == "br":
            parts.append("\n")
        elif name in ("AlternateContent", "m", "oMath", "oMathPara"):
            parts.append(_read_formula(one))
    lines = (" ".join(line.split()) for line in "".join(parts).replace("\v", "\n").split("\n"))
    return "\n".join(filter(None, lines))


def _read_run(run: Element) -> str:
    text = "".join(one.text or "" for one in run.iterchildren("{*}t"))
    marks = run.find("{*}rPr")
    if marks is None:
        return text
    if marks.get("strike", "noStrike") != "noStrike":
        return ""
    fonts = {get_local_name(one): one.get("typeface", "") for one in marks}
    if is_symbol_font(fonts.get("latin", "")):
        text = decode_symbols(text, fonts["latin"])
    elif has_private_signs(text):
        text = "".join(decode_symbols(sign, fonts.get("sym", "")) if has_private_signs(sign) else sign for sign in text)
    raised = marks.get("baseline", "0").rstrip("%")
    if raised.startswith("-"):
        return lower_text(text)
    return raise_text(text) if raised.strip("0.") else text


def _read_formula(element: Element) -> str:
    """A formula, which newer programs write next to a picture of it for older ones."""
    return " ".join(write_office_math(one) for one in element.iter("{*}oMath"))


def read_table(table: Element) -> list[TableCell]:
    """Return the cells of a table."""
    properties = table.find("{*}tblPr")
    marks: Mapping[str, str] = dict(properties.attrib) if properties is not None else {}
    head_row, head_column = marks.get("firstRow") in _ON, marks.get("firstCol") in _ON
    found: list[TableCell] = []
    for row, element in enumerate(table.iterchildren("{*}tr")):
        for column, cell in enumerate(element.iterchildren("{*}tc")):
            if cell.get("hMerge") in _ON or cell.get("vMerge") in _ON:
                continue
            body = cell.find("{*}txBody")
            text = " ".join(one.text for one in read_paragraphs(body)) if body is not None else ""
            rows, columns = _read_span(cell.get("rowSpan")), _read_span(cell.get("gridSpan"))
            head = (head_row and row == 0) or (head_column and column == 0)
            found.append(TableCell(text, row, column, rows, columns, head))
    return found


def _read_span(text: str | None) -> int:
    return max(int(text), 1) if text is not None and text.isdecimal() and len(text) < 6 else 1


def build_chart_blocks(chart: Element, *, page: int = 0, paragraph: int = 0) -> Iterator[Block]:
    """The titles of a chart and its axes as a caption, and its figures as a table."""
    titles = (" ".join("".join(text.text or "" for text in one.iter("{*}t")).split()) for one in chart.iter("{*}title"))
    if caption := ". ".join(filter(None, dict.fromkeys(titles))):
        yield Block(caption, "caption", page=page, paragraph=paragraph)
    if cells := _list_chart_cells(chart):
        yield build_table(cells, page=page, paragraph=paragraph)


def _list_chart_cells(chart: Element) -> list[TableCell]:
    """A row for each category or point, a column for each series."""
    columns: list[tuple[str, dict[str, str]]] = []
    categories: dict[str, str] = {}
    for number, series in zip(range(_MOST_SERIES), chart.iter("{*}ser"), strict=False):
        for name in ("cat", "xVal"):
            if (values := series.find(f"{{*}}{name}")) is not None:
                categories = {**_read_points(values), **categories}
        title = series.find("{*}tx")
        named = " ".join(_read_points(title).values()) if title is not None else ""
        for name, suffix in (("val", ""), ("yVal", ""), ("bubbleSize", " (size)")):
            if (values := series.find(f"{{*}}{name}")) is not None:
                columns.append(((named or f"Series {number + 1}") + suffix, _read_points(values)))
    rows = sorted({key for _, values in columns for key in values} | categories.keys(), key=int)
    if not columns or not rows:
        return []
    found = [TableCell("", 0, 0, head=True)]
    found += [TableCell(name, 0, at + 1, head=True) for at, (name, _) in enumerate(columns)]
    for row, key in enumerate(rows, 1):
        found.append(TableCell(categories.get(key, str(int(key) + 1)), row, 0, head=True))
        found += [TableCell(values.get(key, ""), row, at + 1) for at, (_, values) in enumerate(columns)]
    return found


def _read_points(element: Element) -> dict[str, str]:
    """The values that a chart keeps of what it shows, by their numbers."""
    caches = [one for one in element.iter() if get_local_name(one).endswith(("Cache", "Lit"))]
    if not caches:
        direct = element.find("{*}v")
        return {"0": direct.text or ""} if direct is not None else {}
    levels = [one for one in caches[0].iter("{*}lvl")] or caches[:1]
    format_code = next((one.text or "" for one in caches[0].iter("{*}formatCode")), "General")
    found: dict[str, str] = {}
    for level in reversed(levels):  # the outermost level comes last
        points = {one.get("idx", ""): one for one in level.iterchildren("{*}pt")}
        for index, point in list(points.items())[:_MOST_POINTS]:
            value = point.find("{*}v")
            if index.isascii() and index.isdigit() and value is not None and value.text:
                text = _format_point(value.text, point.get("formatCode") or format_code)
                found[index] = f"{found[index]}, {text}" if index in found else text
    return found


def _format_point(text: str, code: str) -> str:
    try:
        return format_number(float(text), code) or text
    except (ValueError, ArithmeticError):
        return text


def read_diagram(data: Element) -> list[Paragraph]:
    """Return the texts of a diagram (SmartArt) in the order of its tree."""
    texts: dict[str, Element] = {}
    roots: list[str] = []
    for point in data.iter("{*}pt"):
        kind, name = point.get("type", "node"), point.get("modelId", "")
        if kind == "doc":
            roots.append(name)
        elif kind in ("node", "asst") and (body := point.find("{*}t")) is not None:
            texts[name] = body
    below: dict[str, list[tuple[int, str]]] = {}
    for link in data.iter("{*}cxn"):
        if link.get("type", "parOf") == "parOf":
            order = int(link.get("srcOrd", "0")) if link.get("srcOrd", "0").isdecimal() else 0
            below.setdefault(link.get("srcId", ""), []).append((order, link.get("destId", "")))
    found: list[Paragraph] = []
    pending = [(name, -1) for name in reversed(roots or list(texts))]
    seen: set[str] = set()
    while pending:
        name, depth = pending.pop()
        if name in seen:
            continue
        seen.add(name)
        if name in texts:
            found += [one._replace(level=min(max(depth, 0), 8)) for one in read_paragraphs(texts[name])]
        pending += [(child, depth + 1) for _, child in sorted(below.get(name, ()), reverse=True)]
    return found
