"""Rubrics: what one may be, and that what a judge says by one counts only as far as code finds that it holds."""

import re
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from elcano.graphs.state.rubric import BIOMEDICAL, DOMAINS, GENERAL, MOST_NAMES, NamesFound, Rubric, Score
from elcano.graphs.state.state import ResearchState
from elcano.subjects.research.agents import judge
from elcano.subjects.research.agents.judge import (
    JudgeAssessment,
    JudgeInput,
    RubricAssessment,
    resolve_answer,
)
from elcano.subjects.research.agents.rubric_check import apply_rubric
from elcano.subjects.research.reducers import record_judgement

IDS = {"e1": "pmid:1", "e2": "pmid:2"}


def score(name: str, value: float, **more: Any) -> Score:
    return Score(**{"name": name, "score": value, "reason": "As e1 shows.", "evidence": ("e1", "e9"), **more})


def said(**changes: Any) -> JudgeAssessment:
    fields: dict[str, Any] = {
        "sufficient": True,
        "confidence": 0.9,
        "recommendation": "synthesize",
        "reasoning": "Both trials agree.",
        "scores": (score("mechanism", 6), score("clinical_evidence", 7)),
        "names": (NamesFound(kind="interventions", names=("metformin",)),),
    }
    return JudgeAssessment(**{**fields, **changes})


def by_biomedical(said: JudgeAssessment) -> JudgeAssessment:
    answer = resolve_answer(said, JudgeInput(question="q", rubric=BIOMEDICAL), IDS)
    assert isinstance(answer, JudgeAssessment)
    return answer


def test_what_reaches_the_rubric_is_enough() -> None:
    answer = by_biomedical(said())
    assert (answer.sufficient, answer.recommendation, answer.lacking) == (True, "synthesize", ())
    assert answer.rubric == "biomedical"
    assert [(one.name, one.score, one.evidence) for one in answer.scores] == [
        ("mechanism", 6, ("pmid:1",)),
        ("clinical_evidence", 7, ("pmid:1",)),
    ]


@pytest.mark.parametrize(
    ("changes", "lacks"),
    [
        ({"scores": (score("mechanism", 5), score("clinical_evidence", 6))}, "the scores make 11 of the 12"),
        ({"names": ()}, "0 of 1 interventions are named"),
        ({"names": (NamesFound(kind="interventions", names=(" ", "")),)}, "0 of 1 interventions are named"),
        ({"names": (NamesFound(kind="drugs", names=("metformin",)),)}, "0 of 1 interventions are named"),
        ({"scores": (score("mechanism", 11), score("clinical_evidence", 10))}, "mechanism has the score 11, off the"),
        ({"scores": (score("mechanism", -1), score("clinical_evidence", 10))}, "mechanism has the score -1, off the"),
        ({"scores": (score("mechanism", 10),)}, "clinical_evidence has no score"),
        ({"scores": ()}, "mechanism has no score"),
    ],
)
def test_what_a_rubric_asks_for_and_is_not_there_is_not_enough(changes: dict[str, Any], lacks: str) -> None:
    answer = by_biomedical(said(**changes))
    assert not answer.sufficient
    assert answer.recommendation == "continue"
    assert any(one.startswith(lacks) for one in answer.lacking)


def test_the_first_sound_score_of_a_name_counts_however_it_is_spelled() -> None:
    given = (score("Clinical evidence", 99), score("clinical-evidence", 7), score("clinical_evidence", 1))
    answer = by_biomedical(said(scores=(score("mechanism", 6), *given, score("charm", 10))))
    assert [(one.name, one.score) for one in answer.scores] == [("mechanism", 6), ("clinical_evidence", 7)]


def test_without_a_rubric_nothing_is_scored() -> None:
    answer = resolve_answer(said(), JudgeInput(question="q"), IDS)
    assert isinstance(answer, JudgeAssessment)
    assert (answer.scores, answer.names, answer.rubric, answer.lacking) == ((), (), "", ())
    assert answer.sufficient
    assert judge.read_scores(answer.model_dump(mode="json")) is None


