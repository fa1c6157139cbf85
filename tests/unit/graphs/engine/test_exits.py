"""What is kept for the exit: what it needs, never less than the reserve, never so much that nothing can be found."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.engine.budget_check import exit_needs, joining_tokens, update_budget_forecast
from elcano.graphs.engine.entries import CallAgent, Diverted, StepFailed
from elcano.graphs.engine.run import Run, build_initial_run
from elcano.graphs.engine.step_function import advance_run, next_command
from elcano.graphs.lifecycle.fanout import Allotment
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.narration import narrate_run_start
from elcano.graphs.mode_choice import MODES
from elcano.graphs.rules import get_rules
from elcano.graphs.run_contracts import JournalPages
from elcano.graphs.spec.graph import EndKind, ResearchGraph
from elcano.graphs.spec.limits import AgentLimits
from elcano.graphs.state.budget import Allowance, Budget, Estimate, Limits, TopUp, Usage
from elcano.graphs.state.failures import Failure, Hold
from elcano.graphs.state.plan import SectionPlan, SectionResult
from elcano.graphs.state.state import EvidenceRef, IterationData, ResearchState
from tests.unit.graphs.samples import asking, begun, completed, immediate, two_nodes
from tests.unit.graphs.state.test_limits import all_limits
from tests.unit.graphs.strategies import graphs, limits, usages

many = settings(deadline=None, database=None)
needs = st.builds(Estimate, tokens=st.integers(0, 200_000), cost_microusd=st.integers(0, 2_000))
budgets = st.builds(Budget, limits=limits, used=usages, exit_needs=needs)


@many
@given(budgets)
def test_what_research_may_use_and_what_is_kept_make_up_the_limit(budget: Budget) -> None:
    kept = budget.limits.tokens - budget.research_tokens
    assert kept >= int(budget.limits.tokens * budget.limits.reserve)
    assert kept >= min(budget.exit_needs.tokens, budget.limits.tokens // 2)
    assert budget.research_tokens >= budget.limits.tokens // 2
    if budget.limits.cost_microusd is not None:
        assert budget.research_cost is not None
        assert budget.limits.cost_microusd // 2 <= budget.research_cost <= budget.limits.cost_microusd


@many
@given(budgets, needs)
def test_what_is_admitted_is_allowed_and_divided_by_the_same_figure(budget: Budget, call: Estimate) -> None:
    research, at_exit = budget.allowance(at_exit=False), budget.allowance(at_exit=True)
    assert research.tokens is not None
    assert at_exit.tokens is not None
    assert research.tokens <= at_exit.tokens == max(0, budget.limits.tokens - budget.used.tokens)
    if budget.refuses(call) is None:
        assert research.tokens >= call.tokens
        assert research.cost_microusd is None or research.cost_microusd >= call.cost_microusd
    allotment = Allotment.of(budget, 3)
    assert (allotment.tokens, allotment.cost_microusd) == (research.tokens, research.cost_microusd)
    for gauge, left in (("tokens", research.tokens), ("cost_usd", research.cost_microusd)):
        seen = budget.view()[gauge]
        assert isinstance(seen, dict)
        assert seen["for_research"] == (left if gauge == "tokens" or left is None else left / 1_000_000)


@many
@given(st.integers(0, 100_000), st.lists(st.integers(0, 50_000), max_size=8))
def test_requests_that_an_allowance_lets_pass_exceed_it_by_the_last_one_at_most(
    tokens: int, requests: list[int]
) -> None:
    whole, used = Allowance(tokens=tokens), Usage()
    for request in requests:
        if whole.less(used).refuses(Estimate(tokens=1)) is not None:
            break
        assert used.tokens < tokens
        used += Usage(input_tokens=request)
    assert used.tokens <= tokens + max(requests, default=0)


@many
@given(all_limits, needs, st.integers(0, 100_000), st.integers(0, 1_000))
def test_a_top_up_gains_research_what_it_does_not_add_to_what_is_kept(
    before: Limits, need: Estimate, tokens: int, cost: int
) -> None:
    raised = before.model_copy(
        update={
            "tokens": before.tokens + tokens,
            "cost_microusd": None if before.cost_microusd is None else before.cost_microusd + cost,
        }
    )
    earlier, later = (Budget(limits=one, exit_needs=need) for one in (before, raised))
    gained = later.compute_gain(TopUp(tokens=tokens, cost_microusd=cost))
    assert gained.tokens == later.research_tokens - earlier.research_tokens
    assert 0 <= gained.tokens <= tokens + 1
    if earlier.research_cost is None or later.research_cost is None:
        assert gained.cost_microusd is None
    else:
        assert gained.cost_microusd == later.research_cost - earlier.research_cost


def found(number: int, characters: int) -> EvidenceRef:
    return EvidenceRef(
        id=f"e{number}", source="s", title="t", locator="l", excerpt="", characters=characters, document="d"
    )


def run_of(mode: str, state: ResearchState, node: str, limits: Limits | None = None) -> Run:
    return build_initial_run(MODES[mode], state, limits or Limits()).model_copy(update={"node": node})


def test_a_writer_needs_its_prompt_what_it_is_told_the_passages_and_its_answer() -> None:
    state = ResearchState(
        question="q" * 400,
        conversation=(IterationData(number=1, thought="t" * 200, judgement="j" * 200),),
        evidence=tuple(found(number, 4_000) for number in range(5)),
    )
    needed = exit_needs(MODES["iterative"], run_of("iterative", state, "thinking"))
    assert needed == Estimate(tokens=800 + 200 + 5_000 + 4_000)
    full = state.model_copy(update={"evidence": tuple(found(number, 4_000) for number in range(50))})
    assert exit_needs(MODES["iterative"], run_of("iterative", full, "judge")).tokens == 800 + 200 + 20_000 + 4_000
    roomy = run_of("iterative", full, "judge", Limits(tokens=1_000_000))
    assert exit_needs(MODES["iterative"], roomy).tokens == 800 + 200 + 24_000 + 4_000
    short = run_of("iterative", full, "judge", Limits(tokens=10_000))
    assert exit_needs(MODES["iterative"], short).tokens == 800 + 200 + 4_000 + 4_000


def test_an_exit_needs_no_more_than_its_node_allows() -> None:
    graph = two_nodes(nodes=(asking("a"), asking("z", "writer", limits=AgentLimits(tokens=9_000))))
    evidence = tuple(found(number, 4_000) for number in range(50))
    assert exit_needs(two_nodes(), begun(two_nodes(), evidence=evidence)).tokens > 9_000
    assert exit_needs(graph, begun(graph, evidence=evidence)).tokens == 9_000


def test_a_report_of_many_sections_needs_a_call_for_each_and_one_for_the_key_findings() -> None:
    plan = tuple(SectionPlan(title=f"s{number}", key_question="?") for number in range(8))
    planned = ResearchState(question="q", plan=plan)
    needed = exit_needs(MODES["deep"], run_of("deep", planned, "parallel_loops")).tokens
    assert needed == 8 * (800 + 1_500 + 4_000 + 1_500) + (1_500 + 6 * 3_000) + (800 + 12_000 + 1_500)
    sections = tuple(SectionResult(title=one.title, key_question="?", draft="d") for one in plan[:3])
    drafted = planned.model_copy(update={"sections": (*sections, SectionResult(title="gap", key_question="?"))})
    needed = exit_needs(MODES["deep"], run_of("deep", drafted, "collect_drafts")).tokens
    assert needed == joining_tokens(AGENTS["long_writer"], 3, get_rules(), passages=4_000)


def test_the_price_so_far_says_what_the_exit_will_cost() -> None:
    run = run_of("iterative", ResearchState(question="q"), "judge")
    run = run.model_copy(update={"budget": run.budget.charge(Usage(input_tokens=1_000, cost_microusd=500))})
    assert exit_needs(MODES["iterative"], run).cost_microusd == 2_400


@given(graphs(), st.data())
def test_every_node_knows_the_first_exit_that_it_can_reach(graph: ResearchGraph, data: st.DataObject) -> None:
    exits = data.draw(st.permutations([node.id for node in graph.nodes]))[: data.draw(st.integers(1, 3))]
    cut = graph.model_copy(update={"exit_nodes": (*exits, *graph.exit_nodes)})
    for node in cut.nodes:
        reached, waiting = {node.id}, [node.id]
        while waiting:
            onward = {edge.to_node for edge in cut.routes_from(waiting.pop())} - reached
            reached |= onward
            waiting += onward
        assert cut.nearest_exit(node.id) == next(one for one in cut.exit_nodes if one in reached)


def test_a_call_may_use_what_is_not_kept_and_the_exit_all_that_is_left() -> None:
    graph = MODES["iterative"]
    state = ResearchState(question="q" * 4)
    run = run_of("iterative", state, "thinking", Limits(tokens=20_000, cost_microusd=100))
    run = run.model_copy(update={"budget": run.budget.charge(Usage(input_tokens=1_000, cost_microusd=10))})
    research = next_command(graph, run, 0.0)
    assert isinstance(research, CallAgent)
    assert research.allowance == Allowance(tokens=20_000 - 4_801 - 1_000, cost_microusd=52 - 10)
    writing = next_command(graph, run.model_copy(update={"node": "writer"}), 0.0)
    assert isinstance(writing, CallAgent)
    assert writing.allowance == Allowance(tokens=19_000, cost_microusd=90)
    over = run.model_copy(update={"budget": run.budget.charge(Usage(input_tokens=50_000))})
    nothing = next_command(graph, over.model_copy(update={"node": "writer"}), 0.0)
    assert isinstance(nothing, CallAgent)
    assert nothing.allowance.tokens == 0


def spent_at(run: Run, kind: EndKind) -> StepFailed:
    failure = Failure.model_validate(
        {"node": run.node, "type": "BudgetExhausted", "message": f"the budget of {kind} ...", "exhausted": kind}
    )
    return StepFailed(step=run.step, node=run.node, at=1.0, failure=failure, usage=Usage(input_tokens=10))


@pytest.mark.parametrize("kind", ["tokens", "cost"])
def test_a_call_that_could_not_be_paid_for_ends_the_research_and_breaks_nothing(kind: EndKind) -> None:
    graph = MODES["iterative"]
    run = run_of("iterative", ResearchState(question="q"), "judge")
    left = advance_run(graph, run, spent_at(run, kind))
    assert left.ending is not None
    assert (left.node, left.ending.kind, left.failure, left.finished) == ("writer", kind, None, False)
    assert (left.budget.used.tokens, left.step) == (10, run.step + 1)


@pytest.mark.parametrize("kind", ["tokens", "cost"])
def test_a_run_that_waits_for_more_budget_does_so_here_too(kind: EndKind) -> None:
    graph = MODES["iterative"]
    run = run_of("iterative", ResearchState(question="q"), "judge", Limits(when_exhausted="pause"))
    waiting = advance_run(graph, run, spent_at(run, kind))
    assert waiting.paused is not None
    assert (waiting.paused.kind, waiting.node, waiting.ending) == (kind, "judge", None)


@pytest.mark.parametrize("when", ["finish", "pause"])
def test_an_exit_that_cannot_be_paid_for_ends_the_run_partial_and_not_failed(when: str) -> None:
    graph = MODES["iterative"]
    chosen = Limits.model_validate({"when_exhausted": when})
    run = run_of("iterative", ResearchState(question="q"), "writer", chosen)
    journal = Journal(graph, JournalPages(run=run, entries=(), events=(), started_at=0.0))
    journal.tell(narrate_run_start("q", "iterative"), 0.0)
    journal.record(spent_at(journal.run, "tokens"), 1.0)
    assert journal.run.ending is not None
    assert (journal.run.finished, journal.run.failure, journal.run.ending.kind) == (True, None, "tokens")
    assert [event.type for event in journal.events] == ["started", "ending_early"]


def test_what_is_kept_travels_with_the_run() -> None:
    graph = MODES["iterative"]
    run = update_budget_forecast(graph, run_of("iterative", ResearchState(question="q"), "judge"))
    assert Run.model_validate_json(run.model_dump_json()) == run
    assert run.budget.exit_needs.tokens == 4_800


@pytest.mark.parametrize("appendix", [None, "more"])
def test_a_pause_that_came_while_an_exit_was_called_keeps_nothing_from_beginning(appendix: str | None) -> None:
    more = (asking("more", "writer"),) if appendix else ()
    graph = two_nodes(nodes=(asking("a"), asking("z", "writer"), *more), appendix=appendix)
    at_exit = begun(graph).model_copy(update={"node": "z", "pause": Hold(reason="pause", node="z")})
    after = advance_run(graph, at_exit, completed(at_exit))
    assert (after.pause, after.finished, after.node) == (None, appendix is None, appendix or "z")


@pytest.mark.parametrize(("seconds", "steps", "missing"), [(599.0, 199, None), (600.0, 0, "time"), (0.0, 200, "steps")])
def test_an_appendix_is_made_as_long_as_there_are_time_and_steps(
    seconds: float, steps: int, missing: str | None
) -> None:
    graph = two_nodes(nodes=(asking("a"), asking("z", "writer"), asking("more", "writer")), appendix="more")
    limits = Limits(seconds=600.0, steps=200)
    run = begun(graph).model_copy(update={"node": "more", "budget": Budget(limits=limits, steps=steps)})
    command = next_command(graph, run, seconds)
    if missing is None:
        assert isinstance(command, CallAgent)
        return
    entry = immediate(graph, run, seconds)
    assert isinstance(entry, Diverted)
    assert (entry.ending.kind, f"budget of {missing}" in entry.ending.detail) == ("parts", True)
