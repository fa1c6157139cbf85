"""What a call may use is enforced before each request: an answer that came is kept, a further request is not made."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents import agent_activity
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.budget import Allowance, Usage
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.settings import Settings
from elcano.storage.ledger import LedgerEntry
from elcano.storage.store import Store
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import FixedSource, call, passage, stored

WRONG, RIGHT = {"thought": ""}, {"thought": "Better."}
PASSAGES = tuple(passage(number, f"Passage {number} says this. " + "word " * 400) for number in range(1, 9))
"""Some 500 tokens each."""


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", PASSAGES, [stored(one) for one in PASSAGES])
    return store


@pytest.fixture
def asked(monkeypatch: pytest.MonkeyPatch) -> Callable[..., list[TaskEnvelope]]:
    """A model that gives these answers, each for so many tokens; what it was shown is in the list."""

    def answering(*answers: JsonObject, tokens: int = 1_000) -> list[TaskEnvelope]:
        replies = [Reply(answer, input_tokens=tokens - 100, output_tokens=100) for answer in answers]
        model = ScriptedModel({"thinking": replies, "writer": replies})
        monkeypatch.setattr(agent_activity, "resolve_model", model.resolve)
        return model.tasks

    return answering


async def run(
    store: Store, agent: str, given: JsonObject, allowance: Allowance, *, number: int = 1, **info: Any
) -> AgentResult:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number, **info)
    made = AgentActivities(store, Sources({"docs": FixedSource({})}), Settings(_env_file=None))
    whole = call(agent, given).model_copy(update={"allowance": allowance})
    result = await environment.run(made.run_agent, whole)
    assert isinstance(result, AgentResult)
    return result


async def refused(store: Store, agent: str, given: JsonObject, allowance: Allowance, number: int = 1) -> FailureDetails:
    with pytest.raises(ApplicationError) as caught:
        await run(store, agent, given, allowance, number=number)
    assert (caught.value.type, caught.value.non_retryable) == (FailureType.BUDGET, True)
    details = FailureDetails.model_validate(caught.value.details[0])
    assert f"the budget of {details.exhausted}" in caught.value.message
    return details


async def test_an_answer_that_came_is_kept_however_dear_it_was(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    asked(RIGHT, tokens=1_000_000)
    result = await run(store, "thinking", {"question": "Why?"}, Allowance(tokens=2_000))
    assert result.output == {**RIGHT, "criteria": []}
    assert result.usage.tokens == 1_000_000


async def test_a_further_request_is_not_made_for_more_than_is_left(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    shown = asked(WRONG, RIGHT, tokens=1_500)
    details = await refused(store, "thinking", {"question": "Why?"}, Allowance(tokens=2_999))
    assert (len(shown), details.exhausted, details.usage.tokens) == (1, "tokens", 1_500)
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.usage.tokens) == ("failed", 1_500)


async def test_a_further_request_is_made_if_the_conversation_fits_once_more(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    asked(WRONG, RIGHT, tokens=1_500)
    result = await run(store, "thinking", {"question": "Why?"}, Allowance(tokens=3_000))
    assert result.usage.requests == 2


@pytest.mark.parametrize(
    ("allowance", "exhausted"),
    [
        (Allowance(tokens=0), "tokens"),
        (Allowance(tokens=700), "tokens"),
        (Allowance(cost_microusd=0), "cost"),
        (Allowance(tokens=100_000, cost_microusd=0), "cost"),
    ],
)
async def test_nothing_is_asked_where_nothing_is_left(
    store: Store, asked: Callable[..., list[TaskEnvelope]], allowance: Allowance, exhausted: str
) -> None:
    shown = asked(RIGHT)
    details = await refused(store, "thinking", {"question": "Why?"}, allowance)
    assert (shown, details.exhausted, details.usage) == ([], exhausted, Usage())


async def test_all_attempts_of_a_call_have_one_allowance(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    spent = Usage(requests=3, input_tokens=4_500)
    info = ActivityEnvironment().info
    earlier = LedgerEntry(
        run_id="run-1",
        step=1,
        attempt=1,
        execution=info.workflow_run_id or "",
        activity=info.activity_id,
        node="thinking",
        kind="agent",
        name="thinking",
        outcome="failed",
        usage=spent,
        at=0.0,
    )
    await store.of("default").ledger.record(earlier)
    shown = asked(RIGHT)
    details = await refused(store, "thinking", {"question": "Why?"}, Allowance(tokens=5_000), number=2)
    assert (shown, details.usage) == ([], spent)
    result = await run(store, "thinking", {"question": "Why?"}, Allowance(tokens=9_000), number=2)
    assert result.usage.tokens == 5_500


async def test_a_second_attempt_in_the_wrong_form_is_the_last(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    for number, never in ((1, False), (2, True)):
        asked(WRONG, WRONG, WRONG)
        with pytest.raises(ApplicationError) as caught:
            await run(store, "thinking", {"question": "Why?"}, Allowance(), number=number)
        assert (caught.value.type, caught.value.non_retryable) == (FailureType.MODEL_OUTPUT, never)


DRAFT: JsonObject = {"title": "T", "key_findings": []}
EVIDENCE: JsonObject = {"question": "Why?", "evidence": [one.id for one in PASSAGES]}


async def test_a_small_allowance_makes_a_smaller_prompt(store: Store, asked: Callable[..., list[TaskEnvelope]]) -> None:
    shown = asked(DRAFT, DRAFT, DRAFT)
    for tokens in (None, 7_000, 2_200):
        await run(store, "writer", EVIDENCE, Allowance(tokens=tokens))
    assert [(len(task.evidence), task.evidence_left_out) for task in shown] == [(8, 0), (5, 3), (1, 7)]


async def test_a_report_is_not_written_from_nothing_because_nothing_fits(
    store: Store, asked: Callable[..., list[TaskEnvelope]]
) -> None:
    shown = asked(DRAFT)
    details = await refused(store, "writer", EVIDENCE, Allowance(tokens=1_500))
    assert (shown, details.exhausted) == ([], "tokens")
