"""Joining sections through the activity: gaps stay visible, citations attached, and no section is written twice."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest
from pydantic_ai.exceptions import ModelAPIError
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents import agent_activity
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Citation, Claim, ReportDraft
from elcano.graphs.state.failures import FailureDetails, FailureType
from elcano.graphs.state.plan import SectionGap, SectionResult
from elcano.graphs.state.state import DraftRef
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, FixedSource, call, passage, stored

QUESTION = "How does a Temporal workflow go on after a crash, and how are activities retried?"
ONE, TWO = passage(1, TEMPORAL), passage(2, PANCAKES)
REPLAY = "After a crash another worker replays the history and goes on where the first one stopped."
RETRY = "A failed activity is retried by the server according to its retry policy."
RECORDS = "Temporal records every step of a workflow in its history."

Answering = Callable[[TaskEnvelope], dict[str, Any]]


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", (ONE, TWO), [stored(ONE), stored(TWO)])
    return store


async def section(store: Store, title: str, *quotes: str) -> SectionResult:
    claims = [Claim(text=quote, citations=(Citation(evidence=ONE.id, quote=quote),)) for quote in quotes]
    draft = ReportDraft(title=title, key_findings=tuple(claims), answered=bool(claims), quoted=True)
    key = await store.of("default").artifacts.put("run-1", draft.model_dump_json(), "application/json")
    return SectionResult(title=title, key_question=f"What of {title}?", draft=key, evidence=(ONE.id,))


GAP = SectionResult(title="Costs", key_question="What of costs?", gap=SectionGap(reason="the key was refused"))


def given(*sections: SectionResult) -> JsonObject:
    return {
        "question": QUESTION,
        "title": "Temporal",
        "sections": [one.model_dump(mode="json") for one in sections],
        "evidence": [ONE.id, TWO.id],
    }


async def run(
    store: Store,
    agent: str,
    sections: JsonObject,
    *,
    number: int = 1,
    details: tuple[Any, ...] = (),
    beats: list[tuple[Any, ...]] | None = None,
) -> AgentResult:
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, attempt=number, heartbeat_details=list(details))
    environment.on_heartbeat = lambda *carried: beats.append(carried) if beats is not None else None
    made = AgentActivities(store, Sources({"docs": FixedSource({})}), Settings(_env_file=None))
    result = await environment.run(made.run_agent, call(agent, sections))
    assert isinstance(result, AgentResult)
    return result


async def kept(store: Store, result: AgentResult) -> ReportDraft:
    ref = DraftRef.model_validate(result.output)
    return ReportDraft.model_validate_json(await store.of("default").artifacts.get(ref.artifact) or "")


def answering(monkeypatch: pytest.MonkeyPatch, reply: Answering) -> list[TaskEnvelope]:
    """A model that answers each envelope with `reply`; what it was shown is in the list."""
    model = ScriptedModel(default=lambda task: Reply(reply(task), input_tokens=100, output_tokens=10))
    monkeypatch.setattr(agent_activity, "resolve_model", model.resolve)
    return model.tasks


def retelling(task: TaskEnvelope) -> dict[str, Any]:
    """Each section retold in other words, with the citations that it was given."""
    if task.kind == SUMMARY:
        first = next(one for one in task.written if one.claims).claims[0].citations[0]
        return {"key_findings": [{"text": "In short.", "citations": [first.model_dump()]}], "limitations": ["None."]}
    (only,) = task.sections
    claims = [
        {"text": f"Told: {one.text}", "citations": [c.model_dump() for c in one.citations]} for one in only.claims
    ]
    return {"text": claims}


@pytest.mark.parametrize("agent", ["long_writer", "proofreader"])
async def test_offline_sections_are_joined_with_the_gap_in_its_place(store: Store, agent: str) -> None:
    sections = given(await section(store, "Crash", REPLAY, RECORDS), GAP, await section(store, "Retried", RETRY))
    result = await run(store, agent, sections)
    draft = await kept(store, result)
    ref = DraftRef.model_validate(result.output)
    assert (draft.quoted, draft.answered) == (True, True)
    assert RETRY in [claim.text for claim in draft.key_findings]
    assert "Costs" in [one.heading for one in draft.sections]
    assert any("“Costs” (the key was refused)" in told for told in draft.limitations)
    assert ref.evidence == (ONE.id,)
    for claim in [*draft.key_findings, *(claim for one in draft.sections for claim in one.claims)]:
        assert claim.text in TEMPORAL
        assert [cited.evidence for cited in claim.citations] == [ONE.id]


async def test_when_no_section_was_answered_the_report_says_so(store: Store) -> None:
    draft = await kept(store, await run(store, "long_writer", given(GAP, await section(store, "Silent"))))
    assert not draft.answered
    assert [one.heading for one in draft.sections] == ["Costs", "Silent"]
    assert "“Silent” (no sentence was found that can be quoted as its answer)" in draft.limitations[0]


@pytest.mark.parametrize("agent", ["long_writer", "proofreader"])
async def test_before_any_section_no_model_is_asked_and_what_was_found_is_listed(
    store: Store, agent: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked = answering(monkeypatch, retelling)
    result = await run(store, agent, given())
    draft = await kept(store, result)
    assert (asked, result.usage.requests) == ([], 0)
    assert (draft.answered, draft.sections, draft.related) == (False, (), (ONE.id, TWO.id))
    assert draft.limitations[0].startswith("No section was researched.")


@pytest.mark.parametrize("agent", ["long_writer", "proofreader"])
async def test_a_draft_that_is_not_in_the_store_is_an_error(store: Store, agent: str) -> None:
    lost = SectionResult(title="Lost", key_question="What?", draft="0" * 64)
    with pytest.raises(ApplicationError) as caught:
        await run(store, agent, given(await section(store, "Crash", REPLAY), lost))
    assert (caught.value.type, caught.value.non_retryable) == (FailureType.INPUT_INVALID, True)
    assert "'Lost' is not in the store" in caught.value.message


async def test_a_model_writes_section_by_section_with_the_report_so_far(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = answering(monkeypatch, retelling)
    sections = given(await section(store, "Crash", REPLAY), GAP, await section(store, "Retried", RETRY))
    result = await run(store, "long_writer", sections)
    assert [task.kind for task in shown] == [SECTION, SECTION, SUMMARY]
    assert [one.title for one in shown[1].written] == ["Crash", "Costs"]
    assert shown[1].written[0].claims[0].text == f"Told: {REPLAY}"
    assert shown[1].written[1].missing == "the key was refused"
    assert [item.title for item in shown[0].evidence] == [ONE.title]
    draft = await kept(store, result)
    assert [one.heading for one in draft.sections] == ["Crash", "Costs", "Retried"]
    assert draft.sections[2].claims[0].citations[0].evidence == ONE.id
    assert (draft.title, draft.quoted, result.model) == ("Temporal", False, "scripted")
    assert (result.usage.requests, result.usage.input_tokens) == (3, 300)


async def test_after_a_crash_the_writing_goes_on_with_the_next_section(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    sections = given(await section(store, "Crash", REPLAY), await section(store, "Retried", RETRY))

    def failing(task: TaskEnvelope) -> dict[str, Any]:
        if task.kind == SECTION and task.sections[0].title == "Retried":
            raise ModelAPIError("scripted", "overloaded")
        return retelling(task)

    shown = answering(monkeypatch, failing)
    beats: list[tuple[Any, ...]] = []
    with pytest.raises(ApplicationError) as caught:
        await run(store, "long_writer", sections, beats=beats)
    assert caught.value.type == FailureType.PROVIDER
    failed = FailureDetails.model_validate(caught.value.details[0])
    assert (failed.attempt, failed.usage.requests) == (1, 1)
    (first,) = await store.of("default").ledger.entries("run-1")
    assert (first.outcome, first.usage.requests) == ("failed", 1)

    again = answering(monkeypatch, retelling)
    result = await run(store, "long_writer", sections, number=2, details=beats[-1])
    assert len(shown) == 2
    assert [(task.kind, [one.title for one in task.sections]) for task in again] == [
        (SECTION, ["Retried"]),
        (SUMMARY, []),
    ]
    assert [one.title for one in again[0].written] == ["Crash"]
    draft = await kept(store, result)
    assert [one.claims[0].text for one in draft.sections] == [f"Told: {REPLAY}", f"Told: {RETRY}"]
    assert result.usage.requests == 3
    lines = await store.of("default").ledger.entries("run-1")
    assert [(line.attempt, line.outcome, line.usage.requests) for line in lines] == [
        (1, "failed", 1),
        (2, "completed", 2),
    ]


async def test_an_attempt_that_fails_before_any_section_keeps_what_was_written_before(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    answering(monkeypatch, retelling)
    sections = given(await section(store, "Crash", REPLAY))
    beats: list[tuple[Any, ...]] = []
    await run(store, "long_writer", sections, beats=beats)
    progress = beats[-1]

    def down(task: TaskEnvelope) -> dict[str, Any]:
        raise ModelAPIError("scripted", "overloaded")

    answering(monkeypatch, down)
    later: list[tuple[Any, ...]] = []
    with pytest.raises(ApplicationError):
        await run(store, "long_writer", sections, number=2, details=progress, beats=later)
    assert later[-1] == progress


async def test_a_finished_section_that_is_lost_is_an_error(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    answering(monkeypatch, retelling)
    sections = given(await section(store, "Crash", REPLAY))
    progress = {"sections": [{"artifact": "0" * 64}]}
    with pytest.raises(ApplicationError) as caught:
        await run(store, "long_writer", sections, number=2, details=(progress,))
    assert caught.value.type == FailureType.INPUT_INVALID


async def test_a_key_that_a_model_invents_stays_for_the_check_to_report(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    def inventing(task: TaskEnvelope) -> dict[str, Any]:
        claims = [{"text": "Told.", "citations": [{"evidence": "e9", "quote": "invented"}]}]
        return {"key_findings": claims} if task.kind == SUMMARY else {"text": claims}

    answering(monkeypatch, inventing)
    result = await run(store, "long_writer", given(await section(store, "Crash", REPLAY)))
    draft = await kept(store, result)
    assert draft.key_findings[0].citations[0].evidence == "e9"
    assert DraftRef.model_validate(result.output).evidence == ()


async def test_the_proofreader_says_what_did_not_fit(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    def proofreading(task: TaskEnvelope) -> dict[str, Any]:
        sections = [
            {"heading": one.title, "text": [claim.model_dump(mode="json") for claim in one.claims]}
            for one in task.sections
        ]
        return {"title": "T", "sections": sections}

    answering(monkeypatch, proofreading)
    monkeypatch.setattr("elcano.subjects.research.agents.proofreader.DRAFT_TOKENS", 100)
    draft = await kept(
        store, await run(store, "proofreader", given(await section(store, "Crash", REPLAY, RECORDS, RETRY)))
    )
    assert draft.limitations[0].startswith("1 statements of the sections' drafts did not fit")
