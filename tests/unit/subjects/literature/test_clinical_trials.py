"""ClinicalTrials.gov as a source, against answers that it gave and against faults of every kind."""

import json
from typing import Any

import pytest

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.subjects.literature.clinical_trials.trial_results import MOST_EVENTS
from tests.loopback import Asked, Reply, recorded
from tests.unit.subjects.literature.services import HTML, replying, searched, works

pytestmark = pytest.mark.anyio
NAME = "clinical-trials"
TEXT = {"Content-Type": "text/plain"}


def study(number: str = "NCT00000001", *, results: object = None, **modules: object) -> dict[str, Any]:
    identification = {"nctId": number, "briefTitle": "Whale song for sleep"}
    protocol = {
        "identificationModule": identification,
        "descriptionModule": {"briefSummary": "Whether whale song helps."},
        **modules,
    }
    return {"protocolSection": protocol, "hasResults": results is not None} | (
        {"resultsSection": results} if results is not None else {}
    )


def page(*studies: object) -> Reply:
    return Reply(json.dumps({"studies": studies, "totalCount": len(studies)}))


def of(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(recorded(f"clinicaltrials_gov/{name}.json").body)
    return found


async def texts_of(*studies: object, query: str = "sleep", limit: int = 50) -> str:
    found, _ = await searched(NAME, replying(page(*studies)), query, limit)
    (text,) = found.texts
    return text.text


async def test_posted_results_keep_numbers_units_and_groups() -> None:
    found, asked = await searched(NAME, replying(page(of("study_with_results"))), "BMI repaglinide cystic fibrosis", 50)
    assert asked[0].path == "/studies"
    assert asked[0].query == {"query.term": "BMI repaglinide cystic fibrosis", "pageSize": "10", "format": "json"}
    text = found.texts[0].text
    for line in (
        "BMI, mean - 2. Repaglinide (n=4): 21.19 Kg/m^2 (full range 20.78 to 21.8)",
        "Body Composition, mean, Fat - 1 Placebo (n=4): 19.82 % body mass (full range 12 to 37.8)",
        "Overall Study, completed: Placebo 4, 2. Repaglinide 4",
        "Age, Continuous, median - Total (n=8): 15.5 years (full range 12 to 22)",
        "Placebo: deaths 0 of 8, serious adverse events 0 of 8, other adverse events 0 of 8",
        "Enrolment: 31 participants; actual",
        "Masking: quadruple (participant, care provider, investigator, outcomes assessor)",
        "A limitation of the study was the very small sample size.",
    ):
        assert line in text.splitlines(), line
    headings = {one.heading for one in found.evidence}
    assert {"Summary", "Eligibility", "Results > Primary outcome: BMI", "Limitations"} <= headings
    work = works(found)[0]
    assert (work.kind, work.flags, work.design) == ("trial", (), ("INTERVENTIONAL", "RANDOMIZED"))
    assert (work.published, work.url) == ("2008-10-01", "https://clinicaltrials.gov/study/NCT00763412")
    assert found.evidence[0].document == "nct:NCT00763412"
    assert found.evidence[0].metadata["enrolment"] == 31


async def test_what_a_trial_is_worth_by_its_status() -> None:
    stopped = "recruiting or enrolling participants has halted prematurely and will not resume"
    found, _ = await searched(
        NAME, replying(page(of("study_withdrawn"), of("study_registry_unknown_status"), of("study_with_contacts")))
    )
    said = {work.identifiers.nct: (work.flags, work.notices) for work in works(found)}
    assert said == {
        "NCT00973089": (("withdrawn",), (f"It was withdrawn before anybody took part: {stopped}.",)),
        "NCT03475563": (
            ("unknown_status",),
            ("Its status is unknown: it was last known as recruiting, which was verified in 2019-11.",),
        ),
        "NCT02576665": (
            (),
            ("It was terminated.",),
        ),  # asked for some fields only: whether there are results is not told
    }
    completed = {"overallStatus": "COMPLETED", "completionDateStruct": {"date": "2013-01"}}
    found, _ = await searched(NAME, replying(page(study(statusModule=completed))))
    assert {(one.flags, one.notices) for one in works(found)} == {
        (("no_results",), ("It ended in 2013-01, and no results are posted.",))
    }


@pytest.mark.parametrize(("file", "studies"), [("search_page_1", 5), ("search_page_2", 5)])
async def test_recorded_searches_are_read(file: str, studies: int) -> None:
    found, _ = await searched(NAME, replying(recorded(f"clinicaltrials_gov/{file}.json")), "oxytocin", 50)
    assert len({one.document for one in found.evidence}) == studies
    assert found.warnings == ()


async def test_an_analysis_says_what_was_compared_and_how() -> None:
    measure = {
        "type": "SECONDARY",
        "title": "Hours of sleep",
        "unitOfMeasure": "h",
        "paramType": "MEAN",
        "dispersionType": "Standard Deviation",
        "groups": [{"id": "OG0", "title": "Song"}, {"id": "OG1", "title": "Silence"}],
        "denoms": [{"units": "Participants", "counts": [{"groupId": "OG0", "value": "12"}]}],
        "classes": [
            {
                "title": "Night 1",
                "categories": [
                    {
                        "measurements": [
                            {"groupId": "OG0", "value": "7.5", "spread": "0.5"},
                            {"groupId": "OG1", "value": "NA", "comment": "Nobody slept"},
                            {"groupId": "OG2", "comment": "Not measured"},
                            {"groupId": "OG3", "value": 12345678901234567890},
                        ]
                    }
                ],
            }
        ],
        "analyses": [
            {
                "groupIds": ["OG0", "OG1"],
                "paramType": "Mean Difference (Final Values)",
                "paramValue": "1.2",
                "ciPctValue": "95",
                "ciLowerLimit": "0.4",
                "ciUpperLimit": "2.0",
                "pValue": "<0.001",
                "statisticalMethod": "ANCOVA",
            },
            {"groupIds": ["OG0"]},
        ],
    }
    lines = (await texts_of(study(results={"outcomeMeasuresModule": {"outcomeMeasures": [measure]}}))).splitlines()
    assert "Secondary outcome: Hours of sleep" in lines
    assert "Hours of sleep, mean, Night 1 - Song (n=12): 7.5 h (standard deviation 0.5)" in lines
    assert "Hours of sleep, mean, Night 1 - Silence: NA h (Nobody slept)" in lines
    assert "Hours of sleep, mean, Night 1 - OG2: Not measured" in lines
    assert "Hours of sleep, mean, Night 1 - OG3: 12345678901234567890 h" in lines
    assert "Song vs Silence: Mean Difference (Final Values) 1.2; 95% CI 0.4 to 2.0; p <0.001; ANCOVA" in lines


async def test_thousands_of_adverse_events_are_bounded_and_counted() -> None:
    events = [
        {
            "term": f"Event {at}",
            "organSystem": "Nervous system",
            "stats": [{"groupId": "EG0", "numAffected": 1, "numAtRisk": 9}, {"groupId": "EG1"}],
        }
        for at in range(3_000)
    ]
    adverse = {"eventGroups": [{"id": "EG0", "title": "Song"}], "seriousEvents": events}
    text = await texts_of(study(results={"adverseEventsModule": adverse}))
    assert "Event 0 (Nervous system): Song 1 of 9" in text
    assert f"{3_000 - MOST_EVENTS} more are in the registry." in text
    assert len(text) < 20_000


async def test_signs_that_were_spared_from_markdown_are_themselves() -> None:
    text = await texts_of(
        study(eligibilityModule={"eligibilityCriteria": "* BMI \\> 30\n* 2\\*3 \\[a\\]\n* C:\\Users"})
    )
    assert "* BMI > 30\n* 2*3 [a]\n* C:\\Users" in text


async def test_the_number_of_a_study_is_asked_for_itself_and_may_have_changed() -> None:
    def answering(one: Asked) -> Reply:
        if one.path == "/studies/NCT00000001":
            return Reply("", 301, {"Location": "/studies/NCT00000002?format=json"})
        return Reply(json.dumps(study("NCT00000002")))

    found, _ = await searched(NAME, answering, " nct00000001\n")
    assert [work.identifiers.nct for work in works(found)] == ["NCT00000002"]
    assert found.warnings == ("clinical-trials: NCT00000001 is now NCT00000002",)
    missing = Reply("NCT number NCT99999999 not found", 404, TEXT)
    found, asked = await searched(NAME, replying(missing), "NCT99999999")
    assert (found.evidence, found.warnings, len(asked)) == ((), ("clinical-trials: there is no study NCT99999999",), 1)


async def test_words_first_and_any_of_them_then() -> None:
    found, asked = await searched(NAME, replying(page(), page(study())), "Does whale song (of humpbacks) do?")
    assert [one.query["query.term"] for one in asked] == ["whale song humpbacks", "whale OR song OR humpbacks"]
    assert found.warnings == ("clinical-trials: nothing has all words of the query, so any of them were searched for",)
    found, asked = await searched(NAME, replying(page()), 'AREA[Phase]PHASE3 AND "sleep')
    assert [one.query["query.term"] for one in asked] == ["AREA[Phase]PHASE3 AND sleep"]
    assert (found.evidence, found.warnings) == ((), ())


async def test_studies_that_are_not_as_they_should_be() -> None:
    odd: list[object] = [
        "study",
        {},
        {"protocolSection": {"identificationModule": {"nctId": "NCT1"}, "descriptionModule": {"briefSummary": "x"}}},
        study(designModule={"phases": "PHASE1"}),
        study("NCT00000002", designModule={"enrollmentInfo": {"count": 10**30}, "phases": None}),
        study("NCT00000002"),
        {"protocolSection": {"identificationModule": {"nctId": "NCT00000003", "briefTitle": "Bare"}}},
        study("NCT00000004", statusModule={"studyFirstPostDateStruct": {"date": "0000-99"}}),
    ]
    found, _ = await searched(NAME, replying(page(*odd)), limit=50)
    assert {work.identifiers.nct: work.year for work in works(found)} == {
        "NCT00000001": None,
        "NCT00000002": None,
        "NCT00000004": None,
    }
    assert found.warnings == (
        "clinical-trials: 3 of the works found could not be read",
        "clinical-trials: 1 of the works found have no abstract and are left out",
    )


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (
            Reply("`filter.phase` is unknown parameter", 400, TEXT),
            SourceRefused,
            "400 .*: `filter.phase` is unk",
        ),
        (Reply("x" * 5_000, 400, TEXT), SourceRefused, "^.{100,240}$"),
        (Reply("", 404), SourceRefused, "HTTP 404"),
        (Reply("slow down", 429, {"Retry-After": "7", **TEXT}), SourceBusy, "HTTP 429"),
        (Reply("", 500), SourceBusy, "HTTP 500"),
        (HTML, SourceUnavailable, "no JSON"),
        (Reply(b"\xff"), SourceUnavailable, "no JSON"),
        (Reply('{"studies"'), SourceUnavailable, "no JSON"),
        (Reply("{}"), SourceUnavailable, "studies: Field required"),
        (Reply('{"studies": {}}'), SourceUnavailable, "another shape"),
    ],
)
async def test_a_fault_is_an_error_and_never_evidence(reply: Reply, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        await searched(NAME, replying(reply))
