"""Hierarchical research in memory: sub-iterations, the judge's feedback in them, and teams that are never done."""

from collections.abc import Callable

import pytest

from elcano.graphs.builder import GraphBuilder
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.contracts import CHAIN_MODES
from elcano.graphs.errors import GraphInvalid
from elcano.graphs.frozen import JsonObject
from elcano.graphs.lifecycle.finish import publish_call
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.budget import Limits
from elcano.subjects.teams.hierarchical import HIERARCHICAL, SUB_ITERATIONS, TEAM
from elcano.testing.script import Refused, Script
from tests.unit.graphs.samples import asked, research

TEAMS = 3
"""Sections of the script's plan."""


class Watched(Script):
    """A script that remembers what everybody was given."""

    def __init__(self, *, complete_in: int = 2, tokens: int = 300) -> None:
        super().__init__(complete_in=complete_in, tokens=tokens)
        self.given: list[tuple[str, JsonObject]] = []

    def answer(self, name: str, given: JsonObject) -> JsonObject:
        self.given.append((name, given))
        return super().answer(name, given)

    def of(self, name: str, team: str = "history") -> list[JsonObject]:
        """What an agent was given in one team, one call after the other."""
        return [given for called, given in self.given if called == name and team in str(given.get("question"))]


async def researched(script: Script, **limits: int) -> Journal:
    return await research(script, graph=HIERARCHICAL, limits=default_limits(HIERARCHICAL).model_copy(update=limits))


def outcomes(journal: Journal) -> BranchOutcomes:
    return BranchOutcomes.of(journal.run.state.outputs["teams"])


async def test_what_the_judge_says_is_given_to_who_searches_and_who_writes_next() -> None:
    script = Watched(complete_in=3)
    script.overrides["team_judge"] = lambda given: {
        "sufficient": given["iteration"] == 3,
        "feedback": f"words of the judge {given['iteration']}",
        "missing": [f"price {given['iteration']}"],
        "next_search_queries": [f"list price {given['iteration']}"],
    }
    journal = await researched(script)
    assert journal.run.ending is None
    assert journal.run.state.warnings == (), "what was missing is there now"
    assert [given["feedback"] for given in script.of("drafter")] == [
        "",
        "words of the judge 1",
        "words of the judge 2",
    ]
    assert [bool(given["draft"]) for given in script.of("drafter")] == [False, True, True]
    chosen = script.of("tool_selector")
    assert [given["gap"] for given in chosen] == ["price 1", "price 2"]
    assert [given["suggested_queries"] for given in chosen] == [["list price 1"], ["list price 2"]]
    turns = [given["conversation"] for given in chosen]
    assert "words of the judge 1" in str(turns[0])
    assert [given["feedback"] for given in script.of("team_judge")] == [
        "",
        "words of the judge 1",
        "words of the judge 2",
    ]
    assert all(given["draft"] for given in script.of("team_judge"))


async def test_a_draft_that_will_do_is_handed_in_as_it_was_judged() -> None:
    script = Script(complete_in=1)
    journal = await researched(script)
    assert script.calls.count("drafter") == script.calls.count("team_judge") == TEAMS
    assert "tool_selector" not in script.calls
    for one in outcomes(journal).branches:
        assert (one.status, one.draft, one.iterations) == ("drafted", f"draft of {one.question}", 1)
        assert one.values == {"sufficient": True, "feedback": "It will do.", "sub_iterations": 1}
    assert [section.incomplete for section in journal.run.state.sections] == [False] * TEAMS
    assert journal.run.state.warnings == ()


