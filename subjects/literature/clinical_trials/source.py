"""ClinicalTrials.gov as a source: studies of the registry, in passages on their questions, plans and findings.

A search is one request, and a second one if nothing matches all words of a plain query. A query that is a study's
number returns that study; an old number leads to the current one. The record of a study has its question, its design,
who may take part, what it measures, and its results.
"""

import asyncio
import re
from collections.abc import Iterator
from typing import Final

from pydantic import AliasPath, Field

from elcano.activities.passages.document import Block
from elcano.activities.sources.http.fetching import Answer
from elcano.graphs.frozen import Json
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_nct
from elcano.subjects.literature import service_fields
from elcano.subjects.literature.clinical_trials.registry_text import (
    build_rows_block,
    build_section,
    format_labelled_date,
    format_labelled_parts,
    format_registry_code,
    join_parts,
    split_paragraphs,
    unescape_to_line,
)
from elcano.subjects.literature.clinical_trials.trial_results import Results, render_result_blocks
from elcano.subjects.literature.literature_source import FoundWorks, LiteratureSource
from elcano.subjects.literature.search_queries import SentQuery, prepare_query
from elcano.subjects.literature.service_answers import ServiceData, parse_readable_items
from elcano.subjects.literature.work_records import Record, build_record_metadata

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


class _DesignInfo(ServiceData):
    allocation: str = ""
    interventionModel: str = ""
    observationalModel: str = ""
    timePerspective: str = ""
    primaryPurpose: str = ""
    masking: str = Field("", validation_alias=AliasPath("maskingInfo", "masking"))
    whoMasked: list[str] = Field([], validation_alias=AliasPath("maskingInfo", "whoMasked"))


class _Design(ServiceData):
    studyType: str = ""
    phases: list[str] = []
    designInfo: _DesignInfo = _DesignInfo()
    enrolled: int | None = Field(None, validation_alias=AliasPath("enrollmentInfo", "count"))
    enrolled_kind: str = Field("", validation_alias=AliasPath("enrollmentInfo", "type"))


class _Arm(ServiceData):
    label: str = ""
    type: str = ""
    description: str = ""
    interventionNames: list[str] = []


class _Intervention(ServiceData):
    type: str = ""
    name: str = ""
    description: str = ""


class _PlannedOutcome(ServiceData):
    measure: str = ""
    description: str = ""
    timeFrame: str = ""


class _Eligibility(ServiceData):
    eligibilityCriteria: str = ""
    healthyVolunteers: bool | None = None
    sex: str = ""
    minimumAge: str = ""
    maximumAge: str = ""


class _Protocol(ServiceData):
    identification: _Identification = Field(_Identification(), alias="identificationModule")
    status: _Status = Field(_Status(), alias="statusModule")
    sponsor: str = Field("", validation_alias=AliasPath("sponsorCollaboratorsModule", "leadSponsor", "name"))
    collaborators: list[_Named] = Field([], validation_alias=AliasPath("sponsorCollaboratorsModule", "collaborators"))
    summary: str = Field("", validation_alias=AliasPath("descriptionModule", "briefSummary"))
    description: str = Field("", validation_alias=AliasPath("descriptionModule", "detailedDescription"))
    conditions: list[str] = Field([], validation_alias=AliasPath("conditionsModule", "conditions"))
    keywords: list[str] = Field([], validation_alias=AliasPath("conditionsModule", "keywords"))
    design: _Design = Field(_Design(), alias="designModule")
    arms: list[_Arm] = Field([], validation_alias=AliasPath("armsInterventionsModule", "armGroups"))
    interventions: list[_Intervention] = Field(
        [], validation_alias=AliasPath("armsInterventionsModule", "interventions")
    )
    primary: list[_PlannedOutcome] = Field([], validation_alias=AliasPath("outcomesModule", "primaryOutcomes"))
    secondary: list[_PlannedOutcome] = Field([], validation_alias=AliasPath("outcomesModule", "secondaryOutcomes"))
    other: list[_PlannedOutcome] = Field([], validation_alias=AliasPath("outcomesModule", "otherOutcomes"))
    eligibility: _Eligibility = Field(_Eligibility(), alias="eligibilityModule")


class Study(ServiceData):
    """A whole study."""

    protocol: _Protocol = Field(alias="protocolSection")
    results: Results | None = Field(None, alias="resultsSection")
    hasResults: bool | None = None


class Page(ServiceData):
    """A response to a search."""

    studies: list[Json]


def build_trial_record(study: Study) -> Record:
    """Build the record of a study; without a name if its number is invalid."""
    protocol = study.protocol
    known, status, design = protocol.identification, protocol.status, protocol.design
    number = parse_nct(known.nctId)
    posted = service_fields.parse_iso_date(status.studyFirstPostDateStruct.date or status.studyFirstSubmitDate)
    flags, notices = _assess_standing(study)
    made = (design.studyType, *design.phases, design.designInfo.allocation, design.designInfo.observationalModel)
    work = Work(
        title=service_fields.clean_title(known.officialTitle or known.briefTitle),
        authors=tuple(one for one in (unescape_to_line(protocol.sponsor),) if one),
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
        conditions=protocol.conditions,
        interventions=[unescape_to_line(one.name) for one in protocol.interventions],
        keywords=protocol.keywords,
        collaborators=[unescape_to_line(one.name) for one in protocol.collaborators],
        brief_title=known.briefTitle if known.officialTitle else "",
        acronym=known.acronym,
        completed=status.completionDateStruct.date,
        results_posted=status.resultsFirstPostDateStruct.date,
        updated=status.lastUpdatePostDateStruct.date,
        earlier_numbers=known.nctIdAliases,
    )
    if design.enrolled is not None:
        metadata["enrolment"] = design.enrolled
    return Record(work, tuple(_render_trial_blocks(study)), metadata=metadata, parted=True)


