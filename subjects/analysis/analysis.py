"""Numbers that were read out of passages, and what statistics made of them.

A measurement is what one passage reports of one outcome, with the words that say so. It counts only if code finds its
words in the passage and each of its numbers in these words; one that does not hold is named and left out.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.text import format_count

Measure: TypeAlias = Literal[
    "odds_ratio",
    "risk_ratio",
    "hazard_ratio",
    "risk_difference",
    "mean_difference",
    "standardized_mean_difference",
    "correlation",
    "proportion",
    "mean",
]
"""The measure of an effect. `proportion` and `mean` are of one group and compare nothing."""
Reported: TypeAlias = Literal[
    "odds_ratio",
    "risk_ratio",
    "hazard_ratio",
    "risk_difference",
    "mean_difference",
    "standardized_mean_difference",
    "correlation",
    "counts",
    "means",
]
"""Kind of a passage's numbers: an estimate of a measure, or what one is computed from. `counts`: how many of how many
in each group. `means`: mean, standard deviation and size of each group. With one group alone these give a `proportion`
and a `mean`."""
Outcome: TypeAlias = Literal["supported", "refuted", "inconclusive"]
Direction: TypeAlias = Literal["lower", "higher", "different"]
"""Direction that a hypothesis expects of the first group compared with the second, or of a correlation: below or above
no effect, or either."""

RATIOS: Final[frozenset[str]] = frozenset({"odds_ratio", "risk_ratio", "hazard_ratio"})
"""Measures that are pooled as logarithms, and whose value without an effect is 1."""
SINGLE: Final[frozenset[str]] = frozenset({"proportion", "mean"})
"""Measures of one group, which no value is without an effect of."""
NAMES: Final[dict[str, str]] = {
    "odds_ratio": "odds ratio",
    "risk_ratio": "risk ratio",
    "hazard_ratio": "hazard ratio",
    "risk_difference": "risk difference",
    "mean_difference": "mean difference",
    "standardized_mean_difference": "standardized mean difference (Hedges' g)",
    "correlation": "correlation",
    "proportion": "proportion",
    "mean": "mean",
}
ATTACHED: Final = "analysis"
"""The name of an `Analysis` among the attachments of drafts and reports."""
MOST_MEASUREMENTS: Final = 10_000
MOST_POOLS: Final = 20
MOST_ROWS: Final = 500
"""Studies of one pool that are listed; the others count all the same."""
MOST_LEFT_OUT: Final = 200
MOST_HYPOTHESES: Final = 8


class Group(Frozen):
    """One group of a study. Numbers are as its words have them, never computed; None: they do not say."""

    name: str = Field(default="", max_length=200, description="As the passage calls it: `aspirin`, `placebo`.")
    size: float | None = Field(default=None, allow_inf_nan=False, description="How many were in it.")
    events: float | None = Field(default=None, allow_inf_nan=False, description="How many of them had the outcome.")
    percent: float | None = Field(
        default=None, allow_inf_nan=False, description="The share with the outcome in percent, if it is stated."
    )
    mean: float | None = Field(default=None, allow_inf_nan=False)
    sd: float | None = Field(default=None, allow_inf_nan=False, description="Standard deviation, no standard error.")


class Measurement(Frozen):
    """The numbers that one passage reports on one outcome."""

    evidence: str = Field(max_length=300, description="The key of the passage.")
    outcome: str = Field(default="", max_length=200, description="What was measured, in the passage's words.")
    reports: Reported = Field(description="What the numbers are.")
    value: float | None = Field(default=None, allow_inf_nan=False, description="The estimate.")
    low: float | None = Field(default=None, allow_inf_nan=False, description="Where its interval begins.")
    high: float | None = Field(default=None, allow_inf_nan=False, description="Where its interval ends.")
    level: float = Field(default=95, gt=50, lt=100, description="Of the interval, in percent.")
    p: float | None = Field(default=None, allow_inf_nan=False, description="Only if it is given as equal to a number.")
    size: float | None = Field(default=None, allow_inf_nan=False, description="Of a correlation: of how many.")
    unit: str = Field(default="", max_length=60, description="Of means and of their differences; `%` of a share.")
    first: Group = Field(default=Group(), description="The group whose treatment is studied.")
    second: Group = Field(default=Group(), description="What it is compared with.")
    study: str = Field(default="", max_length=200, description="The study's name, where a passage tells of several.")
    quote: str = Field(max_length=2_000, description="The literal words that hold all of these numbers.")


class TestedHypothesis(Frozen):
    """The hypothesis to test."""

    statement: str = Field(min_length=1, max_length=500)
    outcome: str = Field(default="", max_length=200, description="The outcome that decides it, in the passages' words.")
    first: str = Field(default="", max_length=200, description="The treatment, or the group that is studied.")
    second: str = Field(default="", max_length=200, description="What it is compared with.")
    expects: Direction = Field(default="different", description="Of the outcome in the first group, beside the second.")


class Extraction(Frozen):
    """Measurements that an analyst extracts from passages."""

    hypotheses: tuple[TestedHypothesis, ...] = Field(default=(), max_length=MOST_HYPOTHESES)
    measurements: tuple[Measurement, ...] = Field(default=(), max_length=500)


class OmittedMeasurement(Frozen):
    """A measurement that does not count, and why."""

    evidence: str
    outcome: str
    quote: str
    reason: str
    """One clause without a full stop."""


class StudyEffect(Frozen):
    """One study of a pool. Estimate and interval are on the measure's own scale."""

    evidence: str
    study: str
    """Its short name: authors and year, or the title of the work that reports it."""
    quote: str
    start: int
    """Offset of the quote in the stored text, in characters."""
    end: int
    content_hash: str
    estimate: float
    low: float
    high: float
    effect: float
    """On the scale on which it is pooled: the logarithm of a ratio, the logit of a proportion, Fisher's z of a
    correlation, and otherwise the estimate."""
    error: float
    """The standard error of `effect`."""
    weight: float
    """Its share of the random-effects estimate, in percent; the shares of a pool are 100 together."""
    p: float | None = None
    """The p-value of the test in this study alone, two-sided; None: for one group."""
    notes: tuple[str, ...] = ()
    """Adjustments that made its numbers comparable: a correction for zero events, groups that were exchanged."""
    number: int | None = None
    """The number of its reference in the report; None: it has none."""


