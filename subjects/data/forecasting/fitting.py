"""Models of forecasts, each fitted in a process of its own to several beginnings of the known values.

Their libraries are large and may hang, so they run in no thread of the worker. A model that takes too long ends with
its process.

Each forecasts known values from two points of the history, as far apart as the horizon where the history allows it, and
the least error wins. Repeating the last season is always among the models, so no one has to wonder whether the effort
was worth it. ARIMA has to be the best at each origin: it is found by a search among dozens of models, so a little less
error is soon had by luck, and it is there only where there is time.
"""

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from statistics import fmean
from typing import Any, Final, TypeAlias

from elcano.activities.child_processes import ChildProcesses, ProcessEnded, TimedRequest
from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text
from elcano.subjects.data.forecast_models import LEVELS, MODEL_WORDS, IntervalCheck, ModelName, ModelScore

LONGEST_SEASON_OF_ETS: Final = 24
"""Longest season that AutoETS can estimate; it ignores longer ones."""


class ModelFit(Frozen):
    """A model's forecast of the values that follow."""

    mean: tuple[float, ...]
    low: dict[int, tuple[float, ...]]
    """By the level in percent."""
    high: dict[int, tuple[float, ...]]


class CannotFit(Exception):
    """This model is not for this series; the text is a clause that says why."""


def build_finite_fit(
    mean: Sequence[float], low: Mapping[int, Sequence[float]], high: Mapping[int, Sequence[float]]
) -> ModelFit:
    """Figures of a library as a `ModelFit`.

    Raises:
        CannotFit: one of them is no finite number.
    """
    fit = ModelFit(
        mean=tuple(map(float, mean)),
        low={level: tuple(map(float, one)) for level, one in low.items()},
        high={level: tuple(map(float, one)) for level, one in high.items()},
    )
    every = [*fit.mean, *(value for side in (fit.low, fit.high) for one in side.values() for value in one)]
    if not all(map(math.isfinite, every)):
        raise CannotFit("it returned values that are not finite")
    return fit


def fit_values(model: ModelName, values: Sequence[float], season: int, horizon: int) -> ModelFit:
    """The next `horizon` values by a model of statsforecast. The same values give the same answer.

    Args:
        model: its name.
        values: what is known.
        season: values that make up a season; 1: there is none.
        horizon: values to come.

    Raises:
        CannotFit: the model is not for this series.
        Exception: what its library raises.
    """
    import numpy as np
    from statsforecast import models

    made: Any
    match model:
        case "seasonal_naive":
            made = models.SeasonalNaive(season_length=season)
        case "theta":
            kind = "multiplicative" if min(values) > 0 else "additive"
            made = models.AutoTheta(season_length=season, decomposition_type=kind)
        case "ets":
            if season > LONGEST_SEASON_OF_ETS:
                raise CannotFit(f"it does not support seasons of more than {LONGEST_SEASON_OF_ETS} values")
            made = models.AutoETS(season_length=season)
        case "arima":
            made = models.AutoARIMA(season_length=season, approximation=True)
    found = made.forecast(y=np.array(values, dtype=np.float64), h=horizon, level=list(LEVELS))
    return build_finite_fit(
        found["mean"],
        {level: found[f"lo-{level}"] for level in LEVELS},
        {level: found[f"hi-{level}"] for level in LEVELS},
    )


REASON_CHARACTERS: Final = 300


class FitRequest(TimedRequest):
    """One model, fitted to the first `end` values for each of `ends`."""

    model: ModelName
    values: tuple[float, ...]
    season: int
    ends: tuple[int, ...]
    horizon: int


class FitAnswer(Frozen):
    """A fit for each end, or why there is none."""

    fits: tuple[ModelFit, ...] = ()
    failed: str = ""
    """A clause without a full stop."""


def fit_requested_model(request: FitRequest) -> FitAnswer:
    """The answer, by this process; however it fails, the model is left out and it says why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: what a fit is worth shows in the back-test
            fits = tuple(
                fit_values(request.model, request.values[:end], request.season, request.horizon) for end in request.ends
            )
    except CannotFit as error:
        return FitAnswer(failed=str(error))
    except Exception as error:
        return FitAnswer(failed=shorten_text(f"it failed ({type(error).__name__}: {error})", REASON_CHARACTERS))
    return FitAnswer(fits=fits)


PROCESSES: Final[ChildProcesses[FitRequest, FitAnswer]] = ChildProcesses(
    "elcano.subjects.data.forecasting.fitting:fit_requested_model", FitAnswer, libraries=["statsforecast.models"]
)
FitModel: TypeAlias = Callable[[FitRequest, float], FitAnswer]
"""Fits a model before a deadline on the clock of `time.monotonic`: `fit_in_process`, or this process itself."""


def fit_in_process(request: FitRequest, deadline: float) -> FitAnswer:
    """The answer of a process of its own. A model that hangs or takes it down is left out, with that as its reason.

    Args:
        request: its `seconds` are cut to what is left until the deadline.
        deadline: by the clock of `time.monotonic`.

    Raises:
        NotStarted: the libraries were not loaded in time; another try finds them further on.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return FitAnswer(failed="there was no time left for it")
    seconds = min(request.seconds, left)
    try:
        return PROCESSES.ask(request.model_copy(update={"seconds": seconds}), start_seconds=left)
    except ProcessEnded as ended:
        late = f"it exceeded its limit of {seconds:.1f} s"
        return FitAnswer(failed=late if ended.late else "it crashed its process")


SEARCHED: Final[ModelName] = "arima"


def choose_origins(count: int, horizon: int, least: int) -> tuple[int, int]:
    """Choose how many values are known at each origin; there is room for both.

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
        luck = f" {MODEL_WORDS[SEARCHED]} is chosen only if it is the best at each origin."
    return f"Smallest error in the back-test: {_format_score_figures(chosen)}; the others: {others}.{luck}"


def _format_score_figures(score: ModelScore) -> str:
    assert score.smape is not None
    mase = "" if score.mase is None else f", MASE {score.mase:.2f}"
    return f"{MODEL_WORDS[score.model]} (sMAPE {score.smape:.1f} %{mase})"
