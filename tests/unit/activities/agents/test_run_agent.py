"""`run_agent`: one attempt, one ledger line, one answer that fits the catalogue."""

import asyncio
import json
import threading
from uuid import uuid4

import pytest
from pydantic_ai.models import Model
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents import agent_activity
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.calls import models
from elcano.activities.sources.registry import Sources
from elcano.graphs.catalogue.agents import AGENTS
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import FailureType
from elcano.graphs.state.state import DraftRef
from elcano.settings import Settings
from elcano.storage.ledger import Ledger, LedgerEntry
from elcano.storage.store import Store
from elcano.subjects.quoting.model import ExtractiveModel
from elcano.subjects.research.agents.judge import JudgeAssessment
from elcano.subjects.research.agents.thinking import KnowledgeGapOutput, ThinkingOutput
from elcano.subjects.research.agents.tool_selector import AgentSelectionPlan
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, FixedSource, call, least, passage, stored

QUESTION = "How does a Temporal workflow go on after a crash?"
PASSAGES = (passage(1, TEMPORAL), passage(2, PANCAKES))


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", PASSAGES, [stored(one) for one in PASSAGES])
    return store


def activities(store: Store, weights: dict[str, float] | None = None) -> AgentActivities:
    known = {"temporal": 3.0, "workflow": 2.0, "crash": 3.0}
    sources = Sources({"docs": FixedSource(known if weights is None else weights)})
    return AgentActivities(store, sources, Settings(_env_file=None))


async def run(made: AgentActivities, agent: str, given: JsonObject, model: str = "offline") -> AgentResult:
    result = await ActivityEnvironment().run(made.run_agent, call(agent, given, model=model))
    assert isinstance(result, AgentResult)
    return result


def given(**more: object) -> JsonObject:
    fields = {"question": QUESTION, "evidence": [one.id for one in PASSAGES], **more}
    checked: JsonObject = json.loads(json.dumps(fields))
    return checked


OF_MODELS = ("sections", "output_schema")
"""Fields of tasks that need more than a question here: sections, or a schema and a language model."""
NEED_MODEL = {"clarifier", "editor", "updater"}


@pytest.mark.parametrize(
    "agent",
    [
        name
        for name, one in AGENTS.items()
        if name not in NEED_MODEL and not set(OF_MODELS) & set(one.input.model_fields)
    ],
)
async def test_every_agent_answers_offline_in_its_output_model(store: Store, agent: str) -> None:
    result = await run(activities(store), agent, json.loads(json.dumps(least(AGENTS[agent], question=QUESTION))))
    AGENTS[agent].output.model_validate(result.output)
    assert result.model == "extractive-v6"
    assert result.usage.requests == 1
    assert result.usage.tokens > 0
    assert (result.usage.cost_microusd, result.usage.unpriced_requests, result.usage.estimated) == (0, 0, False)


async def test_of_nothing_to_merge_nobody_is_asked(store: Store) -> None:
    result = await run(activities(store), "proofreader", {"question": QUESTION})
    AGENTS["proofreader"].output.model_validate(result.output)
    assert (result.model, result.usage.requests) == ("", 0)


async def test_the_offline_agents_agree_on_what_the_evidence_holds(store: Store) -> None:
    made = activities(store)
    thought = ThinkingOutput.model_validate((await run(made, "thinking", given())).output)
    gaps = KnowledgeGapOutput.model_validate((await run(made, "knowledge_gap", given())).output)
    found = [{"number": 1, "findings": [PASSAGES[0].id]}]
    judged = JudgeAssessment.model_validate((await run(made, "judge", given(conversation=found))).output)
    assert "100%" in thought.thought
    assert gaps.research_complete
    assert (judged.sufficient, judged.coverage, judged.recommendation) == (True, 1.0, "synthesize")


async def test_the_selector_names_only_offered_sources(store: Store) -> None:
    result = await run(activities(store), "tool_selector", {"question": QUESTION, "sources": ["docs"]})
    plan = AgentSelectionPlan.model_validate(result.output)
    assert {task.source for task in plan.tasks} == {"docs"}
    assert set(plan.tasks[0].query.split()) == {"temporal", "workflow", "crash"}


async def test_a_draft_is_stored_with_canonical_ids_and_literal_quotes(store: Store) -> None:
    ref = DraftRef.model_validate((await run(activities(store), "writer", given())).output)
    kept = await store.of("default").artifacts.get(ref.artifact)
    assert kept is not None
    draft = ReportDraft.model_validate_json(kept)
    assert draft.quoted
    assert draft.answered
    assert (ref.title, ref.answered, ref.cited) == (QUESTION, True, 1)
    for claim in draft.key_findings:
        assert [cited.evidence for cited in claim.citations] == [PASSAGES[0].id]
        assert claim.text in TEMPORAL


async def test_an_attempt_leaves_a_ledger_line(store: Store) -> None:
    result = await run(activities(store), "thinking", given())
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.kind, line.name, line.step, line.model) == (
        "completed",
        "agent",
        "thinking",
        1,
        "extractive-v6",
    )
    assert line.usage == result.usage


