"""Models of forecasts whose processes end without an answer."""

import time

import pytest

from elcano.activities.child_processes import ProcessEnded
from elcano.plugins.data.forecasting import fitting
from elcano.plugins.data.forecasting.fitting import FitAnswer, FitRequest, fit_in_process

FIT = FitRequest(model="ets", values=(1.0,), season=1, ends=(1,), horizon=1, seconds=0.1)


@pytest.mark.parametrize(
    ("late", "said"),
    [(True, "it exceeded its limit of 0.1 s"), (False, "it crashed its process")],
)
def test_a_model_whose_process_ends_is_left_out(monkeypatch: pytest.MonkeyPatch, late: bool, said: str) -> None:
    def end(*request: object, **options: object) -> FitAnswer:
        raise ProcessEnded(late=late)

    monkeypatch.setattr(fitting.PROCESSES, "ask", end)
    assert fit_in_process(FIT, time.monotonic() + 60).failed == said


def test_a_model_without_time_is_left_out() -> None:
    assert fit_in_process(FIT, time.monotonic() - 1).failed == "there was no time left for it"
