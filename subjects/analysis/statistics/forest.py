"""A forest plot as SVG: a row for each study, a square as large as its weight, a diamond for what they say together.

It is made of lines, shapes and texts alone, in the colour of the text around it; it has a title and a description for
who does not see it. Names of strangers are texts of XML elements, so that none of them is markup.
"""

import math
import re
from collections.abc import Iterable, Sequence
from typing import Final
from xml.etree import ElementTree as Xml

from elcano.graphs.text import format_count, shorten_text
from elcano.subjects.analysis.analysis import (
    NAMES,
    RATIOS,
    Pool,
    PooledEstimate,
    StudyEffect,
    format_estimate,
    format_figure,
    plot_title,
)
from elcano.subjects.analysis.statistics.effects import get_null_effect

MEDIA_TYPE: Final = "image/svg+xml"
MOST_DRAWN: Final = 60
"""Rows of studies, the heaviest; that there are more is said."""
NAME_CHARACTERS: Final = 34
_WIDTH: Final = 760
_LEFT: Final = 260.0
_RIGHT: Final = 540.0
_ROW: Final = 24
_TOP: Final = 62
_NAMESPACE: Final = "http://www.w3.org/2000/svg"
_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_MOST_TICKS: Final = 7
_REACH: Final = 6.0
"""Interval ends further from all estimates than this many times their span are drawn as arrows."""


