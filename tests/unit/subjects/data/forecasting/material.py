"""Series that never were, as results of queries."""

import math
from collections.abc import Callable, Sequence
from datetime import datetime, timedelta
from typing import Any

from elcano.subjects.data.forecast_models import ForecastInput, ForecastRefusal, Refused
from elcano.subjects.data.forecasting.series import Series, build_time_series
from elcano.subjects.data.tables import Cell, Kind, ResultColumn, ResultTable

LATER = "2030-01-01T00:00:00+00:00"


def table(
    rows: Sequence[Sequence[Cell]],
    names: Sequence[str] = ("month", "sales"),
    kinds: Sequence[Kind] = ("text", "decimal"),
    at: str = LATER,
    truncated: bool = False,
) -> ResultTable:
    return ResultTable(
        database="shop",
        dialect="sqlite",
        sql="SELECT month, sales FROM months",
        columns=tuple(ResultColumn(name=name, kind=kind) for name, kind in zip(names, kinds, strict=True)),
        rows=tuple(tuple(row) for row in rows),
        truncated=truncated,
        at=at,
    )


def wave(count: int, season: int = 12) -> list[float]:
    """A trend, a season, and something that looks like noise."""
    return [100.0 + n + 20 * math.sin(2 * math.pi * n / season) + n * 7919 % 13 for n in range(count)]


def months(count: int, first: int = 2015) -> list[str]:
    return [f"{first + n // 12}-{n % 12 + 1:02d}" for n in range(count)]


def monthly(count: int, first: int = 2015) -> list[list[Cell]]:
    return [list(row) for row in zip(months(count, first), wave(count), strict=True)]


def steps(count: int, begin: str, write: Callable[[datetime], Cell] = str, **step: float) -> list[list[Cell]]:
    """Rows at equal steps of time."""
    first = datetime.fromisoformat(begin)
    moments = [first + timedelta(**step) * n for n in range(count)]
    return [[write(at), value] for at, value in zip(moments, wave(count, 7), strict=True)]


def given(**fields: Any) -> ForecastInput:
    return ForecastInput.model_validate({"artifact": "a" * 64, **fields})


def made(rows: Sequence[Sequence[Cell]], **fields: Any) -> Series:
    return build_time_series(table(rows), given(**fields))


def refusal(rows: Sequence[Sequence[Cell]], **fields: Any) -> ForecastRefusal:
    return refused_by(lambda: made(rows, **fields))


def refused_by(call: Callable[[], object]) -> ForecastRefusal:
    try:
        call()
    except Refused as error:
        return error.refusal
    raise AssertionError("it was not refused")
