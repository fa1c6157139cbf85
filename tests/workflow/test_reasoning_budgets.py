"""Default budgets are enough for a model that thinks 2,500 tokens in each call; what smaller ones leave out is said."""

from pathlib import Path

import pytest

from elcano.graphs.engine.entries import StepCompleted
from elcano.graphs.lifecycle.finish import status_of
from elcano.graphs.state.budget import Limits
from elcano.testing.research import ResearchOutcome
from tests.cases import long_case
from tests.workflow.reasoning import played, searches


def status(outcome: ResearchOutcome) -> str:
    run = outcome.journal.run
    answered = outcome.report.answered
    assert run.failure is None
    return "partial" if run.ending is not None else "completed" if answered else "unanswered"


@pytest.mark.long
async def test_by_default_six_sections_are_searched_at_least_twice_and_the_run_is_complete(tmp_path: Path) -> None:
    outcome = await played(tmp_path, "deep", 6, 2)
    run = outcome.journal.run
    assert searches(outcome) == [3] * 6
    assert run.budget.used.tokens <= run.budget.limits.tokens
    assert (status(outcome), run.ending) == ("completed", None)
    assert status_of(outcome.journal, None, None, cancelled=False) == "completed"
    assert outcome.report.partial is None


@pytest.mark.parametrize(("tokens", "sections"), [(90_000, 2), long_case(200_000, 5), long_case(400_000, 6)])
async def test_with_less_there_are_fewer_sections_and_each_is_searched_twice(
    tmp_path: Path, tokens: int, sections: int
) -> None:
    outcome = await played(tmp_path, "deep", 6, 1, Limits(tokens=tokens, seconds=1_800))
    run = outcome.journal.run
    assert 1 <= len(searches(outcome)) <= sections
    assert all(count >= 2 for count in searches(outcome))
    assert run.ending is None
    asked_most = run.budget.used.tokens - tokens
    assert asked_most <= 5_000  # a request under way


async def test_sections_that_want_more_than_there_is_make_the_run_partial_and_its_head_says_so(tmp_path: Path) -> None:
    outcome = await played(tmp_path, "deep", 6, 20, Limits(tokens=450_000, seconds=1_800, iterations=20))
    run = outcome.journal.run
    assert run.ending is not None
    assert (run.ending.kind, status(outcome)) == ("sections", "partial")
    assert run.budget.used.tokens <= run.budget.limits.tokens
    head = outcome.report.markdown.split("\n##", 1)[0]
    assert "**Partial:**" in head
    assert "“Part 0” (the budget of tokens does not allow another step" in head
    assert "tokens more would pay for another round of searching in each of them" in head
    (early,) = [event for event in outcome.journal.events if event.type == "ending_early"]
    assert early.data["reason"] == "sections"


@pytest.mark.parametrize("mode", ["iterative", "simple"])
async def test_the_default_of_a_single_loop_pays_for_all_its_iterations(tmp_path: Path, mode: str) -> None:
    outcome = await played(tmp_path, mode, 0, 9)
    run = outcome.journal.run
    assert run.ending is not None
    assert (run.ending.kind, run.budget.iterations) == ("iterations", 5)
    assert run.budget.used.tokens <= run.budget.limits.tokens


async def test_nobody_is_asked_about_nothing(tmp_path: Path) -> None:
    outcome = await played(tmp_path, "iterative", 0, 1)
    steps = [entry.node for entry in outcome.journal.entries if isinstance(entry, StepCompleted)]
    assert steps[:2] == ["first_search", "thinking"]
    (turn,) = outcome.journal.run.state.conversation
    assert [call.query for call in turn.tool_calls] == [
        "How does the matter stand?",
        "How does the matter stand? round 1",
    ]
    assert all(call.new and not call.pending for call in turn.tool_calls)
