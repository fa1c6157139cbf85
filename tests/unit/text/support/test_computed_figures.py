"""Figures that a statement computes from what it quotes, where its reviewer finds it supported."""

import pytest

from elcano.text.support.missing_facts import Statement, figures_unquoted

SCORES = "Model Speed Range Alder-2 41.4 60.6 Birch-base 41.0 60.5 Cedar-Large 40.7 60.6 Oak 42.9 62.6 Table 3: scores"
BAND = "over 78% of the light stays within for the whole band from 1500 nm to 1600 nm"
ROW = "4 | 4 | A B | 0.938 0.952 | 0.927 0.938 | 1.97 3.77"


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("Oak scores 42.9, which is 2.2 points more than Cedar-Large.", [SCORES]),
        ("Oak scores 42.9, 2.2 points more than the 40.7 of Cedar-Large.", [SCORES]),
        ("Oak reaches 62.6, two points above the 60.6 of the best before it.", [SCORES]),
        ("Against Alder-2 at 41.4, the lead of Oak with 42.9 is 1.5 points, or 3.6 %.", [SCORES]),
        ("It holds over 100 nm.", [BAND]),
        ("It holds over 100 nm, almost four times the 26 nm of the other.", [BAND, "within a 26 nm bandwidth"]),
        ("A falls behind B by 0.011.", [ROW]),
        ("Oak takes 1.2 s, 50 % less than Elm.", ["Oak 1.2 s", "Elm takes 2.4 s"]),
        ("A fit puts 79 % of it into the slow part.", ["the slow fraction is 0.79±0.08"]),
        ("They differ by a factor of 400: 80 µm² and 0.2 µm².", ["80 μm 2 for fibres and 0.2 μm 2 for guides"]),
    ],
)
def test_a_computed_figure_is_right(said: str, quotes: list[str]) -> None:
    statement = Statement(said, tuple(quotes))
    assert figures_unquoted(statement)
    assert figures_unquoted(statement, reviewed=True) == ()


@pytest.mark.parametrize(
    ("said", "quotes"),
    [
        ("Oak scores 42.9, which is 1.9 points more than Cedar-Large.", [SCORES]),  # than Birch-base
        ("Oak scores 42.9, which is 2.3 points more than Cedar-Large.", [SCORES]),
        ("Oak scores 42.9, 2.3 points more than the 40.7 of Cedar-Large.", [SCORES]),
        ("Oak leads by 2.2 %.", [SCORES]),
        ("It holds over 10 nm.", [BAND]),
        ("It holds over 100 pm.", [BAND]),
        ("It holds over 100 nm, almost six times the 26 nm of the other.", [BAND, "within a 26 nm bandwidth"]),
        ("A falls behind B by 0.012.", [ROW]),
        ("A falls behind B by 0.001.", [ROW]),
        ("Oak takes 1.2 s, 40 % less than Elm.", ["Oak 1.2 s", "Elm takes 2.4 s"]),
        ("A fit puts 79 % of it into the slow part.", ["the slow fraction is 0.97±0.08"]),
        ("A fit puts 79 % of it into the slow part.", ["it took 0.79 s"]),
        ("Some 98 % of the light comes through.", ["an insertion loss of 0.2 dB"]),
        ("They differ by a factor of 40: 80 µm² and 0.2 µm².", ["80 μm 2 for fibres and 0.2 μm 2 for guides"]),
        ("It measures 80 µm².", ["80 μm 3 for fibres"]),
        ("It measures 80 µm².", ["80 μm 2.5 times"]),
        ("A fit puts 79 % of it into the slow part.", ["the slow fraction is 7.9"]),
    ],
)
def test_another_figure_is_not(said: str, quotes: list[str]) -> None:
    assert figures_unquoted(Statement(said, tuple(quotes)), reviewed=True)


