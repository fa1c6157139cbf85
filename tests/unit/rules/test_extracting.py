"""Numbers in the forms in which English reports give them; what is not sure gives none."""

import pytest

from elcano.graphs.agents.envelope import EvidenceItem, TaskEnvelope
from elcano.graphs.frozen import JsonObject
from elcano.subjects.analysis.analysis import Extraction
from tests.rules.extracting import extract, hypothesis

BOTH = {"first": {"name": "aspirin"}, "second": {"name": "placebo"}}


def read(text: str, question: str = "Does aspirin reduce mortality?") -> Extraction:
    item = EvidenceItem(key="e1", title="A trial", locator="here", text=text)
    return extract(TaskEnvelope(kind="analyst", question=question, evidence=(item,)))


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "Deaths occurred in 12 of 45 patients (26.7 %) in the drug group and in 20 of 44 in the placebo group.",
            {
                "outcome": "Deaths",
                "reports": "counts",
                "first": {"name": "drug", "events": 12, "size": 45, "percent": 26.7},
                "second": {"name": "placebo", "events": 20, "size": 44},
            },
        ),
        (
            "In total, 12 of 45 patients in the aspirin group died, compared with 20/44 in the placebo group.",
            {
                "outcome": "died",
                "reports": "counts",
                "first": {"name": "aspirin", "events": 12, "size": 45},
                "second": {"name": "placebo", "events": 20, "size": 44},
            },
        ),
        (
            "Nausea occurred in 1,234 of 5,000 patients with aspirin versus 1,100 of 5,010 patients with placebo.",
            {
                "outcome": "Nausea",
                "reports": "counts",
                "first": {"name": "aspirin", "events": 1234, "size": 5000},
                "second": {"name": "placebo", "events": 1100, "size": 5010},
            },
        ),
        (
            "The odds ratio for death was 0.80 (95% confidence interval, 0.65 to 0.98) with aspirin than with placebo.",
            {"outcome": "death", "reports": "odds_ratio", "value": 0.8, "low": 0.65, "high": 0.98, **BOTH},
        ),
        (
            "Aspirin reduced mortality compared with placebo (HR 0,80; 95 % CI 0,65-0,98).",
            {
                "outcome": "mortality",
                "reports": "hazard_ratio",
                "value": 0.8,
                "low": 0.65,
                "high": 0.98,
                "first": {"name": "Aspirin"},
                "second": {"name": "placebo"},
            },
        ),
        (
            "Adults were randomized to placebo or aspirin. Mortality was similar (RR 0.95, 99% CI 0.80 to 1.12).",
            {
                "outcome": "Mortality",
                "reports": "risk_ratio",
                "value": 0.95,
                "low": 0.8,
                "high": 1.12,
                "level": 99,
                **BOTH,
            },
        ),
        (
            "Pain was lower with aspirin than with placebo (MD \u22120.5, 95% CI \u22120.9 to \u22120.1).",
            {"outcome": "Pain", "reports": "mean_difference", "value": -0.5, "low": -0.9, "high": -0.1, **BOTH},
        ),
        (
            "The mean pain score was 5.2 (SD 1.1) with aspirin (n = 40) and 6.0 (SD 1.3) with placebo (n = 41).",
            {
                "outcome": "pain score",
                "reports": "means",
                "first": {"name": "aspirin", "mean": 5.2, "sd": 1.1, "size": 40},
                "second": {"name": "placebo", "mean": 6.0, "sd": 1.3, "size": 41},
            },
        ),
        ("Mean pain score was 5.2 (SD 1.1), n = 40.", {"outcome": "pain score", "reports": "means"}),
    ],
)
def test_a_regular_form_is_read(text: str, told: JsonObject) -> None:
    (found,) = read(text).measurements
    said = found.model_dump(exclude_defaults=True)
    assert found.quote in text
    assert {name: said.get(name) for name in told if name != "first" or "second" in told} == {
        name: value for name, value in told.items() if name != "first" or "second" in told
    }


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Version 2 of 3 is out.",
        "It was 12 of 45, 20 of 44 and 7 of 41 in the three groups.",
        "The OR was open from 8 to 10.",
        "The odds ratio was 1.45.",
        "Aspirin reduced death (OR 1,234; 95 % CI 1,111 to 1,456).",
        "Scores were 5.2 \u00b1 1.1 in the aspirin group and 6.0 \u00b1 1.3 in the placebo group.",
        "Deaths: 12 of 45 and 20 of 44.",
        "0 " * 5_000,
        "(" * 2_000 + "OR 1.45",
        "12 of 45 " * 80,
    ],
)
def test_what_is_not_sure_gives_no_number(text: str) -> None:
    assert read(text).measurements == ()


def test_the_question_is_the_hypothesis() -> None:
    told = hypothesis("Does aspirin reduce the risk of stroke compared with placebo?")
    assert (told.first, told.outcome, told.second, told.expects) == ("aspirin", "stroke", "placebo", "lower")
    assert hypothesis("Can exercise increase bone density?").expects == "higher"
    other = hypothesis("Was ist bekannt?")
    assert (other.outcome, other.expects, other.statement) == ("", "different", "Was ist bekannt?")


def test_hypotheses_that_were_given_are_taken_over() -> None:
    given = hypothesis("Does exercise prevent falls?")
    task = TaskEnvelope(kind="analyst", question="Q?", given={"hypotheses": [given.model_dump(mode="json")]})
    assert extract(task).hypotheses == (given,)
