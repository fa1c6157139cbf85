"""Criteria of an answer: few, checkable, met by passages that were shown or not met, and never undone by silence."""

from typing import get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from elcano.graphs.agents.definition import get_definition
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.plan import (
    CRITERION_CHARACTERS,
    MOST_CRITERIA,
    MOST_PASSAGES,
    Criterion,
    CriterionVerdict,
    ReportForm,
    SectionPlan,
    apply_verdicts,
    build_unjudged_criteria,
    normalize_criteria,
)
from elcano.subjects.research import reducers as research
from elcano.subjects.research.agents.input_parser import ParsedQuery
from elcano.subjects.research.agents.judge import JudgeAssessment, JudgeInput, resolve_answer, summarize_assessment
from elcano.subjects.research.agents.planner import ReportPlan, ReportPlanSection
from elcano.subjects.research.agents.thinking import ThinkingOutput
from elcano.subjects.research.reducers import PlanToStore, store_plan
from tests.unit.graphs.samples import QUESTION

PRICES, DATES = "names two prices", "names the date"
IDS = {"e1": "docs:a", "e2": "docs:b"}


def verdict(number: int, met: bool, *keys: str, criterion: str = "") -> CriterionVerdict:
    return CriterionVerdict(number=number, met=met, evidence=keys, criterion=criterion)


def assessed(
    *verdicts: CriterionVerdict, sufficient: bool = True, recommendation: str = "synthesize"
) -> JudgeAssessment:
    return JudgeAssessment.model_validate(
        {
            "sufficient": sufficient,
            "confidence": 0.9,
            "recommendation": recommendation,
            "reasoning": "So it is.",
            "criteria": verdicts,
        }
    )


def judge_of(*texts: str) -> JudgeInput:
    return JudgeInput(question="What does it cost?", criteria=build_unjudged_criteria(texts))


@given(st.lists(st.text()))
def test_what_is_stated_is_short_different_and_little(texts: list[str]) -> None:
    kept = normalize_criteria(texts)
    assert len(kept) <= MOST_CRITERIA
    assert len(set(kept)) == len(kept)
    assert all(one and "\n" not in one and len(one) <= CRITERION_CHARACTERS for one in kept)
    assert normalize_criteria(kept) == kept


def test_a_verdict_counts_for_its_number_and_silence_changes_nothing() -> None:
    criteria = apply_verdicts(
        build_unjudged_criteria([PRICES, DATES]), [verdict(2, True, "docs:b"), verdict(2, False), verdict(9, True)]
    )
    assert criteria == (Criterion(text=PRICES), Criterion(text=DATES, met=True, evidence=("docs:b",)))
    assert apply_verdicts(criteria, []) == criteria
    assert apply_verdicts(criteria, [verdict(2, False)])[1] == Criterion(text=DATES, met=False)


def test_where_nobody_had_said_any_the_judges_own_are_kept() -> None:
    own = [verdict(1, True, "docs:a", criterion=PRICES), verdict(1, False, criterion=f" {DATES}\n"), verdict(3, True)]
    assert apply_verdicts((), own) == (
        Criterion(text=PRICES, met=True, evidence=("docs:a",)),
        Criterion(text=DATES, met=False),
    )


@given(st.lists(st.builds(CriterionVerdict, number=st.integers(), met=st.booleans(), criterion=st.text())))
def test_whatever_a_judge_says_the_criteria_stay_as_many_as_they_were(verdicts: list[CriterionVerdict]) -> None:
    known = build_unjudged_criteria([PRICES, DATES])
    assert [one.text for one in apply_verdicts(known, verdicts)] == [PRICES, DATES]
    assert len(apply_verdicts((), verdicts)) <= MOST_CRITERIA


def test_only_passages_that_were_shown_meet_a_criterion() -> None:
    said = assessed(verdict(1, True, "e1", "e1", "e9"), verdict(2, True, "e7"), verdict(3, True, "e1"))
    kept = resolve_answer(said, judge_of(PRICES, DATES), IDS)
    assert kept.criteria == (verdict(1, True, "docs:a"), verdict(2, False))


def test_a_flood_of_verdicts_and_keys_is_cut() -> None:
    keys = {f"e{number}": f"docs:{number}" for number in range(100)}
    said = assessed(*(verdict(number, True, *keys, criterion="x" * 9_000) for number in range(1, 100)))
    kept = resolve_answer(said, judge_of(), keys).criteria
    assert len(kept) == MOST_CRITERIA
    assert all(len(one.evidence) == MOST_PASSAGES and len(one.criterion) <= CRITERION_CHARACTERS for one in kept)


