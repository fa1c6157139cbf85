"""What a section can do wrong stays in the section: it fails, hangs, writes nothing, uses too much, or is killed."""

import asyncio
import uuid
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import AgentCall, AgentResult
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput, ResearchResult
from elcano.graphs.spec.graph import ParallelNode
from elcano.graphs.state.budget import Limits, TopUp, Usage
from elcano.graphs.state.failures import Ending, FailureDetails
from elcano.subjects.research.loops import ITERATIVE
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows.research import ResearchWorkflow
from tests.cases import BOTH_WAYS
from tests.control import top_up
from tests.unit.graphs.strategies import LEAF
from tests.workflow.conftest import Start, deep_with, worker_for
from tests.workflow.test_budget import paused

DEFAULT = default_limits(MODES["deep_brief"])
SPENT = Usage(requests=6, input_tokens=900, output_tokens=60, cost_microusd=70)


def with_trouble(script: Script) -> list[Callable[..., Any]]:
    """The writer of `fails` gives up, in `hangs` nobody ever answers, the first call of `retried` fails once."""

    async def run_agent(call: AgentCall) -> AgentResult:
        asked = str(call.input["question"])
        if "fails" in asked and call.agent == "writer":
            details = FailureDetails(attempt=6, usage=SPENT)
            raise ApplicationError("no words", details, type="ModelOutput", non_retryable=True)
        if "hangs" in asked:
            raise ApplicationError("overloaded", type="ModelOverloaded", next_retry_delay=timedelta(hours=1))
        if (
            "retried" in asked
            and (call.agent, call.input.get("iteration")) == ("thinking", 1)
            and activity.info().attempt == 1
        ):
            raise ApplicationError("try again", type="ModelOverloaded")
        return AgentResult(output=script.answer(call.agent, call.input), usage=script.usage, model="scripted")

    return list(scripted_activities(script, ask=run_agent))


async def test_a_failing_a_hanging_and_a_retried_section(skipping: WorkflowEnvironment, script: Script) -> None:
    script.sections = ("a", "fails", "b", "hangs", "c", "retried", "d", "e")
    queue = run_id = f"run-{uuid.uuid4()}"
    asked = ResearchInput(
        run_id=run_id,
        question="What is it?",
        mode="deep_brief",
        graph=deep_with("deep_brief", timeout_seconds=300),
        limits=Limits(seconds=7_200, tokens=1_000_000),
        sources=("library",),
    )
    async with worker_for(skipping.client, queue, with_trouble(script), cached_workflows=20):
        result = await skipping.client.execute_workflow(ResearchWorkflow.run, asked, id=run_id, task_queue=queue)
    (published,) = script.published
    assert [section.title for section in published.sections] == list(script.sections)
    gaps = {section.title: section.gap for section in published.sections if section.gap}
    assert set(gaps) == {"fails", "hangs"}
    failed, hung = gaps["fails"], gaps["hangs"]
    calls_before = 6 * script.usage.tokens
    assert (failed.type, failed.reason, failed.attempts) == ("ModelOutput", "no words", 6)
    assert (failed.tokens, failed.cost_microusd) == (calls_before + SPENT.tokens, 6 * 10 + 70)
    assert hung.type == "time"
    assert hung.reason == "255 of 300 s are for research"
    assert (hung.tokens, hung.cost_microusd) == (0, 0)
    fine = [section for section in published.sections if section.gap is None]
    assert all(section.draft and not section.ending and len(section.evidence) == 2 + 2 for section in fine)
    assert len(published.evidence) == 1 + 3 * len(fine)
    assert published.draft is not None
    assert result.ending is not None  # more time would help the one that hung, and nothing the one that failed
    assert (result.ending.kind, "hangs" in result.ending.detail) == ("sections", True)
    assert "“fails” (no words)" in result.ending.detail
    assert result.usage.tokens == (len(script.calls) - script.calls.count("search")) * script.usage.tokens + 960
    (kept,) = [call for call in script.archived if call.run.branch_of and call.run.branch_of.section == "hangs"]
    assert kept.run.finished_at is not None
    assert 300 <= kept.run.finished_at - kept.run.started_at < 310
    assert [event.terminal for event in kept.events].index(True) == len(kept.events) - 1


