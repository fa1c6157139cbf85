"""Shortened texts: whole words, never too long, and something of every text. Days are those of the calendar."""

from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.mode_choice import MODES
from elcano.graphs.text import _TITLES, ELLIPSIS, format_utc_day, shorten_beginning, shorten_text, title_from_id


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
    ids = ("store_plan", "parallel_loops", "collect_drafts", "sql_repair", "knowledge_gap")
    assert [title_from_id(one) for one in ids] == ["Outline", "Sections", "Drafts", "SQL repair", "Knowledge gap"]


def test_every_name_for_people_is_of_a_node_that_there_is() -> None:
    graphs = list(MODES.values())
    for graph in graphs:
        graphs += graph.branches.values()
    assert set(_TITLES) <= {node.id for graph in graphs for node in graph.nodes}


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
def test_the_beginning_is_cut_between_words(text: str, most: int, expected: str) -> None:
    assert shorten_beginning(text, most) == expected
