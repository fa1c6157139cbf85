"""The models themselves: the same figures each time, within limits, and a reason where one gives none; their choice.

Their errors are figures that can be done in the head.
"""

import importlib.util
import time
from collections.abc import Sequence

import pandas as pd
import pytest

from elcano.activities.child_processes import ProcessEnded
from elcano.subjects.data.forecast_models import ModelName, ModelScore
from elcano.subjects.data.forecasting import fitting
from elcano.subjects.data.forecasting.fitting import (
    FitAnswer,
    FitRequest,
    choose_best_score,
    explain_model_choice,
    fit_in_process,
    fit_requested_model,
    naive_error,
    score_back_test,
)
from tests.unit.subjects.data.forecasting.material import wave

assert importlib.util.find_spec("statsforecast"), "its models are a part of what this project is worked on with"


def request(model: ModelName = "ets", values: Sequence[float] | None = None, season: int = 12) -> FitRequest:
    values = tuple(values or wave(40))
    return FitRequest(model=model, values=values, season=season, horizon=6, step=4, seconds=60)


@pytest.mark.parametrize("model", ["seasonal_naive", "theta", "ets", "arima"])
def test_each_model_gives_the_same_figures_again_and_wider_intervals_for_more(model: ModelName) -> None:
    answer = fit_requested_model(request(model))
    fit, score = answer.fit, answer.score
    assert fit is not None
    assert answer == fit_requested_model(request(model))
    assert len(fit.mean) == 6
    for place, mean in enumerate(fit.mean):
        assert fit.low[95][place] < fit.low[80][place] < mean < fit.high[80][place] < fit.high[95][place]
    assert (score.model, score.left_out, len(score.mae_by_origin)) == (model, "", 2)
    assert [check.count for check in score.intervals] == [12, 12]


def test_the_back_test_begins_where_it_is_told_to() -> None:
    values = wave(40)
    score = fit_requested_model(request("seasonal_naive", values, 12)).score
    origins = (len(values) - 6 - 4, len(values) - 6)
    errors = [
        [abs(values[place] - values[place - 12]) for place in range(origin, origin + 6)] for origin in origins
    ]  # 12 values before: the season that both origins know
    assert score.mae_by_origin == pytest.approx([sum(one) / 6 for one in errors])


def test_a_season_is_seen() -> None:
    fit = fit_requested_model(request("ets", [100.0 + 50 * (month % 12 == 0) for month in range(60)])).fit
    assert fit is not None
    assert fit.mean[0] > 140
    assert max(fit.mean[1:]) < 110


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
        assert (answer.fit is None) == bool(answer.score.left_out)


def test_a_library_that_fails_is_left_out_with_its_words(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*given: object) -> FitAnswer:
        raise ZeroDivisionError("by zero " + "0" * 10_000)

    monkeypatch.setattr(fitting, "_build_model", fail)
    reason = fit_requested_model(request()).score.left_out
    assert reason.startswith("it failed (ZeroDivisionError: by zero 0")
    assert len(reason) <= fitting.REASON_CHARACTERS


def test_figures_that_are_not_finite_are_none() -> None:
    huge = fit_requested_model(request("seasonal_naive", [5e307 * (n % 5 - 2) for n in range(40)]))
    assert huge.fit is None
    assert "not finite" in huge.score.left_out


def test_seasons_that_exponential_smoothing_does_not_know_are_its_reason() -> None:
    assert (
        fit_requested_model(request("ets", wave(110, 52), 52)).score.left_out
        == "it does not support seasons of more than 24 values"
    )


def tabulate(values: Sequence[float], forecasts: dict[int, Sequence[float]], reach: float) -> pd.DataFrame:
    """Forecasts by how many values were known, as the library's cross-validation has them."""
    rows = [
        {"cutoff": known - 1, "y": values[known + at], "model": mean}
        | {f"model-{side}-{level}": mean + sign * reach for side, sign in (("lo", -1), ("hi", 1)) for level in (80, 95)}
        for known, forecast in forecasts.items()
        for at, mean in enumerate(forecast)
    ]
    return pd.DataFrame(rows)


