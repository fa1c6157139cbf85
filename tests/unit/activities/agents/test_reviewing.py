"""A draft is read against its quotes before it is handed over, mended once, and never paid for twice."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.agents import agent_activity
from elcano.activities.agents.agent_activity import AgentActivities
from elcano.activities.agents.answer_correction import checked_draft
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.contracts import AgentResult
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.budget import Allowance
from elcano.graphs.state.state import DraftRef
from elcano.graphs.text import ensure_list
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.testing import Failing, Reply, ScriptedModel
from tests.unit.activities.agents.material import PANCAKES, TEMPORAL, FixedSource, call, passage, stored
from tests.unit.text.support.test_speaking import NONSENSE
from tests.unit.text.support.test_speaking import PASSAGE as MIXED

QUESTION = "How does a workflow go on after a crash?"
PASSAGES = (passage(1, TEMPORAL), passage(2, PANCAKES))
IDS = tuple(one.id for one in PASSAGES)
REPLAYS = "After a crash another worker replays the history"
FLOUR = "Pancakes are made of flour, eggs and milk."
GOOD: JsonObject = {
    "title": "Crashes",
    "key_findings": "The history is replayed by another worker [a]. Pancakes need flour [b].",
    "citations": [
        {"mark": "a", "evidence": "e1", "quote": REPLAYS},
        {"mark": "b", "evidence": "e2", "quote": FLOUR},
    ],
}
VERDICTS: JsonObject = {
    "verdicts": [
        {"id": 1, "support": "supported"},
        {"id": 2, "support": "not_supported", "reason": "of something else"},
    ]
}

NOTHING: JsonObject = {"blocks": []}


@pytest.fixture
async def store(store: Store) -> Store:
    await store.of("default").evidence.add("run-1", PASSAGES, [stored(one) for one in PASSAGES])
    return store


Scripted = Callable[..., ScriptedModel]


@pytest.fixture
def scripted(monkeypatch: pytest.MonkeyPatch) -> Scripted:
    def script(writer: Any = GOOD, reviewer: Any = VERDICTS, reviser: Any = NOTHING) -> ScriptedModel:
        model = ScriptedModel({"writer": writer, "reviewer": reviewer, "reviser": reviser})
        monkeypatch.setattr(agent_activity, "resolve_model", model.resolve)
        return model

    return script


async def written(
    store: Store,
    *,
    review: bool = True,
    evidence: tuple[str, ...] = IDS,
    allowance: Allowance | None = None,
    beats: list[Any] | None = None,
    details: tuple[Any, ...] = (),
) -> ReportDraft:
    made = AgentActivities(store, Sources({"docs": FixedSource({})}), Settings(_env_file=None))
    given: JsonObject = {"question": QUESTION, "evidence": list(evidence), "review": review}
    asked = call("writer", json.loads(json.dumps(given)), model="scripted:one")
    if allowance is not None:
        asked = asked.model_copy(update={"allowance": allowance})
    environment = ActivityEnvironment()
    environment.info = replace(environment.info, heartbeat_details=list(details), attempt=2 if details else 1)
    environment.on_heartbeat = lambda *carried: beats.append(carried) if beats is not None else None
    result = await environment.run(made.run_agent, asked)
    assert isinstance(result, AgentResult)
    reference = DraftRef.model_validate(result.output)
    draft = await store.of("default").artifacts.get(reference.artifact)
    assert draft is not None
    return ReportDraft.model_validate_json(draft)


def kinds(model: ScriptedModel) -> list[str]:
    return [task.kind for task in model.tasks]


async def test_each_statement_gets_its_verdict(store: Store, scripted: Scripted) -> None:
    model = scripted()
    draft = await written(store)
    assert [(one.support, one.reason) for one in draft.judgements] == [
        ("supported", ""),
        ("not_supported", "of something else"),
    ]
    assert [one.evidence for one in draft.judgements] == [(PASSAGES[0].id,), (PASSAGES[1].id,)]
    assert kinds(model) == ["writer", "reviewer", "reviser"]
    shown = model.tasks[1].given["statements"]
    assert isinstance(shown, list)
    assert [one["quotes"] for one in shown if isinstance(one, dict)] == [[REPLAYS], [FLOUR]]


async def test_nobody_reads_what_nobody_wanted_read(store: Store, scripted: Scripted) -> None:
    model = scripted()
    draft = await written(store, review=False)
    assert (draft.judgements, kinds(model)) == ((), ["writer"])


@pytest.mark.parametrize(
    ("answer", "supports"),
    [
        ({"verdicts": []}, ["unchecked", "unchecked"]),
        ({"verdicts": [{"id": 1, "support": "supported"}]}, ["supported", "unchecked"]),
        (
            {"verdicts": [{"id": 7, "support": "supported"}, {"id": -1, "support": "partly"}]},
            ["unchecked", "unchecked"],
        ),
        (
            {"verdicts": [{"id": 1, "support": "supported"}, {"id": 1, "support": "partly", "reason": "x"}]},
            ["partly", "unchecked"],
        ),
    ],
)
async def test_verdicts_that_are_missing_unknown_or_double(
    store: Store, scripted: Scripted, answer: JsonObject, supports: list[str]
) -> None:
    scripted(reviewer=answer)
    assert [one.support for one in (await written(store)).judgements] == supports


@pytest.mark.parametrize(
    "answer", ["It all looks fine to me.", {"verdicts": [{"id": 1, "support": "great"}]}, Failing(400)]
)
async def test_an_answer_that_cannot_be_used_is_said_and_costs_no_report(
    store: Store, scripted: Scripted, answer: Any
) -> None:
    scripted(reviewer=answer)
    draft = await written(store)
    assert draft.judgements == ()
    assert any("reviewer gave no answer on 2 statements" in one for one in draft.remarks)


async def test_a_reviewer_that_is_busy_is_waited_for(store: Store, scripted: Scripted) -> None:
    scripted(reviewer=Failing(529))
    with pytest.raises(ApplicationError):
        await written(store)


async def test_a_budget_too_small_for_a_review_is_said(store: Store, scripted: Scripted) -> None:
    model = scripted(writer=Reply(GOOD, input_tokens=2_000, output_tokens=200))
    draft = await written(store, allowance=Allowance(tokens=2_300))
    assert kinds(model) == ["writer"]
    assert any("did not allow 2 statements to be reviewed" in one for one in draft.remarks)


async def test_what_was_written_and_read_is_not_paid_for_again(store: Store, scripted: Scripted) -> None:
    beats: list[Any] = []
    model = scripted(reviewer=Failing(529))
    with pytest.raises(ApplicationError):
        await written(store, beats=beats)
    carried = next(beat[0] for beat in beats if beat and beat[0])
    assert kinds(model) == ["writer", "reviewer"]
    again = scripted()
    draft = await written(store, details=(carried,))
    assert kinds(again) == ["reviewer", "reviser"]
    assert len(draft.judgements) == 2
    assert not draft.quoted


async def test_many_statements_are_read_in_batches(store: Store, scripted: Scripted) -> None:
    said = " ".join(f"Statement {chr(97 + n // 9)}{chr(97 + n % 9)} is so [a]." for n in range(45))
    everything = GOOD | {"key_findings": said}
    model = scripted(writer=everything, reviewer=lambda task: {"verdicts": _all(task)})
    draft = await written(store)
    assert kinds(model) == ["writer", *["reviewer"] * 2]
    assert [one.support for one in draft.judgements] == ["supported"] * 45


def _all(task: TaskEnvelope) -> list[JsonObject]:
    shown = task.given["statements"]
    assert isinstance(shown, list)
    return [{"id": one["id"], "support": "supported"} for one in shown if isinstance(one, dict)]


BAD = GOOD | {
    "key_findings": "The history is replayed by 12 workers [a]. Pancakes need flour [b].",
    "citations": [
        {"mark": "a", "evidence": "e1", "quote": REPLAYS},
        {"mark": "b", "evidence": "e2", "quote": "Pancakes are made of dough."},
    ],
}


MENDED: JsonObject = {"blocks": [{"id": 1, "text": GOOD["key_findings"], "citations": GOOD["citations"]}]}


@pytest.mark.parametrize("review", [True, False])
async def test_a_writer_is_told_once_what_does_not_hold(store: Store, scripted: Scripted, review: bool) -> None:
    read = {"verdicts": [{"id": 1, "support": "supported"}, {"id": 2, "support": "supported"}]}
    model = scripted(writer=BAD, reviewer=read, reviser=MENDED)
    draft = await written(store, review=review)
    assert kinds(model) == (["writer", "reviewer", "reviser", "reviewer"] if review else ["writer", "reviser"])
    assert draft.key_findings[0].text == GOOD["key_findings"]
    (told,) = [task for task in model.tasks if task.kind == "reviser"]
    (shown,) = [one for one in ensure_list(told.given["blocks"]) if isinstance(one, dict)]
    assert [str(one) for one in ensure_list(shown["faults"])] == [
        "The quote [b] “Pancakes are made of dough.” does not stand in its passage. "
        "The nearest words are there: “Pancakes are made of flour,”",
        "“The history is replayed by 12 workers.”: “12” is in none of the words it quotes",
    ]


async def test_and_not_if_the_budget_does_not_allow_it(store: Store, scripted: Scripted) -> None:
    model = scripted(writer=Reply(BAD, input_tokens=2_000, output_tokens=200))
    await written(store, allowance=Allowance(tokens=2_300), review=False)
    assert kinds(model) == ["writer"]


async def test_a_quote_of_another_passage_is_moved_there_and_nobody_is_told(store: Store, scripted: Scripted) -> None:
    wrong = [{"mark": "a", "evidence": "e2", "quote": REPLAYS}, {"mark": "b", "evidence": "e9", "quote": FLOUR}]
    model = scripted(writer=GOOD | {"citations": wrong})
    draft = await written(store, review=False)
    assert kinds(model) == ["writer"]
    assert [one.evidence for one in draft.key_findings[0].citations] == [*IDS]


def block(text: str, quote: str) -> JsonObject:
    return {"id": 1, "text": text, "citations": [{"mark": "a", "evidence": "e1", "quote": quote}]}


async def test_what_the_reviewer_doubts_goes_back_once_and_is_read_again(store: Store, scripted: Scripted) -> None:
    mended: JsonObject = {"blocks": [block("Another worker replays the history [a].", REPLAYS)]}
    again: JsonObject = {"verdicts": [{"id": 1, "support": "supported"}]}
    model = scripted(reviewer=[VERDICTS, again], reviser=mended)
    draft = await written(store)
    assert kinds(model) == ["writer", "reviewer", "reviser", "reviewer"]
    assert [one.text for one in draft.key_findings] == ["Another worker replays the history [a]."]
    assert [one.evidence for one in draft.key_findings[0].citations] == [PASSAGES[0].id]
    assert draft.judgements[-1].support == "supported"
    (shown,) = [task for task in model.tasks if task.kind == "reviser"]
    assert "of something else" in json.dumps(shown.given)


@pytest.mark.parametrize(
    "answer",
    [
        {"blocks": [block("It is otherwise [x].", "words that stand nowhere")]},
        {"blocks": [block("Another worker replays the history [a]. " * 9, REPLAYS)]},
        {"blocks": [block("Un autre travailleur rejoue la suite et le reste est dans les archives [a].", REPLAYS)]},
        {"blocks": [block("It has other words [a].", FLOUR)]},
        GOOD,
        {"blocks": [{"id": 9, "text": "Nobody asked for it."}]},
        {"blocks": [{"id": -1}]},
        "I would rather not.",
        Failing(400),
    ],
)
async def test_what_comes_back_worse_is_not_taken(store: Store, scripted: Scripted, answer: Any) -> None:
    scripted(reviser=answer)
    draft = await written(store)
    assert draft.key_findings[0].text == GOOD["key_findings"]
    assert [one.support for one in draft.judgements] == ["supported", "not_supported"]


async def test_a_block_of_which_nothing_is_left_is_left_out(store: Store, scripted: Scripted) -> None:
    doubted = {"verdicts": [{"id": number, "support": "not_supported"} for number in (1, 2)]}
    scripted(reviewer=doubted, reviser={"blocks": [{"id": 1, "text": ""}]})
    assert (await written(store)).key_findings == ()


async def test_of_fourteen_nonsense_sentences_none_passes_a_reviewer_that_reads(
    tmp_path: Path, scripted: Scripted
) -> None:
    """Each statement reaches it with its own quote and no other words, and what it says of one is said of that one."""
    source = passage(1, MIXED)
    sentences = [f"{said.removesuffix('.')} [n{number}]." for number, (said, _) in enumerate(NONSENSE)]
    citations: list[Any] = [
        {"mark": f"n{number}", "evidence": "e1", "quote": quote} for number, (_, quote) in enumerate(NONSENSE)
    ]
    true: JsonObject = {"mark": "t", "evidence": "e1", "quote": "Network file systems are not supported"}
    text = " ".join([*sentences, "Network file systems do not work [t]."])
    answer: JsonObject = {"title": "Mixed", "key_findings": text, "citations": [*citations, true]}
    known = {said: quote for said, quote in NONSENSE}

    def read(task: TaskEnvelope) -> Reply:
        shown = task.given["statements"]
        assert isinstance(shown, list)
        verdicts = []
        for one in shown:
            assert isinstance(one, dict)
            nonsense = one["statement"] in known
            assert not nonsense or one["quotes"] == [known[str(one["statement"])]]
            support = "not_supported" if nonsense else "supported"
            verdicts.append({"id": one["id"], "support": support, "reason": "of something else" if nonsense else ""})
        return Reply({"verdicts": verdicts})

    scripted(writer=answer, reviewer=read)
    async with open_store(tmp_path / "mixed") as store:
        await store.of("default").evidence.add("run-1", (source,), [stored(source)])
        draft = await written(store, evidence=(source.id,))
        checked = await checked_draft(store.of("default"), draft, QUESTION)
    (claim,) = checked.claims
    support = {one.text: one.support for one in claim.statements}
    assert [said for said in known if support[said] != "not_supported"] == []
    assert support["Network file systems do not work."] == "supported"
    assert {one.text for one in checked.doubted} == set(known)


async def test_a_quote_that_begins_within_its_sentence_comes_with_the_sentence_before(
    tmp_path: Path, scripted: Scripted
) -> None:
    text = "Nanoparticles are small. Additionally, their surface can be modified with proteins. They are cheap."
    page = passage(1, text)
    draft: JsonObject = {
        "title": "Particles",
        "introduction": "Their surface can be modified with proteins [a]. They are cheap [b].",
        "citations": [
            {"mark": "a", "evidence": "e1", "quote": "their surface can be modified with proteins"},
            {"mark": "b", "evidence": "e1", "quote": "They are cheap."},
        ],
    }
    model = scripted(draft)
    async with open_store(tmp_path / "particles") as store:
        await store.of("default").evidence.add("run-1", [page], [stored(page)])
        await written(store, evidence=(page.id,))
    (task,) = [one for one in model.tasks if one.kind == "reviewer"]
    first, second = [one for one in ensure_list(task.given["statements"]) if isinstance(one, dict)]
    assert first["quote_context"] == ["Nanoparticles are small. Additionally,"]
    assert second["quote_context"] == ["Additionally, their surface can be modified with proteins."]
    assert "before" not in first
    assert "before" not in second, "what is listed already is not sent twice"


async def test_its_writer_is_shown_the_passages_of_faulty_sentences_alone(store: Store, scripted: Scripted) -> None:
    model = scripted()
    await written(store)
    (task,) = [one for one in model.tasks if one.kind == "reviser"]
    assert [item.key for item in task.evidence] == ["e2"]
    (block,) = ensure_list(task.given["blocks"])
    assert isinstance(block, dict)
    cited = [one["evidence"] for one in ensure_list(block["citations"]) if isinstance(one, dict)]
    assert cited == ["e2"], "of the others it keeps the marks"


@pytest.mark.parametrize(
    "given", [[], [{"mark": "a", "evidence": "e1", "quote": "another worker replays the history"}]]
)
async def test_a_sentence_that_keeps_its_mark_keeps_its_citation(
    store: Store, scripted: Scripted, given: list[JsonObject]
) -> None:
    mended = "The history is replayed by another worker [a]. Pancakes are made of flour [b]."
    again = [*given, {"mark": "b", "evidence": "e2", "quote": "Pancakes are made of flour"}]
    scripted(reviser={"blocks": [{"id": 1, "text": mended, "citations": again}]})
    (finding,) = (await written(store)).key_findings
    assert finding.text == mended
    quoted = "another worker replays the history" if given else REPLAYS
    assert [(one.mark, one.evidence, one.quote) for one in finding.citations] == [
        ("a", IDS[0], quoted),
        ("b", IDS[1], "Pancakes are made of flour"),
    ]


WRONG: JsonObject = {"mark": "a", "evidence": "e1", "quote": "Nobody ever starts it again"}
ANEW: JsonObject = {"mark": "a", "evidence": "e1", "quote": "another worker replays the history"}


@pytest.mark.parametrize("given", [ANEW, WRONG])
@pytest.mark.parametrize("again", [False, True])
async def test_a_mark_keeps_the_citation_that_its_writer_was_not_shown_beside_one_that_fails(
    store: Store, scripted: Scripted, given: JsonObject, again: bool
) -> None:
    right, other = ensure_list(GOOD["citations"])
    said = GOOD | {"citations": [right, WRONG, other]}
    model = scripted(
        writer=said,
        reviser={"blocks": [{"id": 1, "text": GOOD["key_findings"], "citations": [*[right] * again, given]}]},
    )
    (finding,) = (await written(store, review=False)).key_findings
    (task,) = [one for one in model.tasks if one.kind == "reviser"]
    (block,) = [one for one in ensure_list(task.given["blocks"]) if isinstance(one, dict)]
    assert [one["quote"] for one in ensure_list(block["citations"]) if isinstance(one, dict)] == [WRONG["quote"]]
    quotes = [one.quote for one in finding.citations if one.mark == "a"]
    assert sorted(quotes) == sorted({REPLAYS, str(given["quote"]) if given is ANEW else REPLAYS})


async def test_a_mark_that_a_repair_gives_to_another_passage_too_keeps_its_own(
    store: Store, scripted: Scripted
) -> None:
    again = [{"mark": mark, "evidence": "e2", "quote": FLOUR} for mark in "ab"]
    scripted(reviser={"blocks": [{"id": 1, "text": GOOD["key_findings"], "citations": again}]})
    (finding,) = (await written(store)).key_findings
    assert {(one.mark, one.quote) for one in finding.citations} >= {("a", REPLAYS), ("b", FLOUR)}


async def test_marks_keep_their_citations_where_a_sentence_without_one_goes(store: Store, scripted: Scripted) -> None:
    said = GOOD | {"key_findings": f"{GOOD['key_findings']} All that took 45 minutes."}
    model = scripted(writer=said, reviser={"blocks": [{"id": 1, "text": GOOD["key_findings"]}]})
    (finding,) = (await written(store, review=False)).key_findings
    assert (finding.text, [one.evidence for one in finding.citations]) == (GOOD["key_findings"], [*IDS])
    (task,) = [one for one in model.tasks if one.kind == "reviser"]
    (block,) = [one for one in ensure_list(task.given["blocks"]) if isinstance(one, dict)]
    assert len(ensure_list(block["citations"])) == 2, "the sentence may need one of them"


async def test_quotes_of_statements_without_a_mark_are_sent_once(store: Store, scripted: Scripted) -> None:
    text = "The history is replayed by another worker [a]. That is all there is to it."
    model = scripted(writer=GOOD | {"key_findings": text, "citations": [ensure_list(GOOD["citations"])[0]]})
    await written(store)
    (task, *_) = [one for one in model.tasks if one.kind == "reviewer"]
    marked, unmarked = [one for one in ensure_list(task.given["statements"]) if isinstance(one, dict)]
    assert (marked["quotes"], unmarked["unmarked"]) == ([REPLAYS], True)
    assert not {"quotes", "works", "quote_context"} & unmarked.keys()


async def test_a_part_of_a_sentence_comes_with_how_the_sentence_begins(tmp_path: Path, scripted: Scripted) -> None:
    text = (
        "Mugs are cheap. Charge variants of antibodies are an important series of modifications, whose role for the "
        "stability of these proteins continues to be studied. We measured all that there was to be measured in here."
    )
    page = passage(1, text)
    part = "whose role for the stability of these proteins continues to be studied"
    draft: JsonObject = {
        "title": "Variants",
        "introduction": "The role of charge variants is studied [a]. All was measured [b].",
        "citations": [
            {"mark": "a", "evidence": "e1", "quote": part},
            {"mark": "b", "evidence": "e1", "quote": "We measured all that there was to be measured in here."},
        ],
    }
    model = scripted(draft)
    async with open_store(tmp_path / "variants") as store:
        await store.of("default").evidence.add("run-1", [page], [stored(page)])
        await written(store, evidence=(page.id,))
    (task,) = [one for one in model.tasks if one.kind == "reviewer"]
    first, second = [one for one in ensure_list(task.given["statements"]) if isinstance(one, dict)]
    beginning = "Charge variants of antibodies are an important series of modifications,"
    assert (first["quote_context"], second.get("quote_context")) == ([beginning], None)
