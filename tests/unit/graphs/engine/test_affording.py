"""Budgets that buy research: what a run learns of its calls, which plan it affords, when its sections end it early."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.engine.budget_check import (
    estimate_affordable_sections,
    find_exhausted_limit,
    learn_from_entry,
    update_budget_forecast,
)
from elcano.graphs.engine.entries import BranchStart, CallAgent, RunBranches, StepCompleted
from elcano.graphs.engine.routing import find_incomplete_ending
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.frozen import JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode
from elcano.graphs.state.branches import BranchInput
from elcano.graphs.state.budget import Budget, Experience, Limits, Usage
from elcano.graphs.state.plan import SectionGap, SectionPlan, SectionResult
from elcano.graphs.state.state import ResearchState
from elcano.subjects.research.agents.planner import ReportPlanSection
from elcano.subjects.research.reducers import PlanToStore, store_plan

QUESTION = ResearchState(question="Why?", sources=("library",))
PLAN: JsonObject = {"report_title": "A plan", "report_outline": []}


def deep(tokens: int = 450_000, number: int | None = None, **limits: object) -> Run:
    run = build_initial_run(MODES["deep"], QUESTION, Limits.model_validate({"tokens": tokens, **limits}), number)
    return run.model_copy(update={"node": "planner"})


def planned(run: Run, output_tokens: int, requests: int = 1) -> Run:
    used = Usage(requests=requests, input_tokens=1_000, output_tokens=output_tokens)
    return advance_run(MODES["deep"], run, StepCompleted(step=1, node="planner", at=1.0, output=PLAN, usage=used))


def test_what_a_call_took_beyond_its_answer_raises_what_the_next_takes_and_what_is_kept() -> None:
    plain, thinker = planned(deep(), 1_000), planned(deep(), 3_500)
    assert (plain.experience.tokens_a_call, thinker.experience.tokens_a_call) == (0, 2_500)
    kept = [run.budget.exit_needs.tokens for run in (plain, thinker)]
    assert kept[1] - kept[0] == 2_500 * 2  # one section and the key findings
    graph = MODES["iterative"]
    estimates = []
    for known in (Experience(), Experience(calls=2, beyond_tokens=5_000)):
        run = build_initial_run(graph, QUESTION, Limits(), experience=known).model_copy(update={"node": "thinking"})
        call = next_command(graph, run, 0.0)
        assert isinstance(call, CallAgent)
        estimates.append(call.estimate.tokens)
    assert estimates[1] - estimates[0] == 2_500


def test_the_average_counts_by_requests_and_what_nobody_answered_teaches_nothing() -> None:
    assert planned(deep(), 7_000, requests=2).experience == Experience(calls=1, beyond_tokens=2_500)
    assert planned(deep(), 0, requests=0).experience == Experience()
    learnt = Experience(calls=1, beyond_tokens=3_000).with_call(Usage(requests=1, output_tokens=10), 500)
    assert learnt.tokens_a_call == 1_500


def test_a_run_that_waits_for_more_begins_no_branches_of_which_it_cannot_pay_all() -> None:
    branch = BranchStart(index=0, parallel_path_id="0001.loop-1", branch="loop", input=BranchInput(question="Why?"))
    several = RunBranches(step=1, node="loop", branches=(branch,) * 3, minimum_tokens=4_000)
    cutting = Limits(tokens=10_000, reserve=0.0)
    assert find_exhausted_limit(Budget(limits=cutting), several) is None
    waiting = cutting.model_copy(update={"when_exhausted": "pause"})
    assert find_exhausted_limit(Budget(limits=waiting), several) == "tokens"
    enough = waiting.model_copy(update={"tokens": 12_000})
    assert find_exhausted_limit(Budget(limits=enough), several) is None


@pytest.mark.parametrize(("tokens", "most"), [(450_000, 8), (30_000, 1)])
def test_a_planner_is_told_what_the_budget_can_research(tokens: int, most: int) -> None:
    call = next_command(MODES["deep"], deep(tokens), 0.0)
    assert isinstance(call, CallAgent)
    assert call.input["max_sections"] == most


@given(st.integers(1_000, 3_000_000), st.integers(0, 10_000), st.integers(1, 200), st.floats(0.0, 0.5))
def test_more_budget_never_affords_less_and_thinking_never_more(
    tokens: int, hidden: int, sections: int, reserve: float
) -> None:
    def few(tokens: int, hidden: int) -> int:
        run = deep(tokens, sections=sections, reserve=reserve)
        found = estimate_affordable_sections(
            MODES["deep"], run.model_copy(update={"experience": Experience(calls=1, beyond_tokens=hidden)})
        )
        assert found is not None
        assert 0 <= found.sections <= sections
        return found.sections

    assert few(tokens, hidden) <= few(2 * tokens, hidden)
    assert few(tokens, hidden) <= few(tokens, 0)


def test_money_that_is_left_cuts_a_plan_too_and_a_run_that_waits_is_not_cut() -> None:
    run = deep(cost_microusd=1_000)
    dear = run.model_copy(
        update={"budget": run.budget.charge(Usage(requests=1, input_tokens=10_000, cost_microusd=100))}
    )
    found = estimate_affordable_sections(MODES["deep"], dear)
    assert found is not None
    assert found.sections < 3
    assert estimate_affordable_sections(MODES["deep"], deep(30_000, when_exhausted="pause")) is None
    assert (
        estimate_affordable_sections(MODES["iterative"], build_initial_run(MODES["iterative"], QUESTION, Limits()))
        is None
    )


def outline(count: int, **told: Any) -> PlanToStore:
    sections = tuple(ReportPlanSection(title=f"S{number}", key_question="?") for number in range(count))
    return PlanToStore(report_title="A plan", report_outline=sections, **told)


def test_a_plan_is_cut_to_what_it_affords_and_the_warning_says_what_would_do() -> None:
    state = store_plan(QUESTION, outline(5, affordable_sections=2, tokens_each=40_000, tokens=100_000))
    assert [section.title for section in state.plan] == ["S0", "S1"]
    assert state.warnings == (
        "The budget of 100,000 tokens is enough to search at least twice for 2 of the plan's 5 sections; these are not "
        "researched: S2, S3, S4; about 220,000 tokens would do for all of them",
    )
    assert [one.title for one in store_plan(QUESTION, outline(3, affordable_sections=1)).plan] == ["S0"]
    assert len(store_plan(QUESTION, outline(3)).plan) == 3


def test_sections_that_somebody_added_are_never_cut() -> None:
    mine = SectionPlan(title="Mine", key_question="?")
    state = store_plan(QUESTION.model_copy(update={"added_sections": (mine,)}), outline(3, affordable_sections=1))
    assert [section.title for section in state.plan] == ["Mine"]


def results(*sections: SectionResult) -> Run:
    run = deep().model_copy(update={"node": "collect_drafts"})
    return run.model_copy(update={"state": run.state.model_copy(update={"sections": sections})})


def section(title: str, ended_by: str = "", *, searches: int = 2, gap: SectionGap | None = None) -> SectionResult:
    made = tuple(f"{title} {number}" for number in range(searches))
    ending = f"no more {ended_by}" if ended_by and gap is None else ""
    return SectionResult(
        title=title,
        key_question="?",
        draft="d",
        ending=ending,
        ended_by=ended_by,
        searches=made,
        tokens=30_000,
        gap=gap,
    )


def test_a_run_is_partial_if_a_section_is_and_says_which_and_what_more_would_do() -> None:
    ending = find_incomplete_ending(
        MODES["deep"], results(section("A"), section("B", "tokens", searches=1), section("C", "stalled"))
    )
    assert ending is not None
    assert ending.kind == "sections"
    assert ending.detail.startswith("2 of 3 sections: “B” (no more tokens); “C” (no more stalled). About ")
    assert ending.detail.endswith(" tokens more would let each of them search twice")
    (named,) = [int(word.replace(",", "")) for word in ending.detail.split() if word.replace(",", "").isdigit()][2:]
    assert 5_000 <= named <= 80_000


@pytest.mark.parametrize(
    ("ended_by", "said"),
    [
        ("stalled", ""),
        ("node_failed", ""),
        ("time", "More time (`seconds`) would let sections that ran out of it continue"),
        ("iterations", "More `iterations` would let sections that ran out of them continue"),
    ],
)
def test_more_budget_is_named_only_where_it_would_help(ended_by: str, said: str) -> None:
    ending = find_incomplete_ending(MODES["deep"], results(section("A", ended_by)))
    assert ending is not None
    assert ending.detail == ". ".join(filter(None, (f"1 of 1 section: “A” (no more {ended_by})", said)))


def test_a_section_that_failed_or_that_nothing_answers_is_missing() -> None:
    failed = section("A", "ModelOutput", gap=SectionGap(reason="nonsense", type="ModelOutput"))
    nothing = section("B").model_copy(update={"unanswered": True})
    written = section("C")
    for missing, why in ((failed, "“A” (nonsense)"), (nothing, "“B” (nothing that was found answers it)")):
        ending = find_incomplete_ending(MODES["deep"], results(missing, written))
        assert ending is not None
        assert (ending.kind, ending.detail) == ("sections", f"1 of 2 sections: {why}")


def test_where_nothing_answers_any_section_none_is_missing() -> None:
    nothing = section("B").model_copy(update={"unanswered": True})
    assert find_incomplete_ending(MODES["deep"], results(nothing, nothing)) is None
    failed = section("A", "ModelOutput", gap=SectionGap(reason="nonsense", type="ModelOutput"))
    assert find_incomplete_ending(MODES["deep"], results(nothing, failed)) is not None


def test_a_branch_without_a_writer_that_found_nothing_is_not_missing() -> None:
    searched = section("B").model_copy(update={"draft": None, "unanswered": True})
    assert find_incomplete_ending(MODES["deep"], results(section("A"), searched)) is None


def test_many_sections_are_counted_and_long_reasons_cut() -> None:
    many = [section(f"S{number} " + "x" * 300, "tokens") for number in range(50)]
    ending = find_incomplete_ending(MODES["deep"], results(*many))
    assert ending is not None
    assert "50 of 50 sections" in ending.detail
    assert "44 more" in ending.detail
    assert len(ending.detail) < 2_000


def test_what_is_foreseen_travels_with_the_run() -> None:
    run = update_budget_forecast(MODES["deep"], deep())
    assert Run.model_validate_json(run.model_dump_json()) == run
    assert run.budget.affords is not None
    assert run.budget.limits.tokens == default_limits(MODES["deep"]).tokens


def test_a_writer_of_many_sections_teaches_nothing_of_the_next_call() -> None:
    graph = MODES["deep"]
    run = build_initial_run(graph, QUESTION, Limits())
    usage = Usage(requests=4, output_tokens=40_000)
    for name, learnt in (("planner", 1), ("long_writer", 0)):
        node = next(one for one in graph.nodes if isinstance(one, AgentNode) and one.agent == name)
        entry = StepCompleted(step=1, node=node.id, at=0.0, usage=usage)
        assert learn_from_entry(graph, run, entry).experience.calls == learnt