def _render_trial_blocks(study: Study) -> Iterator[Block]:
    protocol = study.protocol
    yield from build_section("Summary", split_paragraphs(protocol.summary))
    yield from build_section("Design", _render_design(protocol))
    yield from build_section("Eligibility", _render_eligibility(protocol.eligibility))
    yield from build_section("Planned outcomes", _render_planned_outcomes(protocol))
    yield from build_section("Description", split_paragraphs(protocol.description))
    if study.results is not None:
        yield from render_result_blocks(study.results)


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


def _render_design(protocol: _Protocol) -> Iterator[Block]:
    status, design = protocol.status, protocol.design
    info = design.designInfo
    times = (
        format_labelled_date("started", status.startDateStruct.date, status.startDateStruct.type),
        format_labelled_date(
            "primary completion", status.primaryCompletionDateStruct.date, status.primaryCompletionDateStruct.type
        ),
        format_labelled_date("completion", status.completionDateStruct.date, status.completionDateStruct.type),
    )
    who = ", ".join(format_registry_code(one) for one in info.whoMasked)
    masking = format_registry_code(info.masking) + (f" ({who})" if who else "")
    yield from build_rows_block(
        (
            format_labelled_parts("Status", format_registry_code(status.overallStatus), join_parts(times)),
            format_labelled_parts("Why it stopped", unescape_to_line(status.whyStopped)),
            format_labelled_parts("Study type", format_registry_code(design.studyType)),
            format_labelled_parts("Phase", join_parts(format_registry_code(one) for one in design.phases)),
            format_labelled_parts("Allocation", format_registry_code(info.allocation)),
            format_labelled_parts(
                "Model",
                format_registry_code(info.interventionModel or info.observationalModel),
                format_registry_code(info.timePerspective),
            ),
            format_labelled_parts("Masking", masking),
            format_labelled_parts("Primary purpose", format_registry_code(info.primaryPurpose)),
            format_labelled_parts(
                "Enrolment",
                "" if design.enrolled is None else f"{design.enrolled} participants",
                format_registry_code(design.enrolled_kind),
            ),
            format_labelled_parts("Conditions", join_parts(unescape_to_line(one) for one in protocol.conditions)),
            format_labelled_parts("Sponsor", unescape_to_line(protocol.sponsor)),
        )
    )
    yield from build_rows_block(_format_arm(one) for one in protocol.arms)
    yield from build_rows_block(_format_intervention(one) for one in protocol.interventions)


def _render_eligibility(eligibility: _Eligibility) -> Iterator[Block]:
    volunteers = (
        "" if eligibility.healthyVolunteers is None else "accepted" if eligibility.healthyVolunteers else "not accepted"
    )
    yield from build_rows_block(
        (
            format_labelled_parts("Sex", format_registry_code(eligibility.sex)),
            format_labelled_parts("Minimum age", unescape_to_line(eligibility.minimumAge)),
            format_labelled_parts("Maximum age", unescape_to_line(eligibility.maximumAge)),
            format_labelled_parts("Healthy volunteers", volunteers),
        )
    )
    yield from split_paragraphs(eligibility.eligibilityCriteria)


def _render_planned_outcomes(protocol: _Protocol) -> Iterator[Block]:
    yield from build_rows_block(_format_planned_outcome("Primary", one) for one in protocol.primary)
    yield from build_rows_block(_format_planned_outcome("Secondary", one) for one in protocol.secondary)
    yield from build_rows_block(_format_planned_outcome("Other", one) for one in protocol.other)


def _format_arm(arm: _Arm) -> str:
    kind = f" ({format_registry_code(arm.type)})" if arm.type else ""
    given = format_labelled_parts("given", join_parts(unescape_to_line(one) for one in arm.interventionNames))
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


MOST_STUDIES: Final = 10
"""Studies per search: each is cut into many passages, and one with results may have a megabyte."""
_NUMBER: Final = re.compile(r"\s*(NCT\d{8})\s*", re.IGNORECASE)
_MISSING: Final = 404


class ClinicalTrials(LiteratureSource):
    """The registry of the National Library of Medicine."""

    base = "https://clinicaltrials.gov/api/v2/"
    parameters = {"format": "json"}
    ranks_passages = True

    def prepare_query(self, query: str) -> SentQuery:
        """Return the number of a study, or the words as for any service."""
        number = _NUMBER.fullmatch(query)
        return SentQuery(number[1].upper()) if number else prepare_query(query)

    async def find_works(self, query: str, limit: int) -> FoundWorks:
        """Return the studies that the registry ranks best, or the one with this number."""
        if _NUMBER.fullmatch(query):
            answer = await self.fetch(f"studies/{query}", {}, accepted=(_MISSING,))
            if answer.status == _MISSING:
                return FoundWorks(warnings=(f"{self.name}: there is no study {query}",))
            return await asyncio.to_thread(self._parse_study, answer, query)
        params = {"query.term": query, "pageSize": str(min(limit, MOST_STUDIES))}
        return await asyncio.to_thread(self._parse_page, await self.fetch("studies", params))

    def _parse_study(self, answer: Answer, asked: str) -> FoundWorks:
        study = self.parse_json(answer, Study)
        number = study.protocol.identification.nctId
        moved = (f"{self.name}: {asked} is now {number}",) if number.upper() != asked else ()
        return FoundWorks([build_trial_record(study)], warnings=moved)

    def _parse_page(self, answer: Answer) -> FoundWorks:
        studies, unread = parse_readable_items(Study, self.parse_json(answer, Page).studies)
        return FoundWorks([build_trial_record(study) for study in studies], unread)
