"""Messages to and from the forecasting process: each covers one model and several ends of the known values.

The two speak JSON lines, so a child that went wrong cannot make its parent run anything. A model that takes too long
ends by an alarm within the child; where there is none, or it is not heard, the parent ends the child.
"""

import contextlib
import importlib
import json
import math
import os
import select
import signal
import sys
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import datetime
from types import FrameType
from typing import Any, Final, Protocol

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import shorten_text
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


IDLE_SECONDS: Final = 600
"""Idle time after which a child ends and frees its memory."""
REASON_CHARACTERS: Final = 300
READY: Final = b"ready\n"
_INSIST: Final = 0.5
"""Seconds between alarms: a library may have caught the first for its own."""


class FitRequest(Frozen):
    """One model, fitted to the first `end` values for each of `ends`."""

    model: ModelName
    values: tuple[float, ...]
    moments: tuple[datetime, ...]
    """The times of the values, and `horizon` more."""
    season: int
    ends: tuple[int, ...]
    horizon: int
    seconds: float
    """For all fits together."""


class FitAnswer(Frozen):
    """A fit for each end, or why there is none."""

    fits: tuple[ModelFit, ...] = ()
    failed: str = ""
    """A clause without a full stop."""


class _Late(BaseException):
    """The alarm. No exception of a library, so that what catches those does not catch it."""


def fit_requested_model(request: FitRequest) -> FitAnswer:
    """The answer, by this process; however it fails, the model is left out and it says why."""
    try:
        with _limit_run_seconds(request.seconds), warnings.catch_warnings():
            warnings.simplefilter("ignore")  # of convergence: what a fit is worth shows in the back-test
            model = build_forecaster(request.model)
            fits = tuple(
                model.forecast(
                    request.values[:end], request.moments[: end + request.horizon], request.season, request.horizon
                )
                for end in request.ends
            )
    except _Late:
        return FitAnswer(failed=describe_fit_timeout(request.seconds))
    except CannotFit as error:
        return FitAnswer(failed=str(error))
    except Exception as error:
        return FitAnswer(failed=shorten_text(f"it failed ({type(error).__name__}: {error})", REASON_CHARACTERS))
    return FitAnswer(fits=fits)


def describe_fit_timeout(seconds: float) -> str:
    """Why a model is left out that took longer."""
    return f"it took longer than the {seconds:.1f} s that there were for it"


@contextlib.contextmanager
def _limit_run_seconds(seconds: float) -> Iterator[None]:
    if not hasattr(signal, "setitimer"):  # Windows: the parent ends the process
        yield
        return

    def ring(number: int, frame: FrameType | None) -> None:
        raise _Late

    before = signal.signal(signal.SIGALRM, ring)
    signal.setitimer(signal.ITIMER_REAL, seconds, _INSIST)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def serve() -> None:
    """Run the child: import, report readiness, and answer requests until the input ends or none comes for too long."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a library prints must not end up between the answers
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        import statsforecast.models  # noqa: F401  # now, so that no request waits for it
    answers.write(READY)
    answers.flush()
    while _wait_for_request() and (line := requests.readline()):
        answers.write(
            fit_requested_model(FitRequest.model_validate(json.loads(line))).model_dump_json().encode() + b"\n"
        )
        answers.flush()


def _wait_for_request() -> bool:
    """Whether a request came, or the end of the input, before the child is idle for too long."""
    if sys.platform == "win32":
        return True
    return bool(select.select([sys.stdin], [], [], IDLE_SECONDS)[0])
