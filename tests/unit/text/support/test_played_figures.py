"""Figures as good writers compute and shorten them, from quotes as papers and their tables have them."""

import pytest

from elcano.text.support.figures import extract_figures
from elcano.text.support.missing_facts import Statement, figures_unquoted, find_underived_figures
from elcano.text.support.quotes import QuoteIndex

INDEX = "Change (%) | 100 | 108 | 125 | 190"
ROW = "Lap (min:s) | 41:30 | 50:20 | 1:23:00"


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("They cut a 9B model to 3B parameters.", "pruning Heron2-9B to 3B parameters"),
        ("The small model keeps about a third of the parameters.", "pruning Heron2-9B to 3B parameters"),
        ("It cooled about 300,000-fold.", "reduced from about 9.0×108 at 290 K to about 3,000 at 1 mK"),
        ("It rings at 7,310 Hz.", "6,120±4 Hz,7,310±3 Hz and 1,950±6 Hz"),
        ("It is about twelve times what it was.", "raised to 36:1 from the earlier 3:1"),
        ("It is about twelve times what it was.", "raised to 36\u22361 from the earlier 3\u22361"),
        ("The time doubled, from 41:30 to 1:23:00.", ROW),
        ("The time grew by 25 %.", INDEX),
        ("The oldest took nearly twice as long.", INDEX),
    ],
)
def test_what_follows_from_a_quote_is_found(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True) == ()


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("They cut an 8B model to 3B parameters.", "pruning Heron2-9B to 3B parameters"),
        ("They cut a 2B model to 3B parameters.", "pruning Heron2-9B to 3B parameters"),
        ("It cooled about 30,000-fold.", "reduced from about 9.0×108 at 290 K to about 3,000 at 1 mK"),
        ("It rings at 310 Hz.", "6,120±4 Hz,7,310±3 Hz and 1,950±6 Hz"),
        ("It is about twenty times what it was.", "raised to 36:1 from the earlier 3:1"),
        ("The time doubled, from 41:30 to 1:32:00.", ROW),
        ("The time grew by 64 %.", INDEX),
        ("The oldest took nearly three times as long.", INDEX),
        ("It fell by 60 %.", "spring 100 birds, summer 80 birds, autumn 40 birds"),
    ],
)
def test_what_does_not_follow_is_told(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True)


@pytest.mark.parametrize(
    ("said", "holds"),
    [
        ("That is more than twice the forecast.", True),
        ("That is more than three times the forecast.", False),
        ("That is less than twice the forecast.", False),
        ("That is less than three times the forecast.", True),
    ],
)
def test_a_multiple_with_a_bound_lies_on_its_side(said: str, *, holds: bool) -> None:
    # 0.51 / 0.19 is 2.68, which also rounds to three
    assert (find_underived_figures(Statement(said, ("it reached 0.51", "a value of 0.19"))) == ()) is holds


def test_twice_counts_no_quotes() -> None:
    assert find_underived_figures(Statement("That is twice the forecast.", ("0.51 K were reached", "it took 0.19 s")))


def test_minutes_of_more_than_a_day_of_hours_are_a_time() -> None:
    one = extract_figures("it took 41:30")[0]
    assert one.unit == "second"
    assert 41 * 60 + 30 in one.values
    assert [part.written for part in one.parts] == ["41", "30"]  # or a score, or a ratio
    assert [found.unit for found in extract_figures("a blend of 60:40")] == ["", ""]


TABLE = "Swim | 1:00 | 2:10 | -\n42 km Run | 3:03 | 6:19 | -\nRide | - | 5 | 7\nChange | -3 | 4"


@pytest.mark.parametrize(
    ("quote", "holds"),
    [
        ("42 km Run | 3:03 | 6:19", True),
        ("42 km Run | 3:03 | 6:19 | -", True),
        ("Ride | - | 5 | 7", True),
        ("Ride | 5 | 7", False),
        ("Change | -3 | 4", True),
        ("Change | 3 | 4", False),
        ("3 | 4", False),
    ],
)
def test_a_dash_alone_in_a_cell_is_no_sign_of_the_next_row(quote: str, *, holds: bool) -> None:
    assert (QuoteIndex.of(TABLE).find(quote) is not None) is holds


def test_many_empty_cells_are_folded_in_no_time() -> None:
    for text in ("| - " * 25_000, "|" * 100_000, "\n" * 100_000 + "| -", "| -" * 33_000 + "x"):
        assert QuoteIndex.of(text).find("no such words") is None
