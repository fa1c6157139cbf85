"""Shortened texts: whole words, never too long, and something of every text. Days are those of the calendar."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.mode_choice import MODES
from elcano.graphs.spec.graph import AgentNode, Node, ParallelNode, StateNode, ToolNode
from elcano.graphs.text import (
    _TITLES,
    ELLIPSIS,
    format_utc_day,
    keep_last_words,
    shorten_text,
    suggest_name,
    title_from_id,
)


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("whales dive", 11, "whales dive"),
        ("whales dive deep", 12, "whales dive…"),
        ("whales dive deep", 11, "whales…"),
        ("whales\ndive deep", 9, "whales…"),
        ("a " + "x" * 20, 10, "a xxxxxxx…"),
        ("鲸鱼潜得很深很深", 5, "鲸鱼潜得…"),
        ("whales   dive", 9, "whales…"),
        ("", 1, ""),
        ("ab", 1, "…"),
    ],
)
def test_it_is_cut_between_words_where_it_can_be(text: str, most: int, expected: str) -> None:
    assert shorten_text(text, most) == expected


@given(st.text(alphabet="ab \n", max_size=60), st.integers(1, 60))
def test_what_is_left_is_a_beginning_and_fits(text: str, most: int) -> None:
    short = shorten_text(text, most)
    assert len(short) <= most
    assert short == text or (short.endswith(ELLIPSIS) and text.startswith(short[: -len(ELLIPSIS)]))
    assert shorten_text(short, most) == short


@given(st.datetimes(min_value=datetime(1970, 1, 2), max_value=datetime(9999, 12, 31)))
def test_a_moment_is_in_the_day_that_the_standard_library_says(moment: datetime) -> None:
    aware = moment.replace(tzinfo=UTC, microsecond=0)
    assert format_utc_day(aware.timestamp()) == aware.strftime("%Y-%m-%d").rjust(10, "0")


@pytest.mark.parametrize("at", [0.0, -1.0, float("nan"), float("inf"), 1e300, 253_402_300_800.0])
def test_what_is_no_moment_has_no_day(at: float) -> None:
    assert format_utc_day(at) == ""


def test_nodes_of_built_in_graphs_are_not_called_by_their_bookkeeping() -> None:
    by_id = MODES["deep"].by_id
    ids = ("store_plan", "parallel_loops", "collect_drafts")
    assert [by_id[one].title for one in ids] == ["Outline", "Sections", "Drafts"]
    assert [title_from_id(one) for one in ("sql_repair", "knowledge_gap")] == ["SQL repair", "Knowledge gap"]


def test_every_name_for_people_is_of_a_node_that_there_is() -> None:
    graphs = list(MODES.values())
    for graph in graphs:
        graphs += graph.branches.values()
    assert set(_TITLES.values()) <= {node.title for graph in graphs for node in graph.nodes}


def test_a_node_of_the_same_id_that_does_other_work_has_its_own_name() -> None:
    nodes: list[Node] = [
        StateNode(id="reset", reducer="set_values"),
        AgentNode(id="store_plan", agent="planner"),
        ToolNode(id="hand_over", tool="search"),
        ParallelNode(id="teams", for_each="values.products"),
    ]
    assert [node.title for node in nodes] == ["Reset", "Store plan", "Hand over", "Teams"]


@pytest.mark.parametrize("name", ["uploads:manual", "manual", "manul", "uploads:manul"])
def test_a_name_in_two_parts_is_suggested_by_its_last_one(name: str) -> None:
    assert suggest_name(name, ["packages", "uploads:manual", "uploads"], "none") == "did you mean 'uploads:manual'?"


def test_a_name_is_suggested_before_one_that_ends_with_it() -> None:
    assert suggest_name("manua", ["manual", "uploads:manual"]) == "did you mean 'manual'?"
    assert suggest_name("manua", ["uploads:manual", "manual"]) == "did you mean 'manual'?"
    assert suggest_name("harbour", ["uploads:manual", "packages"], "none") == "none"


@pytest.mark.parametrize(
    ("text", "most", "expected"),
    [
        ("whales  dive\ndeep", 16, "whales dive deep"),
        ("whales dive deep", 10, "dive deep"),
        ("whales dive deep", 9, "dive deep"),
        ("whales dive deep", 8, "deep"),
        ("whales", 3, ""),
    ],
)
def test_the_last_words_are_whole(text: str, most: int, expected: str) -> None:
    assert keep_last_words(text, most) == expected
