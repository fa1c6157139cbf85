"""One fitting chart of a result, by rules from its columns: over time a line, of groups bars, of two numbers dots.

Names and values of databases are data of the specification and nothing else: columns are called `c0`, `c1` in it, and
no expression is built from anything. Where nothing fits there is no chart.

The Vega-Lite specification is drawn by a library, which comes with the extra `plots`: SVG that may stand in a page, and
PNG. Nothing is loaded from anywhere. What the library draws is taken apart and written again from a list of elements
and attributes: lines, shapes and texts, in the colour of the text around them.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC
from decimal import Decimal
from typing import Final
from xml.etree import ElementTree as Xml

from elcano.graphs.extras import install_command
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import format_count, number_repeated, shorten_text
from elcano.subjects.data.answering.consensus import spread_paths
from elcano.subjects.data.answering.periods import TimeColumn, find_time_column
from elcano.subjects.data.answering.result_columns import find_group_columns, is_additive
from elcano.subjects.data.data_answer import VEGA_LITE, ChartKind
from elcano.subjects.data.results import ShownRows
from elcano.subjects.data.tables import ResultTable

MOST_BARS: Final = 30
MOST_POINTS: Final = 1_000
MOST_LINES: Final = 8
LABEL_CHARACTERS: Final = 60
TITLE_CHARACTERS: Final = 100
OTHER: Final = "other"
_WIDTH: Final = 520
_HEIGHT: Final = 280
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


@dataclass(frozen=True)
class PlannedChart:
    """A chart before it is drawn."""

    kind: ChartKind
    title: str
    description: str
    spec: JsonObject


def plan_chart(table: ResultTable) -> PlannedChart | None:
    """The chart that fits a result; None: nothing does."""
    table = spread_paths(table)
    result = ShownRows.of_table(table)
    groups = find_group_columns(table)
    measures = [at for at in result.measures if at not in groups]
    labels = [*result.labels, *(at for at in result.measures if at in groups)]
    if len(table.rows) < 2 or not measures:
        return None
    time = find_time_column(result.names, result.rows, labels, table.sql)
    if time is not None:
        line = _plan_line_chart(result, time, [at for at in labels if at not in time.columns], measures[0])
        if line is not None:
            return line
    if labels:
        adds_up = not table.truncated and is_additive(table, measures[0])
        return _plan_bar_chart(result, labels, measures[0], adds_up=adds_up)
    return _plan_scatter_chart(result, measures[0], measures[1]) if len(measures) > 1 else None


def _plan_line_chart(result: ShownRows, time: TimeColumn, others: Sequence[int], measure: int) -> PlannedChart | None:
    """A line over time, or one for each of a few groups."""
    at_row = {row: moment for row, moment in enumerate(time.moments) if moment is not None}
    rows = [row for row in at_row if result.number(row, measure) is not None]
    group = others[0] if others else None
    places = {row: (at_row[row], None if group is None else result.rows[row][group]) for row in rows}
    groups = {one for _, one in places.values()}
    if len(set(places.values())) < len(places) or len(groups) > MOST_LINES or len(rows) < 2 * len(groups):
        return None
    rows.sort(key=lambda row: at_row[row])
    every = -(-len(rows) // MOST_POINTS)
    drawn = rows[::every]
    values: list[Json] = [
        {
            "c0": int(at_row[row].replace(tzinfo=UTC).timestamp() * 1000),
            "c1": _clamp_to_float(result, row, measure),
            **({} if group is None else {"c2": _format_row_label(result, row, [group])}),
        }
        for row in drawn
    ]
    over = ", ".join(_format_column_title(result, at) for at in time.columns)
    encoding: JsonObject = {
        "x": {"field": "c0", "type": "temporal", "scale": {"type": "utc"}, "title": over},
        "y": {"field": "c1", "type": "quantitative", "title": _format_column_title(result, measure)},
    }
    if group is not None:
        encoding["color"] = {"field": "c2", "type": "nominal", "title": _format_column_title(result, group)}
    title = f"{_format_column_title(result, measure)} over {over}"
    notes = [
        f"One point in {every} is drawn" if every > 1 else "",
        _describe_skipped_rows(result, rows),
        *_cut_short(result),
    ]
    mark: JsonObject = {"type": "line", "point": len(drawn) <= 60}
    return _build_planned_chart("line", title, values, mark, encoding, notes, format_count(len(drawn), "point"))


def _plan_bar_chart(result: ShownRows, labels: Sequence[int], measure: int, *, adds_up: bool) -> PlannedChart | None:
    """A bar for each group, the largest if there are many; the others as one, if they may be added up."""
    rows = [row for row in range(len(result.rows)) if result.number(row, measure) is not None]
    if len(rows) < 2:
        return None
    largest = sorted(rows, key=lambda row: (-abs(result.number(row, measure) or Decimal(0)), row))[:MOST_BARS]
    kept = sorted(largest) if len(rows) <= MOST_BARS else largest
    bars = [(_format_row_label(result, row, labels[:2]), _clamp_to_float(result, row, measure)) for row in kept]
    rest = len(rows) - len(kept)
    notes = [_describe_skipped_rows(result, rows)]
    if rest and adds_up:
        shown = set(kept)
        others = sum((result.number(row, measure) or Decimal(0) for row in rows if row not in shown), Decimal(0))
        bars.append((f"{OTHER} ({rest:,})", float(others)))
        notes.append(f"The {MOST_BARS} largest of {len(rows):,} groups; the other {rest:,} are one bar")
    elif rest:
        notes.append(f"The {MOST_BARS} largest of {len(rows):,} groups; the other {rest:,} are not drawn")
    notes += _cut_short(result)
    names = number_repeated((name for name, _ in bars), "{name} ({number})")
    values: list[Json] = [{"c0": name, "c1": value} for name, (_, value) in zip(names, bars, strict=True)]
    encoding: JsonObject = {
        "y": {
            "field": "c0",
            "type": "nominal",
            "sort": None,
            "title": ", ".join(_format_column_title(result, at) for at in labels[:2]),
            "axis": {"labelLimit": 220},
        },
        "x": {"field": "c1", "type": "quantitative", "title": _format_column_title(result, measure)},
    }
    title = f"{_format_column_title(result, measure)} by {_format_column_title(result, labels[0])}"
    return _build_planned_chart("bar", title, values, {"type": "bar"}, encoding, notes, format_count(len(bars), "bar"))


def _plan_scatter_chart(result: ShownRows, across: int, up: int) -> PlannedChart | None:
    """A dot for each row that has both numbers."""
    rows = [row for row in range(len(result.rows)) if None not in (result.number(row, across), result.number(row, up))]
    if len(rows) < 3:
        return None
    every = -(-len(rows) // MOST_POINTS)
    values: list[Json] = [
        {"c0": _clamp_to_float(result, row, across), "c1": _clamp_to_float(result, row, up)} for row in rows[::every]
    ]
    encoding: JsonObject = {
        axis: {"field": field, "type": "quantitative", "scale": {"zero": False}, "title": title}
        for axis, field, title in (
            ("x", "c0", _format_column_title(result, across)),
            ("y", "c1", _format_column_title(result, up)),
        )
    }
    title = f"{_format_column_title(result, up)} against {_format_column_title(result, across)}"
    notes = [
        f"One row in {every} is drawn" if every > 1 else "",
        _describe_skipped_rows(result, rows),
        *_cut_short(result),
    ]
    return _build_planned_chart(
        "scatter", title, values, {"type": "point"}, encoding, notes, format_count(len(values), "dot")
    )


def _build_planned_chart(
    kind: ChartKind,
    title: str,
    values: list[Json],
    mark: JsonObject,
    encoding: JsonObject,
    notes: Sequence[str],
    size: str,
) -> PlannedChart:
    title = shorten_text(title, TITLE_CHARACTERS)
    height: Json = {"step": 20} if kind == "bar" else _HEIGHT
    description = ". ".join(filter(None, (f"Chart of {title}: {size}", *notes))) + "."
    spec: JsonObject = {
        "$schema": VEGA_LITE,
        "description": description,
        "width": _WIDTH,
        "height": height,
        "background": None,
        "data": {"values": values},
        "mark": mark,
        "encoding": encoding,
    }
    return PlannedChart(kind, title, description, spec)


def _describe_skipped_rows(result: ShownRows, rows: Sequence[int]) -> str:
    left = len(result.rows) - len(rows)
    return f"{format_count(left, 'row')} without a number {'is' if left == 1 else 'are'} left out" if left else ""


def _cut_short(result: ShownRows) -> list[str]:
    """Return a remark on a result that was not read to its end: its largest value may not be the largest of all."""
    return ["It shows only what was read of the result, and there is more"] if result.truncated else []


def _clamp_to_float(result: ShownRows, row: int, at: int) -> float:
    value = result.number(row, at)
    assert value is not None  # rows without a number are left out before
    return max(-1e300, min(1e300, float(value)))


def _format_row_label(result: ShownRows, row: int, labels: Sequence[int]) -> str:
    said = ", ".join(_replace_invalid_xml(result.said(row, at)) or "(empty)" for at in labels)
    return shorten_text(said, LABEL_CHARACTERS)


def _format_column_title(result: ShownRows, at: int) -> str:
    return shorten_text(_replace_invalid_xml(" ".join(result.names[at].split())) or "(no name)", LABEL_CHARACTERS)


def _replace_invalid_xml(text: str) -> str:
    """`text` without characters that no drawing can hold."""
    return _NOT_XML.sub("\ufffd", text)


NO_LIBRARY: Final = f"There is no chart: this worker has no library that draws ({install_command('plots')})."
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_DARK: Final = frozenset({"#000", "#000000", "black"})
_STROKES: Final = frozenset({"fill", "stroke", "stroke-width", "opacity"})
ALLOWED: Final[Mapping[str, frozenset[str]]] = {
    "g": frozenset({"transform", "fill", "stroke", "stroke-width", "opacity"}),
    "path": frozenset({"transform", "d"}) | _STROKES,
    "line": frozenset({"transform", "x1", "x2", "y1", "y2", "stroke-dasharray"}) | _STROKES,
    "rect": frozenset({"transform", "x", "y", "width", "height"}) | _STROKES,
    "text": frozenset({"transform", "x", "y", "text-anchor", "font-family", "font-size", "font-weight"}) | _STROKES,
}
"""All that a chart consists of, besides its title and description."""
_VALUE: Final = re.compile(r"[-+\w\s.,()#%]*")
"""Allowed values of an attribute: numbers, names, colours and transformations; no address."""


class ChartNotDrawn(Exception):
    """There is no drawing; the text is a sentence."""


@dataclass(frozen=True)
class DrawnChart:
    """A chart as it is seen."""

    svg: str
    png: str
    """In Base64."""


def render_vega_chart(spec: JsonObject, title: str, description: str) -> DrawnChart:
    """A specification as pictures.

    Raises:
        ChartNotDrawn: there is no library for it, or it refuses the specification.
    """
    try:  # here, because it takes long, and only who draws needs it
        import vl_convert
    except ModuleNotFoundError as error:
        raise ChartNotDrawn(NO_LIBRARY) from error
    written = json.dumps(spec)
    white = json.dumps({**spec, "background": "white", "title": title})
    try:
        svg = vl_convert.vegalite_to_svg(written, allowed_base_urls=[])
        png = vl_convert.vegalite_to_png(white, scale=2, allowed_base_urls=[])
        return DrawnChart(_sanitise_svg(svg, title, description), b64encode(png).decode())
    except (ValueError, Xml.ParseError) as error:
        raise ChartNotDrawn(f"There is no chart: the library for drawing refused it ({str(error)[:200]}).") from error


def _sanitise_svg(svg: str, title: str, description: str) -> str:
    root = Xml.fromstring(svg)
    made = Xml.Element(
        "svg",
        {
            "xmlns": _NAMESPACE,
            "viewBox": root.get("viewBox", "0 0 600 400"),
            "role": "img",
            "aria-labelledby": "chart-title chart-description",
            "font-family": "system-ui, sans-serif",
            "fill": "currentColor",
            "stroke": "none",
        },
    )
    for tag, text in (("title", title), ("desc", description)):
        Xml.SubElement(made, tag, {"id": f"chart-{'title' if tag == 'title' else 'description'}"}).text = text
    for child in root:
        made.extend(_sanitise_element(child))
    return Xml.tostring(made, encoding="unicode") + "\n"


def _sanitise_element(element: Xml.Element) -> Iterator[Xml.Element]:
    """Yield the visible parts of an element; empty groups and invisible elements are left out."""
    tag = element.tag.removeprefix(f"{{{_NAMESPACE}}}")
    if tag not in ALLOWED or element.get("display") == "none" or element.get("opacity") == "0":
        return
    if tag == "path" and not element.get("d", "").strip():
        return
    inside = [one for child in element for one in _sanitise_element(child)]
    if tag == "g" and not inside:
        return
    attributes = {
        name: "currentColor" if value in _DARK else value
        for name, value in element.items()
        if name in ALLOWED[tag] and _VALUE.fullmatch(value)
    }
    kept = Xml.Element(tag, attributes)
    kept.text = element.text if tag == "text" else None
    kept.extend(inside)
    yield kept
