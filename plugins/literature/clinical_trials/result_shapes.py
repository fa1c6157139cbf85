"""What ClinicalTrials.gov tells of the results of a study, by its own names; figures are texts there."""

from pydantic import Field

from elcano.plugins.literature.service_answers import ServiceData


class Group(ServiceData):
    """A group as the results name it."""

    id: str = ""
    title: str = ""
    description: str = ""


class Count(ServiceData):
    """How many of a group."""

    groupId: str = ""
    value: str = ""


class Denominator(ServiceData):
    """How many were measured, by group."""

    units: str = ""
    counts: list[Count] = []


class Measurement(ServiceData):
    """One figure, as its registrant wrote it."""

    groupId: str = ""
    value: str = ""
    spread: str = ""
    lowerLimit: str = ""
    upperLimit: str = ""
    comment: str = ""


class Category(ServiceData):
    """Figures of one category."""

    title: str = ""
    measurements: list[Measurement] = []


class Class(ServiceData):
    """Figures of one row, such as a visit."""

    title: str = ""
    denoms: list[Denominator] = []
    categories: list[Category] = []


class Analysis(ServiceData):
    """A comparison between groups."""

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
    nonInferiorityType: str = ""
    estimateComment: str = ""


class Measure(ServiceData):
    """A measure of the baseline or of an outcome."""

    type: str = ""
    title: str = ""
    description: str = ""
    populationDescription: str = ""
    paramType: str = ""
    dispersionType: str = ""
    unitOfMeasure: str = ""
    timeFrame: str = ""
    groups: list[Group] = []
    denoms: list[Denominator] = []
    classes: list[Class] = []
    analyses: list[Analysis] = []


class Achievement(ServiceData):
    """How many of a group came so far."""

    groupId: str = ""
    numSubjects: str = ""


class Milestone(ServiceData):
    """A point that participants reach."""

    type: str = ""
    achievements: list[Achievement] = []


class DropoutReason(ServiceData):
    """Why participants left."""

    type: str = ""
    reasons: list[Achievement] = []


class Period(ServiceData):
    """A part of the study."""

    title: str = ""
    milestones: list[Milestone] = []
    dropWithdraws: list[DropoutReason] = []


class Flow(ServiceData):
    """Participant flow: who joined and who left."""

    groups: list[Group] = []
    periods: list[Period] = []


class Baseline(ServiceData):
    """Characteristics of the participants at baseline."""

    groups: list[Group] = []
    denoms: list[Denominator] = []
    measures: list[Measure] = []


class OutcomeMeasures(ServiceData):
    """The measured outcomes."""

    outcomeMeasures: list[Measure] = []


class EventGroup(ServiceData):
    """Numbers of participants in a group who had events; None where it is not reported."""

    id: str = ""
    title: str = ""
    deathsNumAffected: int | None = None
    deathsNumAtRisk: int | None = None
    seriousNumAffected: int | None = None
    seriousNumAtRisk: int | None = None
    otherNumAffected: int | None = None
    otherNumAtRisk: int | None = None


class EventCount(ServiceData):
    """The same for one kind of event."""

    groupId: str = ""
    numAffected: int | None = None
    numAtRisk: int | None = None


class Event(ServiceData):
    """One kind of adverse event."""

    term: str = ""
    organSystem: str = ""
    stats: list[EventCount] = []


class AdverseEvents(ServiceData):
    """All that befell participants."""

    frequencyThreshold: str = ""
    timeFrame: str = ""
    description: str = ""
    eventGroups: list[EventGroup] = []
    seriousEvents: list[Event] = []
    otherEvents: list[Event] = []


class Caveats(ServiceData):
    """What limits the study."""

    description: str = ""


class MoreInfo(ServiceData):
    """What its registrants add."""

    limitationsAndCaveats: Caveats = Caveats()


class Results(ServiceData):
    """The posted results of a study."""

    flow: Flow = Field(Flow(), alias="participantFlowModule")
    baseline: Baseline = Field(Baseline(), alias="baselineCharacteristicsModule")
    outcomes: OutcomeMeasures = Field(OutcomeMeasures(), alias="outcomeMeasuresModule")
    adverse: AdverseEvents = Field(AdverseEvents(), alias="adverseEventsModule")
    more: MoreInfo = Field(MoreInfo(), alias="moreInfoModule")
