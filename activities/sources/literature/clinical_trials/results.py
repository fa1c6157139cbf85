"""Posted results as text: each figure on a line with its group, its unit and how it spreads.

A line can be read without those around it, since a passage may begin and end anywhere between two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from elcano.activities.sources.documents.document import Block
from elcano.activities.sources.literature.clinical_trials.result_shapes import (
    AdverseEvents,
    Analysis,
    Baseline,
    Denominator,
    Event,
    Flow,
    Group,
    Measure,
    Measurement,
    Results,
)
from elcano.activities.sources.literature.clinical_trials.wording import heading, line, paragraphs, rows, under, words

MOST_EVENTS: Final = 200
"""Kinds of adverse events of one study, serious and other each; what is left out is counted in a line."""


def blocks(results: Results) -> Iterator[Block]:
    """The sections of the results."""
    yield from under("Participant flow", _flow(results.flow))
    yield from under("Baseline", _baseline(results.baseline))
    yield from under("Results", (block for one in results.outcomes.outcomeMeasures for block in _outcome(one)))
    yield from under("Adverse events", _adverse(results.adverse))
    yield from under("Limitations", paragraphs(results.more.limitationsAndCaveats.description))


def _flow(flow: Flow) -> Iterator[Block]:
    names = _names(flow.groups)
    yield from rows(f"{names[one.id]}: {line(one.description)}" for one in flow.groups if one.description.strip())
    for period in flow.periods:
        title = line(period.title) or "Study"
        found = []
        for milestone in period.milestones:
            counts = _listed((names.get(one.groupId, ""), one.numSubjects) for one in milestone.achievements)
            found.append(f"{title}, {words(milestone.type)}: {counts}" if counts else "")
        for dropped in period.dropWithdraws:
            counts = _listed((names.get(one.groupId, ""), one.numSubjects) for one in dropped.reasons)
            found.append(f"{title}, left for {words(dropped.type)}: {counts}" if counts else "")
        yield from rows(found)


def _baseline(baseline: Baseline) -> Iterator[Block]:
    for measure in baseline.measures:
        found = measure.model_copy(
            update={"groups": baseline.groups, "denoms": measure.denoms or baseline.denoms, "description": ""}
        )
        yield from under(measure.title or "Measure", rows(_figures(found)), level=2)


def _outcome(measure: Measure) -> Iterator[Block]:
    kind = f"{words(measure.type).capitalize()} outcome" if measure.type else "Outcome"
    yield heading(f"{kind}: {measure.title}", level=2)
    said = [line(measure.description), line(measure.populationDescription)]
    said.append(f"Time frame: {line(measure.timeFrame)}." if measure.timeFrame.strip() else "")
    yield from paragraphs(" ".join(one for one in said if one))
    yield from rows(_figures(measure))
    names = _names(measure.groups)
    yield from rows(_analysis(one, names) for one in measure.analyses)


def _figures(measure: Measure) -> Iterator[str]:
    names, sizes = _names(measure.groups), _sizes(measure.denoms)
    kind = ", ".join(part for part in (line(measure.title), words(measure.paramType)) if part)
    for group in measure.classes:
        own = {**sizes, **_sizes(group.denoms)}
        for category in group.categories:
            about = ", ".join(part for part in (kind, line(group.title), line(category.title)) if part)
            for one in category.measurements:
                figure = _figure(one, measure)
                if figure:
                    who = names.get(one.groupId, one.groupId) + (
                        f" (n={own[one.groupId]})" if one.groupId in own else ""
                    )
                    yield f"{about} - {who}: {figure}"


def _figure(one: Measurement, measure: Measure) -> str:
    value, unit = line(one.value), line(measure.unitOfMeasure)
    if not value:
        return line(one.comment)
    spread = words(measure.dispersionType)
    beside = []
    if one.spread.strip():
        beside.append(f"{spread} {line(one.spread)}".strip())
    if one.lowerLimit.strip() or one.upperLimit.strip():
        beside.append(f"{spread} {line(one.lowerLimit) or '?'} to {line(one.upperLimit) or '?'}".strip())
    if one.comment.strip():
        beside.append(line(one.comment))
    return " ".join(part for part in (value, unit) if part) + (f" ({'; '.join(beside)})" if beside else "")


def _analysis(one: Analysis, names: Mapping[str, str]) -> str:
    compared = " vs ".join(names.get(group, group) for group in one.groupIds)
    found = []
    if one.paramValue.strip():
        found.append(f"{line(one.paramType) or 'estimate'} {line(one.paramValue)}")
    if one.ciLowerLimit.strip() or one.ciUpperLimit.strip():
        level = f"{line(one.ciPctValue)}% " if one.ciPctValue.strip() else ""
        found.append(f"{level}CI {line(one.ciLowerLimit) or '?'} to {line(one.ciUpperLimit) or '?'}")
    if one.pValue.strip():
        p = line(one.pValue)
        found.append((f"p {p}" if p[0] in "<>=" else f"p = {p}") + _in_brackets(one.pValueComment))
    if one.statisticalMethod.strip():
        found.append(line(one.statisticalMethod))
    if not found:
        return ""
    found += [said for said in (line(one.groupDescription), line(one.estimateComment)) if said]
    return f"{compared or 'Analysis'}: {'; '.join(found)}"


def _adverse(events: AdverseEvents) -> Iterator[Block]:
    said = [line(events.description), f"Time frame: {line(events.timeFrame)}." if events.timeFrame.strip() else ""]
    yield from paragraphs(" ".join(one for one in said if one))
    names = {one.id: line(one.title) or one.id for one in events.eventGroups}
    found = []
    for group in events.eventGroups:
        counts = (
            ("deaths", group.deathsNumAffected, group.deathsNumAtRisk),
            ("serious adverse events", group.seriousNumAffected, group.seriousNumAtRisk),
            ("other adverse events", group.otherNumAffected, group.otherNumAtRisk),
        )
        told = [f"{kind} {_of(affected, at_risk)}" for kind, affected, at_risk in counts if affected is not None]
        found.append(f"{names[group.id]}: {', '.join(told)}" if told else "")
    yield from rows(found)
    yield from under("Serious adverse events", rows(_events(events.seriousEvents, names)), level=2)
    yield from under("Other adverse events", rows(_events(events.otherEvents, names)), level=2)


def _events(events: Sequence[Event], names: Mapping[str, str]) -> Iterator[str]:
    for event in events[:MOST_EVENTS]:
        counts = _listed(
            (names.get(one.groupId, one.groupId), _of(one.numAffected, one.numAtRisk))
            for one in event.stats
            if one.numAffected is not None
        )
        if counts:
            yield f"{line(event.term)}{_in_brackets(event.organSystem)}: {counts}"
    if len(events) > MOST_EVENTS:
        yield f"{len(events) - MOST_EVENTS} more are in the registry."


def _names(groups: Iterable[Group]) -> dict[str, str]:
    return {one.id: line(one.title) or one.id for one in groups}


def _sizes(denoms: Sequence[Denominator]) -> dict[str, str]:
    """How many were measured, by group; of several units the first, which is participants."""
    return {one.groupId: line(one.value) for one in denoms[0].counts if one.value.strip()} if denoms else {}


def _of(affected: int | None, at_risk: int | None) -> str:
    return f"{affected}" if at_risk is None else f"{affected} of {at_risk}"


def _listed(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {line(value)}".strip() for name, value in pairs if value.strip())


def _in_brackets(text: str) -> str:
    return f" ({line(text)})" if text.strip() else ""