class PooledEstimate(Frozen):
    """An estimate over all studies of a pool, on the measure's own scale."""

    estimate: float
    low: float
    high: float
    """The upper end of the 95 % interval."""
    p: float | None
    """Two-sided, against no effect; None: of measures that compare nothing."""


class CombinedEffect(Frozen):
    """Combined effect of several studies."""

    fixed: PooledEstimate
    random: PooledEstimate
    """By DerSimonian and Laird; of one study its own figures."""
    adjusted: PooledEstimate | None = None
    """The random-effects estimate with the interval of Hartung, Knapp, Sidik and Jonkman; None: of one study."""
    q: float
    """Cochran's Q."""
    q_p: float | None
    """The p-value of Q against chi-squared; None: for one study."""
    i2: float
    """The share of the variation that is between studies, in percent."""
    tau2: float
    """Its variance, on the scale on which effects are pooled."""
    predicted: tuple[float, float] | None = None
    """Interval of the effect of a further study, with 95 %; None: of less than three studies."""
    asymmetry_p: float | None = None
    """The p-value of Begg's rank correlation between effects and their variances; None: for fewer than ten studies."""


class Pool(CombinedEffect):
    """Studies of one outcome, one comparison, one measure and one unit, and what they say together."""

    number: int
    outcome: str
    first: str
    second: str
    measure: Measure
    unit: str
    studies: tuple[StudyEffect, ...]
    """The heaviest first, at most 500."""
    count: int
    """Number of studies."""
    plot: str = ""
    """The artifact hash of its forest plot (SVG)."""


class TestResult(Frozen):
    """The verdict on a hypothesis."""

    hypothesis: TestedHypothesis
    verdict: Outcome
    reason: str
    """With the figures, one sentence."""
    pool: int | None = None
    """The number of the pool that decided it; None: none could."""


class Analysis(Frozen):
    """All that an analysis found. It is kept as an artifact; the state of a run holds its digest."""

    rule: str
    """Rule by which verdicts are found, in sentences."""
    methods: str
    """The methods of the figures, and the library that computed them."""
    tested: tuple[TestResult, ...] = ()
    pools: tuple[Pool, ...] = ()
    """The largest first."""
    apart: tuple[str, ...] = ()
    """Measurements that were not pooled, with reasons, in sentences."""
    left_out: tuple[OmittedMeasurement, ...] = ()
    measurements: int = 0
    """Number of given measurements."""
    left_out_count: int = 0

    @property
    def evidence(self) -> tuple[str, ...]:
        """The ids of the passages that its studies are from, each once."""
        return tuple(dict.fromkeys(one.evidence for pool in self.pools for one in pool.studies))


def format_figure(value: float) -> str:
    """A figure with two to four digits behind its point; in powers of ten only if it is huge or tiny."""
    if value == 0 or 0.001 <= abs(value) < 100_000:
        text = f"{value:.{2 if abs(value) >= 0.1 else 4}f}"
        return "0.00" if float(text) == 0 else text
    return f"{value:.3g}"


def told_p(p: float) -> str:
    """A p-value as people write it, with its sign."""
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def format_estimate(one: PooledEstimate, unit: str = "") -> str:
    """An estimate with its interval and, if it is held against no effect, its p-value."""
    p = f", p {told_p(one.p)}" if one.p is not None else ""
    return (
        f"{format_figure(one.estimate)}{f' {unit}' if unit else ''} (95 % interval "
        f"{format_figure(one.low)} to {format_figure(one.high)}{p})"
    )


def format_pool_subject(pool: Pool) -> str:
    """Name the subject of a pool: its outcome, and the groups that are compared."""
    groups = " versus ".join(filter(None, (pool.first, pool.second)))
    return f"{pool.outcome}{f', {groups}' if groups else ''}"


def summarize_pool(pool: Pool) -> str:
    """Summarize the result of a pool in one clause."""
    between = f", I² {pool.i2:.0f} %, tau² {pool.tau2:.4g}" if pool.count > 1 else ""
    studies = format_count(pool.count, "study", "studies")
    return (
        f"{format_pool_subject(pool)}: {NAMES[pool.measure]} "
        f"{format_estimate(pool.random, pool.unit)} over {studies}{between}"
    )


def plot_title(pool: Pool) -> str:
    """Return the title of the forest plot of a pool, in one line."""
    return f"Forest plot: {format_pool_subject(pool)}, {NAMES[pool.measure]}"


def plot_path(pool_number: int) -> str:
    """Return the path of a plot, next to the report of its run."""
    return f"analysis/plots/{pool_number}.svg"
