"""Verdicts on hypotheses from pools.

A verdict compares its pool's interval with no effect, in the expected direction, and needs at least two studies. A
hypothesis that expects only a difference is never refuted: finding none does not show that there is none.

It is of the outcome and the groups that the hypothesis names, and of no others: what lowers strokes may well raise
haemorrhagic ones. Pools of names that have more words, or fewer, are mentioned in its reason.
"""

from collections.abc import Iterable, Sequence
from typing import Final

from elcano.graphs.text import format_count, shorten_text
from elcano.subjects.analysis.analysis import (
    RATIOS,
    Direction,
    Outcome,
    Pool,
    PooledEstimate,
    TestedHypothesis,
    TestResult,
    format_figure,
    summarize_pool,
)
from elcano.subjects.analysis.statistics.effects import get_null_effect
from elcano.subjects.analysis.statistics.measurement_groups import Pooling
from elcano.subjects.analysis.statistics.outcome_names import NameReader

RULE: Final = (
    "A hypothesis is supported if the 95 % interval of the random-effects estimate from at least two studies lies "
    "entirely on the expected side of no effect, refuted if it lies entirely on the other side, and inconclusive "
    "otherwise. A hypothesis that expects only a difference is supported if the interval excludes no effect; it is "
    "never refuted. Only studies of the outcome and the groups that it names decide it. Where the wider interval of "
    "Hartung and Knapp would decide otherwise, this is stated."
)
LEAST_STUDIES: Final = 2
_MOST_MENTIONED: Final = 3
"""Pools other than the one that decides."""


def name_outcome(hypothesis: TestedHypothesis, outcomes: Iterable[str], names: NameReader) -> TestedHypothesis:
    """The hypothesis with the one of the outcomes that its statement mentions, unless it names one itself."""
    if names.words_of(hypothesis.outcome):
        return hypothesis
    mentioned = names.find_mentioned_names(hypothesis.statement, outcomes)
    return hypothesis.model_copy(update={"outcome": mentioned[0]}) if len(mentioned) == 1 else hypothesis


def judge_hypothesis(hypothesis: TestedHypothesis, pools: Sequence[Pool], names: NameReader) -> TestResult:
    """The verdict on `hypothesis`, by the largest pool that is of its outcome and its groups.

    Args:
        hypothesis: what is tested; a name that it leaves out fits every pool.
        pools: all of the analysis, the largest first.
        names: made with the names of the hypothesis and of the pools.
    """
    compared = [pool for pool in pools if get_null_effect(pool.measure) is not None]
    fitting = [(pool, turned) for pool in compared if (turned := _match_pool(hypothesis, pool, names)) is not None]
    near = [pool for pool in compared if _is_near(hypothesis, pool, names)]
    others = [pool for pool in near if all(pool is not one for one, _ in fitting)]
    mentioned = _mention_pools("not counted, since other words may name another outcome or group", others)
    if unnamed := _find_unnamed(hypothesis, [one for one, _ in fitting], names):
        reason = f"it does not name {unnamed}, and studies report several{mentioned}"
        return TestResult(hypothesis=hypothesis, verdict="inconclusive", reason=reason)
    if not fitting:
        reason = "no usable study reports its outcome for its groups" if pools else "no usable number was found"
        return TestResult(hypothesis=hypothesis, verdict="inconclusive", reason=reason + mentioned)
    pool, turned = max(fitting, key=lambda one: (one[0].count, -one[0].number))
    mentioned = _mention_pools("also", [one for one, _ in fitting if one is not pool]) + mentioned
    if pool.count < LEAST_STUDIES:
        reason = f"only one study has usable figures, and a meta-analysis needs two: {summarize_pool(pool)}{mentioned}"
        return TestResult(hypothesis=hypothesis, verdict="inconclusive", reason=reason, pool=pool.number)
    expects = _orient_direction(hypothesis.expects, turned=turned)
    verdict, why = _decide_verdict(pool, pool.random, expects)
    reason = f"{why}: {summarize_pool(pool)}{_compare_with_adjusted(pool, verdict, expects)}{mentioned}"
    return TestResult(hypothesis=hypothesis, verdict=verdict, reason=reason, pool=pool.number)


