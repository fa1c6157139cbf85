"""Forecasts a stored result: read the series, back-test the models, pick the best, and say how good it is.

ARIMA comes last and has a limit of its own, since its search can take longer than all others together; whatever is
late is left out and named. The figures are rounded to six digits: more would differ from machine to machine.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from typing import Final, Protocol

from elcano.activities.forecasting.backtest import choose_best_score, choose_origins, explain_model_choice, score_fits
from elcano.activities.forecasting.fitting import FitAnswer, FitRequest
from elcano.activities.forecasting.forecast_models import Fit
from elcano.activities.forecasting.forecast_refusals import build_forecast_refusal
from elcano.activities.forecasting.horizon import choose_horizon, least_known
from elcano.activities.forecasting.moment_formats import format_moment
from elcano.activities.forecasting.series import Series, build_time_series
from elcano.graphs.data.forecast import LEVELS, MODEL_WORDS, ForecastInput, ModelName, ModelScore
from elcano.graphs.data.table import Cell, ResultColumn, ResultTable

ARIMA_SECONDS: Final = 5.0
MOST_FITTED: Final = 1_000
"""Values that models see, the latest: with 5,000 they take tens of seconds."""
DIGITS: Final = 6


class Computing(Protocol):
    """Where models are fitted: `ForecastProcess`, or this process itself."""

    def ask(self, request: FitRequest, deadline: float) -> FitAnswer:
        """The answer; by the deadline on the clock of `time.monotonic`."""


@dataclass(frozen=True)
class Forecast:
    """What came of a series."""

    series: Series
    season: int
    moments: tuple[datetime, ...]
    """Of the values to come."""
    fit: Fit
    """Rounded."""
    chosen: ModelScore
    reason: str
    scores: tuple[ModelScore, ...]
    origins: tuple[str, ...]
    notes: tuple[str, ...]


def forecast_table(table: ResultTable, given: ForecastInput, computing: Computing) -> Forecast:
    """The forecast of a result.

    Raises:
        Refused: the series cannot be forecast, or no model could be fitted in time.
        Starting: the models could not be loaded in time.
    """
    deadline = time.monotonic() + given.seconds
    made, cut = _keep_latest_values(build_time_series(table, given))
    ahead, season, notes = choose_horizon(made, given)
    moments = made.ahead(ahead)
    ends = choose_origins(len(made.values), ahead, least_known(season))
    scores: list[ModelScore] = []
    fits: dict[ModelName, Fit] = {}
    for model in _in_order(given.models):
        request = FitRequest(
            model=model,
            values=made.values,
            moments=(*made.moments, *moments),
            season=season,
            ends=(*ends, len(made.values)),
            horizon=ahead,
            seconds=ARIMA_SECONDS if model == "arima" else given.seconds,
        )
        answer = computing.ask(request, deadline)
        if answer.failed:
            scores.append(ModelScore(model=model, left_out=answer.failed))
            continue
        *tested, fits[model] = answer.fits
        scores.append(score_fits(model, made.values, ends, tested, season))
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
        origins=tuple(made.name(made.moments[end - 1]) for end in ends),
        notes=(*made.notes, *cut, *notes, *_list_forecast_remarks(made, fit, chosen)),
    )


def _keep_latest_values(made: Series) -> tuple[Series, tuple[str, ...]]:
    count = len(made.values)
    if count <= MOST_FITTED:
        return made, ()
    cut = replace(made, moments=made.moments[-MOST_FITTED:], values=made.values[-MOST_FITTED:])
    return cut, (f"Only the latest {MOST_FITTED:,} of {count:,} values were looked at.",)


def _in_order(models: Sequence[ModelName]) -> list[ModelName]:
    """Each once; repeating the last season is always among them, and what may take long comes last."""
    each: dict[ModelName, None] = dict.fromkeys(("seasonal_naive", *models))
    return sorted(each, key=lambda model: model == "arima")


def _list_forecast_remarks(made: Series, fit: Fit, chosen: ModelScore) -> list[str]:
    remarks = []
    if chosen.model == "seasonal_naive":
        remarks.append("No other model was better than repeating the last season.")
    if min(made.values) >= 0 > min(min(fit.low[level]) for level in LEVELS):
        remarks.append("The interval reaches below zero, where no value of the history is.")
    return remarks


def _round_fit(fit: Fit) -> Fit:
    def digits(values: Sequence[float]) -> tuple[float, ...]:
        return tuple(float(f"{value:.{DIGITS}g}") + 0.0 for value in values)  # + 0.0: no negative zero

    return Fit(
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
