"""From measurements to effects with their errors.

Ratios are pooled as logarithms, proportions as logits, correlations as Fisher's z, all else as it is. An error comes
from the interval, from the counts or means themselves, or, where a passage gives no more, from an exact p-value.
"""

import math
from dataclasses import dataclass, replace
from typing import Final

import numpy as np
from scipy import special, stats
from statsmodels.stats.meta_analysis import effectsize_2proportions
from statsmodels.stats.proportion import test_proportions_2indep

from elcano.subjects.analysis.analysis import RATIOS, SINGLE, Group, Measure, Measurement
from elcano.text.units import SHARE

CORRECTION: Final = 0.5
"""Added to each cell of a table with an empty one; without it there is no ratio and no error."""
_LARGEST: Final = 1e12
"""Effects and errors beyond that, which nothing measured has, would make figures of a pool overflow."""
_STATISTICS: Final = {"odds_ratio": "odds-ratio", "risk_ratio": "risk-ratio", "risk_difference": "diff"}
OF_COUNTS: Final[tuple[Measure, ...]] = ("risk_ratio", "odds_ratio", "risk_difference")
"""Measures that counts of two groups can give; the first where nothing else is reported."""


class NoEffect(ValueError):
    """A measurement gives no effect of this measure; the text says why, in a clause."""


@dataclass(frozen=True)
class Effect:
    """An effect on the scale on which it is pooled, and its standard error."""

    effect: float
    error: float
    p: float | None
    """Two-sided, of the study's own test; None: it compares nothing."""
    notes: tuple[str, ...] = ()

    def turned(self) -> "Effect":
        """The same with its groups exchanged."""
        return replace(self, effect=-self.effect, notes=(*self.notes, "its groups were swapped"))


def effect_of(one: Measurement, measure: Measure) -> Effect:
    """The effect of a measurement that holds.

    Raises:
        NoEffect: its numbers give none.
    """
    try:
        found = _compute_effect(one, measure)
    except (OverflowError, ZeroDivisionError):
        found = None
    if found is None or not (abs(found.effect) < _LARGEST and 1 / _LARGEST < found.error < _LARGEST):
        raise NoEffect("its effect or standard error is not finite, or implausibly large")
    return found


def _compute_effect(one: Measurement, measure: Measure) -> Effect:
    if one.reports == "counts":
        return _of_proportion(one.first) if measure == "proportion" else _of_counts(one.first, one.second, measure)
    if one.reports == "means":
        return _of_mean(one.first) if measure == "mean" else _of_means(one.first, one.second, measure)
    return _of_estimate(one, measure)


def own_scale(effect: float, measure: Measure) -> float:
    """An effect as people read it: a ratio, a share from 0 to 1, a correlation, a difference."""
    if measure in RATIOS:
        return math.exp(min(effect, 700))
    if measure == "proportion":
        return 1 / (1 + math.exp(-effect)) if effect > -700 else 0.0
    return math.tanh(effect) if measure == "correlation" else effect


def get_null_effect(measure: Measure) -> float | None:
    """Return the value of a measure that means no effect, on its own scale; None for measures without a comparison."""
    return None if measure in SINGLE else 1.0 if measure in RATIOS else 0.0


def _pooled_scale(value: float, measure: Measure) -> float:
    return math.log(value) if measure in RATIOS else math.atanh(value) if measure == "correlation" else value


def _of_estimate(one: Measurement, measure: Measure) -> Effect:
    (value,) = _require_all_numbers(one.value)
    share = 0.01 if measure == "risk_difference" and one.unit == SHARE else 1.0
    effect = _pooled_scale(value * share, measure)
    if one.low is not None and one.high is not None:
        wide = 2 * float(stats.norm.isf((1 - one.level / 100) / 2))
        error = (_pooled_scale(one.high * share, measure) - _pooled_scale(one.low * share, measure)) / wide
        return Effect(effect, error, _compute_p_value(effect, error))
    if measure == "correlation" and one.size is not None:
        return Effect(effect, error := 1 / math.sqrt(one.size - 3), _compute_p_value(effect, error))
    (p,) = _require_all_numbers(one.p)
    if effect == 0:
        raise NoEffect("it reports no effect, so its standard error cannot be computed from the p-value")
    error = abs(effect) / float(stats.norm.isf(p / 2))
    return Effect(effect, error, p, ("its standard error was computed from its p-value",))