@pytest.mark.parametrize(("limits", "rounds"), [({}, SUB_ITERATIONS), ({"iterations": 1}, 1), ({"iterations": 5}, 5)])
async def test_a_team_that_never_satisfies_its_judge_hands_in_what_it_has_and_says_so(
    limits: dict[str, int], rounds: int
) -> None:
    script = Script(complete_in=99)
    journal = await researched(script, **limits)
    assert script.calls.count("drafter") == script.calls.count("team_judge") == TEAMS * rounds
    assert {one.status for one in outcomes(journal).branches} == {"drafted"}
    assert {one.ended_by for one in outcomes(journal).branches} == {"iterations"}
    ending = journal.run.ending
    assert ending is not None
    assert ending.kind == "sections"
    assert f"{TEAMS} of {TEAMS} sections" in ending.detail
    assert "its judge was not satisfied by any sub-iteration" in ending.detail
    assert "More `iterations` would let sections that ran out of them continue" in ending.detail
    published = publish_call(asked(HIERARCHICAL), journal)
    assert published.draft is not None
    assert all(section.draft for section in published.sections)
    last = f"The judge of “What of history?” was not satisfied: judge {rounds}: more on What of history?"
    assert [text for text in published.warnings if "history" in text] == [last]


async def test_a_judge_that_says_not_what_is_missing_has_the_question_searched_again() -> None:
    script = Watched()
    script.overrides["team_judge"] = lambda given: {"sufficient": given["iteration"] == 2}
    journal = await researched(script)
    assert journal.run.ending is None
    assert [given["gap"] for given in script.of("tool_selector")] == ["What of history?"]
    assert [given["feedback"] for given in script.of("drafter")] == ["", ""]


async def test_a_team_whose_searches_all_fail_ends_and_says_so() -> None:
    def closed(given: JsonObject) -> JsonObject:
        raise Refused("the library is closed")

    script = Script(complete_in=99)
    script.overrides["search"] = closed
    journal = await researched(script)
    assert {one.ended_by for one in outcomes(journal).branches} == {"sources"}
    assert script.calls.count("team_judge") == TEAMS * 2, "nothing new was found twice in a row"
    assert all("the library is closed" in one.ending for one in outcomes(journal).branches)
    assert any("the library is closed" in warning for warning in journal.run.state.warnings)


async def test_without_a_search_left_to_make_the_draft_is_written_once_more_by_the_feedback() -> None:
    script = Watched(complete_in=99)
    script.overrides["tool_selector"] = lambda given: {"tasks": []}
    journal = await researched(script)
    assert script.calls.count("drafter") == 2 * TEAMS
    assert [given["feedback"] for given in script.of("drafter")] == ["", "judge 1: more on What of history?"]
    assert {one.ended_by for one in outcomes(journal).branches} == {"stalled"}
    assert all("nothing left to search" in one.ending for one in outcomes(journal).branches)


@pytest.mark.parametrize("failing", ["team_judge", "tool_selector"])
async def test_what_fails_in_a_team_has_its_section_written_all_the_same(failing: str) -> None:
    def broken(given: JsonObject) -> JsonObject:
        if "method" in str(given["question"]):
            raise Refused("broken")
        return Script().answer(failing, given)

    script = Script()
    script.overrides[failing] = broken
    journal = await researched(script)
    by_title = {one.title: one for one in outcomes(journal).branches}
    assert {title: one.ended_by for title, one in by_title.items()} == {
        "history": "",
        "method": "node_failed",
        "cost": "",
    }
    assert by_title["method"].draft is not None
    assert journal.run.ending is not None


async def test_a_team_whose_budget_ends_before_its_judge_writes_up_what_it_has() -> None:
    script = Script(complete_in=99, tokens=6_000)
    journal = await research(script, graph=HIERARCHICAL, limits=Limits(tokens=150_000, iterations=9))
    ended = [one for one in outcomes(journal).branches if one.ended_by == "tokens"]
    assert ended
    assert all(one.draft for one in ended)
    assert journal.run.budget.used.tokens <= 150_000


