"""Moments that a series lacks: named, and filled only in the way that was asked for and only so many.

A line between neighbours is for a few measurements that were lost. Zeros are for sums and counts, of which a query
gives no row where there was nothing.
"""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final

from elcano.plugins.data.forecasting.forecast_refusals import build_forecast_refusal, format_first_names
from elcano.plugins.data.forecasting.frequencies import Period
from elcano.plugins.data.forecasting.moment_formats import Form, format_moment
from elcano.plugins.data.models.forecast import Missing

LINE_SHARE: Final = 0.1
LINE_RUN: Final = 3
"""So many of a series' moments, and so many one after the other, may be filled by a line between neighbours."""
ZERO_SHARE: Final = 0.5
"""So many may be zeros that no row says."""


def fill_gaps(
    points: Sequence[tuple[datetime, float]],
    zeros: Sequence[datetime],
    period: Period,
    ends: bool,
    form: Form,
    missing: Missing,
    most: int,
) -> tuple[tuple[datetime, ...], tuple[float, ...], tuple[str, ...]]:
    """Return moments without gaps, their values, and notes on what was filled.

    Args:
        points: in the order of their moments, each moment once.
        zeros: those of them whose value is NULL and counts as zero.
        period: what their moments go by.
        ends: whether their moments are last days of months.
        form: how moments are written.
        missing: what becomes of gaps.
        most: so many values may come out.

    Raises:
        Refused: there are gaps, and they may not be filled, or are too many.
    """
    known = {period.ordinal(at): value for at, value in points}
    first, last = min(known), max(known)
    if last - first >= most:
        before, after = max(pairwise(points), key=lambda pair: pair[1][0] - pair[0][0])
        which = [str(format_moment(at, form)) for at, _ in (before, after)]
        text = f"there is nothing between {which[0]} and {which[1]}: leave out in the query what is far off."
        raise build_forecast_refusal("irregular", text, moments=which)
    moments = tuple(period.after(points[0][0], step, ends) for step in range(last - first + 1))
    absent = [ordinal for ordinal in range(first, last + 1) if ordinal not in known]
    which = [str(format_moment(moments[ordinal - first], form)) for ordinal in absent]
    if absent:
        _require_fillable_gaps(absent, which, len(moments), period, missing)
    line = missing == "interpolate"
    values = tuple(
        known[ordinal] if ordinal in known else _interpolate_value(known, ordinal) if line else 0.0
        for ordinal in range(first, last + 1)
    )
    empty = [*which, *(str(format_moment(at, form)) for at in zeros)]
    how = "by a line between their neighbours" if line else "with zero, as no row or NULL means none"
    return moments, values, (f"Filled {how}: {format_first_names(empty)}.",) if empty else ()


def _require_fillable_gaps(
    absent: Sequence[int], which: Sequence[str], length: int, period: Period, missing: Missing
) -> None:
    lack = f"of {length:,} {period.one}s {len(absent):,} are missing ({format_first_names(which)})"
    share = len(absent) / length
    if missing == "refuse":
        weekdays = period.frequency == "daily" and share > 0.25
        text = "say how to fill them (`interpolate`, or `zero` if no row means none), or aggregate in the query" + (
            " by week." if weekdays else "."
        )
        raise build_forecast_refusal("irregular", f"{lack}: {text}", moments=which)
    if missing == "zero" and share > ZERO_SHARE:
        raise build_forecast_refusal(
            "irregular", f"{lack}: more than half would be zeros; aggregate in the query.", moments=which
        )
    if missing == "interpolate" and (share > LINE_SHARE or _longest_run(absent) > LINE_RUN):
        text = f"a line fills at most {LINE_SHARE:.0%} of a series and {LINE_RUN} in a row; aggregate in the query."
        raise build_forecast_refusal("irregular", f"{lack}: {text}", moments=which)


def _longest_run(ordinals: Sequence[int]) -> int:
    longest = run = 0
    before: int | None = None
    for ordinal in ordinals:
        run = run + 1 if before is not None and ordinal == before + 1 else 1
        longest, before = max(longest, run), ordinal
    return longest


def _interpolate_value(known: dict[int, float], ordinal: int) -> float:
    """On the line between the nearest known values. There is one on both sides, a few steps away."""
    low, high = ordinal - 1, ordinal + 1
    while low not in known:
        low -= 1
    while high not in known:
        high += 1
    return known[low] + (known[high] - known[low]) * (ordinal - low) / (high - low)
