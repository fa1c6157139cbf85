"""A study as a record: its question, its design, who may take part, what it measures, and its results."""

from collections.abc import Iterable, Iterator

from elcano.activities.passages.document import Block
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_nct
from elcano.plugins.literature import bibliographic_format
from elcano.plugins.literature.clinical_trials import trial_results
from elcano.plugins.literature.clinical_trials.registry_text import (
    build_rows_block,
    build_section,
    format_labelled_date,
    format_registry_code,
    split_paragraphs,
    unescape_to_line,
)
from elcano.plugins.literature.clinical_trials.shapes import (
    Arm,
    Eligibility,
    Intervention,
    PlannedOutcome,
    Protocol,
    Study,
)
from elcano.plugins.literature.work_records import Record, build_record_metadata

PAGE = "https://clinicaltrials.gov/study/"
_ENDED = {"COMPLETED", "TERMINATED"}
_STOPPED = {"TERMINATED", "SUSPENDED", "WITHDRAWN"}


def build_trial_record(study: Study) -> Record:
    """The study; without a name if its number is none."""
    told = study.protocol
    known, status, design = told.identification, told.status, told.design
    number = parse_nct(known.nctId)
    posted = bibliographic_format.normalize_iso_date(
        status.studyFirstPostDateStruct.date or status.studyFirstSubmitDate
    )
    flags, notices = _assess_standing(study)
    made = (design.studyType, *design.phases, design.designInfo.allocation, design.designInfo.observationalModel)
    work = Work(
        title=bibliographic_format.clean_title(known.officialTitle or known.briefTitle),
        authors=tuple(one for one in (unescape_to_line(told.sponsors.leadSponsor.name),) if one),
        year=bibliographic_format.year_of(posted),
        published=posted,
        venue="ClinicalTrials.gov",
        kind="trial",
        design=tuple(code for code in made if code and code != "NA"),
        identifiers=Identifiers(nct=number),
        url=f"{PAGE}{number}" if number else "",
        language="en",
        flags=flags,
        notices=notices,
    )
    metadata = build_record_metadata(
        status=status.overallStatus,
        phases=design.phases,
        conditions=told.conditions.conditions,
        interventions=[unescape_to_line(one.name) for one in told.arms.interventions],
        keywords=told.conditions.keywords,
        collaborators=[unescape_to_line(one.name) for one in told.sponsors.collaborators],
        brief_title=known.briefTitle if known.officialTitle else "",
        acronym=known.acronym,
        completed=status.completionDateStruct.date,
        results_posted=status.resultsFirstPostDateStruct.date,
        updated=status.lastUpdatePostDateStruct.date,
        earlier_numbers=known.nctIdAliases,
    )
    if design.enrollmentInfo.count is not None:
        metadata["enrolment"] = design.enrollmentInfo.count
    return Record(work, tuple(_render_trial_blocks(study)), metadata=metadata, parted=True)


def _render_trial_blocks(study: Study) -> Iterator[Block]:
    told = study.protocol
    yield from build_section("Summary", split_paragraphs(told.description.briefSummary))
    yield from build_section("Design", _render_design(told))
    yield from build_section("Eligibility", _render_eligibility(told.eligibility))
    yield from build_section("Planned outcomes", _render_planned_outcomes(told))
    yield from build_section("Description", split_paragraphs(told.description.detailedDescription))
    if study.results is not None:
        yield from trial_results.render_result_blocks(study.results)


def _assess_standing(study: Study) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    status = study.protocol.status
    code, why = status.overallStatus, unescape_to_line(status.whyStopped)
    flags: list[Flag] = []
    notices = []
    if code in _STOPPED:
        before = " before anybody took part" if code == "WITHDRAWN" else ""
        notices.append(f"It was {format_registry_code(code)}{before}" + (f": {why}" if why else "").rstrip(".") + ".")
    if code == "WITHDRAWN":
        flags.append("withdrawn")
    if code == "UNKNOWN":
        flags.append("unknown_status")
        last = (
            f": it was last known as {format_registry_code(status.lastKnownStatus)}" if status.lastKnownStatus else ""
        )
        when = f", which was verified in {status.statusVerifiedDate}" if status.statusVerifiedDate and last else ""
        notices.append(f"Its status is unknown{last}{when}.")
    if code in _ENDED and study.hasResults is False and study.results is None:
        flags.append("no_results")
        when = format_labelled_date("in", status.completionDateStruct.date, "")
        notices.append(" ".join(f"It ended {when}".split()) + ", and no results are posted.")
    return tuple(flags), tuple(notices)