def test_letters_of_formulas_and_unseen_signs_are_read() -> None:
    quote = "a sensitivity below 1\u20620−2, and \U0001d70f=475±21 \U0001d707\u2062s"
    assert figures_unquoted(Statement("It is sensitive below 10⁻², within 475 ± 21 µs.", (quote,))) == ()
    assert figures_unquoted(Statement("It is sensitive below 10⁻³.", (quote,)))
    assert figures_unquoted(Statement("It lasts 475 ± 21 ns.", (quote,)), reviewed=True)


@pytest.mark.parametrize(
    ("said", "column", "follows"),
    [
        ("The score of A falls by 0.023.", "0.88 0.857 | 0.857 0.824", True),
        ("The score of A falls by 0.056.", "0.88 0.857 | 0.857 0.824", True),
        ("The score of A falls by 0.025.", "0.88 0.857 | 0.857 0.824", False),
        ("The score of A falls by 0.023.", "0.88 0.8 | 0.857 0.824 | 0.861 0.81", False),  # of six, too many may do
    ],
)
def test_a_figure_may_follow_from_the_few_of_a_column(said: str, column: str, follows: bool) -> None:
    assert bool(figures_unquoted(Statement(said, (column,), (), (column,)), reviewed=True)) != follows


@pytest.mark.parametrize(("share", "follows"), [("50 %", True), ("150 %", True), ("15 %", False), ("60 %", False)])
def test_a_multiple_may_be_said_in_per_cent(share: str, follows: bool) -> None:
    statement = Statement(f"They are 1.5 times, or {share}, longer.", ("1.5× longer",))
    assert bool(figures_unquoted(statement, reviewed=True)) != follows


def test_long_quotes_take_the_time_of_their_length() -> None:
    row = " | ".join(f"{number}.5" for number in range(20_000))
    assert figures_unquoted(Statement("A falls behind 3.5 of B by 0.012.", (row,)), reviewed=True)


FELL = "Costs fell from $50 million to $40 million."
ROSE = "Costs rose from $40 million to $50 million."


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Costs fell by 20%.", FELL),
        ("Costs fell by $10 million.", FELL),
        ("Costs rose by 25%.", ROSE),
        ("Costs grew by 25%.", "Costs were 50 in 2020, up from 40 in 2010."),
        ("Deaths doubled.", "Deaths rose from 40 to 80."),
        ("Deaths more than doubled.", "Deaths rose from 40 to 90."),
        ("A 27% higher risk was seen.", "RR 1.27"),
        ("It was three months.", "12 weeks"),
        ("Less than 1%.", "0.6%"),
        ("The model \U0001d40f\U0001d7d2 won.", "The model \U0001d40f\U0001d7d2 won."),
    ],
)
def test_a_change_that_follows_is_right(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True) == ()


@pytest.mark.parametrize(
    ("said", "quote"),
    [
        ("Costs rose by 20%.", FELL),
        ("Costs rose by $10 million.", FELL),
        ("Costs fell by 25%.", FELL),  # of the end
        ("Costs fell by 80%.", FELL),  # to 80 %
        ("Costs rose by 125%.", ROSE),
        ("Costs rose by $90 million.", ROSE),
        ("Deaths doubled.", "Deaths rose from 40 to 60."),
        ("Deaths quadrupled.", "Deaths rose from 40 to 140."),
        ("Deaths more than doubled.", "Deaths rose from 40 to 70."),
        ("Deaths less than doubled.", "Deaths rose from 40 to 90."),
        ("Deaths more than halved.", "Deaths fell from 40 to 25."),
        ("A 27% lower risk was seen.", "RR 1.27"),
        ("79% of patients died.", "p = 0.79"),
        ("The share was 79%.", "The hazard ratio was 0.79."),
        ("It grew 1.5 times, by 150%.", "It grew 1.5 times."),
        ("It was 3 months.", "15 weeks"),
    ],
)
def test_a_change_that_does_not_follow_is_not(said: str, quote: str) -> None:
    assert figures_unquoted(Statement(said, (quote,)), reviewed=True)
