"""Pooled figures against another library, against the formulas, and against what must hold of any pool."""

import math
import random
import warnings
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcano.subjects.analysis.analysis import Group, Measure, Measurement, format_pool_subject, summarize_pool
from elcano.subjects.analysis.statistics.effects import Effect, effect_of, own_scale
from elcano.subjects.analysis.statistics.meta_analysis import pool_effects
from tests.unit.subjects.analysis.trials import COUNTS, DRUG_LOWERS_DEATH, counts, eight, estimate, of, pain

EFFECTS = st.lists(
    st.tuples(st.floats(-3, 3), st.floats(0.01, 2)).map(lambda one: Effect(one[0], one[1], None)),
    min_size=2,
    max_size=30,
)


def by_hand(measure: Measure) -> tuple[list[float], list[float]]:
    """Effects and variances of the eight trials by the formulas of textbooks."""
    effects, variances = [], []
    for a, n, b, m in COUNTS:
        c, d = n - a, m - b
        if measure == "odds_ratio":
            effects.append(math.log(a * d / (b * c)))
            variances.append(1 / a + 1 / b + 1 / c + 1 / d)
        elif measure == "risk_ratio":
            effects.append(math.log((a / n) / (b / m)))
            variances.append(1 / a - 1 / n + 1 / b - 1 / m)
        else:
            effects.append(a / n - b / m)
            variances.append(a * c / n**3 + b * d / m**3)
    return effects, variances