def test_scores_are_those_of_both_origins_together() -> None:
    values = (10.0, 20.0, 10.0, 20.0, 12.0, 20.0)
    score = score_back_test("ets", tabulate(values, {2: (10, 10), 4: (10, 20)}, 1), values, 1)
    assert score.mae == pytest.approx((0 + 10 + 2 + 0) / 4)
    assert score.mae_by_origin == pytest.approx((5, 1))
    assert score.smape == pytest.approx(200 * (10 / 30 + 2 / 22) / 4)
    assert score.mase == pytest.approx((1.0 + 0.2) / 4)  # within both histories the value before is 10 off
    assert [(check.level, check.covered, check.count) for check in score.intervals] == [(80, 2, 4), (95, 2, 4)]


def test_without_an_error_within_the_history_there_is_no_scaled_one() -> None:
    values = (5.0, 5.0, 5.0, 6.0, 7.0)
    score = score_back_test("ets", tabulate(values, {3: (5,), 4: (5,)}, 1), values, 1)
    assert score.mase is None
    assert score.mae == pytest.approx(1.5)
    zeros = (0.0, 1.0, 0.0)
    assert score_back_test("ets", tabulate(zeros, {2: (0,)}, 1), zeros, 1).smape == 0


def test_the_least_error_is_chosen_of_equal_ones_the_first() -> None:
    naive, theta = (ModelScore(model=name, smape=5, mase=1, mae=3) for name in ("seasonal_naive", "theta"))
    better = ModelScore(model="ets", smape=9, mase=0.9, mae=2)
    absent = ModelScore(model="arima", left_out="it took longer")
    assert choose_best_score((naive, theta, absent)).model == "seasonal_naive"
    assert choose_best_score((naive, theta, absent, better)).model == "ets"
    told = explain_model_choice(better, (naive, better, absent))
    assert "AutoETS) (sMAPE 9.0 %, MASE 0.90); the others: repeating the last season (sMAPE 5.0 %" in told
    assert "Only" in explain_model_choice(naive, (naive, absent))


def test_the_error_of_repeating_the_last_season() -> None:
    assert naive_error((1, 2, 4, 8), 2) == pytest.approx((3 + 6) / 2)


def test_a_model_that_was_searched_for_has_to_be_the_best_at_each_origin() -> None:
    theta = ModelScore(model="theta", smape=6, mase=1, mae=6, mae_by_origin=(6, 6))
    once = ModelScore(model="arima", smape=4, mase=0.7, mae=4, mae_by_origin=(1, 7))
    twice = ModelScore(model="arima", smape=5, mase=0.9, mae=5, mae_by_origin=(5, 5))
    assert choose_best_score((theta, once)).model == "theta"
    assert choose_best_score((theta, twice)).model == "arima"
    assert choose_best_score((once,)).model == "arima"
    assert explain_model_choice(theta, (theta, once)).endswith(
        "ARIMA (AutoARIMA) is chosen only if it is the best at each origin."
    )
    assert "each origin" not in explain_model_choice(twice, (theta, twice))


FIT = FitRequest(model="ets", values=(1.0,), season=1, horizon=1, step=1, seconds=60)


@pytest.mark.parametrize(
    ("late", "said"),
    [(True, "it exceeded its limit of "), (False, "it crashed its process")],
)
def test_a_model_whose_process_ends_is_left_out(monkeypatch: pytest.MonkeyPatch, late: bool, said: str) -> None:
    def end(*request: object, **options: object) -> FitAnswer:
        raise ProcessEnded(late=late)

    monkeypatch.setattr(fitting.PROCESSES, "ask", end)
    assert fit_in_process(FIT, time.monotonic() + 60).score.left_out.startswith(said)


def test_a_model_without_time_is_left_out() -> None:
    assert fit_in_process(FIT, time.monotonic() - 1).score.left_out == "there was no time left for it"
