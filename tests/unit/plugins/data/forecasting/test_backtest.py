"""Errors and choice, by figures that can be done in the head."""

from collections.abc import Sequence

import pytest

from elcano.plugins.data.forecast_models import ModelScore
from elcano.plugins.data.forecasting.fitting import (
    ModelFit,
    choose_best_score,
    choose_origins,
    explain_model_choice,
    naive_error,
    score_fits,
)


def fit(mean: Sequence[float], reach: float) -> ModelFit:
    low, high = (tuple(value + sign * reach for value in mean) for sign in (-1, 1))
    return ModelFit(mean=tuple(mean), low={80: low, 95: low}, high={80: high, 95: high})


def test_scores_are_those_of_both_origins_together() -> None:
    values = (10.0, 20.0, 10.0, 20.0, 12.0, 20.0)
    score = score_fits("ets", values, (2, 4), [fit((10, 10), 1), fit((10, 20), 1)], 1)
    assert score.mae == pytest.approx((0 + 10 + 2 + 0) / 4)
    assert score.mae_by_origin == pytest.approx((5, 1))
    assert score.smape == pytest.approx(200 * (10 / 30 + 2 / 22) / 4)
    assert score.mase == pytest.approx((1.0 + 0.2) / 4)  # within both histories the value before is 10 off
    assert [(check.level, check.covered, check.count) for check in score.intervals] == [(80, 2, 4), (95, 2, 4)]


def test_without_an_error_within_the_history_there_is_no_scaled_one() -> None:
    score = score_fits("ets", (5.0, 5.0, 5.0, 6.0, 7.0), (3, 4), [fit((5,), 1), fit((5,), 1)], 1)
    assert score.mase is None
    assert score.mae == pytest.approx(1.5)
    assert score_fits("ets", (0.0, 1.0, 0.0), (2,), [fit((0,), 1)], 1).smape == 0


def test_the_least_error_is_chosen_of_equal_ones_the_first() -> None:
    naive, theta = (ModelScore(model=name, smape=5, mase=1, mae=3) for name in ("seasonal_naive", "theta"))
    better = ModelScore(model="ets", smape=9, mase=0.9, mae=2)
    absent = ModelScore(model="arima", left_out="it took longer")
    assert choose_best_score((naive, theta, absent)).model == "seasonal_naive"
    assert choose_best_score((naive, theta, absent, better)).model == "ets"
    told = explain_model_choice(better, (naive, better, absent))
    assert "AutoETS) (sMAPE 9.0 %, MASE 0.90); the others: repeating the last season (sMAPE 5.0 %" in told
    assert "Only" in explain_model_choice(naive, (naive, absent))


def test_origins_leave_enough_to_begin_with() -> None:
    assert choose_origins(120, 12, 24) == (96, 108)
    assert choose_origins(37, 12, 24) == (24, 25)
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
