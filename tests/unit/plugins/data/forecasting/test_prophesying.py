"""Prophet behind the interface of the others, with one in its place that keeps what it is given."""

import sys
from datetime import datetime
from types import ModuleType
from typing import Any

import pytest

from elcano.plugins.data.forecasting.fitting import FitRequest, fit_requested_model

VALUES = tuple(float(n) for n in range(20))
YEARS = tuple(datetime(2000 + n, 1, 1) for n in range(23))


def request() -> FitRequest:
    return FitRequest(model="prophet", values=VALUES, moments=YEARS, season=1, ends=(17, 20), horizon=3, seconds=60)


class FakeProphet:
    """Goes on with the last value; its interval is as wide as its level."""

    def __init__(self, interval_width: float) -> None:
        self._width = interval_width
        self._known: Any = None

    def fit(self, known: Any, seed: int) -> None:
        assert list(known.columns) == ["ds", "y"]
        assert seed == 1
        self._known = known

    def predict(self, asked: Any) -> Any:
        assert min(asked["ds"]) > max(self._known["ds"])
        last = float(self._known["y"].iloc[-1])
        return asked.assign(yhat=last, yhat_lower=last - self._width, yhat_upper=last + self._width)


def test_it_is_given_what_is_known_and_asked_for_what_follows(monkeypatch: pytest.MonkeyPatch) -> None:
    module = ModuleType("prophet")
    module.Prophet = FakeProphet  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, "prophet", module)
    answer = fit_requested_model(request())
    assert answer.failed == ""
    assert [fit.mean for fit in answer.fits] == [(16.0,) * 3, (19.0,) * 3]
    assert answer.fits[1].low == {80: pytest.approx((18.2,) * 3), 95: pytest.approx((18.05,) * 3)}
    assert answer.fits[1].high[95] == pytest.approx((19.95,) * 3)


def test_where_it_is_not_installed_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "prophet", None)
    assert fit_requested_model(request()).failed == "it is not installed (`pip install prophet`)"
