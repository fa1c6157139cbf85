"""Figures that a PDF flattened or could not decode are found; so is what follows from two that are quoted."""

import pytest

from elcano.text.support.missing_facts import Statement, figures_unquoted

COOLING = "is reduced from about 6.8×108 at 297 K to about 3,400 at 1.5 mK"
"""Li, Kheifets, Raizen, Millikelvin cooling of an optically trapped microsphere in vacuum, 2011."""
ROW = "mSandy1 | 584 � 1 609 � 2 0.26 � 0.02 81 � 5 | 21 |"
"""Table 1 of Legault et al., Chemical Science 2022, as a reader finds it: `±` has no character there."""
OLD_FONT = "we can detect a fractional frequency change as small as 1028. [...] this requires that Q be 2 3 106"
"""Arnold et al., Shift of whispering-gallery modes in microspheres by protein adsorption, 2003."""
TURNOVER = "about 3.2 times lower than dA:5FdUTP (26.7 s⁻¹ versus 84.7 s⁻¹)"


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("The occupancy fell from about 6.8 × 10⁸ to about 3,400.", COOLING),
        ("The sensitivity is 10⁻²⁹ N.", "on the order of 10−29 N"),
        ("There were 5 × 10⁶ cells/mL.", "5×106 cells/mL"),
        ("There were 2.5 × 10¹² of them.", "2.5 x 1012 of them"),
        ("609 ± 2", ROW),
        ("584 ± 1", ROW),
        ("632 ± 2", ROW.replace("�", "±").replace("609", "632")),
        ("12 000 ± 1 500", "12 000 ± 1 500"),
        ("The brightness is 39.2 mM⁻¹ cm⁻¹.", "40% brighter (39.2 mM�¹ cm�¹)"),
        ("The area is more than 100,000 times as large.", "more than five orders of magnitude larger"),
        ("It conducts heat a hundred times worse.", "a thermal conductivity two orders smaller"),
        ("The noise fell by a factor of over 10,000.", "more than 4 orders of magnitude suppression of noise"),
        ("Accuracy rose by over 6 percentage points.", "an accuracy increase of over 6 p.p."),
    ],
)
def test_a_flattened_figure_is_found(said: str, quoted: str) -> None:
    assert figures_unquoted(Statement(said, (quoted,))) == ()


@pytest.mark.parametrize(
    ("said", "quoted"),
    [
        ("The occupancy fell from about 6.8 × 10⁷ to about 3,400.", COOLING),
        ("The sensitivity is 10⁻²⁸ N.", "on the order of 10−29 N"),
        ("There were 5 × 10⁶ kg.", "5×106 g"),
        ("It is 608 ± 2.", ROW),
        ("The brightness is 39.2 mM⁻² cm⁻¹.", "40% brighter (39.2 mM�¹ cm�¹)"),
        ("The area is more than 10,000 times as large.", "more than five orders of magnitude larger"),
        ("Torsion is tenfold as fast.", "can be an order of magnitude higher"),
        ("Torsion is ten times as fast.", "an order of magnitude estimate of torsion"),
        ("Torsion is tenfold as fast.", "can be two orders of magnitude higher"),
        ("It is a hundred times as large.", "the two agree within two orders of magnitude"),
        ("It is a hundred times as large.", "it is known to two orders of magnitude"),
        ("It is a hundred times as large.", "it varied by other than two orders of magnitude"),
        ("It is a hundred times as large.", "some of the two orders of magnitude remain"),
        ("It is a hundred times as large.", "it is not two orders of magnitude larger"),
        ("It is a hundred times as large.", "it is nearly two orders of magnitude larger"),
        ("It is a hundred times as large.", "two orders of magnitude estimates were made"),
        ("Accuracy rose by 5 %.", "increases accuracy by 5 p.p. further"),
    ],
)
def test_another_figure_is_not(said: str, quoted: str) -> None:
    assert figures_unquoted(Statement(said, (quoted,)), reviewed=True)


@pytest.mark.parametrize(
    ("said", "quoted", "follows"),
    [
        ("It fell from 6.8 × 10⁸ to 3,400, by a factor of 200,000.", COOLING, True),
        ("It fell from 6.8 × 10⁸ to 3,400, by a factor of 300,000.", COOLING, False),
        ("It fell by a factor of 200,000.", COOLING, False),
        ("The turnover is about a third of that opposite dA.", TURNOVER, True),
        ("The turnover is about a fifth of that opposite dA.", TURNOVER, False),
        ("1 in 100 people have it.", "1 in 150 people have it.", False),
        ("About 1 in 500 people have it.", "2% of people have it.", False),
        ("About 1 in 1,000 people have it.", "It costs 12,500.", False),
        ("Q has to be 2 × 10⁶ for a change of 10⁻⁸.", OLD_FONT, True),
        ("Q has to be 2 × 10⁶ for a change of 10⁻⁹.", OLD_FONT, False),
        ("Q has to be 2 × 10⁷ for a change of 10⁻⁸.", OLD_FONT, False),
        ("It rose from 20 to 25 mg, by 25 %.", "from 20 to 25 mg", True),
        ("It rose from 20 to 25 mg, by 5 mg.", "from 20 to 25 mg", True),
        ("It rose from 20 to 25 mg, by 5 g.", "from 20 to 25 mg", False),
        ("It rose from 47% to 72%, by 25 percentage points.", "increasing from 47% to 72%", True),
        ("It rose from 47% to 72%, that is by 25 points.", "increasing from 47% to 72%", True),
        ("It rose from 47% to 72%, by 35 percentage points.", "increasing from 47% to 72%", False),
        ("It rose from 20 to 25 mg, by 30 %.", "from 20 to 25 mg", False),
    ],
)
def test_what_a_reviewer_found_supported_may_be_computed(said: str, quoted: str, follows: bool) -> None:
    statement = Statement(said, (quoted,))
    assert figures_unquoted(statement)
    assert bool(figures_unquoted(statement, reviewed=True)) != follows