def outline(*sections: tuple[str, str]) -> Callable[[JsonObject], JsonObject]:
    listed: list[Json] = [{"title": title, "key_question": question} for title, question in sections]
    return lambda given: {"report_title": "A plan", "report_outline": listed}


@BOTH_WAYS
@pytest.mark.parametrize(
    ("planned", "titles", "warned"),
    [
        ([], ["A plan"], "no sections"),
        ([("one", "What of one?")], ["one"], ""),
        ([(f"s{number}", "What?") for number in range(60)], ["s0", "s1", "s2"], "had 60 sections"),
        ([("twice", "What?"), ("Twice", "Why?"), ("twice", "Who?")], ["twice", "Twice (2)", "twice (3)"], ""),
        ([("titled", ""), ("", "Asked?"), (" ", " ")], ["titled", "Asked?"], ""),
    ],
    ids=["none", "one", "sixty", "duplicates", "empty"],
)
async def test_plans_of_every_size(
    planned: list[tuple[str, str]], titles: list[str], warned: str, chain: bool, start: Start, script: Script
) -> None:
    script.complete_in = 1
    script.overrides["planner"] = outline(*planned)
    handle = await start(mode="deep_brief", limits=DEFAULT.model_copy(update={"sections": 3}), chain=chain)
    await handle.result()
    (published,) = script.published
    assert [section.title for section in published.sections] == titles
    assert all(section.key_question and section.draft for section in published.sections)
    assert any(warned in warning for warning in published.warnings) or not warned


async def test_a_branch_that_hands_nothing_over_is_a_gap(start: Start, script: Script) -> None:
    mute = LEAF.model_copy(update={"result": {"nothing": "values.nothing"}})
    graph = (
        GraphBuilder("two_branches")
        .add_parallel_node(ParallelNode(id="split", reducer="collect_drafts"))
        .add_branch("split", "silent", mute, inputs={"question": "question", "title": "'silent'"})
        .add_branch("split", "writing", ITERATIVE, inputs={"question": "question", "title": "'writing'"})
        .add_agent_node("writer", agent="writer", inputs={"question": "question", "evidence": "evidence[].id"})
        .connect_nodes("split", "writer")
        .set_entry_node("split")
        .set_exit_nodes("writer")
        .build()
    )
    result = await (await start(mode="own", graph=graph)).result()
    (published,) = script.published
    silent, writing = published.sections
    assert silent.gap is not None
    assert (silent.gap.type, silent.gap.reason, silent.draft) == ("NoResult", "it handed over nothing", None)
    assert (writing.gap, len(writing.evidence)) == (None, 1 + 2)
    assert result.ending == Ending(kind="sections", detail="1 of 2 sections: “silent” (it handed over nothing)")


async def test_a_section_that_is_killed_is_charged_what_the_ledger_has(
    start: Start, script: Script, temporal: Client
) -> None:
    begun = asyncio.Event()

    def endless(given: JsonObject) -> JsonObject:
        if "method" not in str(given["question"]):
            return {"research_complete": True}
        begun.set()
        return {"research_complete": False, "outstanding_gaps": [f"gap {len(script.calls)}"]}

    script.overrides["knowledge_gap"] = endless
    limits = Limits(iterations=50, steps=2_000, tokens=10_000_000)
    handle = await start(mode="deep_brief", limits=limits)
    await begun.wait()
    await temporal.get_workflow_handle(f"{handle.id}.0004.loop-2").terminate("by hand")
    result = await handle.result()
    (published,) = script.published
    history, method, cost = published.sections
    assert (history.gap, cost.gap) == (None, None)
    assert method.gap is not None
    assert method.gap.type == "TerminatedError"
    written = sum(usage.tokens for (run_id, _), usage in script.ledger.items() if run_id.endswith(".loop-2"))
    assert method.gap.tokens in (written, written - 350)  # one call may have ended after it was asked for
    assert result.usage.tokens == method.gap.tokens + 350 * (2 + 2 * 3)


