"""A study as a record: its question, its design, who may take part, what it measures, and its results."""

from collections.abc import Iterable, Iterator

from elcano.activities.sources.documents.document import Block
from elcano.activities.sources.literature import describing
from elcano.activities.sources.literature.clinical_trials import results
from elcano.activities.sources.literature.clinical_trials.shapes import (
    Arm,
    Eligibility,
    Intervention,
    PlannedOutcome,
    Protocol,
    Study,
)
from elcano.activities.sources.literature.clinical_trials.wording import (
    dated,
    line,
    paragraphs,
    rows,
    under,
    words,
)
from elcano.activities.sources.literature.recording import Record, facts
from elcano.graphs.values import works
from elcano.graphs.values.works import Flag, Identifiers, Work

PAGE = "https://clinicaltrials.gov/study/"
_ENDED = {"COMPLETED", "TERMINATED"}
_STOPPED = {"TERMINATED", "SUSPENDED", "WITHDRAWN"}


def record(study: Study) -> Record:
    """The study; without a name if its number is none."""
    told = study.protocol
    known, status, design = told.identification, told.status, told.design
    number = works.nct(known.nctId)
    posted = describing.dated(status.studyFirstPostDateStruct.date or status.studyFirstSubmitDate)
    flags, notices = _standing(study)
    made = (design.studyType, *design.phases, design.designInfo.allocation, design.designInfo.observationalModel)
    work = Work(
        title=describing.title(known.officialTitle or known.briefTitle),
        authors=tuple(one for one in (line(told.sponsors.leadSponsor.name),) if one),
        year=describing.year_of(posted),
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
    metadata = facts(
        status=status.overallStatus,
        phases=design.phases,
        conditions=told.conditions.conditions,
        interventions=[line(one.name) for one in told.arms.interventions],
        keywords=told.conditions.keywords,
        collaborators=[line(one.name) for one in told.sponsors.collaborators],
        brief_title=known.briefTitle if known.officialTitle else "",
        acronym=known.acronym,
        completed=status.completionDateStruct.date,
        results_posted=status.resultsFirstPostDateStruct.date,
        updated=status.lastUpdatePostDateStruct.date,
        earlier_numbers=known.nctIdAliases,
    )
    if design.enrollmentInfo.count is not None:
        metadata["enrolment"] = design.enrollmentInfo.count
    return Record(work, tuple(_blocks(study)), metadata=metadata, parted=True)


def _blocks(study: Study) -> Iterator[Block]:
    told = study.protocol
    yield from under("Summary", paragraphs(told.description.briefSummary))
    yield from under("Design", _design(told))
    yield from under("Eligibility", _eligibility(told.eligibility))
    yield from under("Planned outcomes", _planned(told))
    yield from under("Description", paragraphs(told.description.detailedDescription))
    if study.results is not None:
        yield from results.blocks(study.results)


def _standing(study: Study) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    status = study.protocol.status
    code, why = status.overallStatus, line(status.whyStopped)
    flags: list[Flag] = []
    notices = []
    if code in _STOPPED:
        before = " before anybody took part" if code == "WITHDRAWN" else ""
        notices.append(f"It was {words(code)}{before}" + (f": {why}" if why else "").rstrip(".") + ".")
    if code == "WITHDRAWN":
        flags.append("withdrawn")
    if code == "UNKNOWN":
        flags.append("unknown_status")
        last = f": it was last known as {words(status.lastKnownStatus)}" if status.lastKnownStatus else ""
        when = f", which was verified in {status.statusVerifiedDate}" if status.statusVerifiedDate and last else ""
        notices.append(f"Its status is unknown{last}{when}.")
    if code in _ENDED and study.hasResults is False and study.results is None:
        flags.append("no_results")
        when = dated("in", status.completionDateStruct.date, "")
        notices.append(" ".join(f"It ended {when}".split()) + ", and no results are posted.")
    return tuple(flags), tuple(notices)


def _design(told: Protocol) -> Iterator[Block]:
    status, design = told.status, told.design
    info = design.designInfo
    times = (
        dated("started", status.startDateStruct.date, status.startDateStruct.type),
        dated("primary completion", status.primaryCompletionDateStruct.date, status.primaryCompletionDateStruct.type),
        dated("completion", status.completionDateStruct.date, status.completionDateStruct.type),
    )
    who = ", ".join(words(one) for one in info.maskingInfo.whoMasked)
    masking = words(info.maskingInfo.masking) + (f" ({who})" if who else "")
    enrolled = design.enrollmentInfo
    yield from rows(
        (
            _said("Status", words(status.overallStatus), _joined(times)),
            _said("Why it stopped", line(status.whyStopped)),
            _said("Study type", words(design.studyType)),
            _said("Phase", _joined(words(one) for one in design.phases)),
            _said("Allocation", words(info.allocation)),
            _said("Model", words(info.interventionModel or info.observationalModel), words(info.timePerspective)),
            _said("Masking", masking),
            _said("Primary purpose", words(info.primaryPurpose)),
            _said(
                "Enrolment", "" if enrolled.count is None else f"{enrolled.count} participants", words(enrolled.type)
            ),
            _said("Conditions", _joined(line(one) for one in told.conditions.conditions)),
            _said("Sponsor", line(told.sponsors.leadSponsor.name)),
        )
    )
    yield from rows(_arm(one) for one in told.arms.armGroups)
    yield from rows(_intervention(one) for one in told.arms.interventions)


def _eligibility(told: Eligibility) -> Iterator[Block]:
    volunteers = "" if told.healthyVolunteers is None else "accepted" if told.healthyVolunteers else "not accepted"
    yield from rows(
        (
            _said("Sex", words(told.sex)),
            _said("Minimum age", line(told.minimumAge)),
            _said("Maximum age", line(told.maximumAge)),
            _said("Healthy volunteers", volunteers),
        )
    )
    yield from paragraphs(told.eligibilityCriteria)


def _planned(told: Protocol) -> Iterator[Block]:
    outcomes = told.outcomes
    yield from rows(_outcome("Primary", one) for one in outcomes.primaryOutcomes)
    yield from rows(_outcome("Secondary", one) for one in outcomes.secondaryOutcomes)
    yield from rows(_outcome("Other", one) for one in outcomes.otherOutcomes)


def _arm(arm: Arm) -> str:
    kind = f" ({words(arm.type)})" if arm.type else ""
    given = _said("given", _joined(line(one) for one in arm.interventionNames))
    said = "; ".join(part for part in (line(arm.description).rstrip("."), given) if part)
    return f"Arm {line(arm.label)}{kind}" + (f": {said}" if said else "") if arm.label.strip() else ""


def _intervention(one: Intervention) -> str:
    if not one.name.strip():
        return ""
    kind = f" ({words(one.type)})" if one.type else ""
    return f"Intervention {line(one.name)}{kind}" + (f": {line(one.description)}" if one.description.strip() else "")


def _outcome(kind: str, outcome: PlannedOutcome) -> str:
    if not outcome.measure.strip():
        return ""
    when = f" (time frame: {line(outcome.timeFrame)})" if outcome.timeFrame.strip() else ""
    return f"{kind}: {line(outcome.measure)}{when}" + (f": {line(outcome.description)}" if outcome.description else "")


def _said(label: str, *parts: str) -> str:
    """`Label: parts`; empty without the first part."""
    return f"{label}: {'; '.join(part for part in parts if part)}" if parts[0] else ""


def _joined(parts: Iterable[str]) -> str:
    return ", ".join(part for part in parts if part)
