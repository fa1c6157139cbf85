"""Which effects belong together: those of one outcome, one comparison, one measure and one unit, a study once.

Names are compared by `NameReader`; a comparison that was made the other way round is turned. Means on different scales
are pooled as standardized differences. What is near and kept apart is listed with the reason.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Final

from elcano.activities.report.work_merge import Works
from elcano.subjects.analysis.analysis import NAMES, RATIOS, SINGLE, Measure, Measurement
from elcano.subjects.analysis.statistics.effects import OF_COUNTS, Effect, NoEffect, effect_of
from elcano.subjects.analysis.statistics.measurement_check import HeldMeasurement
from elcano.subjects.analysis.statistics.outcome_names import NameReader, Words
from elcano.text.unit_comparison import can_convert
from elcano.text.units import find_unit

_UNITLESS: Final = frozenset({*RATIOS, "standardized_mean_difference", "correlation", "proportion", "risk_difference"})

_MOST_NAMED: Final = 5
"""Outcomes in one sentence."""


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


def list_names(measurements: Iterable[Measurement]) -> Iterator[str]:
    """Yield every name by which measurements are grouped."""
    for one in measurements:
        yield from (one.outcome, one.first.name, one.second.name, one.study)


def group_measurements(held: Sequence[HeldMeasurement], works: Works, names: NameReader) -> MeasurementGroups:
    """The measurements by what they can be pooled with; their order makes no difference.

    Args:
        held: measurements that hold.
        works: the works that report them.
        names: made with all of their names (`list_names`).
    """
    refused: list[tuple[HeldMeasurement, str]] = []
    by_comparison: dict[tuple[Words, Words, Words], list[tuple[HeldMeasurement, bool]]] = defaultdict(list)
    for one in sorted(held, key=_rank_by_completeness):
        key, turned = _build_comparison_key(one, names)
        if reason := _find_naming_fault(one, key, names):
            refused.append((one, reason))
        else:
            by_comparison[key].append((one, turned))
    poolings: list[Pooling] = []
    apart: list[str] = []
    for members in by_comparison.values():
        found = list(_by_measure(members, works, names, refused))
        poolings += found
        apart += _kept_apart(found)
    poolings.sort(key=lambda one: (-len(one.entrants), one.outcome, one.first, one.measure, one.unit))
    apart += _find_overlapping_outcomes(poolings, names)
    return MeasurementGroups(tuple(poolings), tuple(apart), tuple(refused))


def _rank_by_completeness(one: HeldMeasurement) -> tuple[int, str, str, str, str]:
    """The fullest first, so that of a study's measurements always the same one counts."""
    said = one.measurement
    rank = 0 if said.reports in ("counts", "means") else 1 if said.low is not None else 2
    return rank, said.evidence, said.quote, said.outcome, said.model_dump_json()


def _is_single_group(one: HeldMeasurement) -> bool:
    """Whether a measurement is of one group."""
    said = one.measurement
    return said.reports == "correlation" or (said.reports in ("counts", "means") and said.second.size is None)


def _find_naming_fault(one: HeldMeasurement, key: tuple[Words, Words, Words], names: NameReader) -> str:
    """Why the names of a measurement leave open what it is of; empty if they do not."""
    if not names.says_something(one.measurement.outcome):
        return "it does not say which outcome its numbers are for"
    if _is_single_group(one):
        return ""
    if not key[1] and not key[2]:
        return "it does not say what was compared with what"
    return "both of its groups have the same name" if key[1] == key[2] else ""


def _build_comparison_key(one: HeldMeasurement, names: NameReader) -> tuple[tuple[Words, Words, Words], bool]:
    """Outcome and groups, in an order that does not depend on which is called first, and whether that turned them."""
    said = one.measurement
    outcome, first, second = map(names.words_of, (said.outcome, said.first.name, said.second.name))
    if said.reports == "correlation":
        return (outcome, (), ()), False
    if _is_single_group(one):
        return (outcome, first, ("(alone)",)), False
    if first and second and second < first:
        return (outcome, second, first), True
    return (outcome, first, second), False


def _by_measure(
    members: Sequence[tuple[HeldMeasurement, bool]],
    works: Works,
    names: NameReader,
    refused: list[tuple[HeldMeasurement, str]],
) -> Iterator[Pooling]:
    """The pools of one outcome and one comparison."""
    measurements = [one.measurement for one, _ in members]
    of_counts, of_means = _choose_measure_of_counts(measurements), _choose_measure_of_means(measurements)
    turns = Counter(turned for _, turned in members)
    against = turns[True] > turns[False]
    pools: dict[tuple[Measure, str], list[Entrant]] = defaultdict(list)
    units: dict[tuple[Measure, str], list[str]] = defaultdict(list)
    seen: dict[tuple[object, ...], set[object]] = defaultdict(set)
    for one, turned in members:
        measure = _choose_measure(one, of_counts, of_means)
        unit = "" if measure in _UNITLESS else _normalize_unit(one.measurement.unit)
        study = _build_study_key(one, works, names)
        if study in seen[measure, unit]:
            refused.append((one, "another measurement of the same study is already used for this outcome"))
            continue
        try:
            effect = effect_of(one.measurement, measure)
        except NoEffect as error:
            refused.append((one, str(error)))
            continue
        seen[measure, unit].add(study)
        pools[measure, unit].append(Entrant(one, effect.turned() if turned != against else effect))
        units[measure, unit].append(" ".join(one.measurement.unit.split()))
    for (measure, unit), entrants in pools.items():
        said = _choose_group_names((one.held.measurement for one in entrants), names, against=against)
        yield Pooling(
            outcome=_find_commonest_text(one.held.measurement.outcome for one in entrants),
            first=said.first.name,
            second=said.second.name if measure not in SINGLE and measure != "correlation" else "",
            measure=measure,
            unit=_find_commonest_text(units[measure, unit]) if unit else "",
            entrants=tuple(entrants),
        )


