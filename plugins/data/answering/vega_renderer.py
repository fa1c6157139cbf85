"""A Vega-Lite specification drawn by a library: SVG that may stand in a page, and PNG. Nothing is loaded from anywhere.

What the library draws is taken apart and written again from a list of elements and attributes: lines, shapes and texts,
in the colour of the text around them. The library comes with the extra `plots`.
"""

import json
import re
from base64 import b64encode
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Final
from xml.etree import ElementTree as Xml

from elcano.graphs.extras import install_command
from elcano.graphs.frozen import JsonObject

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
"""All that a chart consists of, beside its title and description."""
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
    kept = Xml.Element(
        tag,
        {
            name: _replace_dark_colour(value)
            for name, value in element.items()
            if _is_allowed_attribute(tag, name, value)
        },
    )
    kept.text = element.text if tag == "text" else None
    kept.extend(inside)
    yield kept


def _is_allowed_attribute(tag: str, name: str, value: str) -> bool:
    return name in ALLOWED[tag] and _VALUE.fullmatch(value) is not None


def _replace_dark_colour(value: str) -> str:
    return "currentColor" if value in _DARK else value
