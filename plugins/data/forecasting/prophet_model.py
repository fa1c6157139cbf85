"""Prophet behind the interface of the other models, where it is installed.

Its intervals are drawn at random, so it is given a seed; each level is a fit of its own with the same seed.
"""

import importlib
from collections.abc import Sequence
from datetime import datetime
from typing import Any, Final

from elcano.plugins.data.forecasting.forecast_models import CannotFit, ModelFit, build_finite_fit
from elcano.plugins.data.models.forecast import LEVELS

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