def test_a_judge_that_cannot_score_says_so_and_is_not_held_to_it() -> None:
    answer = by_biomedical(said(scores=(), names=(), unscored="Rules cannot."))
    assert (answer.unscored, answer.sufficient, answer.lacking) == ("Rules cannot.", True, ())


def test_who_scores_is_held_to_it_whatever_it_says_beside() -> None:
    answer = by_biomedical(said(scores=(score("mechanism", 1),), unscored="I would rather not."))
    assert answer.unscored == ""
    assert not answer.sufficient


def test_that_no_search_will_help_counts_though_the_rubric_is_not_reached() -> None:
    answer = by_biomedical(said(sufficient=False, names=()))
    assert (answer.sufficient, answer.recommendation) == (False, "synthesize")


def test_what_is_lacking_reaches_the_next_round() -> None:
    answer = by_biomedical(said(names=()))
    state = record_judgement(ResearchState(question="q"), answer)
    assert state.conversation[-1].judgement.startswith("Not enough yet: 0 of 1 interventions are named. ")


def test_scores_are_told() -> None:
    text, data = judge.summarize_assessment(by_biomedical(said()).model_dump(mode="json"))
    assert text.startswith("Judged, mechanism 6.0/10, clinical_evidence 7.0/10: ")
    assert data["rubric"] == "biomedical"
    assert "lacking" not in data


def test_answers_of_older_runs_still_fit() -> None:
    old = {"sufficient": False, "confidence": 0.1, "recommendation": "continue", "reasoning": "no"}
    assert JudgeAssessment.model_validate(old).scores == ()


def test_models_are_not_told_of_what_code_fills_in() -> None:
    plain = set(JudgeAssessment.model_json_schema()["properties"])
    by_rubric = set(RubricAssessment.model_json_schema()["properties"])
    assert by_rubric - plain == {"scores", "names", "search_in"}
    assert {"rubric", "lacking", "unscored"}.isdisjoint(by_rubric)


def test_names_are_kept_once_and_bounded() -> None:
    many = tuple(f"n{number}" for number in range(500))
    found = apply_rubric(BIOMEDICAL, (), (NamesFound(kind="Interventions", names=("A", "a", *many)),), {}).names
    assert len(found[0].names) == MOST_NAMES
    assert found[0].names[:2] == ("A", "n0")


@pytest.mark.parametrize("value", [float("nan"), float("inf")])
def test_a_score_is_a_number(value: float) -> None:
    with pytest.raises(ValidationError):
        score("mechanism", value)


@pytest.mark.parametrize(
    ("changes", "place"),
    [
        ({"scores": [{"name": f"s{n}", "meaning": "m"} for n in range(500)]}, ("scores",)),
        ({"scores": [{"name": "a", "meaning": "m", "least": 11}]}, ("scores", 0, "least")),
        ({"scores": [{"name": "a", "meaning": "m"}, {"name": "a", "meaning": "m"}]}, ("scores",)),
        ({"scores": [{"name": "a", "meaning": "m"}], "least_total": 11}, ("least_total",)),
        ({"name": "Über"}, ("name",)),
        ({"description": " "}, ("description",)),
        ({"colour": "red"}, ("colour",)),
        ({"instructions": "x" * 4_001}, ("instructions",)),
    ],
)
def test_a_rubric_with_faults_is_refused_at_the_place(changes: dict[str, Any], place: tuple[str | int, ...]) -> None:
    with pytest.raises(ValidationError) as refused:
        Rubric.model_validate({"name": "own", "description": "For tests.", **changes})
    assert place in [fault["loc"] for fault in refused.value.errors()]


def test_the_rubric_that_the_page_shows_can_be_used() -> None:
    page = Path(__file__).parents[3] / "docs" / "agents.md"
    (shown,) = re.findall(r"^```text\n(.*?)^```", page.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    assert Rubric.model_validate_json(shown).least_total == 11


def test_the_built_in_rubrics_are_under_their_own_names() -> None:
    assert all(name == rubric.name for name, rubric in DOMAINS.items())
    assert GENERAL not in DOMAINS
    assert (BIOMEDICAL.least_total, [one.name for one in BIOMEDICAL.scores]) == (12, ["mechanism", "clinical_evidence"])
