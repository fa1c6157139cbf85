"""A writer whose time is used up hands over what it has written: what was paid for is the run's report."""

import asyncio
import json
from typing import Any

import pytest
from temporalio.activity import ActivityCancellationDetails
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.failures import FailureType
from elcano.settings import Settings
from elcano.storage.store import Store
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import FixedSource, call, stored
from tests.unit.activities.agents.test_long_mending import GOOD as SAID
from tests.unit.activities.agents.test_long_mending import INVENTED
from tests.unit.activities.agents.test_reviewing import BAD, GOOD, IDS, MENDED, PASSAGES, QUESTION, VERDICTS
from tests.unit.activities.agents.test_synthesis import ONE, REPLAY, RETRY, TWO, given, kept, section

GIVEN_UP = ActivityCancellationDetails(cancel_requested=True)


@pytest.fixture
async def store(store: Store) -> Store:
    pages = (*PASSAGES, *(one for one in (ONE, TWO) if one not in PASSAGES))
    await store.of("default").evidence.add("run-1", pages, [stored(one) for one in pages])
    return store


async def cut_short(
    store: Store, asked: AgentCall, answers: dict[str, Any], at: tuple[str, int], details: Any = GIVEN_UP
) -> tuple[list[str], ReportDraft]:
    """What a writer hands over that is cancelled while it waits for an answer: the n-th of a kind."""
    environment, kinds = ActivityEnvironment(), list[str]()

    def answer(task: TaskEnvelope) -> Reply:
        kinds.append(task.kind)
        if (task.kind, kinds.count(task.kind)) == at:
            asyncio.get_running_loop().call_soon(environment.cancel, details)
            return Reply({}, seconds=3_600.0)
        return Reply(answers[task.kind])

    model = ScriptedModel(default=answer)
    made = AgentActivities(store, Sources({"docs": FixedSource({})}), Settings(_env_file=None), resolve=model.resolve)
    return kinds, await kept(store, await environment.run(made.run_agent, asked))


def build_writer_call() -> AgentCall:
    asked: JsonObject = {"question": QUESTION, "evidence": list(IDS), "review": True}
    return call("writer", json.loads(json.dumps(asked)), model="scripted:one")


@pytest.mark.parametrize(
    ("at", "asked", "verdicts"),
    [
        (("reviewer", 1), ["writer", "reviewer"], 0),
        (("reviser", 1), ["writer", "reviewer", "reviser"], 1),
        (("reviewer", 2), ["writer", "reviewer", "reviser", "reviewer"], 1),
    ],
)
async def test_a_draft_is_handed_over_as_it_was(
    store: Store, at: tuple[str, int], asked: list[str], verdicts: int
) -> None:
    answers = {"writer": BAD, "reviewer": VERDICTS, "reviser": MENDED}
    kinds, draft = await cut_short(store, build_writer_call(), answers, at)
    assert kinds == asked
    assert draft.key_findings
    assert len(draft.judgements) == verdicts
    (line,) = await store.of("default").ledger.entries("run-1")
    assert line.outcome == "completed"


async def test_a_draft_that_was_not_written_is_none(store: Store) -> None:
    with pytest.raises(ApplicationError) as caught:
        await cut_short(store, build_writer_call(), {"writer": GOOD}, ("writer", 1))
    assert caught.value.type == FailureType.ABANDONED


async def test_a_worker_that_stops_hands_over_nothing(store: Store) -> None:
    stops = ActivityCancellationDetails(worker_shutdown=True)
    with pytest.raises(asyncio.CancelledError):
        await cut_short(store, build_writer_call(), {"writer": GOOD}, ("reviewer", 1), stops)


@pytest.mark.parametrize(
    ("at", "asked", "sections"),
    [
        ((SECTION, 1), [SECTION], [REPLAY, RETRY]),
        ((SECTION, 2), [SECTION, SECTION], ["It goes on", RETRY]),
        (("reviser", 1), [SECTION, SECTION, "reviser"], ["It goes on", "It goes on"]),
        ((SUMMARY, 1), [SECTION, SECTION, "reviser", SUMMARY], ["It goes on", "It goes on"]),
    ],
)
async def test_sections_stand_as_they_were_written_or_drafted(
    store: Store, at: tuple[str, int], asked: list[str], sections: list[str]
) -> None:
    parts = [await section(store, title, quote) for title, quote in (("Crash", REPLAY), ("Retried", RETRY))]
    citations = [{"mark": "a", "evidence": "e1", "quote": REPLAY}]
    answers = {
        SECTION: {"text": INVENTED, "citations": citations},
        "reviser": {"blocks": [{"id": one, "text": SAID, "citations": citations} for one in (1, 2)]},
    }
    kinds, draft = await cut_short(store, call("long_writer", given(*parts)), answers, at)
    assert kinds == asked
    assert [one.heading for one in draft.sections] == ["Crash", "Retried"]
    for one, begin in zip(draft.sections, sections, strict=True):
        assert one.claims[0].text.startswith(begin)
    assert draft.key_findings