def _render_design(told: Protocol) -> Iterator[Block]:
    status, design = told.status, told.design
    info = design.designInfo
    times = (
        format_labelled_date("started", status.startDateStruct.date, status.startDateStruct.type),
        format_labelled_date(
            "primary completion", status.primaryCompletionDateStruct.date, status.primaryCompletionDateStruct.type
        ),
        format_labelled_date("completion", status.completionDateStruct.date, status.completionDateStruct.type),
    )
    who = ", ".join(format_registry_code(one) for one in info.maskingInfo.whoMasked)
    masking = format_registry_code(info.maskingInfo.masking) + (f" ({who})" if who else "")
    enrolled = design.enrollmentInfo
    yield from build_rows_block(
        (
            _format_labelled_parts("Status", format_registry_code(status.overallStatus), _join_parts(times)),
            _format_labelled_parts("Why it stopped", unescape_to_line(status.whyStopped)),
            _format_labelled_parts("Study type", format_registry_code(design.studyType)),
            _format_labelled_parts("Phase", _join_parts(format_registry_code(one) for one in design.phases)),
            _format_labelled_parts("Allocation", format_registry_code(info.allocation)),
            _format_labelled_parts(
                "Model",
                format_registry_code(info.interventionModel or info.observationalModel),
                format_registry_code(info.timePerspective),
            ),
            _format_labelled_parts("Masking", masking),
            _format_labelled_parts("Primary purpose", format_registry_code(info.primaryPurpose)),
            _format_labelled_parts(
                "Enrolment",
                "" if enrolled.count is None else f"{enrolled.count} participants",
                format_registry_code(enrolled.type),
            ),
            _format_labelled_parts(
                "Conditions", _join_parts(unescape_to_line(one) for one in told.conditions.conditions)
            ),
            _format_labelled_parts("Sponsor", unescape_to_line(told.sponsors.leadSponsor.name)),
        )
    )
    yield from build_rows_block(_format_arm(one) for one in told.arms.armGroups)
    yield from build_rows_block(_format_intervention(one) for one in told.arms.interventions)


def _render_eligibility(told: Eligibility) -> Iterator[Block]:
    volunteers = "" if told.healthyVolunteers is None else "accepted" if told.healthyVolunteers else "not accepted"
    yield from build_rows_block(
        (
            _format_labelled_parts("Sex", format_registry_code(told.sex)),
            _format_labelled_parts("Minimum age", unescape_to_line(told.minimumAge)),
            _format_labelled_parts("Maximum age", unescape_to_line(told.maximumAge)),
            _format_labelled_parts("Healthy volunteers", volunteers),
        )
    )
    yield from split_paragraphs(told.eligibilityCriteria)


def _render_planned_outcomes(told: Protocol) -> Iterator[Block]:
    outcomes = told.outcomes
    yield from build_rows_block(_format_planned_outcome("Primary", one) for one in outcomes.primaryOutcomes)
    yield from build_rows_block(_format_planned_outcome("Secondary", one) for one in outcomes.secondaryOutcomes)
    yield from build_rows_block(_format_planned_outcome("Other", one) for one in outcomes.otherOutcomes)


def _format_arm(arm: Arm) -> str:
    kind = f" ({format_registry_code(arm.type)})" if arm.type else ""
    given = _format_labelled_parts("given", _join_parts(unescape_to_line(one) for one in arm.interventionNames))
    said = "; ".join(part for part in (unescape_to_line(arm.description).rstrip("."), given) if part)
    return f"Arm {unescape_to_line(arm.label)}{kind}" + (f": {said}" if said else "") if arm.label.strip() else ""


def _format_intervention(one: Intervention) -> str:
    if not one.name.strip():
        return ""
    kind = f" ({format_registry_code(one.type)})" if one.type else ""
    return f"Intervention {unescape_to_line(one.name)}{kind}" + (
        f": {unescape_to_line(one.description)}" if one.description.strip() else ""
    )


def _format_planned_outcome(kind: str, outcome: PlannedOutcome) -> str:
    if not outcome.measure.strip():
        return ""
    when = f" (time frame: {unescape_to_line(outcome.timeFrame)})" if outcome.timeFrame.strip() else ""
    return f"{kind}: {unescape_to_line(outcome.measure)}{when}" + (
        f": {unescape_to_line(outcome.description)}" if outcome.description else ""
    )


def _format_labelled_parts(label: str, *parts: str) -> str:
    """`Label: parts`; empty without the first part."""
    return f"{label}: {'; '.join(part for part in parts if part)}" if parts[0] else ""


def _join_parts(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)