class _Axis:
    """From a measure's own scale to places on the drawing; of ratios by their logarithms."""

    def __init__(self, pool: Pool) -> None:
        self._log = pool.measure in RATIOS
        nothing = get_null_effect(pool.measure)
        shown = pool.studies[:MOST_DRAWN]
        middle = [*(self._on(one.estimate) for one in shown), self._on(pool.random.low), self._on(pool.random.high)]
        if nothing is not None:
            middle.append(self._on(nothing))
        span = max(max(middle) - min(middle), 1e-9)
        ends = [self._on(end) for one in shown for end in (one.low, one.high)] + middle
        self.low = max(min(ends), min(middle) - _REACH * span)
        self.high = min(max(ends), max(middle) + _REACH * span)
        if self.high - self.low < 1e-9:
            self.low, self.high = self.low - 1, self.high + 1
        room = 0.04 * (self.high - self.low)
        self.low, self.high = self.low - room, self.high + room

    def x(self, value: float) -> float:
        """Return the x coordinate of `value` in the drawing."""
        share = (self._on(value) - self.low) / (self.high - self.low)
        return round(_LEFT + (_RIGHT - _LEFT) * min(1.0, max(0.0, share)), 2)

    def holds(self, value: float) -> bool:
        """Whether `value` is drawn where it is, and not at the edge."""
        return self.low <= self._on(value) <= self.high

    def ticks(self) -> Sequence[float]:
        """A few round numbers, on the measure's own scale."""
        if self._log:
            for steps in ((1, 2, 5), (1,)):
                round_ones = [one * 10.0**power for power in range(-12, 12) for one in steps]
                places = [one for one in round_ones if self.holds(one)]
                if len(places) <= _MOST_TICKS:
                    break
            places = places[:: 1 + len(places) // _MOST_TICKS]
            if len(places) > 1:
                return places
            return [math.exp(self.low + share * (self.high - self.low)) for share in (0.1, 0.5, 0.9)]
        step = (self.high - self.low) / 4
        unit = 10 ** math.floor(math.log10(step))
        step = next((unit * one for one in (1, 2, 5, 10) if unit * one >= step), unit * 10)
        first = math.ceil(self.low / step)
        return [(first + at) * step for at in range(8) if (first + at) * step <= self.high]

    def _on(self, value: float) -> float:
        return math.log(max(value, 1e-300)) if self._log else value


def render_forest_plot(pool: Pool) -> str:
    """The drawing of a pool, the same for the same pool."""
    shown = pool.studies[:MOST_DRAWN]
    rows = len(shown) + 2 + (pool.count > len(shown))
    bottom = _TOP + rows * _ROW
    name = f"plot-{pool.number}"
    svg = Xml.Element(
        "svg",
        {
            "xmlns": _NAMESPACE,
            "viewBox": f"0 0 {_WIDTH} {bottom + 56}",
            "role": "img",
            "aria-labelledby": f"{name}-title {name}-description",
            "font-family": "system-ui, sans-serif",
            "font-size": "13",
            "fill": "currentColor",
            "stroke": "none",
        },
    )
    _add_text_element(svg, "title", plot_title(pool), id=f"{name}-title")
    _add_text_element(svg, "desc", _describe_pool(pool), id=f"{name}-description")
    _draw_column_heads(svg, pool)
    axis = _Axis(pool)
    _draw_axis(svg, axis, pool, bottom)
    for place, one in enumerate(shown):
        _draw_study_row(svg, axis, one, _TOP + place * _ROW)
    y = _TOP + len(shown) * _ROW
    if pool.count > len(shown):
        _draw_text(svg, 8, y + 16, f"and {format_count(pool.count - len(shown), 'further study', 'further studies')}")
        y += _ROW
    _draw_pooled_row(svg, axis, "Fixed effect", pool.fixed, y)
    _draw_pooled_row(svg, axis, "Random effects", pool.random, y + _ROW)
    return Xml.tostring(svg, encoding="unicode") + "\n"


def _describe_pool(pool: Pool) -> str:
    return (
        f"{format_count(pool.count, 'study', 'studies')}; random effects: {format_estimate(pool.random, pool.unit)}; "
        f"I² {pool.i2:.0f} %, tau² {pool.tau2:.4g}. The table below has the figures of each study."
    )


def _draw_column_heads(svg: Xml.Element, pool: Pool) -> None:
    _draw_text(svg, 8, 20, shorten_text(plot_title(pool).removeprefix("Forest plot: "), 100), weight="bold")
    _draw_text(svg, 8, 44, "Study")
    _draw_text(svg, 552, 44, "Estimate [95 % CI]")
    _draw_text(svg, _WIDTH - 8, 44, "Weight", anchor="end")
    _draw_line(svg, 8, 52, _WIDTH - 8, 52)


def _draw_axis(svg: Xml.Element, axis: _Axis, pool: Pool, bottom: int) -> None:
    _draw_line(svg, _LEFT, bottom + 6, _RIGHT, bottom + 6)
    for tick in axis.ticks():
        x = axis.x(tick)
        _draw_line(svg, x, bottom + 6, x, bottom + 11)
        _draw_text(svg, x, bottom + 26, f"{tick:.3g}", anchor="middle")
    nothing = get_null_effect(pool.measure)
    if nothing is not None:
        _draw_line(svg, axis.x(nothing), _TOP - 6, axis.x(nothing), bottom + 6)
    dashed = axis.x(pool.random.estimate)
    _draw_line(svg, dashed, _TOP - 6, dashed, bottom + 6, dash="3 3")
    unit = f", {pool.unit}" if pool.unit else ""
    _draw_text(svg, (_LEFT + _RIGHT) / 2, bottom + 46, f"{NAMES[pool.measure]}{unit}", anchor="middle")


def _draw_study_row(svg: Xml.Element, axis: _Axis, one: StudyEffect, y: int) -> None:
    middle = y + 12
    mark = f" [{one.number}]" if one.number is not None else ""
    _draw_text(svg, 8, middle + 4, shorten_text(one.study, NAME_CHARACTERS) + mark)
    _draw_line(svg, axis.x(one.low), middle, axis.x(one.high), middle)
    for end, way in ((one.low, 1), (one.high, -1)):
        if not axis.holds(end):
            x = axis.x(end)
            _draw_polygon(svg, [(x, middle), (x + 6 * way, middle - 4), (x + 6 * way, middle + 4)])
    half = round(2 + 6 * math.sqrt(min(max(one.weight, 0.0), 100.0) / 100), 2)
    x = axis.x(one.estimate)
    _draw_polygon(
        svg,
        [(x - half, middle - half), (x + half, middle - half), (x + half, middle + half), (x - half, middle + half)],
    )
    _draw_estimate(svg, one.estimate, one.low, one.high, middle + 4)
    _draw_text(svg, _WIDTH - 8, middle + 4, f"{one.weight:.1f} %", anchor="end")


def _draw_pooled_row(svg: Xml.Element, axis: _Axis, name: str, pooled: PooledEstimate, y: int) -> None:
    middle = y + 12
    _draw_text(svg, 8, middle + 4, name, weight="bold")
    x = axis.x(pooled.estimate)
    _draw_polygon(svg, [(axis.x(pooled.low), middle), (x, middle - 7), (axis.x(pooled.high), middle), (x, middle + 7)])
    _draw_estimate(svg, pooled.estimate, pooled.low, pooled.high, middle + 4, weight="bold")


def _draw_estimate(
    svg: Xml.Element, estimate: float, low: float, high: float, y: float, *, weight: str = "normal"
) -> None:
    _draw_text(svg, 552, y, f"{format_figure(estimate)} [{format_figure(low)}, {format_figure(high)}]", weight=weight)


def _add_text_element(parent: Xml.Element, tag: str, text: str, **attributes: str) -> None:
    Xml.SubElement(parent, tag, attributes).text = _NOT_XML.sub("\ufffd", " ".join(text.split()))


def _draw_text(
    svg: Xml.Element, x: float, y: float, text: str, *, anchor: str = "start", weight: str = "normal"
) -> None:
    _add_text_element(svg, "text", text, x=f"{x:g}", y=f"{y:g}", **{"text-anchor": anchor, "font-weight": weight})


def _draw_line(svg: Xml.Element, x: float, y: float, to_x: float, to_y: float, *, dash: str = "") -> None:
    dashed = {"stroke-dasharray": dash} if dash else {}
    ends = {"x1": f"{x:g}", "y1": f"{y:g}", "x2": f"{to_x:g}", "y2": f"{to_y:g}"}
    Xml.SubElement(svg, "line", {**ends, "stroke": "currentColor", **dashed})


def _draw_polygon(svg: Xml.Element, corners: Iterable[tuple[float, float]]) -> None:
    Xml.SubElement(svg, "polygon", {"points": " ".join(f"{x:g},{y:g}" for x, y in corners)})