def by_another_library(effects: Sequence[float], variances: Sequence[float]) -> Mapping[str, float]:
    """DerSimonian and Laird's estimate by PyMARE, with the interval of Hartung and Knapp, which is the one it gives."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pymare import Dataset
        from pymare.estimators import DerSimonianLaird
    data = Dataset(np.array(effects)[:, None], np.array(variances)[:, None])
    found = DerSimonianLaird().fit_dataset(data).summary()
    told = {**found.get_fe_stats(), **found.get_heterogeneity_stats(), "tau2": found.tau2}
    return {name: float(np.ravel(value)[0]) for name, value in told.items()}


@pytest.mark.parametrize("measure", ["odds_ratio", "risk_ratio", "risk_difference"])
def test_eight_trials_agree_with_another_library_to_four_digits(measure: Measure) -> None:
    effects, variances = by_hand(measure)
    ours = pool_effects([effect_of(counts("x", *trial), measure) for trial in COUNTS], measure)
    theirs = by_another_library(effects, variances)
    assert ours.tau2 == pytest.approx(theirs["tau2"], abs=1e-8)
    assert ours.random.estimate == pytest.approx(own_scale(theirs["est"], measure), rel=1e-6)
    assert (ours.q, ours.q_p) == pytest.approx((theirs["Q"], theirs["p(Q)"]), rel=1e-6)
    assert ours.i2 == pytest.approx(theirs["I^2"], abs=1e-6)
    error = 1 / math.sqrt(sum(1 / one for one in variances))
    low, high = (own_scale(theirs["est"] + way * 1.959963984540054 * error, measure) for way in (-1, 1))
    assert (ours.fixed.low, ours.fixed.high) == pytest.approx((low, high), rel=1e-6)
    assert ours.random == ours.fixed, "these trials differ less than chance makes them"


def test_trials_that_differ_agree_with_the_formulas() -> None:
    """The eight trials hardly differ; these do, so that the variance between studies is at work."""
    effect, error = np.array([-0.9, 0.4, -0.3, 0.8, -1.2]), np.array([0.2, 0.25, 0.1, 0.3, 0.35])
    ours = pool_effects([Effect(one, other, None) for one, other in zip(effect, error, strict=True)], "mean_difference")
    weights = error**-2
    mean = (weights * effect).sum() / weights.sum()
    q = (weights * (effect - mean) ** 2).sum()
    tau2 = (q - 4) / (weights.sum() - (weights**2).sum() / weights.sum())
    shares = 1 / (error**2 + tau2)
    pooled = (shares * effect).sum() / shares.sum()
    assert (ours.q, ours.tau2, ours.random.estimate) == pytest.approx((q, tau2, pooled), rel=1e-9)
    assert ours.tau2 > 0.1
    assert ours.i2 == pytest.approx(100 * (q - 4) / q, rel=1e-9)
    assert ours.adjusted is not None
    theirs = by_another_library(effect.tolist(), (error**2).tolist())
    assert (ours.random.estimate, ours.tau2, ours.q, ours.i2) == pytest.approx(
        (theirs["est"], theirs["tau2"], theirs["Q"], theirs["I^2"]), rel=1e-6
    )
    assert (ours.adjusted.low, ours.adjusted.high) == pytest.approx((theirs["ci_l"], theirs["ci_u"]), rel=1e-6)
    assert ours.adjusted.p == pytest.approx(theirs["p"], rel=1e-6)
    half = 1.959963984540054 / math.sqrt(shares.sum())
    assert (ours.random.low, ours.random.high) == pytest.approx((pooled - half, pooled + half), rel=1e-9)
    assert sum(ours.weights) == pytest.approx(100)


def test_one_study_stays_itself() -> None:
    only = pool_effects([Effect(0.5, 0.1, None)], "mean_difference")
    assert only.random.estimate == 0.5
    assert (only.random.low, only.random.high) == pytest.approx((0.304, 0.696), abs=1e-3)
    assert (only.q_p, only.adjusted, only.predicted, only.i2) == (None, None, None, 0)


@given(EFFECTS, st.randoms(use_true_random=False))
def test_the_order_of_studies_makes_no_difference(effects: list[Effect], shuffler: random.Random) -> None:
    other = list(effects)
    shuffler.shuffle(other)
    one, two = pool_effects(effects, "mean_difference"), pool_effects(other, "mean_difference")
    assert (one.random, one.fixed, one.tau2) == (two.random, two.fixed, two.tau2)


@given(EFFECTS)
def test_what_is_pooled_lies_within_the_studies(effects: list[Effect]) -> None:
    pooled = pool_effects(effects, "mean_difference")
    least, most = min(one.effect for one in effects), max(one.effect for one in effects)
    for one in (pooled.fixed, pooled.random):
        assert least - 1e-9 <= one.estimate <= most + 1e-9
        assert one.low <= one.estimate <= one.high
    assert pooled.tau2 >= 0
    assert 0 <= pooled.i2 <= 100


@settings(max_examples=20, deadline=None)
@given(
    st.lists(
        st.tuples(st.integers(0, 40), st.integers(41, 300), st.integers(0, 40), st.integers(41, 300)),
        min_size=2,
        max_size=8,
    ).filter(lambda trials: sum(a + b > 0 for a, _, b, _ in trials) > 1)
)
def test_exchanged_groups_give_the_inverse(trials: list[tuple[int, int, int, int]]) -> None:
    forward = of([counts(f"{at}", *trial) for at, trial in enumerate(trials)]).pools[0]
    backward = of([swapped(f"{at}", *trial) for at, trial in enumerate(trials)]).pools[0]
    assert (forward.first, forward.second) == (backward.second, backward.first)
    assert forward.random.estimate == pytest.approx(1 / backward.random.estimate, rel=1e-9)
    assert forward.random.low == pytest.approx(1 / backward.random.high, rel=1e-9)
    assert forward.i2 == pytest.approx(backward.i2, abs=1e-6)


def swapped(name: str, a: float, n: float, b: float, m: float) -> Measurement:
    said = counts(name, a, n, b, m)
    return said.model_copy(update={"first": said.second, "second": said.first})


def test_a_comparison_the_other_way_round_is_turned() -> None:
    straight, _ = eight()
    mixed = [swapped(str(at), *trial) if at == 2 else counts(str(at), *trial) for at, trial in enumerate(COUNTS)]
    one, two = of(straight, [DRUG_LOWERS_DEATH]), of(mixed, [DRUG_LOWERS_DEATH])
    assert one.pools[0].random == two.pools[0].random
    assert one.tested[0].verdict == two.tested[0].verdict == "supported"
    turned = next(row for row in two.pools[0].studies if row.evidence == "trials:2")
    assert turned.notes == ("its groups were swapped",)


def test_a_mean_difference_and_a_standardized_one() -> None:
    said = Measurement(
        evidence="x",
        reports="means",
        first=Group(mean=5.2, sd=1.1, size=40),
        second=Group(mean=6.0, sd=1.3, size=41),
        quote="x",
    )
    plain = effect_of(said, "mean_difference")
    assert plain.effect == pytest.approx(-0.8)
    assert plain.error == pytest.approx(math.sqrt(1.1**2 / 40 + 1.3**2 / 41))
    standardized = effect_of(said, "standardized_mean_difference")
    assert (standardized.effect, standardized.error) == pytest.approx((-0.65734494724, 0.228161220505), rel=1e-9)


METAFOR: Final = {
    "risk_ratio": ((-0.357252282885, -0.561184775254, -0.153319790515), (-0.60328931262, -0.111215253149)),
    "odds_ratio": ((-0.418267097147, -0.659823111084, -0.176711083209), (-0.709695517862, -0.126838676431)),
    "risk_difference": ((-0.0442795766953, -0.0713974136201, -0.0171617397705), (-0.0769962466693, -0.0115629067213)),
}
"""Estimate and interval, and the interval of Hartung and Knapp, of the eight trials: metafor 3.8-1 with R 4.2.2, by
`rma(yi, vi, data=escalc(...), method="DL")`, with `test="z"` and with `test="adhoc"`, which never narrows it."""


@pytest.mark.parametrize("measure", ["risk_ratio", "odds_ratio", "risk_difference"])
def test_eight_trials_agree_with_metafor(measure: Measure) -> None:
    ours = pool_effects([effect_of(counts("x", *trial), measure) for trial in COUNTS], measure)
    (estimate, low, high), (adjusted_low, adjusted_high) = METAFOR[measure]
    assert ours.adjusted is not None
    found = (ours.random.estimate, ours.random.low, ours.random.high, ours.adjusted.low, ours.adjusted.high)
    theirs = (own_scale(one, measure) for one in (estimate, low, high, adjusted_low, adjusted_high))
    assert found == pytest.approx(tuple(theirs), rel=1e-9)


def test_trials_that_differ_agree_with_metafor() -> None:
    """The same call of metafor 3.8-1 as above: `rma(yi, sei=sei, method="DL", test="adhoc")`."""
    effects = zip((-0.9, 0.4, -0.3, 0.8, -1.2), (0.2, 0.25, 0.1, 0.3, 0.35), strict=True)
    ours = pool_effects([Effect(one, other, None) for one, other in effects], "mean_difference")
    assert ours.adjusted is not None
    assert (ours.random.estimate, ours.random.low, ours.random.high, ours.random.p) == pytest.approx(
        (-0.237967068358, -0.807418713934, 0.331484577218, 0.412760378644), rel=1e-9
    )
    assert (ours.adjusted.low, ours.adjusted.high, ours.adjusted.p) == pytest.approx(
        (-1.25615434099, 0.780220204272, 0.551776699467), rel=1e-9
    )
    assert (ours.tau2, ours.i2, ours.q) == pytest.approx((0.360636208501, 89.1567988617, 36.8894752479), rel=1e-9)


def test_means_on_different_scales_agree_with_metafor() -> None:
    """metafor 3.8-1: `rma(yi, vi, data=escalc("SMD", ...), method="DL")`, with `test="z"` and `test="adhoc"`."""
    (pool,) = of(list(pain())).pools
    assert (pool.measure, pool.unit, pool.count) == ("standardized_mean_difference", "", 4)
    assert format_pool_subject(pool) == "pain, exercise versus usual care"
    assert "standardized mean difference (Hedges' g) -0.75" in summarize_pool(pool)
    by_evidence = {row.evidence: row for row in pool.studies}
    effects = [by_evidence[f"trials:{at}"].effect for at in range(4)]
    assert effects == pytest.approx([-0.884539177797, -0.481462709895, -0.511108640043, -0.950012575517], rel=1e-9)
    variances = [by_evidence[f"trials:{at}"].error ** 2 for at in range(4)]
    assert variances == pytest.approx([0.0542199325262, 0.0381229202148, 0.179921381676, 0.0281766010915], rel=1e-9)
    assert (pool.random.estimate, pool.random.low, pool.random.high) == pytest.approx(
        (-0.754293085173, -1.00661635337, -0.501969816975), rel=1e-9
    )
    assert pool.adjusted is not None
    assert (pool.adjusted.low, pool.adjusted.high) == pytest.approx((-1.16399717104, -0.344588999308), rel=1e-9)
    assert (pool.tau2, pool.q) == pytest.approx((0.0161122220429, 3.94537060523), rel=1e-8)
    assert all(row.notes == ("its means were standardized",) for row in pool.studies)


def test_means_in_one_unit_stay_in_it() -> None:
    millimetres = [one for one in pain() if one.unit == "mm"]
    (pool,) = of(
        [*millimetres, millimetres[0].model_copy(update={"evidence": "trials:b", "unit": " millimetres"})]
    ).pools
    assert (pool.measure, pool.unit, pool.count) == ("mean_difference", "mm", 3)


def test_means_join_standardized_differences_that_others_report() -> None:
    reported = estimate("r", "standardized_mean_difference", -0.4, -0.7, -0.1, outcome="pain")
    reported = reported.model_copy(update={"first": Group(name="exercise"), "second": Group(name="usual care")})
    (pool,) = of([next(pain()), reported]).pools
    assert (pool.measure, pool.count) == ("standardized_mean_difference", 2)


def test_units_that_contradict_each_other_are_never_pooled() -> None:
    millimetres, points, *_ = pain()
    found = of([millimetres.model_copy(update={"unit": "kg"}), points.model_copy(update={"unit": "mmHg"})])
    assert [(pool.measure, pool.unit) for pool in found.pools] == [
        ("mean_difference", "kg"),
        ("mean_difference", "mmHg"),
    ]
    assert "pain: kg and mmHg do not measure the same thing, so one of them may be wrong" in found.apart
    molar = of([millimetres.model_copy(update={"unit": "mg/dL"}), points.model_copy(update={"unit": "mmol/L"})])
    assert [pool.measure for pool in molar.pools] == ["standardized_mean_difference"]


def test_a_correlation_is_pooled_by_fishers_z() -> None:
    said = Measurement(evidence="x", reports="correlation", value=0.45, size=120, quote="x")
    found = effect_of(said, "correlation")
    assert (found.effect, found.error) == pytest.approx((math.atanh(0.45), 1 / math.sqrt(117)))
