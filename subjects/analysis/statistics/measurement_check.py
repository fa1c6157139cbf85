"""Whether a measurement holds: its words stand in its passage, its numbers in its words, and these fit each other.

Nothing is mended. A number that is not there, or that another one contradicts, is a reason to leave all of it out:
which of the two is wrong no one knows.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from decimal import Decimal
from typing import Final

from elcano.storage.evidence import Evidence
from elcano.subjects.analysis.analysis import RATIOS, Group, Measurement, OmittedMeasurement
from elcano.text.support.figures import extract_figures
from elcano.text.support.quotes import QuoteIndex
from elcano.text.units import SHARE

_GROUPS: Final = (("first", "group 1"), ("second", "group 2"))
_COMPLETE: Final[Mapping[str, tuple[str, ...]]] = {"counts": ("events", "size"), "means": ("mean", "sd", "size")}
"""Required fields of each group."""


@dataclass(frozen=True)
class HeldMeasurement:
    """A measurement that holds, and where its words stand in the stored text, in characters."""

    measurement: Measurement
    passage: Evidence
    start: int
    end: int


def check_measurements(
    measurements: Iterable[Measurement], given: Mapping[str, Evidence]
) -> Iterator[HeldMeasurement | OmittedMeasurement]:
    """The place of each measurement that holds, or why it does not; `given`: the passages of the run by their ids."""
    searched = {id: QuoteIndex.of(passage.text) for id, passage in given.items()}
    for one in measurements:
        if one.evidence not in given:
            yield left_out(one, "its passage was not found in this run")
        elif (place := searched[one.evidence].find(one.quote)) is None:
            yield left_out(one, "its quote is not in its passage")
        elif reasons := tuple(dict.fromkeys(_find_measurement_faults(one))):
            yield left_out(one, "; ".join(reasons))
        else:
            passage = given[one.evidence]
            yield HeldMeasurement(one, passage, passage.start + place[0], passage.start + place[1])


def left_out(one: Measurement, reason: str) -> OmittedMeasurement:
    """A measurement with the reason for which it does not count."""
    return OmittedMeasurement(evidence=one.evidence, outcome=one.outcome, quote=one.quote, reason=reason)


def _find_measurement_faults(one: Measurement) -> Iterator[str]:
    yield from _find_unquoted_numbers(one)
    yield from _find_missing_numbers(one)
    yield from _find_contradictory_numbers(one)


def iter_reported_numbers(one: Measurement) -> Iterator[tuple[str, float]]:
    """Yield every number of a measurement with its name."""
    for name in ("value", "low", "high", "p", "size"):
        if (number := getattr(one, name)) is not None:
            yield name, number
    for field, called in _GROUPS:
        for name in Group.model_fields:
            number = getattr(getattr(one, field), name)
            if isinstance(number, float):
                yield f"{name} of {called}", number
    if one.low is not None and one.level != 95:
        yield "level", one.level


def _find_unquoted_numbers(one: Measurement) -> Iterator[str]:
    """Numbers that are not in the quote, under any reading of its numbers."""
    said = extract_figures(one.quote)
    for name, number in iter_reported_numbers(one):
        found = [figure for figure in said if Decimal(repr(number)).normalize() in figure.values]
        if not found:
            yield f"the {name} {number:g} is not in its quote"
        elif name.startswith("percent") and not any(figure.unit == SHARE for figure in found):
            yield f"the {name} {number:g} is not in its quote as a percentage"
        elif (
            not name.startswith(("percent", "level"))
            and one.unit != SHARE
            and all(figure.unit == SHARE for figure in found)
        ):
            yield f"the {name} {number:g} is a percentage in its quote, but its unit is not `%`"


def _find_missing_numbers(one: Measurement) -> Iterator[str]:
    """Yield the numbers that are missing to compute an effect with its error."""
    if one.reports in _COMPLETE:
        compared = any(getattr(one.second, name) is not None for name in ("events", "mean", "sd", "size"))
        for group, called in ((one.first, "group 1"), *([(one.second, "group 2")] if compared else [])):
            for name in _COMPLETE[one.reports]:
                if getattr(group, name) is None:
                    yield f"the {name} of {called} is missing"
        return
    if one.value is None:
        yield "there is no estimate"
    if (one.low is None) != (one.high is None):
        yield "one end of its interval is missing"
    if one.low is None and one.p is None and not (one.reports == "correlation" and one.size is not None):
        yield "there is neither an interval nor an exact p-value, so its error is unknown"


def _find_contradictory_numbers(one: Measurement) -> Iterator[str]:
    """Numbers that contradict each other."""
    for group, called in ((one.first, "group 1"), (one.second, "group 2")):
        yield from _impossible_group(group, called, one.reports)
    if one.p is not None and not 0 < one.p < 1:
        yield f"its p-value {one.p:g} is not between 0 and 1"
    if one.value is None:
        return
    low, high = one.low, one.high
    if low is not None and high is not None:
        if not low < high:
            yield f"its interval is reversed: {low:g} to {high:g}"
        elif not low <= one.value <= high:
            yield f"its interval, {low:g} to {high:g}, does not contain its estimate {one.value:g}"
    if one.reports in RATIOS and min(one.value, one.value if low is None else low) <= 0:
        yield "a ratio or an end of its interval is not above 0"
    if one.reports == "correlation":
        if not all(-1 < number < 1 for number in (one.value, low, high) if number is not None):
            yield "a correlation is not between -1 and 1"
        if one.size is not None and (one.size < 4 or one.size != int(one.size)):
            yield f"{one.size:g} is not a sample size that allows a correlation"


def _impossible_group(group: Group, called: str, reports: str) -> Iterator[str]:
    for name in ("size", "events"):
        number = getattr(group, name)
        if number is not None and (number < 0 or number != int(number)):
            yield f"the {name} of {called}, {number:g}, is not a count"
    if group.size is not None and group.size < (2 if reports == "means" else 1):
        yield f"the size of {called}, {group.size:g}, is too small"
    if group.events is not None and group.size is not None and group.events > group.size:
        yield f"{called} has more events ({group.events:g}) than people ({group.size:g})"
    elif group.events is not None and group.size and group.percent is not None:
        share = 100 * group.events / group.size
        rounded = 0.6 if group.percent == int(group.percent) else 0.06
        if abs(share - group.percent) > rounded:
            share_text = f"{group.events:g} of {group.size:g} is {share:.1f} %"
            yield f"{share_text}, but its quote says {group.percent:g} %"
    if group.sd is not None and group.sd <= 0:
        yield f"the sd of {called}, {group.sd:g}, is not above 0"
