"""Selects a model: each forecasts known values from two points of the history, and the least error wins.

Two origins, as far apart as the horizon where the history allows it. Repeating the last season is always among the
models, so nobody has to wonder whether the effort was worth it. ARIMA has to be the best at each origin: it is found by
a search among dozens of models, so a little less error is soon had by luck, and it is there only where there is time.
"""

from collections.abc import Sequence
from statistics import fmean
from typing import Final

from elcano.activities.forecasting.forecast_models import Fit
from elcano.graphs.data.forecast import LEVELS, MODEL_WORDS, IntervalCheck, ModelName, ModelScore

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
    model: ModelName, values: Sequence[float], ends: Sequence[int], fits: Sequence[Fit], season: int
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