@pytest.mark.parametrize(
    ("said", "sufficient", "recommendation"),
    [
        (assessed(verdict(1, True, "e1")), True, "synthesize"),
        (assessed(verdict(1, True, "e1"), recommendation="continue"), True, "synthesize"),
        (assessed(verdict(1, False)), False, "continue"),
        (assessed(verdict(1, True, "e9")), False, "continue"),
        (assessed(verdict(1, False), sufficient=False), False, "synthesize"),
        (assessed(verdict(1, True, "e1"), sufficient=False, recommendation="continue"), False, "continue"),
        (assessed(), True, "synthesize"),
    ],
)
def test_what_suffices_and_what_is_recommended_do_not_contradict(
    said: JudgeAssessment, sufficient: bool, recommendation: str
) -> None:
    kept = resolve_answer(said, judge_of(PRICES), IDS)
    assert (kept.sufficient, kept.recommendation) == (sufficient, recommendation)


def test_events_say_how_many_criteria_are_met_and_by_what() -> None:
    kept = resolve_answer(assessed(verdict(1, True, "e1"), verdict(2, False)), judge_of(PRICES, DATES), IDS)
    text, data = summarize_assessment(kept.model_dump(mode="json"))
    assert text == "Judged, 1 of 2 criteria met: So it is."
    assert data["criteria"] == [
        {"number": 1, "criterion": "", "met": True, "evidence": ["docs:a"]},
        {"number": 2, "criterion": "", "met": False, "evidence": []},
    ]
    older: JsonObject = {"reasoning": "So it is.", "recommendation": "continue"}
    assert summarize_assessment(older)[0] == "Judged: So it is."


def test_thinking_says_them_once_and_the_judge_marks_them() -> None:
    state = research.record_thought(QUESTION, ThinkingOutput(thought="hm", criteria=(PRICES, PRICES, " ", DATES)))
    state = research.record_judgement(state, assessed(verdict(2, True, "docs:b")))
    state = research.record_thought(state, ThinkingOutput(thought="again", criteria=("another",)))
    assert state.criteria == (Criterion(text=PRICES), Criterion(text=DATES, met=True, evidence=("docs:b",)))


def test_what_the_parser_said_stays() -> None:
    parsed = ParsedQuery(
        original_query="q",
        improved_query="q",
        research_mode="iterative",
        form="how_to",
        language=" German\n",
        criteria=(PRICES,),
    )
    state = research.record_parse(QUESTION, parsed)
    assert (state.form, state.language, state.criteria) == ("how_to", "German", build_unjudged_criteria([PRICES]))
    silent = ParsedQuery(original_query="q", improved_query="q", research_mode="iterative")
    assert research.record_parse(state, silent).model_copy(update={"background": ""}) == state.model_copy(
        update={"background": ""}
    )


def test_a_plan_keeps_criteria_and_forms() -> None:
    outline = (
        ReportPlanSection(title="Costs", key_question="What?", criteria=(PRICES, "", *"abcde"), form="comparison"),
        ReportPlanSection(title="Costs", key_question="What else?"),
    )
    plan = PlanToStore(report_title="Title", report_outline=outline, form="overview")
    state = store_plan(QUESTION, plan)
    assert state.plan == (
        SectionPlan(title="Costs", key_question="What?", criteria=(PRICES, "a", "b", "c"), form="comparison"),
        SectionPlan(title="Costs (2)", key_question="What else?"),
    )
    assert state.form == "overview"
    chosen = QUESTION.model_copy(update={"form": "timeline"})
    assert store_plan(chosen, plan).form == "timeline"


@pytest.mark.parametrize(
    ("said", "form"),
    [
        ("how_to", "how_to"),
        ("How-To", "how_to"),
        ("yes no", "yes_no"),
        ("essay", ""),
        ("", ""),
        (None, ""),
        ("Ü" * 9_000, ""),
    ],
)
def test_a_form_that_is_spelled_otherwise_costs_no_further_call(said: str | None, form: str) -> None:
    outline = [{"title": "A", "form": said}]
    plan = ReportPlan.model_validate({"report_title": "Oil", "report_outline": outline, "form": said})
    assert (plan.form, plan.report_outline[0].form) == (form, form)


def test_a_planner_is_told_the_forms_once() -> None:
    said = get_definition("planner").asks.all_instructions
    assert all(said.count(f"`{form}`") == 1 for form in get_args(ReportForm))
    assert ReportPlan.model_json_schema()["properties"]["form"]["type"] == "string"
    with pytest.raises(ValidationError):
        ReportPlan.model_validate({"report_title": "Oil", "form": 7})
