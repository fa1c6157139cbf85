"""Models of forecasts, each fitted in a process of its own to several beginnings of the known values.

Their libraries are large and may hang, so they run in no thread of the worker. A model that takes too long ends with
its process.
"""

import importlib
import math
import time
import warnings
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol, TypeAlias

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


class Forecaster(Protocol):
    """A model that continues a series. The same values give the same answer."""

    def forecast(self, values: Sequence[float], moments: Sequence[datetime], season: int, horizon: int) -> ModelFit:
        """The next `horizon` values. A `season` of 1 is none.

        Args:
            values: what is known.
            moments: of these values and of those to come.
            season: values that make up a season.
            horizon: values to come.

        Raises:
            CannotFit: the model is not for this series.
            Exception: what its library raises.
        """


class StatsforecastModel:
    """A statsforecast model, made for a season and the known values."""

    def __init__(self, make: Callable[[Any, int, Sequence[float]], Any]) -> None:
        self._make = make

    def forecast(self, values: Sequence[float], moments: Sequence[datetime], season: int, horizon: int) -> ModelFit:
        """See `Forecaster`; moments are not looked at."""
        import numpy as np
        from statsforecast import models

        made = self._make(models, season, values)
        found = made.forecast(y=np.array(values, dtype=np.float64), h=horizon, level=list(LEVELS))
        return build_finite_fit(
            found["mean"],
            {level: found[f"lo-{level}"] for level in LEVELS},
            {level: found[f"hi-{level}"] for level in LEVELS},
        )


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


SEED: Final = 1


class ProphetModel:
    """Fits of Prophet with its defaults; it finds seasons by itself."""

    def forecast(self, values: Sequence[float], moments: Sequence[datetime], season: int, horizon: int) -> ModelFit:
        """See `Forecaster`.

        Raises:
            CannotFit: Prophet is not installed.
        """
        try:
            prophet: Any = importlib.import_module("prophet")
        except ModuleNotFoundError as error:
            raise CannotFit("it is not installed (`pip install prophet`)") from error
        import numpy as np

        pandas: Any = importlib.import_module("pandas")

        known = pandas.DataFrame({"ds": list(moments[: len(values)]), "y": list(values)})
        asked = pandas.DataFrame({"ds": list(moments[len(values) :])})
        mean: list[float] = []
        low: dict[int, list[float]] = {}
        high: dict[int, list[float]] = {}
        for level in LEVELS:
            model = prophet.Prophet(interval_width=level / 100)
            np.random.seed(SEED)
            model.fit(known, seed=SEED)
            found = model.predict(asked)
            mean = list(found["yhat"])
            low[level], high[level] = list(found["yhat_lower"]), list(found["yhat_upper"])
        return build_finite_fit(mean, low, high)


def _build_ets_model(models: Any, season: int, values: Sequence[float]) -> Any:
    if season > LONGEST_SEASON_OF_ETS:
        raise CannotFit(f"it knows no seasons of more than {LONGEST_SEASON_OF_ETS} values")
    return models.AutoETS(season_length=season)


def _build_theta_model(models: Any, season: int, values: Sequence[float]) -> Any:
    kind = "multiplicative" if min(values) > 0 else "additive"
    return models.AutoTheta(season_length=season, decomposition_type=kind)


def _build_arima_model(models: Any, season: int, values: Sequence[float]) -> Any:
    return models.AutoARIMA(season_length=season, approximation=True)


def _build_naive_model(models: Any, season: int, values: Sequence[float]) -> Any:
    return models.SeasonalNaive(season_length=season)


def build_forecaster(model: ModelName) -> Forecaster:
    """The model of a name."""
    match model:
        case "seasonal_naive":
            return StatsforecastModel(_build_naive_model)
        case "theta":
            return StatsforecastModel(_build_theta_model)
        case "ets":
            return StatsforecastModel(_build_ets_model)
        case "arima":
            return StatsforecastModel(_build_arima_model)
        case "prophet":
            return ProphetModel()


REASON_CHARACTERS: Final = 300


class FitRequest(TimedRequest):
    """One model, fitted to the first `end` values for each of `ends`."""

    model: ModelName
    values: tuple[float, ...]
    moments: tuple[datetime, ...]
    """The times of the values, and `horizon` more."""
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
            model = build_forecaster(request.model)
            fits = tuple(
                model.forecast(
                    request.values[:end], request.moments[: end + request.horizon], request.season, request.horizon
                )
                for end in request.ends
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
