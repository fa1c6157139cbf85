"""A whole analysis: measurements are checked, pooled and held against hypotheses. Pure; the slow part of it is numpy.

Nothing that does not count is silent: each measurement that is left out is listed with its reason.
"""

from collections.abc import Iterable
from typing import Final

import statsmodels

from elcano.activities.analysis.effects import own_scale
from elcano.activities.analysis.grouping import Entrant, Pooling, group_measurements
from elcano.activities.analysis.measurement_check import Desk, Held, left_out
from elcano.activities.analysis.pooling import pool_effects
from elcano.activities.analysis.verdicts import RULE, hypothesis_from_question, judge_hypothesis
from elcano.activities.report.work_accounts import Works
from elcano.graphs.references.reference_text import format_authors
from elcano.graphs.shortening import shorten_text
from elcano.graphs.values.analysis import (
    MOST_LEFT_OUT,
    MOST_POOLS,
    MOST_ROWS,
    Analysis,
    AnalyzeInput,
    LeftOut,
    Pool,
    StudyEffect,
    TestedHypothesis,
)
from elcano.graphs.values.work_metadata import Work
from elcano.storage.evidence import Evidence

METHODS: Final = (
    "Effects are weighed by the inverse of their variance; the variance between studies is that of DerSimonian and "
    "Laird. Ratios are pooled as logarithms, proportions as logits, correlations as Fisher's z. Where a count is zero, "
    "0.5 is added to each count of that study. Computed with statsmodels {version}."
)
_NORMAL: Final = 1.959963984540054
"""The 97.5 % point of the normal distribution."""


def run_meta_analysis(given: AnalyzeInput, evidence: Iterable[Evidence], accounts: Iterable[Work] = ()) -> Analysis:
    """What `given` says together.

    Args:
        given: measurements, and what they are to test.
        evidence: the passages that they name, as they are stored.
        accounts: what sources told of works beside these passages: the same study may be in several.
    """
    passages = {passage.id: passage for passage in evidence}
    works = Works(passages.values(), accounts)
    desk = Desk(passages)
    checked = [_of_a_study(desk.check(one), works) for one in given.measurements]
    groups = group_measurements([one for one in checked if isinstance(one, Held)], works)
    missing = [one for one in checked if isinstance(one, LeftOut)]
    missing += [left_out(one.measurement, reason) for one, reason in groups.refused]
    pools = tuple(_build_pool(number, one, works) for number, one in enumerate(groups.poolings[:MOST_POOLS], start=1))
    apart = groups.apart
    if (more := len(groups.poolings) - MOST_POOLS) > 0:
        apart = (*apart, f"{more} further pools, each of no more studies than the last one shown, are not listed")
    asked = given.hypotheses or (TestedHypothesis(statement=hypothesis_from_question(given.question)),)
    return Analysis(
        rule=RULE,
        methods=METHODS.format(version=statsmodels.__version__),
        tested=tuple(judge_hypothesis(one, pools) for one in asked),
        pools=pools,
        apart=apart[:MOST_LEFT_OUT],
        left_out=tuple(missing[:MOST_LEFT_OUT]),
        measurements=len(given.measurements),
        left_out_count=len(missing),
    )


def _of_a_study(one: Held | LeftOut, works: Works) -> Held | LeftOut:
    """A measurement that holds, unless it stands in a review: that is no study, and its own may be among the others."""
    known = works.of(one.passage) if isinstance(one, Held) else None
    if isinstance(one, Held) and known is not None and known.work.kind == "review":
        return left_out(one.measurement, "it stands in a review, which is no study of its own")
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
        fixed=found.fixed,
        random=found.random,
        adjusted=found.adjusted,
        q=found.q,
        q_p=found.q_p,
        i2=found.i2,
        tau2=found.tau2,
        predicted=found.predicted,
        asymmetry_p=found.asymmetry_p,
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


def _format_study_name(held: Held, works: Works) -> str:
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
