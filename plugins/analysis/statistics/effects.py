"""From measurements to effects with their errors, and which of these belong together.

Ratios are pooled as logarithms, proportions as logits, correlations as Fisher's z, all else as it is. An error comes
from the interval, from the counts or means themselves, or, where a passage gives no more, from an exact p-value.

What is pooled is of one outcome, one comparison, one measure and one unit, a study once. Outcomes and groups are the
same if they consist of the same words, in whatever form and order; a comparison that was made the other way round is
turned. What is near and kept apart is told.
"""

import math
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cache
from typing import Final, TypeAlias

import numpy as np
from scipy import stats
from statsmodels.stats.meta_analysis import effectsize_2proportions, effectsize_smd
from statsmodels.stats.proportion import test_proportions_2indep

from elcano.activities.report.work_merge import Works
from elcano.activities.text.stems import find_word_stem, list_stems
from elcano.activities.text.units import SHARE
from elcano.plugins.analysis.analysis import NAMES, RATIOS, SINGLE, Group, Measure, Measurement
from elcano.plugins.analysis.statistics.measurement_check import HeldMeasurement

CORRECTION: Final = 0.5
"""Added to each cell of a table with an empty one; without it there is no ratio and no error."""
_LARGEST: Final = 1e12
"""Effects and errors beyond that, which nothing measured has, would make figures of a pool overflow."""
_STATISTICS: Final = {"odds_ratio": "odds-ratio", "risk_ratio": "risk-ratio", "risk_difference": "diff"}
OF_COUNTS: Final[tuple[Measure, ...]] = ("risk_ratio", "odds_ratio", "risk_difference")
"""What counts of two groups can give; the first where nothing else is reported."""


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
    if one.reports == "counts":
        found = _of_proportion(one.first) if measure == "proportion" else _of_counts(one.first, one.second, measure)
    elif one.reports == "means":
        found = _of_mean(one.first) if measure == "mean" else _of_means(one.first, one.second, measure)
    else:
        found = _of_estimate(one, measure)
    if not (abs(found.effect) < _LARGEST and 1 / _LARGEST < found.error < _LARGEST):
        raise NoEffect("its effect or standard error is not finite, or implausibly large")
    return found


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
    p = float(stats.ttest_ind_from_stats(*both, equal_var=False).pvalue)
    if measure == "standardized_mean_difference":
        if both[2] + both[5] < 5:
            raise NoEffect("its groups are too small for a standardized difference")
        effect, variance = effectsize_smd(*map(np.float64, both))
        return Effect(float(effect), math.sqrt(float(variance)), p)
    error = math.sqrt(both[1] ** 2 / both[2] + both[4] ** 2 / both[5])
    return Effect(both[0] - both[3], error, p)


def _require_all_numbers(*numbers: float | None) -> tuple[float, ...]:
    found = tuple(number for number in numbers if number is not None)
    if len(found) < len(numbers):
        raise NoEffect("a number that it needs is missing")
    return found


def _compute_p_value(effect: float, error: float) -> float:
    return float(2 * stats.norm.sf(abs(effect) / error)) if error > 0 else math.nan


Words: TypeAlias = tuple[str, ...]
"""The stems of a text, each once, sorted: what makes two names the same."""
_KIN: Final = (("mortality", "death", "died"),)
"""Words that name one outcome whatever is studied."""
_UNITLESS: Final = frozenset({*RATIOS, "standardized_mean_difference", "correlation", "proportion", "risk_difference"})


@dataclass(frozen=True)
class Entrant:
    """A measurement with its effect, of one study of one pool."""

    held: HeldMeasurement
    effect: Effect


@dataclass(frozen=True)
class Pooling:
    """Measurements to pool: one outcome and comparison, in one measure and unit."""

    outcome: str
    first: str
    second: str
    measure: Measure
    unit: str
    entrants: tuple[Entrant, ...]


@dataclass(frozen=True)
class MeasurementGroups:
    """Everything that can be pooled, and why the rest cannot."""

    poolings: tuple[Pooling, ...]
    """The largest first."""
    apart: tuple[str, ...]
    """Sentences on what was not pooled with each other."""
    refused: tuple[tuple[HeldMeasurement, str], ...]
    """Measurements that hold and can be in no pool, with the reason."""


def words_of(text: str) -> Words:
    """What tells an outcome or a group apart from another."""
    known = _one_word()
    return tuple(sorted({known.get(word, word) for word in list_stems(text)})) or tuple(
        sorted(set(text.lower().split()))
    )


@cache
def _one_word() -> dict[str, str]:
    """The stems of words for one outcome, with the one that stands for all of them."""
    return {find_word_stem(word): find_word_stem(group[0]) for group in _KIN for word in group}


def group_measurements(held: Sequence[HeldMeasurement], works: Works) -> MeasurementGroups:
    """The measurements by what they can be pooled with; their order makes no difference."""
    refused: list[tuple[HeldMeasurement, str]] = []
    by_comparison: dict[tuple[Words, Words, Words], list[tuple[HeldMeasurement, bool]]] = defaultdict(list)
    for one in sorted(held, key=_rank_by_completeness):
        if not words_of(one.measurement.outcome):
            refused.append((one, "it does not say which outcome its numbers are for"))
            continue
        key, turned = _build_comparison_key(one)
        if not _is_single_group(one) and not key[1] and not key[2]:
            refused.append((one, "it does not say what was compared with what"))
            continue
        by_comparison[key].append((one, turned))
    poolings: list[Pooling] = []
    apart: list[str] = []
    for members in by_comparison.values():
        found = list(_by_measure(members, works, refused))
        poolings += found
        apart += _kept_apart(found)
    poolings.sort(key=lambda one: (-len(one.entrants), one.outcome, one.first, one.measure, one.unit))
    return MeasurementGroups(tuple(poolings), (*apart, *_find_overlapping_outcomes(poolings)), tuple(refused))


