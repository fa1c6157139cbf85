"""Posted results as text: each figure on a line with its group, its unit and its spread.

Each line is understandable without its neighbours, since a passage may begin and end between any two.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from pydantic import AliasPath, Field

from elcano.activities.passages.document import Block
from elcano.subjects.literature.clinical_trials.registry_text import (
    build_heading,
    build_rows_block,
    build_section,
    format_registry_code,
    split_paragraphs,
    unescape_to_line,
)
from elcano.subjects.literature.service_answers import ServiceData

MOST_EVENTS: Final = 200
"""Kinds of adverse events per study, for serious and other ones each; a line counts those left out."""


class _Group(ServiceData):
    id: str = ""
    title: str = ""
    description: str = ""


class _Count(ServiceData):
    groupId: str = ""
    value: str = ""


class _Denominator(ServiceData):
    counts: list[_Count] = []


class _Measurement(ServiceData):
    groupId: str = ""
    value: str = ""
    spread: str = ""
    lowerLimit: str = ""
    upperLimit: str = ""
    comment: str = ""


class _Category(ServiceData):
    title: str = ""
    measurements: list[_Measurement] = []


class _Class(ServiceData):
    title: str = ""
    denoms: list[_Denominator] = []
    categories: list[_Category] = []


class _Analysis(ServiceData):
    groupIds: list[str] = []
    groupDescription: str = ""
    pValue: str = ""
    pValueComment: str = ""
    statisticalMethod: str = ""
    paramType: str = ""
    paramValue: str = ""
    ciPctValue: str = ""
    ciLowerLimit: str = ""
    ciUpperLimit: str = ""
    estimateComment: str = ""


class _Measure(ServiceData):
    type: str = ""
    title: str = ""
    description: str = ""
    populationDescription: str = ""
    paramType: str = ""
    dispersionType: str = ""
    unitOfMeasure: str = ""
    timeFrame: str = ""
    groups: list[_Group] = []
    denoms: list[_Denominator] = []
    classes: list[_Class] = []
    analyses: list[_Analysis] = []


class _Achievement(ServiceData):
    groupId: str = ""
    numSubjects: str = ""


class _Milestone(ServiceData):
    type: str = ""
    achievements: list[_Achievement] = []


class _DropoutReason(ServiceData):
    type: str = ""
    reasons: list[_Achievement] = []


class _Period(ServiceData):
    title: str = ""
    milestones: list[_Milestone] = []
    dropWithdraws: list[_DropoutReason] = []


class _Flow(ServiceData):
    groups: list[_Group] = []
    periods: list[_Period] = []


class _Baseline(ServiceData):
    groups: list[_Group] = []
    denoms: list[_Denominator] = []
    measures: list[_Measure] = []


class _EventGroup(ServiceData):
    id: str = ""
    title: str = ""
    deathsNumAffected: int | None = None
    deathsNumAtRisk: int | None = None
    seriousNumAffected: int | None = None
    seriousNumAtRisk: int | None = None
    otherNumAffected: int | None = None
    otherNumAtRisk: int | None = None


class _EventCount(ServiceData):
    groupId: str = ""
    numAffected: int | None = None
    numAtRisk: int | None = None


class _Event(ServiceData):
    term: str = ""
    organSystem: str = ""
    stats: list[_EventCount] = []


class _AdverseEvents(ServiceData):
    timeFrame: str = ""
    description: str = ""
    eventGroups: list[_EventGroup] = []
    seriousEvents: list[_Event] = []
    otherEvents: list[_Event] = []


class Results(ServiceData):
    """The posted results of a study."""

    flow: _Flow = Field(_Flow(), alias="participantFlowModule")
    baseline: _Baseline = Field(_Baseline(), alias="baselineCharacteristicsModule")
    outcomes: list[_Measure] = Field([], validation_alias=AliasPath("outcomeMeasuresModule", "outcomeMeasures"))
    adverse: _AdverseEvents = Field(_AdverseEvents(), alias="adverseEventsModule")
    caveats: str = Field("", validation_alias=AliasPath("moreInfoModule", "limitationsAndCaveats", "description"))


def render_result_blocks(results: Results) -> Iterator[Block]:
    """Render the sections of the results."""
    yield from build_section("Participant flow", _render_participant_flow(results.flow))
    yield from build_section("Baseline", _render_baseline(results.baseline))
    yield from build_section("Results", (block for one in results.outcomes for block in _render_outcome_measure(one)))
    yield from build_section("Adverse events", _render_adverse_events(results.adverse))
    yield from build_section("Limitations", split_paragraphs(results.caveats))


def _render_participant_flow(flow: _Flow) -> Iterator[Block]:
    names = _map_group_names(flow.groups)
    yield from build_rows_block(
        f"{names[one.id]}: {unescape_to_line(one.description)}" for one in flow.groups if one.description.strip()
    )
    for period in flow.periods:
        title = unescape_to_line(period.title) or "Study"
        found = []
        for milestone in period.milestones:
            counts = _join_named_values((names.get(one.groupId, ""), one.numSubjects) for one in milestone.achievements)
            found.append(f"{title}, {format_registry_code(milestone.type)}: {counts}" if counts else "")
        for dropped in period.dropWithdraws:
            counts = _join_named_values((names.get(one.groupId, ""), one.numSubjects) for one in dropped.reasons)
            found.append(f"{title}, left for {format_registry_code(dropped.type)}: {counts}" if counts else "")
        yield from build_rows_block(found)


def _render_baseline(baseline: _Baseline) -> Iterator[Block]:
    for measure in baseline.measures:
        found = measure.model_copy(
            update={"groups": baseline.groups, "denoms": measure.denoms or baseline.denoms, "description": ""}
        )
        yield from build_section(measure.title or "Measure", build_rows_block(_format_measurements(found)), level=2)


def _render_outcome_measure(measure: _Measure) -> Iterator[Block]:
    kind = f"{format_registry_code(measure.type).capitalize()} outcome" if measure.type else "Outcome"
    yield build_heading(f"{kind}: {measure.title}", level=2)
    said = [unescape_to_line(measure.description), unescape_to_line(measure.populationDescription)]
    said.append(f"Time frame: {unescape_to_line(measure.timeFrame)}." if measure.timeFrame.strip() else "")
    yield from split_paragraphs(" ".join(one for one in said if one))
    yield from build_rows_block(_format_measurements(measure))
    names = _map_group_names(measure.groups)
    yield from build_rows_block(_format_outcome_analysis(one, names) for one in measure.analyses)


def _format_measurements(measure: _Measure) -> Iterator[str]:
    names, sizes = _map_group_names(measure.groups), _map_group_sizes(measure.denoms)
    kind = ", ".join(
        part for part in (unescape_to_line(measure.title), format_registry_code(measure.paramType)) if part
    )
    for group in measure.classes:
        own = {**sizes, **_map_group_sizes(group.denoms)}
        for category in group.categories:
            about = ", ".join(
                part for part in (kind, unescape_to_line(group.title), unescape_to_line(category.title)) if part
            )
            for one in category.measurements:
                figure = _format_measurement(one, measure)
                if figure:
                    who = names.get(one.groupId, one.groupId) + (
                        f" (n={own[one.groupId]})" if one.groupId in own else ""
                    )
                    yield f"{about} - {who}: {figure}"


def _format_measurement(one: _Measurement, measure: _Measure) -> str:
    value, unit = unescape_to_line(one.value), unescape_to_line(measure.unitOfMeasure)
    if not value:
        return unescape_to_line(one.comment)
    spread = format_registry_code(measure.dispersionType)
    details = []
    if one.spread.strip():
        details.append(f"{spread} {unescape_to_line(one.spread)}".strip())
    if one.lowerLimit.strip() or one.upperLimit.strip():
        details.append(
            f"{spread} {unescape_to_line(one.lowerLimit) or '?'} to {unescape_to_line(one.upperLimit) or '?'}".strip()
        )
    if one.comment.strip():
        details.append(unescape_to_line(one.comment))
    return " ".join(part for part in (value, unit) if part) + (f" ({'; '.join(details)})" if details else "")


def _format_outcome_analysis(one: _Analysis, names: Mapping[str, str]) -> str:
    compared = " vs ".join(names.get(group, group) for group in one.groupIds)
    found = []
    if one.paramValue.strip():
        found.append(f"{unescape_to_line(one.paramType) or 'estimate'} {unescape_to_line(one.paramValue)}")
    if one.ciLowerLimit.strip() or one.ciUpperLimit.strip():
        level = f"{unescape_to_line(one.ciPctValue)}% " if one.ciPctValue.strip() else ""
        found.append(
            f"{level}CI {unescape_to_line(one.ciLowerLimit) or '?'} to {unescape_to_line(one.ciUpperLimit) or '?'}"
        )
    if one.pValue.strip():
        p = unescape_to_line(one.pValue)
        found.append((f"p {p}" if p[0] in "<>=" else f"p = {p}") + _in_brackets(one.pValueComment))
    if one.statisticalMethod.strip():
        found.append(unescape_to_line(one.statisticalMethod))
    if not found:
        return ""
    found += [said for said in (unescape_to_line(one.groupDescription), unescape_to_line(one.estimateComment)) if said]
    return f"{compared or 'Analysis'}: {'; '.join(found)}"


def _render_adverse_events(events: _AdverseEvents) -> Iterator[Block]:
    said = [
        unescape_to_line(events.description),
        f"Time frame: {unescape_to_line(events.timeFrame)}." if events.timeFrame.strip() else "",
    ]
    yield from split_paragraphs(" ".join(one for one in said if one))
    names = {one.id: unescape_to_line(one.title) or one.id for one in events.eventGroups}
    found = []
    for group in events.eventGroups:
        counts = (
            ("deaths", group.deathsNumAffected, group.deathsNumAtRisk),
            ("serious adverse events", group.seriousNumAffected, group.seriousNumAtRisk),
            ("other adverse events", group.otherNumAffected, group.otherNumAtRisk),
        )
        groups = [
            f"{kind} {_format_count_at_risk(affected, at_risk)}"
            for kind, affected, at_risk in counts
            if affected is not None
        ]
        found.append(f"{names[group.id]}: {', '.join(groups)}" if groups else "")
    yield from build_rows_block(found)
    yield from build_section(
        "Serious adverse events", build_rows_block(_format_event_counts(events.seriousEvents, names)), level=2
    )
    yield from build_section(
        "Other adverse events", build_rows_block(_format_event_counts(events.otherEvents, names)), level=2
    )


def _format_event_counts(events: Sequence[_Event], names: Mapping[str, str]) -> Iterator[str]:
    for event in events[:MOST_EVENTS]:
        counts = _join_named_values(
            (names.get(one.groupId, one.groupId), _format_count_at_risk(one.numAffected, one.numAtRisk))
            for one in event.stats
            if one.numAffected is not None
        )
        if counts:
            yield f"{unescape_to_line(event.term)}{_in_brackets(event.organSystem)}: {counts}"
    if len(events) > MOST_EVENTS:
        yield f"{len(events) - MOST_EVENTS} more are in the registry."


def _map_group_names(groups: Iterable[_Group]) -> dict[str, str]:
    return {one.id: unescape_to_line(one.title) or one.id for one in groups}


def _map_group_sizes(denoms: Sequence[_Denominator]) -> dict[str, str]:
    """Map each group to the number measured; of several units the first, which is participants."""
    return {one.groupId: unescape_to_line(one.value) for one in denoms[0].counts if one.value.strip()} if denoms else {}


def _format_count_at_risk(affected: int | None, at_risk: int | None) -> str:
    return f"{affected}" if at_risk is None else f"{affected} of {at_risk}"


def _join_named_values(pairs: Iterable[tuple[str, str]]) -> str:
    return ", ".join(f"{name} {unescape_to_line(value)}".strip() for name, value in pairs if value.strip())


def _in_brackets(text: str) -> str:
    return f" ({unescape_to_line(text)})" if text.strip() else ""
