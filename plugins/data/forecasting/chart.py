"""The drawing of a forecast as a Vega-Lite dict: the history, what follows it, and a band for each level.

It holds its data and names nothing outside of itself. Of a long history its latest part is drawn, and the subtitle
says so.
"""

from typing import Final

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import shorten_text
from elcano.plugins.data.forecast_models import LEVELS, MODEL_WORDS
from elcano.plugins.data.forecasting.forecasting import Forecast

SCHEMA: Final = "https://vega.github.io/schema/vega-lite/v5.json"
MOST_DRAWN: Final = 400
NAME_CHARACTERS: Final = 80
_FORMATS: Final = {"yearly": "%Y", "quarterly": "%Y Q%q", "monthly": "%b %Y", "hourly": "%d %b %H:%M"}


def build_forecast_chart(made: Forecast) -> JsonObject:
    """The dict; equal for equal forecasts."""
    series = made.series
    drawn = max(MOST_DRAWN - len(made.moments), 5 * len(made.moments))
    value, time = (shorten_text(name, NAME_CHARACTERS) for name in (series.value, series.time))
    known = list(zip(series.moments, series.values, strict=True))[-drawn:]
    data: list[Json] = [{"at": at.isoformat(), "value": amount, "part": "history"} for at, amount in known]
    for place, at in enumerate(made.moments):
        point: JsonObject = {"at": at.isoformat(), "value": made.fit.mean[place], "part": "forecast"}
        for level in LEVELS:
            point[f"low_{level}"], point[f"high_{level}"] = made.fit.low[level][place], made.fit.high[level][place]
        data.append(point)
    x: JsonObject = {
        "field": "at",
        "type": "temporal",
        "title": time,
        "axis": {"format": _FORMATS.get(series.period.frequency, "%d %b %Y"), "labelOverlap": True},
    }
    bands: list[Json] = [
        {
            "transform": [{"filter": "datum.part === 'forecast'"}],
            "mark": {"type": "area", "color": "#4c78a8", "opacity": 0.15 if level > LEVELS[0] else 0.3},
            "encoding": {
                "x": x,
                "y": {"field": f"low_{level}", "type": "quantitative", "title": value},
                "y2": {"field": f"high_{level}"},
            },
        }
        for level in sorted(LEVELS, reverse=True)
    ]
    lines: JsonObject = {
        "mark": {"type": "line", "point": len(data) <= 60},
        "encoding": {
            "x": x,
            "y": {"field": "value", "type": "quantitative", "title": value, "scale": {"zero": False}},
            "color": {
                "field": "part",
                "type": "nominal",
                "title": None,
                "scale": {"domain": ["history", "forecast"], "range": ["#333333", "#4c78a8"]},
            },
        },
    }
    cut = f", the latest {len(known):,} of {len(series.values):,} values" if len(known) < len(series.values) else ""
    held = " and ".join(f"{100 * check.covered / check.count:.0f} %" for check in made.chosen.intervals)
    levels = " and ".join(f"{level} %" for level in LEVELS)
    return {
        "$schema": SCHEMA,
        "title": {
            "text": f"{value}: history and forecast",
            "subtitle": f"{MODEL_WORDS[made.chosen.model]}; bands of {levels} held {held} in the back-test{cut}",
        },
        "width": 640,
        "height": 320,
        "data": {"values": data},
        "layer": [*bands, lines],
    }