class Reporting(Script):
    """Every call reports the same usage."""

    reported = Usage()

    @property
    def usage(self) -> Usage:
        return self.reported


class TestUsage:
    @pytest.fixture
    def script(self) -> Script:
        return Reporting()

    @pytest.mark.parametrize("mode", ["iterative", "deep_brief", "simple"])
    async def test_models_that_report_nothing_are_bounded_all_the_same(
        self, mode: str, start: Start, script: Script
    ) -> None:
        script.complete_in = 99
        limits = default_limits(MODES[mode]).model_copy(update={"iterations": 2})
        result = await (await start(mode=mode, limits=limits)).result()
        assert result.usage == Usage()
        assert len(script.published) == 1
        assert script.calls.count("judge") == {"iterative": 1, "deep_brief": 3, "simple": 2}[mode]

    @BOTH_WAYS
    async def test_one_absurd_usage_ends_the_research(self, chain: bool, start: Start, script: Reporting) -> None:
        script.reported = Usage(requests=1, input_tokens=10**15, output_tokens=10**15, cost_microusd=10**15)
        result = await (await start(limits=Limits(cost_microusd=10), chain=chain)).result()
        assert result.ending is not None
        assert result.ending.kind == "tokens"
        assert script.calls == ["search", "thinking", "writer"]
        assert result.usage.tokens == 4 * 10**15

    async def test_a_section_that_uses_up_everything_leaves_the_others_out(
        self, start: Start, script: Reporting
    ) -> None:
        script.sections = tuple(f"part {number}" for number in range(8))

        def greedy(given: JsonObject) -> JsonObject:
            script.reported = Usage(requests=1, input_tokens=10**9)
            return {"thought": "all of it"}

        script.overrides["thinking"] = greedy
        handle = await start(
            mode="deep_brief", graph=deep_with("deep_brief", max_concurrency=1), limits=Limits(tokens=2_000_000)
        )
        result = await handle.result()
        (published,) = script.published
        first, *others = published.sections
        assert (first.gap, bool(first.ending)) == (None, True)
        assert [section.gap.type for section in others if section.gap] == ["BudgetExhausted"] * 7
        assert script.calls.count("thinking") == 1
        assert script.calls[-1] == "proofreader"
        assert result.ending is not None
        assert (result.ending.kind, result.ending.detail[:16]) == ("sections", "8 of 8 sections:")

    async def test_money_for_a_few_sections_only(self, start: Start, script: Reporting) -> None:
        script.reported = Usage(requests=1, cost_microusd=0)
        script.sections = tuple(f"part {number}" for number in range(8))
        limits = Limits(cost_microusd=3, tokens=1_000_000, reserve=0.0)
        await (await start(mode="deep_brief", limits=limits)).result()
        (published,) = script.published
        drafted = [section.title for section in published.sections if section.gap is None]
        assert len(drafted) == 3
        assert {section.gap.type for section in published.sections if section.gap} == {"BudgetExhausted"}


async def test_sections_work_under_the_limits_that_a_top_up_raised(start: Start, script: Script) -> None:
    handle = await start(mode="deep_brief", limits=Limits(steps=2, iterations=1, when_exhausted="pause"))
    await paused(handle)
    await top_up(handle, TopUp(steps=100, iterations=2))
    result: ResearchResult = await handle.result()
    assert result.ending is None
    (published,) = script.published
    assert [section.ending for section in published.sections] == ["", "", ""]
    assert script.calls.count("writer") == 3
