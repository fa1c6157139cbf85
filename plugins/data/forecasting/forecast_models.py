"""The models: one interface, each from a library that is imported where it is first used.

Libraries take seconds to import and hundreds of megabytes, so nothing but the process of its own uses this.
A model is asked for the same figures by everybody: a mean and two bounds for each level of `LEVELS`.
"""

import math
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime
from typing import Any, Final, Protocol

from elcano.graphs.frozen import Frozen
from elcano.plugins.data.models.forecast import LEVELS, ModelName

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
            from elcano.plugins.data.forecasting.prophet_model import ProphetModel  # which needs the names of this file

            return ProphetModel()
