"""What ClinicalTrials.gov tells of a study, by its own names; modules without content are absent there."""

from pydantic import Field

from elcano.graphs.frozen import Json
from elcano.plugins.literature.clinical_trials.result_shapes import Results
from elcano.plugins.literature.service_answers import ServiceData


class Date(ServiceData):
    """A date, as exactly as it is known, and whether it is actual or estimated."""

    date: str = ""
    type: str = ""


class Named(ServiceData):
    """A person, an organisation or a thing with a name."""

    name: str = ""


class Identification(ServiceData):
    """Numbers and titles that identify a study."""

    nctId: str = ""
    nctIdAliases: list[str] = []
    briefTitle: str = ""
    officialTitle: str = ""
    acronym: str = ""


class Status(ServiceData):
    """How far it is, and since when."""

    overallStatus: str = ""
    lastKnownStatus: str = ""
    whyStopped: str = ""
    statusVerifiedDate: str = ""
    startDateStruct: Date = Date()
    primaryCompletionDateStruct: Date = Date()
    completionDateStruct: Date = Date()
    studyFirstPostDateStruct: Date = Date()
    studyFirstSubmitDate: str = ""
    resultsFirstPostDateStruct: Date = Date()
    lastUpdatePostDateStruct: Date = Date()


class Sponsors(ServiceData):
    """The sponsors responsible for a study."""

    leadSponsor: Named = Named()
    collaborators: list[Named] = []


class Description(ServiceData):
    """The description of a study."""

    briefSummary: str = ""
    detailedDescription: str = ""


class Conditions(ServiceData):
    """The conditions that are studied."""

    conditions: list[str] = []
    keywords: list[str] = []


class Masking(ServiceData):
    """Who is blinded to the assignment of treatments."""

    masking: str = ""
    whoMasked: list[str] = []


class DesignInfo(ServiceData):
    """How it is made."""

    allocation: str = ""
    interventionModel: str = ""
    observationalModel: str = ""
    timePerspective: str = ""
    primaryPurpose: str = ""
    maskingInfo: Masking = Masking()


class Enrolment(ServiceData):
    """How many take part; 0 if it was withdrawn."""

    count: int | None = None
    type: str = ""


class Design(ServiceData):
    """What kind of study it is."""

    studyType: str = ""
    phases: list[str] = []
    designInfo: DesignInfo = DesignInfo()
    enrollmentInfo: Enrolment = Enrolment()


class Arm(ServiceData):
    """A group and what it receives."""

    label: str = ""
    type: str = ""
    description: str = ""
    interventionNames: list[str] = []


class Intervention(ServiceData):
    """What participants are given, or what is done to them."""

    type: str = ""
    name: str = ""
    description: str = ""


class Arms(ServiceData):
    """All groups, and all that is given."""

    armGroups: list[Arm] = []
    interventions: list[Intervention] = []


class PlannedOutcome(ServiceData):
    """An outcome that is to be measured."""

    measure: str = ""
    description: str = ""
    timeFrame: str = ""


class Outcomes(ServiceData):
    """All that is to be measured."""

    primaryOutcomes: list[PlannedOutcome] = []
    secondaryOutcomes: list[PlannedOutcome] = []
    otherOutcomes: list[PlannedOutcome] = []


class Eligibility(ServiceData):
    """Who may take part in a study."""

    eligibilityCriteria: str = ""
    healthyVolunteers: bool | None = None
    sex: str = ""
    minimumAge: str = ""
    maximumAge: str = ""


class Protocol(ServiceData):
    """The protocol of a study, as registered."""

    identification: Identification = Field(Identification(), alias="identificationModule")
    status: Status = Field(Status(), alias="statusModule")
    sponsors: Sponsors = Field(Sponsors(), alias="sponsorCollaboratorsModule")
    description: Description = Field(Description(), alias="descriptionModule")
    conditions: Conditions = Field(Conditions(), alias="conditionsModule")
    design: Design = Field(Design(), alias="designModule")
    arms: Arms = Field(Arms(), alias="armsInterventionsModule")
    outcomes: Outcomes = Field(Outcomes(), alias="outcomesModule")
    eligibility: Eligibility = Field(Eligibility(), alias="eligibilityModule")


class Study(ServiceData):
    """A whole study."""

    protocol: Protocol = Field(alias="protocolSection")
    results: Results | None = Field(None, alias="resultsSection")
    hasResults: bool | None = None


class Page(ServiceData):
    """An answer to a search."""

    studies: list[Json]
