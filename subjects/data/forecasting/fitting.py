"""Models of forecasts, each fitted in a process of its own and back-tested by statsforecast's cross-validation.

Their libraries are large and may hang, so they run in no thread of the worker. A model that takes too long ends with
its process.

Each forecasts known values from two points of the history, as far apart as the horizon where the history allows it, and
the least error wins. Repeating the last season is always among the models, so no one has to wonder whether the effort
was worth it. ARIMA has to be the best at each origin: it is found by a search among dozens of models, so a little less
error is soon had by luck, and it is there only where there is time.
"""

import time
import warnings
from collections.abc import Callable, Sequence
from statistics import fmean
from typing import Any, Final, TypeAlias

from elcano.activities.child_processes import ChildProcesses, ProcessEnded, TimedRequest
from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text
from elcano.subjects.data.forecast_models import LEVELS, MODEL_WORDS, IntervalCheck, ModelName, ModelScore

ORIGINS: Final = 2
"""Points of the history from which each model is tested."""
LONGEST_SEASON_OF_ETS: Final = 24
"""Longest season that AutoETS can estimate; it ignores longer ones."""
REASON_CHARACTERS: Final = 300
_MODEL: Final = "model"
"""The column of a model's values in the library's tables."""


class ModelFit(Frozen):
    """A model's forecast of the values that follow."""

    mean: tuple[float, ...]
    low: dict[int, tuple[float, ...]]
    """By the level in percent."""
    high: dict[int, tuple[float, ...]]


class FitRequest(TimedRequest):
    """A series for one model to continue, and the distance of the points from which it is tested."""

    model: ModelName
    values: tuple[float, ...]
    season: int
    """Values that make up a season; 1: there is none."""
    horizon: int
    step: int
    """Values between the origins of the back-test."""


class FitAnswer(Frozen):
    """A fit to all values and its score in the back-test, or why there is none."""

    fit: ModelFit | None = None
    score: ModelScore


class CannotFit(Exception):
    """This model is not for this series; the text is a clause that says why."""


def fit_requested_model(request: FitRequest) -> FitAnswer:
    """The answer, by this process; however it fails, the model is left out and it says why."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: what a fit is worth shows in the back-test
            return _fit_and_test(request)
    except CannotFit as error:
        return build_missing_fit(request, str(error))
    except Exception as error:
        return build_missing_fit(
            request, shorten_text(f"it failed ({type(error).__name__}: {error})", REASON_CHARACTERS)
        )


def build_missing_fit(request: FitRequest, reason: str) -> FitAnswer:
    """The answer for a model that is left out; `reason` is a clause without a full stop."""
    return FitAnswer(score=ModelScore(model=request.model, left_out=reason))


def _fit_and_test(request: FitRequest) -> FitAnswer:
    """The next values by a model of statsforecast. The same request gives the same answer.

    Raises:
        CannotFit: the model is not for this series.
        Exception: what its library raises.
    """
    import numpy as np
    import pandas as pd
    from statsforecast import StatsForecast

    library = StatsForecast([_build_model(request)], freq=1)
    count = len(request.values)
    known = pd.DataFrame({"unique_id": 0, "ds": np.arange(count), "y": np.array(request.values, dtype=np.float64)})
    wanted: dict[str, Any] = {"df": known, "h": request.horizon, "level": list(LEVELS)}
    ahead = library.forecast(**wanted)
    tested = library.cross_validation(**wanted, step_size=request.step, n_windows=ORIGINS)
    for found in (ahead, tested):
        if not np.isfinite(found.filter(like=_MODEL).to_numpy()).all():
            raise CannotFit("it returned values that are not finite")
    fit = ModelFit(
        mean=tuple(ahead[_MODEL]),
        low={level: tuple(ahead[f"{_MODEL}-lo-{level}"]) for level in LEVELS},
        high={level: tuple(ahead[f"{_MODEL}-hi-{level}"]) for level in LEVELS},
    )
    return FitAnswer(fit=fit, score=score_back_test(request.model, tested, request.values, request.season))


def _build_model(request: FitRequest) -> Any:
    from statsforecast import models

    options: dict[str, Any] = {"season_length": request.season, "alias": _MODEL}
    match request.model:
        case "seasonal_naive":
            return models.SeasonalNaive(**options)
        case "theta":
            kind = "multiplicative" if min(request.values) > 0 else "additive"
            return models.AutoTheta(**options, decomposition_type=kind)
        case "ets":
            if request.season > LONGEST_SEASON_OF_ETS:
                raise CannotFit(f"it does not support seasons of more than {LONGEST_SEASON_OF_ETS} values")
            return models.AutoETS(**options)
        case "arima":
            return models.AutoARIMA(**options, approximation=True)


def score_back_test(model: ModelName, tested: Any, values: Sequence[float], season: int) -> ModelScore:
    """Score a model's forecasts of known values.

    Args:
        model: its name.
        tested: the table of a cross-validation, whose `cutoff` is the place of the last known value.
        values: the history.
        season: values that make up a season.
    """
    errors = (tested["y"] - tested[_MODEL]).abs()
    sizes = tested["y"].abs() + tested[_MODEL].abs()
    scales = tested["cutoff"].map({at: naive_error(values[: at + 1], season) for at in set(tested["cutoff"])})
    return ModelScore(
        model=model,
        smape=float((200 * errors / sizes.where(sizes > 0, 1)).mean()),
        mase=float((errors / scales).mean()) if (scales > 0).all() else None,
        mae=float(errors.mean()),
        mae_by_origin=tuple(errors.groupby(tested["cutoff"]).mean()),
        intervals=tuple(
            IntervalCheck(
                level=level,
                covered=int(tested["y"].between(tested[f"{_MODEL}-lo-{level}"], tested[f"{_MODEL}-hi-{level}"]).sum()),
                count=len(tested),
            )
            for level in LEVELS
        ),
    )


def naive_error(values: Sequence[float], season: int) -> float:
    """The mean absolute error of repeating the value of one season before, within the values."""
    return fmean(abs(after - before) for before, after in zip(values, values[season:], strict=False))


PROCESSES: Final[ChildProcesses[FitRequest, FitAnswer]] = ChildProcesses(
    "elcano.subjects.data.forecasting.fitting:fit_requested_model", FitAnswer, libraries=["statsforecast"]
)
FitModel: TypeAlias = Callable[[FitRequest, float], FitAnswer]
"""Fits a model before a deadline on the clock of `time.monotonic`: `fit_in_process`, or this process itself."""


def fit_in_process(request: FitRequest, deadline: float) -> FitAnswer:
    """The answer of a process of its own. A model that hangs or takes it down is left out, with that as its reason.

    Args:
        request: its `seconds` become those that are left until the deadline.
        deadline: on the clock of `time.monotonic`.

    Raises:
        NotStarted: the libraries could not be loaded in time.
    """
    left = deadline - time.monotonic()
    if left <= 0:
        return build_missing_fit(request, "there was no time left for it")
    try:
        return PROCESSES.ask(request.model_copy(update={"seconds": left}), start_seconds=left)
    except ProcessEnded as ended:
        late = f"it exceeded its limit of {left:.1f} s"
        return build_missing_fit(request, late if ended.late else "it crashed its process")


SEARCHED: Final[ModelName] = "arima"


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
