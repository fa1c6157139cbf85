"""The drawing: every field that it names is in its data, and a long history is cut and says so."""

import json
from typing import Any

import vl_convert

from elcano.plugins.data.forecasting.fitting import FitAnswer, FitRequest, ModelFit
from elcano.plugins.data.forecasting.forecasting import MOST_DRAWN, Forecast, build_forecast_chart, forecast_table
from tests.unit.plugins.data.forecasting.material import given, monthly, steps, table


class Flat:
    """Says of every model that the last value stays."""

    def __call__(self, request: FitRequest, deadline: float) -> FitAnswer:
        fits = []
        for end in request.ends:
            mean = (request.values[end - 1],) * request.horizon
            low, high = (
                {level: tuple(value + sign * level for value in mean) for level in (80, 95)} for sign in (-1, 1)
            )
            fits.append(ModelFit(mean=mean, low=low, high=high))
        return FitAnswer(fits=tuple(fits))


def made(rows: Any, **names: Any) -> Forecast:
    return forecast_table(table(rows, **names), given(models=["ets"]), Flat())


def drawn(rows: Any, **names: Any) -> Any:
    return json.loads(json.dumps(build_forecast_chart(made(rows, **names)), allow_nan=False))


def fields(part: Any) -> set[str]:
    """Every field that a drawing names."""
    if isinstance(part, list):
        return {name for one in part for name in fields(one)}
    if not isinstance(part, dict):
        return set()
    return {name for one in part.values() for name in fields(one)} | ({part["field"]} if "field" in part else set())


def test_history_forecast_and_a_band_for_each_level() -> None:
    spec = drawn(monthly(60))
    values = spec["data"]["values"]
    parts = [value["part"] for value in values]
    assert (parts.count("history"), parts.count("forecast")) == (60, 12)
    last = values[-1]
    assert last["low_95"] < last["low_80"] < last["value"] < last["high_80"] < last["high_95"]
    assert values[-1]["at"] == "2020-12-01T00:00:00"
    assert fields(spec["layer"]) == {"at", "value", "part", "low_80", "high_80", "low_95", "high_95"}
    assert "url" not in json.dumps(spec["data"])


def test_names_of_any_kind_stay_names() -> None:
    spec = drawn(monthly(60), names=("møned \"'", "</script>Σ" + "x" * 300))
    assert spec["title"]["text"].startswith("</script>Σ")
    assert len(spec["title"]["text"]) < 120
    assert fields(spec["layer"]) == {"at", "value", "part", "low_80", "high_80", "low_95", "high_95"}


def test_of_a_long_history_the_latest_part_is_drawn_and_that_is_said() -> None:
    spec = drawn(steps(3_000, "2015-01-01", lambda at: at.date().isoformat(), days=1))
    assert len(spec["data"]["values"]) == MOST_DRAWN
    assert f"the latest {MOST_DRAWN - 14} of 1,000 values" in spec["title"]["subtitle"]


def test_it_can_be_rendered() -> None:
    picture = vl_convert.vegalite_to_svg(json.dumps(build_forecast_chart(made(monthly(60)))))
    assert "sales: history and forecast" in picture
