"""A whole analysis: measurements are checked, pooled and held against hypotheses. Pure; the slow part of it is numpy.

Nothing that does not count is silent: each measurement that is left out is listed with its reason.

Effects of several studies together: fixed and random effects, and how far the studies differ.

Both weigh each study by the inverse of its variance. Between studies the variance is that of DerSimonian and Laird,
never below none. The figures are those of statsmodels, which does not bound it itself.
"""

import math
from collections.abc import Iterable, Sequence
from typing import Final

import numpy as np
import statsmodels
from numpy.typing import NDArray
from scipy import stats
from statsmodels.stats.meta_analysis import combine_effects

from elcano.activities.report.work_merge import Works
from elcano.graphs.report.works import Work, format_authors
from elcano.graphs.text import shorten_text
from elcano.storage.evidence import Evidence
from elcano.subjects.analysis.analysis import (
    MOST_LEFT_OUT,
    MOST_POOLS,
    MOST_ROWS,
    SINGLE,
    Analysis,
    CombinedEffect,
    Measure,
    OmittedMeasurement,
    Pool,
    PooledEstimate,
    StudyEffect,
    TestedHypothesis,
)
from elcano.subjects.analysis.statistics.effects import Effect, own_scale
from elcano.subjects.analysis.statistics.measurement_check import HeldMeasurement, check_measurements, left_out
from elcano.subjects.analysis.statistics.measurement_groups import Entrant, Pooling, group_measurements, list_names
from elcano.subjects.analysis.statistics.outcome_names import NameReader
from elcano.subjects.analysis.statistics.verdicts import (
    RULE,
    fits_hypothesis,
    hypothesis_from_question,
    judge_hypothesis,
    name_outcome,
)
from elcano.subjects.analysis.tool_specs import AnalyzeInput

LEVEL: Final = 0.05
LEAST_PREDICTED: Final = 3
LEAST_ASYMMETRY: Final = 10
"""With fewer studies a test for asymmetry finds nothing."""


class WeighedEffect(CombinedEffect):
    """Combined effect of several studies, with the weight of each."""

    weights: tuple[float, ...]
    """The weight of each effect in the random-effects estimate, in percent, in their order."""