def _rank_by_completeness(one: HeldMeasurement) -> tuple[int, str, str, str, str]:
    """The fullest first, so that of a study's measurements always the same one counts."""
    said = one.measurement
    rank = 0 if said.reports in ("counts", "means") else 1 if said.low is not None else 2
    return rank, said.evidence, said.quote, said.outcome, said.model_dump_json()


def _is_single_group(one: HeldMeasurement) -> bool:
    """Whether a measurement is of one group."""
    said = one.measurement
    return said.reports == "correlation" or (said.reports in ("counts", "means") and said.second.size is None)


def _build_comparison_key(one: HeldMeasurement) -> tuple[tuple[Words, Words, Words], bool]:
    """Outcome and groups, in an order that does not depend on which is called first, and whether that turned them."""
    said = one.measurement
    outcome, first, second = words_of(said.outcome), words_of(said.first.name), words_of(said.second.name)
    if said.reports == "correlation":
        return (outcome, (), ()), False
    if _is_single_group(one):
        return (outcome, first, ("(alone)",)), False
    if first and second and second < first:
        return (outcome, second, first), True
    return (outcome, first, second), False


def _by_measure(
    members: Sequence[tuple[HeldMeasurement, bool]], works: Works, refused: list[tuple[HeldMeasurement, str]]
) -> Iterator[Pooling]:
    """The pools of one outcome and one comparison."""
    ratio = _measure_of_counts(members)
    turns = Counter(turned for _, turned in members)
    against = turns[True] > turns[False]
    pools: dict[tuple[Measure, str], list[tuple[HeldMeasurement, Entrant]]] = defaultdict(list)
    seen: dict[tuple[object, ...], set[object]] = defaultdict(set)
    for one, turned in members:
        measure = _choose_measure(one, ratio)
        # Spelling and spaces of a unit make no difference, case does (mM is no MM).
        unit = "" if measure in _UNITLESS else " ".join(one.measurement.unit.split())
        study = _build_study_key(one, works)
        if study in seen[measure, unit]:
            refused.append((one, "another measurement of the same study is already used for this outcome"))
            continue
        try:
            effect = effect_of(one.measurement, measure)
        except NoEffect as error:
            refused.append((one, str(error)))
            continue
        seen[measure, unit].add(study)
        pools[measure, unit].append((one, Entrant(one, effect.turned() if turned != against else effect)))
    for (measure, unit), found in pools.items():
        entrants = tuple(entrant for _, entrant in found)
        names = sorted((one.measurement for one, entrant in found), key=lambda said: said.model_dump_json())
        said = next((one for one in names if _is_forward(one.first.name, one.second.name) != against), names[0])
        yield Pooling(
            outcome=_find_commonest_text(one.outcome for one in names),
            first=said.first.name,
            second=said.second.name if measure not in SINGLE and measure != "correlation" else "",
            measure=measure,
            unit=unit,
            entrants=entrants,
        )


def _is_forward(first: str, second: str) -> bool:
    one, other = words_of(first), words_of(second)
    return not (one and other and other < one)


def _measure_of_counts(members: Iterable[tuple[HeldMeasurement, bool]]) -> Measure:
    """What counts are turned into: what most of the others report, so that they can be pooled with these."""
    told: Counter[str] = Counter(one.measurement.reports for one, _ in members)
    return max(OF_COUNTS, key=lambda measure: (told[measure], -OF_COUNTS.index(measure)))


def _choose_measure(one: HeldMeasurement, of_counts: Measure) -> Measure:
    said = one.measurement
    if said.reports == "counts":
        return "proportion" if _is_single_group(one) else of_counts
    if said.reports == "means":
        return "mean" if _is_single_group(one) else "mean_difference"
    return said.reports


def _build_study_key(one: HeldMeasurement, works: Works) -> tuple[object, ...]:
    """What tells studies apart: the work, and within it the name of a study that its own words say."""
    name = one.measurement.study
    named = words_of(name) if name and name in one.measurement.quote else ()
    return (*works.key(one.passage), named)


def _find_commonest_text(texts: Iterable[str]) -> str:
    counts = Counter(texts)
    return min(counts, key=lambda text: (-counts[text], text))


def _kept_apart(found: Sequence[Pooling]) -> Iterator[str]:
    """Pools of one outcome and comparison that differ in measure or unit."""
    if len(found) < 2:
        return
    told = sorted(f"{NAMES[one.measure]}{f' in {one.unit}' if one.unit else ''} ({len(one.entrants)})" for one in found)
    yield f"{found[0].outcome}: not pooled with each other because measures or units differ: {'; '.join(told)}"


def _find_overlapping_outcomes(poolings: Sequence[Pooling]) -> Iterator[str]:
    """Outcomes whose words hold all of another's: a reader would look for them in one pool."""
    by_words = {words_of(one.outcome): one.outcome for one in poolings}
    for words, outcome in sorted(by_words.items()):
        wider = [other for longer, other in sorted(by_words.items()) if set(words) < set(longer)]
        if wider:
            yield f"{outcome}: not pooled with {', '.join(wider)}, which may be a different outcome"
