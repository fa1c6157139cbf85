"""What a branch hands over, with a writer and without, and what its run makes of it."""

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.finish import list_made_queries, publish_call
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.branches import branch_states
from elcano.subjects.research.loops import ITERATIVE
from elcano.testing.script import Answer, Refused, Script, make_passages
from tests.unit.graphs.samples import asked, research, searching_branch, two_searches
from tests.unit.graphs.strategies import LEAF

ASKED = {"asked": "question", "found": "length(evidence)", "none": "values.nothing"}


def finding(topic: str, **more: Answer) -> Answer:
    """A search that finds something on one topic only; `more` answers others, by a word of the query."""

    def answer(given: JsonObject) -> JsonObject:
        query = str(given["query"])
        for word, other in more.items():
            if word in query:
                return other(given)
        found = make_passages("shared", query.replace(" ", "-")) if topic in query else []
        return {"source": "library", "query": query, "evidence": found}

    return answer


def refused(given: JsonObject) -> JsonObject:
    raise Refused("the library is closed")


def empty_draft(given: JsonObject) -> JsonObject:
    return {"artifact": "nothing", "title": "T", "answered": False, "claims": 0, "cited": 0, "evidence": []}


def statuses(journal: Journal) -> list[str]:
    return [branch.status for branch in branch_states(journal.events)]


def messages(journal: Journal, type: str) -> list[str]:
    return [event.message for event in journal.events if event.type == type]


def evidence(journal: Journal) -> list[str]:
    return [ref.id.removeprefix("doc:") for ref in journal.run.state.evidence]


@pytest.mark.parametrize("reducer", ["collect_results", "collect_drafts"])
async def test_a_writer_works_with_what_two_searches_found_side_by_side(reducer: str) -> None:
    script = Script()
    script.overrides["search"] = finding("things")
    graph = two_searches(searching_branch("wide"), searching_branch("narrow"), reducer=reducer)
    journal = await research(script, graph=graph)
    assert (journal.run.ending, journal.run.failure) == (None, None)
    assert evidence(journal) == ["shared", "wide-things", "narrow-things"]
    draft = journal.run.state.outputs["writer"]
    assert isinstance(draft, dict)
    assert draft["evidence"] == [ref.id for ref in journal.run.state.evidence]
    assert statuses(journal) == ["done", "done"]
    assert messages(journal, "branch_complete") == ["wide: done, 2 passages", "narrow: done, 2 passages"]
    assert [section.gap for section in journal.run.state.sections] == [None, None]
    published = publish_call(asked(graph), journal)
    assert list_made_queries(published.records, published.sections) == ("wide things", "narrow things")


async def test_values_can_be_read_by_name_in_the_plans_order() -> None:
    script = Script()
    script.overrides["search"] = finding("narrow")
    backgrounds: list[object] = []

    def write(given: JsonObject) -> JsonObject:
        backgrounds.append(given["background"])
        return Script().answer("writer", given)

    script.overrides["writer"] = write
    wide = searching_branch("wide", **ASKED)
    narrow = searching_branch("narrow", titles="evidence[].title", **ASKED)
    journal = await research(script, graph=two_searches(wide, narrow))
    assert journal.run.state.values == {
        "asked": ["wide things", "narrow things"],
        "found": [0, 2],
        "titles": [None, ["Shared", "Narrow-Things"]],
    }
    assert backgrounds == ["wide things, narrow things"]
    assert journal.run.state.conversation[-1].findings == ("doc:shared", "doc:narrow-things")
    assert statuses(journal) == ["done", "done"]


@pytest.mark.parametrize(
    ("search", "ended", "messages_told", "partial"),
    [
        (finding("wide"), ["done", "unanswered"], ["wide: done, 2 passages", "narrow: no source answers it"], ""),
        (
            finding("nothing"),
            ["unanswered", "unanswered"],
            ["wide: no source answers it", "narrow: no source answers it"],
            "",
        ),
        (
            finding("wide", narrow=refused),
            ["done", "gap"],
            ["wide: done, 2 passages", "narrow: no section, the library is closed"],
            "1 of 2 sections: “narrow” (the library is closed)",
        ),
    ],
)
async def test_a_search_that_found_nothing_is_unanswered_and_one_that_failed_is_a_gap(
    search: Answer, ended: list[str], messages_told: list[str], partial: str
) -> None:
    script = Script()
    script.overrides["search"] = search
    journal = await research(script, graph=two_searches(searching_branch("wide"), searching_branch("narrow")))
    assert statuses(journal) == ended
    assert messages(journal, "branch_complete") == messages_told
    assert script.calls[-1] == "writer"
    assert (journal.run.ending.detail if journal.run.ending else "") == partial


async def test_too_few_successes_fail_the_node_and_unanswered_ones_do_not_count() -> None:
    script = Script()
    script.overrides["search"] = finding("wide")
    graph = two_searches(searching_branch("wide"), searching_branch("narrow"), must_succeed=2)
    journal = await research(script, graph=graph)
    assert journal.run.ending is not None
    assert journal.run.ending.kind == "node_failed"
    assert "1 of 2 branches succeeded, 2 must: narrow: no source answers it" in journal.run.ending.detail
    assert script.calls[-1] == "writer"