async def test_a_team_hears_a_hundred_kilobytes_of_feedback_and_goes_on() -> None:
    script = Watched(complete_in=3)
    script.overrides["team_judge"] = lambda given: {"sufficient": given["iteration"] == 3, "feedback": "ö" * 100_000}
    journal = await researched(script)
    assert {one.status for one in outcomes(journal).branches} == {"drafted"}


async def test_what_the_judge_said_last_is_told_to_the_reader_in_a_few_words() -> None:
    script = Script()
    script.overrides["team_judge"] = lambda given: {"sufficient": False, "feedback": "ö" * 100_000}
    journal = await researched(script, iterations=1)
    told = [text for text in journal.run.state.warnings if "not satisfied" in text]
    assert len(told) == TEAMS
    assert all(len(text) < 800 for text in told)


def test_the_mode_is_listed_and_its_teams_may_make_three_sub_iterations() -> None:
    assert MODES["hierarchical"] is HIERARCHICAL
    assert "hierarchical" in CHAIN_MODES
    assert default_limits(HIERARCHICAL).iterations == SUB_ITERATIONS == 3
    assert default_limits(MODES["deep"]).iterations == Limits().iterations
    assert (TEAM.nearest_exit("search"), TEAM.nearest_exit("sufficient")) == ("write_up", "write_up")


def handing_in(draft: str) -> Callable[[], ResearchGraph]:
    """A graph that writes, and then ends by handing in what `draft` reads."""

    def build() -> ResearchGraph:
        return (
            GraphBuilder("handing_in")
            .add_agent_node("write", agent="writer", inputs={"question": "question", "evidence": "evidence[].id"})
            .add_state_node("hand_in", reducer="hand_in", inputs={"draft": draft})
            .connect_nodes("write", "hand_in")
            .set_entry_node("write")
            .set_exit_nodes("hand_in")
            .build()
        )

    return build


@pytest.mark.parametrize(("draft", "kept"), [("outputs.write", True), ("outputs.write.nothing || `null`", False)])
async def test_a_graph_can_end_with_a_draft_that_was_written_before(draft: str, kept: bool) -> None:
    graph = handing_in(draft)()
    journal = await research(Script(), graph=graph)
    assert journal.run.failure is None
    assert (publish_call(asked(graph), journal).draft is not None) == kept


async def test_what_is_handed_in_and_is_no_draft_fails_the_run_by_name() -> None:
    journal = await research(Script(), graph=handing_in("question")())
    assert journal.run.failure is not None
    assert "draft" in journal.run.failure.message


async def test_as_a_branch_it_hands_over_its_draft() -> None:
    graph = (
        GraphBuilder("above")
        .add_parallel_node(ParallelNode(id="split"))
        .add_branch("split", "one", handing_in("outputs.write")(), inputs={"question": "question"})
        .add_state_node("collect", reducer="collect_drafts", inputs={"branches": "outputs.split.branches"})
        .add_agent_node("join", agent="long_writer", inputs={"question": "question", "sections": "sections"})
        .connect_nodes("split", "collect", "join")
        .set_entry_node("split")
        .set_exit_nodes("join")
        .build()
    )
    journal = await research(Script(), graph=graph, limits=default_limits(graph))
    (section,) = journal.run.state.sections
    assert section.draft == "draft of What is it?"


def test_a_branch_whose_exit_neither_writes_nor_hands_in_is_refused() -> None:
    branch = handing_in("outputs.write")()
    nodes = (*branch.nodes[:1], branch.nodes[1].model_copy(update={"reducer": "set_values", "inputs": {}}))
    with pytest.raises(GraphInvalid, match="hands nothing back"):
        (
            GraphBuilder("above")
            .add_parallel_node(ParallelNode(id="split"))
            .add_branch("split", "one", branch.model_copy(update={"nodes": nodes}), inputs={"question": "question"})
            .add_agent_node("join", agent="writer", inputs={"question": "question"})
            .connect_nodes("split", "join")
            .set_entry_node("split")
            .set_exit_nodes("join")
            .build()
        )
