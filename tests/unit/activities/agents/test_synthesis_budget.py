"""A synthesis within its allowance: what cannot be written stands as it was drafted, and the report says so."""

import asyncio
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import pytest
from hypothesis import given as drawn
from hypothesis import strategies as st
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.agents.answer_drafts import NOT_SUMMARISED
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentResult
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Allowance
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import FixedSource, call, stored
from tests.unit.activities.agents.test_synthesis import (
    ONE,
    RECORDS,
    REPLAY,
    RETRY,
    TWO,
    given,
    kept,
    retelling,
    section,
)

TITLES = {"Crash": REPLAY, "Retried": RETRY, "Recorded": RECORDS}


class Model:
    """Retells what it is shown; each request takes the next of these tokens, the last one for ever."""

    def __init__(self, tokens: list[int], malformed: frozenset[int] = frozenset()) -> None:
        self.used: list[int] = []
        """Tokens of each request."""
        self.kinds: list[str] = []
        self._tokens = tokens
        self._malformed = malformed
        """Numbers of requests that are answered in a form that nobody asked for."""

    def __call__(self, task: TaskEnvelope) -> Reply:
        number = len(self.used)
        self.used.append(self._tokens[min(number, len(self._tokens) - 1)])
        self.kinds.append(task.kind)
        return Reply(self._answer(task, number), input_tokens=self.used[-1], output_tokens=0)

    def _answer(self, task: TaskEnvelope, number: int) -> dict[str, Any]:
        if number in self._malformed:
            return {"claims": 7, "key_findings": 7, "title": 7}
        if task.kind == "proofreader":
            return {"title": "T", "sections": [{"heading": one.title} for one in task.sections]}
        return retelling(task)


async def written(store: Store, agent: str, tokens: int | None, model: Model) -> tuple[ReportDraft, AgentResult]:
    """The report of three sections that `agent` made within so many tokens."""
    sections = [await section(store, title, quote) for title, quote in TITLES.items()]
    offered, resolve = Sources({"docs": FixedSource({})}), ScriptedModel(default=model).resolve
    made = AgentActivities(store, offered, Settings(_env_file=None), resolve=resolve)
    asked = call(agent, given(*sections)).model_copy(update={"allowance": Allowance(tokens=tokens)})
    result = await ActivityEnvironment().run(made.run_agent, asked)
    assert isinstance(result, AgentResult)
    return await kept(store, result), result


async def in_a_store(folder: str, agent: str, tokens: int | None, model: Model) -> tuple[ReportDraft, AgentResult]:
    async with open_store(Path(folder)) as store:
        await store.of("default").evidence.add("run-1", (ONE, TWO), [stored(ONE), stored(TWO)])
        return await written(store, agent, tokens, model)


@pytest.mark.parametrize(
    ("tokens", "kinds"),
    [
        (None, [SECTION, SECTION, SECTION, SUMMARY]),
        (12_000, [SECTION, SECTION, SECTION, SUMMARY]),
        (7_999, [SECTION, SECTION, SUMMARY]),
        (5_999, [SECTION, SUMMARY]),
        (3_200, [SUMMARY]),
        (1_200, []),
        (0, []),
    ],
)
async def test_sections_that_cannot_be_paid_for_stand_as_they_were_drafted(
    tmp_path: Path, tokens: int | None, kinds: list[str]
) -> None:
    model = Model([2_000])
    draft, result = await in_a_store(str(tmp_path), "long_writer", tokens, model)
    assert model.kinds == kinds
    assert result.usage.tokens == sum(model.used)
    said = {one.heading: one.claims[0].text for one in draft.sections}
    rewritten = kinds.count(SECTION)
    for number, (title, quote) in enumerate(TITLES.items()):
        assert said[title] == (f"Told: {quote}" if number < rewritten else quote)
    drafted = "; ".join(f"“{title}”" for title in list(TITLES)[rewritten:])
    assert any(told.endswith(f"they stand as they were drafted: {drafted}.") for told in draft.limitations) is (
        rewritten < len(TITLES)
    )
    assert (NOT_SUMMARISED in draft.limitations) is (SUMMARY not in kinds)
    assert draft.answered


@pytest.mark.parametrize(("tokens", "requests"), [(None, 1), (20_000, 1), (1_500, 0), (0, 0)])
async def test_drafts_that_cannot_be_merged_stand_as_they_are(
    tmp_path: Path, tokens: int | None, requests: int
) -> None:
    model = Model([2_000])
    draft, _ = await in_a_store(str(tmp_path), "proofreader", tokens, model)
    assert len(model.used) == requests
    if not requests:
        assert [claim.text for one in draft.sections for claim in one.claims] == list(TITLES.values())
        assert draft.limitations[0] == NOT_SUMMARISED
    assert draft.quoted is not bool(requests)


@drawn(
    st.sampled_from(["long_writer", "proofreader"]),
    st.integers(0, 30_000),
    st.lists(st.integers(1, 3_000) | st.integers(1, 40_000), min_size=1, max_size=10),
    st.frozensets(st.integers(0, 5), max_size=3),
)
def test_no_synthesis_uses_more_than_it_may_but_for_the_request_in_flight(
    agent: str, tokens: int, sizes: list[int], malformed: frozenset[int]
) -> None:
    """Whatever its model takes, in whatever form it answers, there is a report with every section in it."""
    model = Model(sizes, frozenset(number for number in malformed if number + 1 not in malformed))
    with TemporaryDirectory() as folder:
        draft, result = asyncio.run(in_a_store(folder, agent, tokens, model))
    assert result.usage.tokens == sum(model.used)
    assert sum(model.used[:-1]) < tokens or not model.used
    assert [one.heading for one in draft.sections] == list(TITLES)
