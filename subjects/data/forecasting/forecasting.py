"""Forecasts a stored result: read the series, choose how far, back-test the models, pick the best, say how good it is.

A back-test hides as many values as are forecast, twice, from different days on. So a horizon asks for a history, and
what is too short for it is refused with the number that it would take. All models share one limit of time, and ARIMA
comes last, since its search can take longer than all others together; a model that is late is left out and named. The
figures are rounded to six digits: more would differ from machine to machine.

It is drawn as a Vega-Lite dict: the history, what follows it, and a band for each level. The dict holds its data and
names nothing outside of itself. Of a long history its latest part is drawn, and the subtitle says so.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, NoReturn

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.text import format_count, shorten_text
from elcano.subjects.data.data_answer import VEGA_LITE
from elcano.subjects.data.forecast_models import (
    LEVELS,
    LONGEST_HORIZON,
    MODEL_WORDS,
    ForecastInput,
    ModelName,
    ModelScore,
    build_forecast_refusal,
)
from elcano.subjects.data.forecasting.fitting import (
    FitModel,
    FitRequest,
    ModelFit,
    choose_best_score,
    explain_model_choice,
)
from elcano.subjects.data.forecasting.frequencies import PERIODS, format_moment, parse_moment_cell
from elcano.subjects.data.forecasting.series import Series, build_time_series
from elcano.subjects.data.tables import Cell, ResultColumn, ResultTable

LEAST_KNOWN: Final = 8
"""Values that a model has to know before its first forecast."""
LEAST_SEASONS: Final = 2
"""Seasons that it has to know as well, where there are seasons."""
_MONTH: Final = 730_485
_SPANS: Final = {
    **{"years": 12 * _MONTH, "quarters": 3 * _MONTH, "months": _MONTH},
    **{"weeks": 168_000, "days": 24_000, "hours": 1_000},
}
"""In thousandths of an hour, a month by its average: whole numbers, so that a year is exactly twelve months."""


def season_of(made: Series, ahead: int) -> tuple[int, tuple[str, ...]]:
    """Values that make up a season, and a note if the usual season cannot be seen.

    A year of weeks takes more than two years; a shorter series in weeks is taken to have no season.
    """
    season = made.period.season
    if made.period.frequency == "weekly" and len(made.values) < LEAST_SEASONS * season + ahead + 1:
        return 1, ("Fewer than two years of weeks before the back-test, so yearly seasonality is ignored.",)
    if made.period.frequency in ("daily", "hourly"):
        return season, (f"Only {'weekly' if season == 7 else 'daily'} seasonality is modelled, not yearly.",)
    return season, ()


def least_known(season: int) -> int:
    """Values that a model has to know before its first forecast."""
    return max(LEAST_KNOWN, LEAST_SEASONS * season if season > 1 else 0)


def choose_horizon(made: Series, given: ForecastInput) -> tuple[int, int, tuple[str, ...]]:
    """Values ahead, values of a season, and notes.

    Raises:
        Refused: the history is too short, or the horizon too far or past.
    """
    asked = _compute_asked_steps(made, given)
    season, notes = season_of(made, asked or made.period.ahead)
    least, count = least_known(season), len(made.values)
    room = min((count - least - 1), LONGEST_HORIZON)
    if room < 1 or (asked or 0) > room:
        _raise_horizon_refusal(made, asked, least, season, room)
    if asked is not None:
        return asked, season, notes
    usual = made.period.ahead
    if usual <= room:
        return usual, season, notes
    return (
        room,
        season,
        (
            *notes,
            f"The series is short, so the forecast covers {format_count(room, made.period.one)} instead of {usual}.",
        ),
    )


def _raise_horizon_refusal(made: Series, asked: int | None, least: int, season: int, room: int) -> NoReturn:
    count, one, wanted = len(made.values), made.period.one, asked or 1
    if wanted > LONGEST_HORIZON:
        raise build_forecast_refusal(
            "horizon", f"{wanted:,} {one}s ahead are too many: at most {LONGEST_HORIZON:,} can be forecast."
        )
    needed = least + wanted + 1
    seasons = f" ({LEAST_SEASONS} seasons of {season})" if season > 1 else ""
    text = (
        f"the series has {count} values, but forecasting {format_count(wanted, one)} ahead needs at least "
        f"{needed}: {least}{seasons} to start from and {wanted + 1} to test on."
    )
    text += f" Ask for at most {format_count(room, one)}." if room >= 1 else ""
    raise build_forecast_refusal("too_short", text, needed=needed)


def _compute_asked_steps(made: Series, given: ForecastInput) -> int | None:
    if given.until:
        return _count_steps_until(made, given.until)
    if given.horizon is None:
        return None
    if given.span == "periods":
        return given.horizon
    return max(1, round(given.horizon * _SPANS[given.span] / _SPANS[f"{made.period.one}s"]))


def _count_steps_until(made: Series, until: str) -> int:
    """Return the number of steps up to the end of the named period."""
    moment = parse_moment_cell(until)
    if moment is None:
        text = f"{until!r} is not a date: write `2027`, `2027-Q2`, `2027-06` or `2027-06-30`."
        raise build_forecast_refusal("horizon", text)
    end = _find_end_of_moment(moment.at, moment.form.name)
    last = made.moments[-1]
    steps = made.period.ordinal(end) - made.period.ordinal(last)
    while steps > 0 and steps <= LONGEST_HORIZON and made.ahead(steps)[-1] > end:
        steps -= 1
    if steps < 1:
        raise build_forecast_refusal(
            "horizon", f"the series already extends to {made.name(last)}: ask for a later date."
        )
    return steps


def _find_end_of_moment(at: datetime, form: str) -> datetime:
    """Return the last moment of the named period."""
    period = next((one for one in PERIODS if one.one == ("day" if form == "date" else form)), None)
    if period is None:
        return at
    try:
        return period.after(at, 1, ends=False) - datetime.resolution
    except (OverflowError, ValueError):
        return datetime.max


MOST_FITTED: Final = 1_000
"""Values that models see, the latest: with 5,000 they take tens of seconds."""
DIGITS: Final = 6


@dataclass(frozen=True)
class Forecast:
    """The forecast of a series."""

    series: Series
    season: int
    moments: tuple[datetime, ...]
    """The times of the forecast values."""
    fit: ModelFit
    """Rounded."""
    chosen: ModelScore
    reason: str
    scores: tuple[ModelScore, ...]
    origins: tuple[str, ...]
    notes: tuple[str, ...]


def forecast_table(table: ResultTable, given: ForecastInput, fit_model: FitModel) -> Forecast:
    """The forecast of a result.

    Raises:
        Refused: the series cannot be forecast, or no model could be fitted in time.
        NotStarted: the models could not be loaded in time.
    """
    deadline = time.monotonic() + given.seconds
    made, cut = _keep_latest_values(build_time_series(table, given))
    ahead, season, notes = choose_horizon(made, given)
    moments = made.ahead(ahead)
    end = len(made.values) - ahead
    step = min(ahead, end - least_known(season))
    scores: list[ModelScore] = []
    fits: dict[ModelName, ModelFit] = {}
    for model in _in_order(given.models):
        request = FitRequest(
            model=model, values=made.values, season=season, horizon=ahead, step=step, seconds=given.seconds
        )
        answer = fit_model(request, deadline)
        scores.append(answer.score)
        if answer.fit is not None:
            fits[model] = answer.fit
    if not fits:
        failures = "; ".join(f"{MODEL_WORDS[score.model]}: {score.left_out}" for score in scores)
        late = time.monotonic() >= deadline
        raise build_forecast_refusal(
            "too_slow" if late else "no_model", f"no model could be fitted ({failures}).", lasting=not late
        )
    chosen = choose_best_score(scores)
    fit = _round_fit(fits[chosen.model])
    return Forecast(
        series=made,
        season=season,
        moments=moments,
        fit=fit,
        chosen=chosen,
        reason=explain_model_choice(chosen, scores),
        scores=tuple(scores),
        origins=tuple(made.name(made.moments[known - 1]) for known in (end - step, end)),
        notes=(*made.notes, *cut, *notes, *_list_forecast_remarks(made, fit, chosen)),
    )


def _keep_latest_values(made: Series) -> tuple[Series, tuple[str, ...]]:
    count = len(made.values)
    if count <= MOST_FITTED:
        return made, ()
    cut = replace(made, moments=made.moments[-MOST_FITTED:], values=made.values[-MOST_FITTED:])
    return cut, (f"Only the latest {MOST_FITTED:,} of {count:,} values were used.",)


def _in_order(models: Sequence[ModelName]) -> list[ModelName]:
    """Each once; repeating the last season is always among them, and what may take long comes last."""
    each: dict[ModelName, None] = dict.fromkeys(("seasonal_naive", *models))
    return sorted(each, key=lambda model: model == "arima")


def _list_forecast_remarks(made: Series, fit: ModelFit, chosen: ModelScore) -> list[str]:
    remarks = []
    if chosen.model == "seasonal_naive":
        remarks.append("No other model was better than repeating the last season.")
    if min(made.values) >= 0 > min(min(fit.low[level]) for level in LEVELS):
        remarks.append("The interval extends below zero, although no past value does.")
    return remarks


def _round_fit(fit: ModelFit) -> ModelFit:
    def digits(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(float(f"{value:.{DIGITS}g}") + 0.0 for value in values)  # + 0.0: no negative zero

    return ModelFit(
        mean=digits(fit.mean),
        low={level: digits(values) for level, values in fit.low.items()},
        high={level: digits(values) for level, values in fit.high.items()},
    )


def build_forecast_table(made: Forecast, history: ResultTable, artifact: str) -> ResultTable:
    """The forecast as a result of its own, whose cells numbers of an answer are proven by."""
    time_column = next(column for column in history.columns if column.name == made.series.time)
    names = ["forecast", *(f"{side}_{level}" for level in LEVELS for side in ("low", "high"))]
    columns = (
        time_column,
        *(
            ResultColumn(name=name if name != time_column.name else f"{name}_2", type="DOUBLE", kind="decimal")
            for name in names
        ),
    )
    rows: list[tuple[Cell, ...]] = []
    for place, at in enumerate(made.moments):
        bounds = [side[level][place] for level in LEVELS for side in (made.fit.low, made.fit.high)]
        rows.append((format_moment(at, made.series.form), made.fit.mean[place], *bounds))
    words = MODEL_WORDS[made.chosen.model]
    return history.model_copy(
        update={
            "columns": columns,
            "rows": tuple(rows),
            "computed": f"Forecast of {made.series.value} by {words}, from the result {artifact}.",
        }
    )


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
        "$schema": VEGA_LITE,
        "title": {
            "text": f"{value}: history and forecast",
            "subtitle": f"{MODEL_WORDS[made.chosen.model]}; {levels} intervals covered {held} in the back-test{cut}",
        },
        "width": 640,
        "height": 320,
        "data": {"values": data},
        "layer": [*bands, lines],
    }
