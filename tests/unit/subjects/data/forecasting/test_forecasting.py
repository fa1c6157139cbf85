"""How far a series is forecast, and the drawing of what came of it."""

import json
from typing import Any

import pytest
import vl_convert

from elcano.subjects.data.forecast_models import IntervalCheck, ModelScore
from elcano.subjects.data.forecasting.fitting import FitAnswer, FitRequest, ModelFit
from elcano.subjects.data.forecasting.forecasting import (
    MOST_DRAWN,
    Forecast,
    build_forecast_chart,
    choose_horizon,
    forecast_table,
)
from tests.unit.subjects.data.forecasting.material import given, made, monthly, refused_by, steps, table


def asked(count: int, **fields: Any) -> int:
    return choose_horizon(made(monthly(count)), given(**fields))[0]


def test_the_usual_horizon_is_cut_for_a_short_series_and_that_is_said() -> None:
    assert asked(60) == 12
    ahead, season, notes = choose_horizon(made(monthly(30)), given())
    assert (ahead, season) == (5, 12)
    assert notes == ("The series is short, so the forecast covers 5 months instead of 12.",)


@pytest.mark.parametrize(
    ("fields", "steps_ahead"),
    [
        ({"horizon": 7}, 7),
        ({"horizon": 1, "span": "years"}, 12),
        ({"horizon": 2, "span": "quarters"}, 6),
        ({"horizon": 9, "span": "weeks"}, 2),
        ({"horizon": 3, "span": "hours"}, 1),
        ({"until": "2025"}, 12),
        ({"until": "2025-Q1"}, 3),
        ({"until": "2025-06"}, 6),
        ({"until": "2025-06-01"}, 6),
        ({"until": "2025-05-31"}, 5),
        ({"until": "2025-01-01T00:00:00"}, 1),
    ],
)
def test_horizons_in_any_span(fields: dict[str, Any], steps_ahead: int) -> None:
    assert asked(120, **fields) == steps_ahead  # the last month is 2024-12


def test_months_of_a_series_in_days() -> None:
    days = made(steps(300, "2024-01-01", lambda at: at.date().isoformat(), days=1))
    assert choose_horizon(days, given(horizon=2, span="months"))[0] == 61


def test_the_past_and_what_is_no_moment_are_refused() -> None:
    assert "already extends to 2024-12" in refused_by(lambda: asked(120, until="2024")).message
    assert "is not a date" in refused_by(lambda: asked(120, until="next year")).message
    assert refused_by(lambda: asked(120, horizon=100_000)).reasons == ("horizon",)


def test_too_short_says_how_many_it_takes_and_so_many_suffice() -> None:
    found = refused_by(lambda: asked(30, horizon=12))
    assert (found.reasons, found.needed) == (("too_short",), 37)
    assert "at most 5 months" in found.message
    assert asked(37, horizon=12) == 12
    shorter = refused_by(lambda: asked(24))
    assert shorter.needed == 26
    assert "2 seasons of 12" in shorter.message
    assert asked(26) == 1


def test_origins_are_as_far_apart_as_the_history_allows() -> None:
    assert forecast_of(monthly(60)).origins == ("2017-12", "2018-12")
    assert forecast_of(monthly(30)).origins == ("2016-12", "2017-01")


def test_a_year_of_weeks_takes_two_years() -> None:
    def season(count: int) -> tuple[int, int]:
        weeks = made(steps(count, "2015-01-05", lambda at: at.date().isoformat(), weeks=1))
        _, season, notes = choose_horizon(weeks, given())
        return season, len(notes)

    assert season(100) == (1, 1)
    assert season(120) == (52, 0)


class Flat:
    """Says of every model that the last value stays."""

    def __call__(self, request: FitRequest, deadline: float) -> FitAnswer:
        mean = (request.values[-1],) * request.horizon
        low, high = ({level: tuple(value + sign * level for value in mean) for level in (80, 95)} for sign in (-1, 1))
        count = 2 * request.horizon
        return FitAnswer(
            fit=ModelFit(mean=mean, low=low, high=high),
            score=ModelScore(
                model=request.model,
                smape=5,
                mae=1,
                mae_by_origin=(1, 1),
                intervals=tuple(IntervalCheck(level=level, covered=count, count=count) for level in (80, 95)),
            ),
        )


def forecast_of(rows: Any, **names: Any) -> Forecast:
    return forecast_table(table(rows, **names), given(models=["ets"]), Flat())


def drawn(rows: Any, **names: Any) -> Any:
    return json.loads(json.dumps(build_forecast_chart(forecast_of(rows, **names)), allow_nan=False))


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
    picture = vl_convert.vegalite_to_svg(json.dumps(build_forecast_chart(forecast_of(monthly(60)))))
    assert "sales: history and forecast" in picture
