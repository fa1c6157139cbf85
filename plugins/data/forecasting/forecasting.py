"""Forecasts a stored result: read the series, back-test the models, pick the best, and say how good it is.

ARIMA comes last and has a limit of its own, since its search can take longer than all others together; whatever is
late is left out and named. The figures are rounded to six digits: more would differ from machine to machine.

Selects a model: each forecasts known values from two points of the history, and the least error wins.

Two origins, as far apart as the horizon where the history allows it. Repeating the last season is always among the
models, so nobody has to wonder whether the effort was worth it. ARIMA has to be the best at each origin: it is found by
a search among dozens of models, so a little less error is soon had by luck, and it is there only where there is time.
"""

import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from statistics import fmean
from typing import Final

from elcano.plugins.data.forecast_models import LEVELS, MODEL_WORDS, ForecastInput, IntervalCheck, ModelName, ModelScore
from elcano.plugins.data.forecasting.fitting import FitModel, FitRequest, ModelFit
from elcano.plugins.data.forecasting.frequencies import format_moment
from elcano.plugins.data.forecasting.horizon import choose_horizon, least_known
from elcano.plugins.data.forecasting.series import Series, build_time_series
from elcano.plugins.data.forecasting.series_columns import build_forecast_refusal
from elcano.plugins.data.tables import Cell, ResultColumn, ResultTable

SEARCHED: Final[ModelName] = "arima"


def choose_origins(count: int, horizon: int, least: int) -> tuple[int, int]:
    """How many values are known at each origin; there is room for both.

    Args:
        count: of the history.
        horizon: values ahead.
        least: that have to be known at the first.
    """
    apart = min(horizon, count - horizon - least)
    assert apart >= 1
    return count - horizon - apart, count - horizon


def score_fits(
    model: ModelName, values: Sequence[float], ends: Sequence[int], fits: Sequence[ModelFit], season: int
) -> ModelScore:
    """Score a model's fits from the given ends of the history."""
    pairs: list[tuple[float, float]] = []
    scaled: list[float] = []
    at_origin: list[float] = []
    covered = dict.fromkeys(LEVELS, 0)
    for end, fit in zip(ends, fits, strict=True):
        actual = values[end : end + len(fit.mean)]
        here = list(zip(fit.mean, actual, strict=True))
        pairs += here
        at_origin.append(fmean(abs(said - was) for said, was in here))
        scale = naive_error(values[:end], season)
        scaled += [abs(said - was) / scale for said, was in here] if scale else []
        for level in LEVELS:
            bounds = zip(fit.low[level], actual, fit.high[level], strict=True)
            covered[level] += sum(low <= was <= high for low, was, high in bounds)
    return ModelScore(
        model=model,
        smape=fmean(200 * abs(said - was) / size if (size := abs(said) + abs(was)) else 0.0 for said, was in pairs),
        mase=fmean(scaled) if len(scaled) == len(pairs) else None,
        mae=fmean(abs(said - was) for said, was in pairs),
        mae_by_origin=tuple(at_origin),
        intervals=tuple(IntervalCheck(level=level, covered=covered[level], count=len(pairs)) for level in LEVELS),
    )


def naive_error(values: Sequence[float], season: int) -> float:
    """The mean absolute error of repeating the value of one season before, within the values."""
    return fmean(abs(after - before) for before, after in zip(values, values[season:], strict=False))


def choose_best_score(scores: Sequence[ModelScore]) -> ModelScore:
    """The score with the least error; of equal ones the first. At least one counts."""
    counted = [score for score in scores if score.mae is not None]
    others = [score for score in counted if score.model != SEARCHED]
    searched = next((score for score in counted if score.model == SEARCHED), None)
    if searched is None or not others:
        return min(counted, key=_get_comparable_error)
    at_each = zip(searched.mae_by_origin, *(other.mae_by_origin for other in others), strict=True)
    return searched if all(own < min(theirs) for own, *theirs in at_each) else min(others, key=_get_comparable_error)


def _get_comparable_error(score: ModelScore) -> float:
    error = score.mae if score.mase is None else score.mase
    assert error is not None
    return error


def explain_model_choice(chosen: ModelScore, scores: Sequence[ModelScore]) -> str:
    """Why it was chosen, in a sentence with figures."""
    counted = [score for score in scores if score.mae is not None]
    if len(counted) == 1:
        return f"Only {_format_score_figures(chosen)} could be tried."
    others = "; ".join(_format_score_figures(score) for score in counted if score.model != chosen.model)
    luck = ""
    if any(
        score.model == SEARCHED and _get_comparable_error(score) < _get_comparable_error(chosen) for score in counted
    ):
        luck = f" {MODEL_WORDS[SEARCHED]} would have to be the best at each origin."
    return f"The least error in the back-test had {_format_score_figures(chosen)}; the others: {others}.{luck}"


def _format_score_figures(score: ModelScore) -> str:
    assert score.smape is not None
    mase = "" if score.mase is None else f", MASE {score.mase:.2f}"
    return f"{MODEL_WORDS[score.model]} (sMAPE {score.smape:.1f} %{mase})"


ARIMA_SECONDS: Final = 5.0
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
    ends = choose_origins(len(made.values), ahead, least_known(season))
    scores: list[ModelScore] = []
    fits: dict[ModelName, ModelFit] = {}
    for model in _in_order(given.models):
        request = FitRequest(
            model=model,
            values=made.values,
            season=season,
            ends=(*ends, len(made.values)),
            horizon=ahead,
            seconds=ARIMA_SECONDS if model == "arima" else given.seconds,
        )
        answer = fit_model(request, deadline)
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


def _list_forecast_remarks(made: Series, fit: ModelFit, chosen: ModelScore) -> list[str]:
    remarks = []
    if chosen.model == "seasonal_naive":
        remarks.append("No other model was better than repeating the last season.")
    if min(made.values) >= 0 > min(min(fit.low[level]) for level in LEVELS):
        remarks.append("The interval reaches below zero, where no value of the history is.")
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