@pytest.mark.parametrize(("mode", "exit"), [("deep", "long_writer"), ("deep_brief", "proofreader")])
async def test_when_no_section_is_answered_the_synthesis_says_so(mode: str, exit: str) -> None:
    script = Script(complete_in=1)
    script.overrides["writer"] = empty_draft
    script.overrides["search"] = finding("nothing")
    journal = await research(script, graph=MODES[mode])
    assert statuses(journal) == ["unanswered"] * 3
    assert "3 sections: 3 unanswered" in messages(journal, "search_complete")
    assert (journal.run.ending, journal.run.failure, script.calls[-1]) == (None, None, exit)
    published = publish_call(asked(MODES[mode]), journal)
    assert [(section.unanswered, section.gap) for section in published.sections] == [(True, None)] * 3


async def test_an_unanswered_section_is_told_from_a_drafted_one_and_from_a_gap() -> None:
    def write(given: JsonObject) -> JsonObject:
        if "cost" in str(given["question"]):
            raise Refused("no words")
        return empty_draft(given) if "method" in str(given["question"]) else Script().answer("writer", given)

    script = Script(complete_in=1)
    script.overrides["writer"] = write
    journal = await research(script, graph=MODES["deep_brief"])
    assert statuses(journal) == ["drafted", "unanswered", "gap"]
    history, method, cost = journal.run.state.sections
    assert (history.draft, history.unanswered) == ("draft of What of history?", False)
    assert (method.draft, method.unanswered, method.gap) == ("nothing", True, None)
    assert (cost.draft, cost.gap and cost.gap.reason) == (None, "no words")
    assert "3 sections: 1 drafted, 1 unanswered, 1 missing" in messages(journal, "search_complete")


async def test_when_none_is_answered_and_some_failed_each_section_is_still_named() -> None:
    def write(given: JsonObject) -> JsonObject:
        if "cost" in str(given["question"]):
            raise Refused("no words")
        return empty_draft(given)

    script = Script(complete_in=1)
    script.overrides["writer"] = write
    journal = await research(script, graph=MODES["deep_brief"])
    assert statuses(journal) == ["unanswered", "unanswered", "gap"]
    assert len(journal.run.state.sections) == 3
    assert script.calls[-1] == "proofreader"


async def test_a_branch_with_a_writer_hands_over_what_its_draft_cites_and_its_values() -> None:
    def write(given: JsonObject) -> JsonObject:
        cited = given["evidence"]
        assert isinstance(cited, list)
        return {**Script().answer("writer", given), "evidence": cited[:1], "cited": 1}

    script = Script()
    script.overrides["writer"] = write
    branch = ITERATIVE.model_copy(update={"result": {"turns": "iteration", "cited": "outputs.writer.cited"}})
    journal = await research(script, graph=two_searches(branch, searching_branch("narrow")))
    first, second = journal.run.state.sections
    assert (len(first.evidence), len(second.evidence)) == (1, 1)
    assert first.draft == "draft of wide things"
    assert journal.run.state.values == {"turns": [2, None], "cited": [1, None]}
    assert statuses(journal) == ["drafted", "done"]


async def test_what_a_failed_branch_found_and_computed_stays_with_it() -> None:
    script = Script(complete_in=2)

    def write(given: JsonObject) -> JsonObject:
        if "wide" in str(given["question"]):
            raise Refused("no words")
        return Script().answer("writer", given)

    script.overrides["writer"] = write
    branch = ITERATIVE.model_copy(update={"result": {"turns": "iteration"}})
    journal = await research(script, graph=two_searches(branch, searching_branch("narrow")))
    assert statuses(journal) == ["gap", "done"]
    assert evidence(journal) == ["narrow-things"]
    assert journal.run.state.values == {}


async def test_branches_within_branches_hand_everything_up() -> None:
    def both(name: str) -> ResearchGraph:
        inner = searching_branch("inner", asked="question")
        return (
            GraphBuilder(name)
            .add_parallel_node(ParallelNode(id="split", for_each="['a', 'b']"))
            .add_branch("split", "inner", inner, inputs={"question": "join(' ', [question, item])"})
            .add_state_node("gather", reducer="collect_results", inputs={"branches": "outputs.split.branches"})
            .connect_nodes("split", "gather")
            .set_entry_node("split")
            .set_exit_nodes("gather")
            .set_result({"asked": "values.asked"})
            .build()
        )

    journal = await research(Script(), graph=two_searches(both("wide"), both("narrow"), reducer="collect_results"))
    assert evidence(journal) == ["wide-things-a", "wide-things-b", "narrow-things-a", "narrow-things-b"]
    assert journal.run.state.values["asked"] == [
        ["wide things a", "wide things b"],
        ["narrow things a", "narrow things b"],
    ]


@pytest.mark.parametrize(
    ("value", "status"),
    [("0", "done"), ("false", "done"), ('""', "gap"), ("[]", "gap"), ("{}", "gap"), ("null", "gap")],
)
async def test_zero_and_false_are_values_and_what_is_empty_is_none(value: str, status: str) -> None:
    leaf = LEAF.model_copy(update={"result": {"what": f"`{value}`"}})
    journal = await research(Script(), graph=two_searches(leaf, searching_branch("narrow")))
    assert statuses(journal) == [status, "done"]