def fits_hypothesis(hypothesis: TestedHypothesis, pool: Pool | Pooling, names: NameReader) -> bool:
    """Whether studies are of the outcome and the groups of a hypothesis, so that they can decide it."""
    return get_null_effect(pool.measure) is not None and _match_pool(hypothesis, pool, names) is not None


def _find_unnamed(hypothesis: TestedHypothesis, fitting: Sequence[Pool], names: NameReader) -> str:
    """Name the details that a hypothesis would need, as several pools fit; empty if none."""
    if not names.words_of(hypothesis.outcome) and len({names.words_of(pool.outcome) for pool in fitting}) > 1:
        return "its outcome"
    groups = {tuple(sorted(map(names.words_of, (pool.first, pool.second)))) for pool in fitting}
    return "its groups" if not names.words_of(hypothesis.first) and len(groups) > 1 else ""


def _match_pool(hypothesis: TestedHypothesis, pool: Pool | Pooling, names: NameReader) -> bool | None:
    """Whether the groups of a pool stand the other way round than those of the hypothesis; None: it is of others."""
    if not _is_same_name(hypothesis.outcome, pool.outcome, names):
        return None
    asked = hypothesis.first, hypothesis.second
    if pool.measure == "correlation" or _are_same_groups(asked, (pool.first, pool.second), names):
        return False
    return True if _are_same_groups(asked, (pool.second, pool.first), names) else None


def _are_same_groups(asked: Iterable[str], pooled: Iterable[str], names: NameReader) -> bool:
    return all(
        not names.words_of(two) or _is_same_name(one, two, names) for one, two in zip(asked, pooled, strict=True)
    )


def _is_same_name(asked: str, found: str, names: NameReader) -> bool:
    return not names.words_of(asked) or names.words_of(asked) == names.words_of(found)


def _is_near(hypothesis: TestedHypothesis, pool: Pool, names: NameReader) -> bool:
    """Whether each name of a pool has all words of the one that is asked for, or the other way round."""
    asked = hypothesis.first, hypothesis.second
    return names.may_overlap(hypothesis.outcome, pool.outcome) and (
        pool.measure == "correlation"
        or any(
            all(names.may_overlap(one, two) for one, two in zip(asked, groups, strict=True))
            for groups in ((pool.first, pool.second), (pool.second, pool.first))
        )
    )


def _mention_pools(why: str, pools: Sequence[Pool]) -> str:
    if not pools:
        return ""
    listed = "; ".join(summarize_pool(pool) for pool in pools[:_MOST_MENTIONED])
    more = f"; and {format_count(len(pools) - _MOST_MENTIONED, 'more pool')}" if len(pools) > _MOST_MENTIONED else ""
    return f"; {why}: {listed}{more}"


def _orient_direction(expects: Direction, *, turned: bool) -> Direction:
    if not turned or expects == "different":
        return expects
    return "higher" if expects == "lower" else "lower"


def _decide_verdict(pool: Pool, estimate: PooledEstimate, expects: Direction) -> tuple[Outcome, str]:
    nothing = get_null_effect(pool.measure)
    assert nothing is not None
    found: Direction = "lower" if estimate.high < nothing else "higher" if estimate.low > nothing else "different"
    at = "1" if pool.measure in RATIOS else "0"
    if found == "different":
        return "inconclusive", f"the interval includes {at} (no effect)"
    side = f"the interval lies {'below' if found == 'lower' else 'above'} {at} (no effect)"
    if expects == "different":
        return "supported", side
    return (
        ("supported", f"{side}, as expected")
        if expects == found
        else ("refuted", f"{side}, contrary to what was expected")
    )


def _compare_with_adjusted(pool: Pool, verdict: Outcome, expects: Direction) -> str:
    """Compare with the verdict by the interval of Hartung and Knapp, if it differs."""
    if pool.adjusted is None:
        return ""
    other, _ = _decide_verdict(pool, pool.adjusted, expects)
    if other == verdict:
        return ""
    interval = f"{format_figure(pool.adjusted.low)} to {format_figure(pool.adjusted.high)}"
    return f"; by the Hartung-Knapp interval, {interval}, it would be {other}"


def hypothesis_from_question(question: str) -> str:
    """Return a question as the statement to test."""
    return shorten_text(" ".join(question.split()), 500) or "The question"