async def test_the_model_without_a_key_uses_nothing(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(ExtractiveModel, "is_metered", False)
    result = await run(activities(store), "writer", given())
    (line,) = await store.of("default").ledger.entries("run-1")
    assert line.usage == result.usage == Usage()
    assert (line.outcome, line.model, result.model) == ("completed", "extractive-v6", "extractive-v6")


async def test_a_source_that_cannot_be_read_is_left_out_of_the_weights(store: Store) -> None:
    sources = Sources({"docs": FixedSource(None)})
    made = AgentActivities(store, sources, Settings(_env_file=None))
    ref = DraftRef.model_validate((await run(made, "writer", given(sources=["docs"]))).output)
    assert ref.answered


@pytest.mark.parametrize(
    ("agent", "fields"),
    [("thinking", {}), ("thinking", {"question": "x", "unknown": 1}), ("nobody", {"question": "x"})],
)
async def test_input_that_does_not_fit_is_never_retried(store: Store, agent: str, fields: JsonObject) -> None:
    with pytest.raises(ApplicationError) as caught:
        await run(activities(store), agent, fields)
    assert (caught.value.type, caught.value.non_retryable) == (FailureType.INPUT_INVALID, True)
    (line,) = await store.of("default").ledger.entries("run-1")
    assert line.outcome == "failed"


async def test_the_history_is_told_nothing_but_the_sorted_failure(store: Store) -> None:
    with pytest.raises(ApplicationError) as caught:
        await run(activities(store), "thinking", given(), model="openai:")
    assert caught.value.type == FailureType.MODEL_REFUSED
    assert caught.value.__cause__ is None
    assert caught.value.__suppress_context__


def answering_with(monkeypatch: pytest.MonkeyPatch, *answers: JsonObject) -> None:
    replies = [Reply(answer, input_tokens=100, output_tokens=10) for answer in answers]
    monkeypatch.setattr(
        agent_activity, "resolve_model", ScriptedModel({"thinking": replies, "writer": replies}).resolve
    )


async def test_a_run_that_fails_has_the_usage_of_its_answers_in_the_ledger(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering_with(monkeypatch, {"thought": ""})
    with pytest.raises(ApplicationError) as caught:
        await run(activities(store), "thinking", given(), model="sambanova:unknown")
    assert (caught.value.type, caught.value.non_retryable) == (FailureType.MODEL_OUTPUT, False)
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.model) == ("failed", "scripted")
    assert (line.usage.requests, line.usage.input_tokens, line.usage.output_tokens) == (3, 300, 30)
    assert line.usage.unpriced_requests == 3


async def test_an_answer_in_the_wrong_form_is_asked_for_again_in_the_same_conversation(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering_with(monkeypatch, {"thought": ""}, {"thought": "Better."})
    result = await run(activities(store), "thinking", given())
    assert result.output == {"thought": "Better.", "criteria": []}
    assert result.usage.requests == 2


async def test_what_was_used_is_written_down_before_more_is_asked(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A worker that is killed while it waits for the second answer can no longer say what the first one took."""
    written: list[LedgerEntry] = []
    record = Ledger.record

    async def noting(ledger: Ledger, entry: LedgerEntry) -> Usage:
        written.append(entry)
        return await record(ledger, entry)

    monkeypatch.setattr(Ledger, "record", noting)
    answering_with(monkeypatch, {"thought": ""}, {"thought": "Better."})
    await run(activities(store), "thinking", given())
    assert [(one.outcome, one.usage.requests) for one in written] == [("failed", 1), ("completed", 2)]
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.usage.requests) == ("completed", 2)


async def test_an_unknown_key_stays_for_the_citation_check_to_report(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    cited: list[Json] = [{"evidence": "e1", "quote": "history"}, {"evidence": "e77", "quote": "invented"}]
    draft: JsonObject = {
        "title": "T",
        "key_findings": [{"text": "A.", "citations": cited}],
        "related": ["e2", "e88"],
    }
    answering_with(monkeypatch, draft)
    ref = DraftRef.model_validate((await run(activities(store), "writer", given())).output)
    kept = ReportDraft.model_validate_json(await store.of("default").artifacts.get(ref.artifact) or "")
    assert [one.evidence for one in kept.key_findings[0].citations] == [PASSAGES[0].id, "e77"]
    assert kept.related == (PASSAGES[1].id,)
    assert not kept.quoted


async def test_a_providers_sdk_is_imported_beside_the_event_loop(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    threads: list[str] = []

    def importing(name: str, provider: object) -> Model:
        threads.append(threading.current_thread().name)
        raise ImportError("no such package")

    monkeypatch.setattr(models, "infer_model", importing)
    with pytest.raises(ApplicationError, match="needs a package"):
        await run(activities(store), "thinking", given(), model=f"openai:never-asked-{uuid4().hex}")
    assert threads
    assert threading.current_thread().name not in threads


async def test_what_was_answered_is_written_down_and_handed_over_though_the_run_gives_it_up(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    writing, let_write = asyncio.Event(), asyncio.Event()
    record = Ledger.record

    async def slowly(ledger: Ledger, entry: LedgerEntry) -> Usage:
        writing.set()
        await let_write.wait()
        return await record(ledger, entry)

    monkeypatch.setattr(Ledger, "record", slowly)
    environment = ActivityEnvironment()
    asked = asyncio.create_task(environment.run(activities(store).run_agent, call("thinking", given())))
    await writing.wait()
    environment.cancel()
    await asyncio.sleep(0)
    assert not asked.done()
    let_write.set()
    result = await asked
    (line,) = await store.of("default").ledger.entries("run-1")
    assert (line.outcome, line.usage) == ("completed", result.usage)
