"""What does not hold in the sections of a long report is mended once, before the key findings are written from them."""

from pathlib import Path
from typing import Any

import pytest
from pydantic_ai.messages import ModelRequest
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.agents.draft_faults import LOST
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.agents.prompt_texts import RANKING
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Allowance
from elcano.graphs.text import ensure_list
from elcano.settings import Settings
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store, open_store
from elcano.subjects.research.agents.long_writer import SECTION, SUMMARY
from elcano.testing import Reply, ScriptedModel
from tests.unit.activities.agents.material import TEMPORAL, FixedSource, call, passage, stored
from tests.unit.activities.agents.test_synthesis import ONE, RECORDS, REPLAY, RETRY, TWO, given, kept, section

Texts = dict[str, list[str]]
GOOD = "It goes on by replay [a]."
MENDED = ("It goes on since all is replayed [a].", "Replay makes it go on [a].")
INVENTED = "It goes on after 45 minutes [a]."
LOOSE = "All took 45 minutes. It goes on by replay [a]."
ELSEWHERE = "words that stand nowhere in it"


def answering(texts: Texts, quotes: Texts, kinds: list[str], tokens: int) -> ScriptedModel:
    """Each kind of task takes the next of its texts and quotes, the last one for ever."""

    def answer(task: TaskEnvelope) -> Reply:
        kinds.append(task.kind)
        if task.kind == "reviser":
            return Reply(
                {"blocks": [_mended(block, kinds) for block in ensure_list(task.given["blocks"])]}, input_tokens=tokens
            )
        own = kinds.count(task.kind) - 1
        text, quote = (each.get(task.kind, [default]) for each, default in ((texts, GOOD), (quotes, REPLAY)))
        citations = [{"mark": "a", "evidence": "e1", "quote": quote[min(own, len(quote) - 1)]}]
        said: dict[str, Any] = {"text": text[min(own, len(text) - 1)], "citations": citations}
        if task.kind == SUMMARY:
            said = {"introduction": said.pop("text"), **said}
        return Reply(said, input_tokens=tokens, output_tokens=0)

    return ScriptedModel(default=answer)


def _mended(block: Any, kinds: list[str]) -> JsonObject:
    text = MENDED[kinds.count("reviser") - 1]
    return {"id": block["id"], "text": text, "citations": [{"mark": "a", "evidence": "e1", "quote": REPLAY}]}


async def written(
    folder: Path, texts: Texts, quotes: Texts, *, left: int | None = None, tokens: int = 1_000, page: Evidence = ONE
) -> tuple[list[str], ReportDraft]:
    kinds: list[str] = []
    model = answering(texts, quotes, kinds, tokens)
    async with open_store(folder) as store:
        await store.of("default").evidence.add("run-1", (page, TWO), [stored(page), stored(TWO)])
        return kinds, await kept(store, await performed(store, model, left))


async def performed(store: Store, model: ScriptedModel, left: int | None) -> AgentResult:
    sections = [await section(store, title, quote) for title, quote in (("Crash", REPLAY), ("Retried", RETRY))]
    offered = Sources({"docs": FixedSource({})})
    made = AgentActivities(store, offered, Settings(_env_file=None), resolve=model.resolve)
    asked = call("long_writer", given(*sections)).model_copy(update={"allowance": Allowance(tokens=left)})
    result = await ActivityEnvironment().run(made.run_agent, asked)
    assert isinstance(result, AgentResult)
    return result


@pytest.mark.parametrize(
    ("texts", "quotes"),
    [
        ({SECTION: [INVENTED, GOOD]}, {}),
        ({SECTION: [LOOSE, GOOD]}, {}),
        ({}, {SECTION: [ELSEWHERE, REPLAY]}),
    ],
)
async def test_sections_are_mended_before_the_key_findings_are_written(
    tmp_path: Path, texts: Texts, quotes: Texts
) -> None:
    kinds, draft = await written(tmp_path, texts, quotes)
    assert kinds == [SECTION, SECTION, "reviser", SUMMARY]
    assert draft.sections[0].claims[0].text == MENDED[0]
    assert draft.sections[0].claims[0].citations[0].quote == REPLAY


async def test_the_key_findings_are_mended_by_themselves(tmp_path: Path) -> None:
    kinds, draft = await written(tmp_path, {SECTION: [INVENTED], SUMMARY: [INVENTED]}, {})
    assert kinds == [SECTION, SECTION, "reviser", SUMMARY, "reviser"]
    assert (draft.sections[0].claims[0].text, draft.introduction[0].text) == MENDED


async def test_what_mending_a_section_loses_is_said(tmp_path: Path) -> None:
    page = passage(1, f"{TEMPORAL} The replay took 512 MB in 40 ms.").model_copy(update={"id": ONE.id})
    texts, quotes = {SECTION: ["It took 512 MB in 45 ms [a].", GOOD]}, {SECTION: ["took 512 MB in 40 ms", REPLAY]}
    kinds, draft = await written(tmp_path, texts, quotes, page=page)
    assert kinds == [SECTION, SECTION, "reviser", SUMMARY]
    assert draft.sections[0].claims[0].text == MENDED[0]
    assert [one for one in draft.remarks if one.startswith(LOST)] == [f"{LOST} 512 MB (“It took 512 MB in 45 ms.”)"]


async def test_what_holds_is_not_asked_for_again(tmp_path: Path) -> None:
    kinds, _ = await written(tmp_path, {}, {SECTION: [REPLAY, RECORDS]})
    assert kinds == [SECTION, SECTION, SUMMARY]


@pytest.mark.parametrize(("left", "mended"), [(60_000, True), (7_500, False)])
async def test_no_fault_is_worth_the_key_findings(tmp_path: Path, left: int, mended: bool) -> None:
    found, draft = await written(tmp_path, {SECTION: [INVENTED]}, {}, left=left, tokens=2_000)
    assert (found[:2], SUMMARY in found, "reviser" in found) == ([SECTION] * 2, True, mended)
    assert [one.claims[0].text for one in draft.sections] == [MENDED[0] if mended else INVENTED] * 2
    assert not any("stand as they were drafted" in told for told in draft.limitations)


async def test_who_is_told_of_faults_has_the_rules_that_all_have(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A writer has its instructions whole, and is told in a call of its own what does not hold."""
    seen: list[ModelRequest] = []
    model = ScriptedModel(default=lambda task: Reply(_report(), input_tokens=10, output_tokens=10))
    resolve = model.resolve

    def watching(*asked: Any) -> Any:
        found = resolve(*asked)
        request = found.request

        async def requested(messages: Any, *rest: Any) -> Any:
            seen.extend(one for one in messages if isinstance(one, ModelRequest))
            return await request(messages, *rest)

        monkeypatch.setattr(found, "request", requested)
        return found

    async with open_store(tmp_path) as store:
        await store.of("default").evidence.add("run-1", (ONE, TWO), [stored(ONE), stored(TWO)])
        settings = Settings(_env_file=None, stream_models=False)
        made = AgentActivities(store, Sources({"docs": FixedSource({})}), settings, resolve=watching)
        asked: JsonObject = {"question": "What of crashes?", "evidence": [ONE.id, TWO.id]}
        await ActivityEnvironment().run(made.run_agent, call("writer", asked))
    assert RANKING.strip() in (seen[0].instructions or "")
    assert "45 minutes" in str(seen[-1].parts)


def _report() -> JsonObject:
    return {
        "title": "Crashes",
        "key_findings": INVENTED,
        "citations": [{"mark": "a", "evidence": "e1", "quote": REPLAY}],
    }