def _choose_group_names(measurements: Iterable[Measurement], names: NameReader, *, against: bool) -> Measurement:
    """The measurement whose groups name those of the pool, in the order in which most measurements have them."""
    ordered = sorted(measurements, key=lambda one: one.model_dump_json())
    for one in ordered:
        first, second = names.words_of(one.first.name), names.words_of(one.second.name)
        if bool(first and second and second < first) == against:
            return one
    return ordered[0]


def _choose_measure_of_counts(measurements: Iterable[Measurement]) -> Measure:
    """Choose the measure for counts: the one that most of the others report, so that they can be pooled with these."""
    reported: Counter[str] = Counter(one.reports for one in measurements)
    return max(OF_COUNTS, key=lambda measure: (reported[measure], -OF_COUNTS.index(measure)))


def _choose_measure_of_means(measurements: Sequence[Measurement]) -> Measure:
    """Choose the measure for means: standardized differences if more studies can be pooled so than in any one unit."""
    compared = [one for one in measurements if one.reports == "means" and one.second.size is not None]
    if _list_contradictory_units(one.unit for one in compared):
        return "mean_difference"
    standardized = sum(one.reports == "standardized_mean_difference" for one in measurements) + len(compared)
    plain = [*compared, *(one for one in measurements if one.reports == "mean_difference")]
    in_a_unit = Counter(_normalize_unit(one.unit) for one in plain)
    return "standardized_mean_difference" if standardized > max(in_a_unit.values(), default=0) else "mean_difference"


def _list_contradictory_units(written: Iterable[str]) -> tuple[str, ...]:
    """Two units that no one thing is measured in, as kg and mmHg; points and other scales contradict nothing."""
    units = {unit: text for text in sorted(written) if (unit := _parse_unit(text))}
    for one, other in combinations(sorted(units), 2):
        # Of one substance, mol/L and g/L are two scales.
        if not can_convert(one.replace("mole", "gram"), other.replace("mole", "gram")):
            return units[one], units[other]
    return ()


def _parse_unit(written: str) -> str:
    """The unit that is written so, whatever its spelling; empty if it is none that is known."""
    number = "1 "
    unit, end = find_unit(number + written.strip(), len(number) - 1)
    return unit if end == len(number + written.strip()) else ""


def _normalize_unit(written: str) -> str:
    """The same for all spellings of a unit. Case counts in one that is not known (mM is not MM)."""
    return _parse_unit(written) or " ".join(written.split())


def _choose_measure(one: HeldMeasurement, of_counts: Measure, of_means: Measure) -> Measure:
    said = one.measurement
    if said.reports == "counts":
        return "proportion" if _is_single_group(one) else of_counts
    if said.reports == "means":
        return "mean" if _is_single_group(one) else of_means
    return said.reports


def _build_study_key(one: HeldMeasurement, works: Works, names: NameReader) -> tuple[object, ...]:
    """Build the key of a study: the work, and within it the name of a study that its own words say."""
    name = one.measurement.study
    named = names.words_of(name) if name and name in one.measurement.quote else ()
    return (*works.key(one.passage), named)


def _find_commonest_text(texts: Iterable[str]) -> str:
    counts = Counter(texts)
    return min(counts, key=lambda text: (-counts[text], text))


def _kept_apart(found: Sequence[Pooling]) -> Iterator[str]:
    """Pools of one outcome and comparison that differ in measure or unit."""
    if len(found) < 2:
        return
    listed = sorted(
        f"{NAMES[one.measure]}{f' in {one.unit}' if one.unit else ''} ({len(one.entrants)})" for one in found
    )
    yield f"{found[0].outcome}: not pooled with each other because measures or units differ: {'; '.join(listed)}"
    if units := _list_contradictory_units(one.unit for one in found if one.measure == "mean_difference"):
        yield f"{found[0].outcome}: {' and '.join(units)} do not measure the same thing, so one of them may be wrong"


def _find_overlapping_outcomes(poolings: Sequence[Pooling], names: NameReader) -> Iterator[str]:
    """Outcomes whose words hold all of another's: a reader would look for them in one pool."""
    by_words = {names.words_of(one.outcome): one.outcome for one in poolings}
    outcomes = [outcome for _, outcome in sorted(by_words.items())]
    for outcome, longer in names.find_longer_names(outcomes):
        more = f" and {len(longer) - _MOST_NAMED} more" if len(longer) > _MOST_NAMED else ""
        yield f"{outcome}: not pooled with {', '.join(longer[:_MOST_NAMED])}{more}, which may be a different outcome"
