"""Effects of several studies together: fixed and random effects, and how far the studies differ.

Both weigh each study by the inverse of its variance. Between studies the variance is that of DerSimonian and Laird,
never below none. The figures are those of statsmodels, which does not bound it itself.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from elcano.activities.analysis.effects import Effect, own_scale
from elcano.graphs.values.analysis import SINGLE, Measure, Pooled

LEVEL: Final = 0.05
LEAST_PREDICTED: Final = 3
LEAST_ASYMMETRY: Final = 10
"""With fewer studies a test for asymmetry finds nothing."""


@dataclass(frozen=True)
class Combined:
    """What several effects say together; see `Pool` for its fields."""

    fixed: Pooled
    random: Pooled
    adjusted: Pooled | None
    weights: tuple[float, ...]
    """Of each effect in the random-effects estimate, in percent, in their order."""
    q: float
    q_p: float | None
    i2: float
    tau2: float
    predicted: tuple[float, float] | None
    asymmetry_p: float | None


def pool_effects(effects: Sequence[Effect], measure: Measure) -> Combined:
    """At least one effect, pooled. In whichever order they come, the figures are the same."""
    order = sorted(range(len(effects)), key=lambda place: (effects[place].effect, effects[place].error))
    effect = np.array([effects[place].effect for place in order])
    variance = np.array([effects[place].error ** 2 for place in order])
    many = len(order)
    if many == 1:
        only = _pool_with_normal_interval(float(effect[0]), math.sqrt(float(variance[0])), measure)
        return Combined(only, only, None, (100.0,), 0.0, None, 0.0, 0.0, None, None)
    with np.errstate(all="ignore"):  # where it lets the variance between studies fall below none
        found = combine_effects(effect, variance, method_re="dl", alpha=LEVEL)
    spread = float(found.tau2) > 0
    tau2 = float(found.tau2) if spread else 0.0
    q = max(float(found.q), 0.0)
    mean, error, adjusted, shares = (
        (found.mean_effect_re, found.sd_eff_w_re, found.var_hksj_re, found.weights_rel_re)
        if spread
        else (found.mean_effect_fe, found.sd_eff_w_fe, found.var_hksj_fe, found.weights_rel_fe)
    )
    mean, error = float(mean), float(error)
    weights = dict(zip(order, (100 * float(share) for share in shares), strict=True))
    return Combined(
        fixed=_pool_with_normal_interval(float(found.mean_effect_fe), float(found.sd_eff_w_fe), measure),
        random=_pool_with_normal_interval(mean, error, measure),
        adjusted=_pool_with_student_interval(mean, max(math.sqrt(float(adjusted)), error), many - 1, measure),
        weights=tuple(weights[place] for place in range(many)),
        q=q,
        q_p=float(stats.chi2.sf(q, many - 1)),
        i2=100 * max(0.0, (q - many + 1) / q) if q else 0.0,
        tau2=tau2,
        predicted=_compute_prediction_interval(mean, error, tau2, many, measure),
        asymmetry_p=_compute_asymmetry_p(effect, variance) if many >= LEAST_ASYMMETRY else None,
    )


def _pool_with_normal_interval(mean: float, error: float, measure: Measure) -> Pooled:
    reach = float(stats.norm.isf(LEVEL / 2)) * error
    p = None if measure in SINGLE else float(2 * stats.norm.sf(abs(mean) / error))
    return _build_pooled_estimate(mean, reach, p, measure)


def _pool_with_student_interval(mean: float, error: float, freedom: int, measure: Measure) -> Pooled:
    """With the interval of Hartung, Knapp, Sidik and Jonkman, which is never narrower than the normal one here."""
    reach = float(stats.t.isf(LEVEL / 2, freedom)) * error
    p = None if measure in SINGLE else float(2 * stats.t.sf(abs(mean) / error, freedom))
    return _build_pooled_estimate(mean, reach, p, measure)


def _build_pooled_estimate(mean: float, reach: float, p: float | None, measure: Measure) -> Pooled:
    low, high = own_scale(mean - reach, measure), own_scale(mean + reach, measure)
    return Pooled(estimate=own_scale(mean, measure), low=low, high=high, p=p)


def _compute_prediction_interval(
    mean: float, error: float, tau2: float, many: int, measure: Measure
) -> tuple[float, float] | None:
    if many < LEAST_PREDICTED:
        return None
    reach = float(stats.t.isf(LEVEL / 2, many - 2)) * math.sqrt(tau2 + error**2)
    return own_scale(mean - reach, measure), own_scale(mean + reach, measure)


def _compute_asymmetry_p(effect: NDArray[np.float64], variance: NDArray[np.float64]) -> float | None:
    """Begg's test: are the effects of small studies others than those of large ones."""
    weights = 1 / variance
    centre = (weights * effect).sum() / weights.sum()
    rest = variance - 1 / weights.sum()
    if not (rest > 0).all():
        return None
    p = float(stats.kendalltau((effect - centre) / np.sqrt(rest), variance).pvalue)
    return p if math.isfinite(p) else None