def _of_counts(first: Group, second: Group, measure: Measure) -> Effect:
    a, n, b, m = _require_all_numbers(first.events, first.size, second.events, second.size)
    if measure != "risk_difference" and ((a == 0 and b == 0) or (a == n and b == m)):
        raise NoEffect("the outcome occurred in nobody or in everybody, so there is no ratio")
    empty = a in (0, n) or b in (0, m)
    effect, variance = effectsize_2proportions(a, n, b, m, _STATISTICS[measure], CORRECTION if empty else None)
    notes = (f"{CORRECTION:g} was added to each of its counts because one is zero",) if empty else ()
    found = float(effect), math.sqrt(float(variance))
    if empty:
        return Effect(*found, _compute_p_value(*found), notes)
    test = test_proportions_2indep(a, n, b, m, compare="diff", method="agresti-caffo")
    return Effect(*found, float(test.pvalue), notes)


def _of_proportion(only: Group) -> Effect:
    a, n = _require_all_numbers(only.events, only.size)
    notes: tuple[str, ...] = ()
    if a in (0, n):
        a, n = a + CORRECTION, n + 2 * CORRECTION
        notes = (f"{CORRECTION:g} was added to its counts because one is zero",)
    return Effect(math.log(a / (n - a)), math.sqrt(1 / a + 1 / (n - a)), None, notes)


def _of_mean(only: Group) -> Effect:
    mean, sd, size = _require_all_numbers(only.mean, only.sd, only.size)
    return Effect(mean, sd / math.sqrt(size), None)


def _of_means(first: Group, second: Group, measure: Measure) -> Effect:
    both = _require_all_numbers(first.mean, first.sd, first.size, second.mean, second.sd, second.size)
    with np.errstate(all="ignore"):  # what overflows is left out by `effect_of`
        p = float(stats.ttest_ind_from_stats(*both, equal_var=False).pvalue)
    if measure == "standardized_mean_difference":
        return Effect(*_standardize_difference(*both), p, ("its means were standardized",))
    error = math.sqrt(both[1] ** 2 / both[2] + both[4] ** 2 / both[5])
    return Effect(both[0] - both[3], error, p)


def _standardize_difference(
    mean: float, sd: float, size: float, other_mean: float, other_sd: float, other_size: float
) -> tuple[float, float]:
    """Hedges' g and its standard error.

    The correction for small samples is exact, and the variance is that of its large-sample distribution, as in
    metafor. statsmodels approximates both (`effectsize_smd`), which shows in the third digit of small trials.
    """
    freedom = size + other_size - 2
    pooled = math.sqrt(((size - 1) * sd**2 + (other_size - 1) * other_sd**2) / freedom)
    correction = math.exp(special.gammaln(freedom / 2) - special.gammaln((freedom - 1) / 2)) / math.sqrt(freedom / 2)
    effect = correction * (mean - other_mean) / pooled
    return effect, math.sqrt(1 / size + 1 / other_size + effect**2 / (2 * (size + other_size)))


def _require_all_numbers(*numbers: float | None) -> tuple[float, ...]:
    found = tuple(number for number in numbers if number is not None)
    if len(found) < len(numbers):
        raise NoEffect("a number that it needs is missing")
    return found


def _compute_p_value(effect: float, error: float) -> float:
    return float(2 * stats.norm.sf(abs(effect) / error)) if error > 0 else math.nan
