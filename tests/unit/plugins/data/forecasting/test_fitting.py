"""The models themselves: the same figures each time, within limits, and a reason where one gives none."""

import importlib.util
from collections.abc import Sequence

import pytest

from elcano.plugins.data.forecast_models import ModelName
from elcano.plugins.data.forecasting import fitting
from elcano.plugins.data.forecasting.fitting import FitRequest, ModelFit, build_finite_fit, fit_requested_model
from tests.unit.plugins.data.forecasting.material import wave

assert importlib.util.find_spec("statsforecast"), "its models are a part of what this project is worked on with"


def request(model: ModelName = "ets", values: Sequence[float] | None = None, season: int = 12) -> FitRequest:
    values = tuple(values or wave(40))
    return FitRequest(
        model=model,
        values=values,
        season=season,
        ends=(len(values) - 6, len(values)),
        horizon=6,
        seconds=60,
    )


@pytest.mark.parametrize("model", ["seasonal_naive", "theta", "ets", "arima"])
def test_each_model_gives_the_same_figures_again_and_wider_intervals_for_more(model: ModelName) -> None:
    answer = fit_requested_model(request(model))
    assert answer.failed == ""
    assert answer == fit_requested_model(request(model))
    assert [len(fit.mean) for fit in answer.fits] == [6, 6]
    for fit in answer.fits:
        for place, mean in enumerate(fit.mean):
            assert fit.low[95][place] < fit.low[80][place] < mean < fit.high[80][place] < fit.high[95][place]


def test_a_season_is_seen() -> None:
    last = fit_requested_model(request("ets", [100.0 + 50 * (month % 12 == 0) for month in range(60)])).fits[-1]
    assert last.mean[0] > 140
    assert max(last.mean[1:]) < 110


@pytest.mark.parametrize("model", ["seasonal_naive", "theta", "ets", "arima"])
@pytest.mark.parametrize(
    "values",
    [
        [0.0] * 20 + [1.0] * 20,
        [-1e90 * (n % 5) for n in range(40)],
        [float(n % 2) for n in range(40)],
        [1e-300 * n for n in range(40)],
        [1e15 + n for n in range(40)],
    ],
)
def test_odd_values_give_figures_or_a_reason(model: ModelName, values: list[float]) -> None:
    for season in (1, 12):
        answer = fit_requested_model(request(model, values, season))
        assert bool(answer.failed) != bool(answer.fits)


def test_a_library_that_fails_is_left_out_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> ModelFit:
        raise ZeroDivisionError("by zero " + "0" * 10_000)

    monkeypatch.setattr(fitting, "fit_values", fail)
    answer = fit_requested_model(request())
    assert answer.failed.startswith("it failed (ZeroDivisionError: by zero 0")
    assert len(answer.failed) <= fitting.REASON_CHARACTERS


def test_figures_that_are_not_finite_are_none() -> None:
    with pytest.raises(Exception, match="not finite"):
        build_finite_fit([1.0], {80: [0.0], 95: [float("nan")]}, {80: [2.0], 95: [3.0]})


def test_seasons_that_exponential_smoothing_does_not_know_are_its_reason() -> None:
    assert (
        fit_requested_model(request("ets", wave(110, 52), 52)).failed
        == "it does not support seasons of more than 24 values"
    )
