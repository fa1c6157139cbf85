"""Shortened texts: whole words, never too long, and something of every text."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.text import ELLIPSIS, shorten_text


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
