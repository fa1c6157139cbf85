"""Which measurements belong together: of one outcome, one comparison, one measure and one unit, a study once.

What differs in any of these is never pooled. Outcomes and groups are the same if they consist of the same words, in
whatever form and order; a comparison that was made the other way round is turned. What is near and kept apart is told.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Final, TypeAlias

from elcano.activities.report.references import Works
from elcano.activities.text.stems import find_word_stem, list_stems
from elcano.plugins.analysis.analysis import NAMES, RATIOS, SINGLE, Measure
from elcano.plugins.analysis.statistics.effects import OF_COUNTS, Effect, NoEffect, effect_of
from elcano.plugins.analysis.statistics.measurement_check import HeldMeasurement

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
