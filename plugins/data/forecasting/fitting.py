"""Models of forecasts, each fitted in a process of its own to several beginnings of the known values.

Their libraries are large and may hang, so they run in no thread of the worker. A model that takes too long ends with
its process.
"""

import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final, TypeAlias

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text
from elcano.plugins.data.child_processes import ChildProcesses, ProcessEnded, TimedRequest
from elcano.plugins.data.forecast_models import LEVELS, ModelName

LONGEST_SEASON_OF_ETS: Final = 24
"""What AutoETS can estimate; of longer seasons it would take none into account."""


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
        raise CannotFit("it gave figures that are not finite")
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
                raise CannotFit(f"it knows no seasons of more than {LONGEST_SEASON_OF_ETS} values")
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
    "elcano.plugins.data.forecasting.fitting:fit_requested_model", FitAnswer, library="statsforecast.models"
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
        late = f"it took longer than the {seconds:.1f} s that there were for it"
        return FitAnswer(failed=late if ended.late else "it took its process down")
