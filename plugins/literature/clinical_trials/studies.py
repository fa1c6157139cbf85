"""A study as a record: its question, its design, who may take part, what it measures, and its results."""

from collections.abc import Iterable, Iterator

from pydantic import Field

from elcano.activities.passages.document import Block
from elcano.graphs.frozen import Json
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_nct
from elcano.plugins.literature import service_fields
from elcano.plugins.literature.clinical_trials import trial_results
from elcano.plugins.literature.clinical_trials.registry_text import (
    build_rows_block,
    build_section,
    format_labelled_date,
    format_registry_code,
    split_paragraphs,
    unescape_to_line,
)
from elcano.plugins.literature.service_answers import ServiceData
from elcano.plugins.literature.work_records import Record, build_record_metadata

PAGE = "https://clinicaltrials.gov/study/"
_ENDED = {"COMPLETED", "TERMINATED"}
_STOPPED = {"TERMINATED", "SUSPENDED", "WITHDRAWN"}


class _Date(ServiceData):
    date: str = ""
    type: str = ""


class _Named(ServiceData):
    name: str = ""


class _Identification(ServiceData):
    nctId: str = ""
    nctIdAliases: list[str] = []
    briefTitle: str = ""
    officialTitle: str = ""
    acronym: str = ""


class _Status(ServiceData):
    overallStatus: str = ""
    lastKnownStatus: str = ""
    whyStopped: str = ""
    statusVerifiedDate: str = ""
    startDateStruct: _Date = _Date()
    primaryCompletionDateStruct: _Date = _Date()
    completionDateStruct: _Date = _Date()
    studyFirstPostDateStruct: _Date = _Date()
    studyFirstSubmitDate: str = ""
    resultsFirstPostDateStruct: _Date = _Date()
    lastUpdatePostDateStruct: _Date = _Date()


class _Sponsors(ServiceData):
    leadSponsor: _Named = _Named()
    collaborators: list[_Named] = []


class _Description(ServiceData):
    briefSummary: str = ""
    detailedDescription: str = ""


class _Conditions(ServiceData):
    conditions: list[str] = []
    keywords: list[str] = []


class _Masking(ServiceData):
    masking: str = ""
    whoMasked: list[str] = []


class _DesignInfo(ServiceData):
    allocation: str = ""
    interventionModel: str = ""
    observationalModel: str = ""
    timePerspective: str = ""
    primaryPurpose: str = ""
    maskingInfo: _Masking = _Masking()


class _Enrolment(ServiceData):
    count: int | None = None
    type: str = ""


class _Design(ServiceData):
    studyType: str = ""
    phases: list[str] = []
    designInfo: _DesignInfo = _DesignInfo()
    enrollmentInfo: _Enrolment = _Enrolment()


class _Arm(ServiceData):
    label: str = ""
    type: str = ""
    description: str = ""
    interventionNames: list[str] = []


class _Intervention(ServiceData):
    type: str = ""
    name: str = ""
    description: str = ""


class _Arms(ServiceData):
    armGroups: list[_Arm] = []
    interventions: list[_Intervention] = []


class _PlannedOutcome(ServiceData):
    measure: str = ""
    description: str = ""
    timeFrame: str = ""


class _Outcomes(ServiceData):
    primaryOutcomes: list[_PlannedOutcome] = []
    secondaryOutcomes: list[_PlannedOutcome] = []
    otherOutcomes: list[_PlannedOutcome] = []


class _Eligibility(ServiceData):
    eligibilityCriteria: str = ""
    healthyVolunteers: bool | None = None
    sex: str = ""
    minimumAge: str = ""
    maximumAge: str = ""


class _Protocol(ServiceData):
    identification: _Identification = Field(_Identification(), alias="identificationModule")
    status: _Status = Field(_Status(), alias="statusModule")
    sponsors: _Sponsors = Field(_Sponsors(), alias="sponsorCollaboratorsModule")
    description: _Description = Field(_Description(), alias="descriptionModule")
    conditions: _Conditions = Field(_Conditions(), alias="conditionsModule")
    design: _Design = Field(_Design(), alias="designModule")
    arms: _Arms = Field(_Arms(), alias="armsInterventionsModule")
    outcomes: _Outcomes = Field(_Outcomes(), alias="outcomesModule")
    eligibility: _Eligibility = Field(_Eligibility(), alias="eligibilityModule")


class Study(ServiceData):
    """A whole study."""

    protocol: _Protocol = Field(alias="protocolSection")
    results: trial_results.Results | None = Field(None, alias="resultsSection")
    hasResults: bool | None = None


class Page(ServiceData):
    """A response to a search."""

    studies: list[Json]


def build_trial_record(study: Study) -> Record:
    """Build the record of a study; without a name if its number is invalid."""
    told = study.protocol
    known, status, design = told.identification, told.status, told.design
    number = parse_nct(known.nctId)
    posted = service_fields.parse_iso_date(status.studyFirstPostDateStruct.date or status.studyFirstSubmitDate)
    flags, notices = _assess_standing(study)
    made = (design.studyType, *design.phases, design.designInfo.allocation, design.designInfo.observationalModel)
    work = Work(
        title=service_fields.clean_title(known.officialTitle or known.briefTitle),
        authors=tuple(one for one in (unescape_to_line(told.sponsors.leadSponsor.name),) if one),
        year=service_fields.parse_year(posted),
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


def _render_design(told: _Protocol) -> Iterator[Block]:
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


def _render_eligibility(told: _Eligibility) -> Iterator[Block]:
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


def _render_planned_outcomes(told: _Protocol) -> Iterator[Block]:
    outcomes = told.outcomes
    yield from build_rows_block(_format_planned_outcome("Primary", one) for one in outcomes.primaryOutcomes)
    yield from build_rows_block(_format_planned_outcome("Secondary", one) for one in outcomes.secondaryOutcomes)
    yield from build_rows_block(_format_planned_outcome("Other", one) for one in outcomes.otherOutcomes)


def _format_arm(arm: _Arm) -> str:
    kind = f" ({format_registry_code(arm.type)})" if arm.type else ""
    given = _format_labelled_parts("given", _join_parts(unescape_to_line(one) for one in arm.interventionNames))
    said = "; ".join(part for part in (unescape_to_line(arm.description).rstrip("."), given) if part)
    return f"Arm {unescape_to_line(arm.label)}{kind}" + (f": {said}" if said else "") if arm.label.strip() else ""


def _format_intervention(one: _Intervention) -> str:
    if not one.name.strip():
        return ""
    kind = f" ({format_registry_code(one.type)})" if one.type else ""
    return f"Intervention {unescape_to_line(one.name)}{kind}" + (
        f": {unescape_to_line(one.description)}" if one.description.strip() else ""
    )


def _format_planned_outcome(kind: str, outcome: _PlannedOutcome) -> str:
    if not outcome.measure.strip():
        return ""
    when = f" (time frame: {unescape_to_line(outcome.timeFrame)})" if outcome.timeFrame.strip() else ""
    return f"{kind}: {unescape_to_line(outcome.measure)}{when}" + (
        f": {unescape_to_line(outcome.description)}" if outcome.description else ""
    )


def _format_labelled_parts(label: str, *parts: str) -> str:
    """Format `Label: parts`; empty without the first part."""
    return f"{label}: {'; '.join(part for part in parts if part)}" if parts[0] else ""


def _join_parts(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)