def pool_effects(effects: Sequence[Effect], measure: Measure) -> WeighedEffect:
    """At least one effect, pooled. In whichever order they come, the figures are the same."""
    order = sorted(range(len(effects)), key=lambda place: (effects[place].effect, effects[place].error))
    effect = np.array([effects[place].effect for place in order])
    variance = np.array([effects[place].error ** 2 for place in order])
    many = len(order)
    if many == 1:
        only = _pool_with_normal_interval(float(effect[0]), math.sqrt(float(variance[0])), measure)
        return WeighedEffect(fixed=only, random=only, weights=(100.0,), q=0.0, q_p=None, i2=0.0, tau2=0.0)
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
    return WeighedEffect(
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


def _pool_with_normal_interval(mean: float, error: float, measure: Measure) -> PooledEstimate:
    reach = float(stats.norm.isf(LEVEL / 2)) * error
    p = None if measure in SINGLE else float(2 * stats.norm.sf(abs(mean) / error))
    return _build_pooled_estimate(mean, reach, p, measure)


def _pool_with_student_interval(mean: float, error: float, freedom: int, measure: Measure) -> PooledEstimate:
    """With the interval of Hartung, Knapp, Sidik and Jonkman, which is never narrower than the normal one here."""
    reach = float(stats.t.isf(LEVEL / 2, freedom)) * error
    p = None if measure in SINGLE else float(2 * stats.t.sf(abs(mean) / error, freedom))
    return _build_pooled_estimate(mean, reach, p, measure)


def _build_pooled_estimate(mean: float, reach: float, p: float | None, measure: Measure) -> PooledEstimate:
    low, high = own_scale(mean - reach, measure), own_scale(mean + reach, measure)
    return PooledEstimate(estimate=own_scale(mean, measure), low=low, high=high, p=p)


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


METHODS: Final = (
    "Effects are weighted by inverse variance; the between-study variance is the DerSimonian-Laird estimate. Ratios "
    "are pooled as logarithms, proportions as logits and correlations as Fisher's z; means on different scales are "
    "standardized (Hedges' g). If a count is zero, 0.5 is added to each count of that study. Computed with statsmodels "
    "{version}."
)
_NORMAL: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def run_meta_analysis(given: AnalyzeInput, evidence: Iterable[Evidence], accounts: Iterable[Work] = ()) -> Analysis:
    """Combine the measurements in `given`.

    Args:
        given: measurements, and what they are to test.
        evidence: the passages that they name, as they are stored.
        accounts: accounts of works from sources besides these passages: the same study may be in several.
    """
    passages = {passage.id: passage for passage in evidence}
    works = Works(passages.values(), accounts)
    checked = [_of_a_study(one, works) for one in check_measurements(given.measurements, passages)]
    stated = given.hypotheses or (TestedHypothesis(statement=hypothesis_from_question(given.question)),)
    names = NameReader(
        (*list_names(given.measurements), *(name for one in stated for name in _list_asked_names(one))),
        (one.quote for one in given.measurements),
    )
    groups = group_measurements([one for one in checked if isinstance(one, HeldMeasurement)], works, names)
    missing = [one for one in checked if isinstance(one, OmittedMeasurement)]
    missing += [left_out(one.measurement, reason) for one, reason in groups.refused]
    outcomes = [one.outcome for one in groups.poolings]
    asked = [name_outcome(one, outcomes, names) for one in stated]
    listed = _choose_poolings(groups.poolings, asked, names)
    pools = tuple(_build_pool(number, one, works) for number, one in enumerate(listed, start=1))
    apart = groups.apart
    if (more := len(groups.poolings) - MOST_POOLS) > 0:
        apart = (*apart, f"{more} smaller pools are not listed")
    return Analysis(
        rule=RULE,
        methods=METHODS.format(version=statsmodels.__version__),
        tested=tuple(judge_hypothesis(one, pools, names) for one in asked),
        pools=pools,
        apart=apart[:MOST_LEFT_OUT],
        left_out=tuple(missing[:MOST_LEFT_OUT]),
        measurements=len(given.measurements),
        left_out_count=len(missing),
    )


def _choose_poolings(
    poolings: Sequence[Pooling], asked: Iterable[TestedHypothesis], names: NameReader
) -> Sequence[Pooling]:
    """The largest, and the one that decides each hypothesis, however small it is; in their order."""
    deciding = (
        next((place for place, one in enumerate(poolings) if fits_hypothesis(hypothesis, one, names)), 0)
        for hypothesis in asked
    )
    chosen = list(dict.fromkeys((*deciding, *range(len(poolings)))))[:MOST_POOLS]
    return [poolings[place] for place in sorted(chosen) if poolings]


def _list_asked_names(hypothesis: TestedHypothesis) -> tuple[str, ...]:
    return hypothesis.outcome or hypothesis.statement, hypothesis.first, hypothesis.second


def _of_a_study(one: HeldMeasurement | OmittedMeasurement, works: Works) -> HeldMeasurement | OmittedMeasurement:
    """A measurement that holds, unless it stands in a review: that is no study, and its own may be among the others."""
    known = works.of(one.passage) if isinstance(one, HeldMeasurement) else None
    if isinstance(one, HeldMeasurement) and known is not None and known.work.kind == "review":
        return left_out(one.measurement, "it is from a review, which is not a study of its own")
    return one


def _build_pool(number: int, pooling: Pooling, works: Works) -> Pool:
    effects = [one.effect for one in pooling.entrants]
    found = pool_effects(effects, pooling.measure)
    rows = sorted(
        (
            _build_study_effect(one, weight, pooling, works)
            for one, weight in zip(pooling.entrants, found.weights, strict=True)
        ),
        key=lambda row: (-row.weight, row.study, row.evidence),
    )
    return Pool(
        number=number,
        outcome=pooling.outcome,
        first=pooling.first,
        second=pooling.second,
        measure=pooling.measure,
        unit=pooling.unit,
        studies=tuple(rows[:MOST_ROWS]),
        count=len(rows),
        **found.model_dump(exclude={"weights"}),
    )


def _build_study_effect(one: Entrant, weight: float, pooling: Pooling, works: Works) -> StudyEffect:
    effect, error, measure = one.effect.effect, one.effect.error, pooling.measure
    return StudyEffect(
        evidence=one.held.passage.id,
        study=_format_study_name(one.held, works),
        quote=one.held.measurement.quote,
        start=one.held.start,
        end=one.held.end,
        content_hash=one.held.passage.content_hash,
        estimate=own_scale(effect, measure),
        low=own_scale(effect - _NORMAL * error, measure),
        high=own_scale(effect + _NORMAL * error, measure),
        effect=effect,
        error=error,
        weight=weight,
        p=one.effect.p,
        notes=one.effect.notes,
    )


def _format_study_name(held: HeldMeasurement, works: Works) -> str:
    """Return a study's usual name: as its passage gives it, authors and year, or the title of the document it is in."""
    if held.measurement.study and held.measurement.study in held.measurement.quote:
        return shorten_text(held.measurement.study, 80)
    known = works.of(held.passage)
    by = format_authors(known.work.authors, most=1) if known else ""
    year = str(known.work.year) if known and known.work.year else ""
    return shorten_text(f"{by} {year}".strip() if by else held.passage.title, 80) or "untitled"


def summarize_analysis(analysis: Analysis) -> str:
    """Summarise verdicts and figures in sentences, for the agent that writes about them."""
    lines = [
        "Code computed this from the figures that were found, and a section of the report that code writes tells it; "
        "what is said of it elsewhere needs no more than the verdict:"
    ]
    lines += [f"{one.hypothesis.statement} Verdict: {one.verdict}, for {one.reason}." for one in analysis.tested]
    if analysis.left_out_count:
        of = f"{analysis.left_out_count} of {analysis.measurements} measurements"
        lines.append(f"{of} do not count and were left out.")
    return shorten_text(" ".join(lines), 4_000)
