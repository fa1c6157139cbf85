"""The verdict on a hypothesis: its pool's interval is compared with no effect, in the expected direction.

A verdict needs at least two studies. A hypothesis that expects only a difference is never refuted: finding none does
not show that there is none.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.graphs.text import shorten_text
from elcano.plugins.analysis.analysis import (
    RATIOS,
    Direction,
    Outcome,
    Pool,
    TestedHypothesis,
    TestResult,
    summarize_pool,
)
from elcano.plugins.analysis.statistics.effects import get_null_effect
from elcano.plugins.analysis.statistics.grouping import Words, words_of

RULE: Final = (
    "A hypothesis is supported if the 95 % interval of the random-effects estimate of at least two studies lies wholly "
    "on the side of no effect that it expects, refuted if it lies wholly on the other side, and inconclusive "
    "otherwise. One that expects merely a difference is supported by an interval that leaves out no effect, and never "
    "refuted."
)
LEAST_STUDIES: Final = 2


def judge_hypothesis(hypothesis: TestedHypothesis, pools: Sequence[Pool]) -> TestResult:
    """The verdict on `hypothesis`, by the largest pool that is of its outcome and its groups."""
    fitting = [(pool, turned) for pool in pools for turned in _match_pool(hypothesis, pool)]
    if not fitting:
        reason = (
            "no study that counts reports its outcome for its groups" if pools else "no number was found that counts"
        )
        return TestResult(hypothesis=hypothesis, verdict="inconclusive", reason=reason)
    pool, turned = max(fitting, key=lambda one: (one[0].count, -one[0].number))
    if pool.count < LEAST_STUDIES:
        reason = (
            f"figures that count could be read of one study only, and one is no meta-analysis: {summarize_pool(pool)}"
        )
        return TestResult(hypothesis=hypothesis, verdict="inconclusive", reason=reason, pool=pool.number)
    verdict, why = _decide_verdict(pool, _orient_direction(hypothesis.expects, turned=turned))
    return TestResult(hypothesis=hypothesis, verdict=verdict, reason=f"{why}: {summarize_pool(pool)}", pool=pool.number)


def _match_pool(hypothesis: TestedHypothesis, pool: Pool) -> Iterator[bool]:
    """Whether a pool is of the hypothesis, and if so, whether its groups stand the other way round."""
    compares = get_null_effect(pool.measure)
    if compares is None or not _has_matching_words(words_of(hypothesis.outcome), words_of(pool.outcome)):
        return
    first, second = words_of(hypothesis.first), words_of(hypothesis.second)
    pooled = words_of(pool.first), words_of(pool.second)
    if pool.measure == "correlation" or (
        _has_matching_words(first, pooled[0]) and _has_matching_words(second, pooled[1])
    ):
        yield False
    elif _has_matching_words(first, pooled[1]) and _has_matching_words(second, pooled[0]):
        yield True


def _has_matching_words(asked: Words, found: Words) -> bool:
    """Whether one says no more than the other; nothing asked fits everything."""
    return not asked or not found or set(asked) <= set(found) or set(found) <= set(asked)


def _orient_direction(expects: Direction, *, turned: bool) -> Direction:
    if not turned or expects == "different":
        return expects
    return "higher" if expects == "lower" else "lower"


def _decide_verdict(pool: Pool, expects: Direction) -> tuple[Outcome, str]:
    nothing = get_null_effect(pool.measure)
    assert nothing is not None
    found: Direction = "lower" if pool.random.high < nothing else "higher" if pool.random.low > nothing else "different"
    at = "1" if pool.measure in RATIOS else "0"
    if found == "different":
        return "inconclusive", f"the interval holds {at}, no effect"
    side = f"the interval lies {'below' if found == 'lower' else 'above'} {at}, no effect"
    if expects == "different":
        return "supported", side
    return (
        ("supported", f"{side}, as expected") if expects == found else ("refuted", f"{side}, against what was expected")
    )


def hypothesis_from_question(question: str) -> str:
    """Return a question as the statement to test."""
    return shorten_text(" ".join(question.split()), 500) or "The question"
