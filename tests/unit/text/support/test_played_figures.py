"""Figures as good writers compute and shorten them, from quotes as papers and their tables have them."""

import pytest

from elcano.text.support.missing_facts import Statement, figures_unquoted, find_underived_figures
from elcano.text.support.quotes import QuoteIndex


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("It cooled about 300,000-fold.", "reduced from about 9.0×108 at 290 K to about 3,000 at 1 mK"),
        ("It rings at 7,310 Hz.", "6,120±4 Hz,7,310±3 Hz and 1,950±6 Hz"),
        ("It is about twelve times what it was.", "raised to 36:1 from the earlier 3:1"),
        ("It is about twelve times what it was.", "raised to 36\u22361 from the earlier 3\u22361"),
        ("It is 1.5 times as much.", "mixed 30:20 (v/v)"),
    ],
)
def test_what_follows_from_a_quote_is_found(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True) == ()


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Sales grew tenfold.", "Sales rose from 104 units in 2019 to 105 units in 2020"),
        ("A tenth of the patients recovered.", "100 of 103 patients recovered"),
        ("The number of patients fell by 90 %.", "from 103 patients to 100 patients"),
        ("It rose by 9,000.", "from 103 to 104"),
        ("It is worth 3B dollars.", "We use Llama-3B here"),
        ("It cooled about 30,000-fold.", "reduced from about 9.0×108 at 290 K to about 3,000 at 1 mK"),
        ("It rings at 310 Hz.", "6,120±4 Hz,7,310±3 Hz and 1,950±6 Hz"),
        ("It is about twenty times what it was.", "raised to 36:1 from the earlier 3:1"),
        ("It cost 1.9 times as much.", "Group | 100 patients | 190 mg"),
        ("It fell by 90 %.", "Change | 100 | 108 | 190"),
        ("It fell by 60 %.", "spring 100 birds, summer 80 birds, autumn 40 birds"),
    ],
)
def test_what_does_not_follow_is_told(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True)


@pytest.mark.parametrize(
    ("said", "quotes", "holds"),
    [
        ("That is more than twice the forecast.", ("it reached 0.51", "a value of 0.19"), True),
        ("That is more than twice the forecast.", ("it reached 0.51 K", "a forecast of 0.19"), True),
        ("That is more than twice the time.", ("it took 3 hours", "others took 60 minutes"), True),
        # 0.51 / 0.19 is 2.68, which also rounds to three
        ("That is more than three times the forecast.", ("it reached 0.51", "a value of 0.19"), False),
        ("That is less than twice the forecast.", ("it reached 0.51", "a value of 0.19"), False),
        ("That is less than three times the forecast.", ("it reached 0.51", "a value of 0.19"), True),
        ("That is up to four times larger.", ("it reached 1.1", "a value of 0.5"), False),
        ("That is more than twice the forecast.", ("0.51 K were reached", "it took 0.19 s"), False),
        ("That is more than twice the forecast.", ("it reached 900 in 2020",), False),
    ],
)
def test_a_multiple_with_a_bound_lies_on_its_side(said: str, quotes: tuple[str, ...], *, holds: bool) -> None:
    assert (find_underived_figures(Statement(said, quotes)) == ()) is holds


def test_twice_counts_no_quotes() -> None:
    assert find_underived_figures(Statement("That is twice the forecast.", ("0.51 K were reached", "it took 0.19 s")))


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


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("It rose up to a tenfold.", "It rose 6 times."),
        ("There was more than a threefold rise.", "It rose 3.4 times."),
        ("Es war mindestens eine 3-fache Menge.", "Es war die 3,5-fache Menge."),
        ("Over a 12-month period it fell.", "It fell in 12 months."),
        ("Il crebbe fino a dieci volte.", "Il crebbe 6 volte."),
    ],
)
def test_an_article_may_part_a_bound_from_its_figure(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,))) == ()


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("It rose up to a tenfold.", "It rose 12 times."),
        ("It rose up to a tenfold.", "It rose at least tenfold."),
        ("There was more than a threefold rise.", "It rose 2.5 times."),
        ("There was at least a threefold rise.", "It rose at most threefold."),
        ("Over a 12-month period it fell.", "It fell in 13 months."),
        ("It exceeds a 5 % limit.", "It exceeds a 5.8 % limit."),
        ("It is near a 5 kV line.", "It is near a 5.4 kV line."),
        ("It holds over a tenfold range.", "It holds in a 12-fold range."),
        ("It holds under a tenfold load.", "It holds at 6 times the load."),
        ("Es gilt über einen 3-fachen Bereich.", "Es gilt im 3,5-fachen Bereich."),
        ("Es war mindestens eine 3-fache Menge.", "Es war die 2,5-fache Menge."),
    ],
)
def test_a_bound_behind_which_an_article_stands_bounds(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)))
