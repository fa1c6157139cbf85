"""A quote is found where only its form differs; a changed word, digit, sign or unit never is."""

import unicodedata

import pytest

from elcano.text.support.quotes import QuoteIndex

SAME = [
    ("a dose of 5 µg", "a dose of 5 μg"),
    ("influx of Ca²⁺ ions", "influx of Ca2+ ions"),
    ("the ¹⁴C dating", "the 14C dating"),
    ("Cl⁻ channels open", "Cl- channels open"),
    ("let 𝑥 be 𝐀 here", "let x be A here"),
    (unicodedata.normalize("NFD", "Größe und Café, Đặng"), "Größe und Café, Đặng"),
    ("he said «yes» to it", 'he said "yes" to it'),
    ("eﬃcient oﬀer", "efficient offer"),
    ("of 5 Ω here", "of 5 Ω here"),
    ("HCO₃⁻ buffer", "HCO3- buffer"),
    ("at 5 Å apart", "at 5 Å apart"),
    ("10⁹ cells", "10^9 cells"),
    ("Mg2+ and Na+", "Mg²⁺ and Na⁺"),
    ("il dit « oui » à tout", 'il dit "oui" à tout'),
    ("kept at 25 °C", "kept at 25 ℃"),
    ("er rief »ja« und ging", "er rief „ja“ und ging"),
]
DIFFERENT = [
    ("rose to 10² cells", "rose to 102 cells"),
    ("a dose of 5 µg", "a dose of 5 mg"),
    ("influx of Ca²⁺ ions", "influx of Ca²⁻ ions"),
    ("the ¹⁴C dating", "the 13C dating"),
    ("−5 degrees", "5 degrees"),
    ("5–10 mg", "5 10 mg"),
    ("no effect of it", "effect of it was no"),
    ("kept at 25 °C", "kept at 25 ℉"),
]


def _find(text: str, quote: str) -> tuple[int, int] | None:
    return QuoteIndex.of(f"In it, {text} we found.").find(quote)


@pytest.mark.parametrize(("one", "other"), SAME)
def test_another_form_of_the_same_words_is_found(one: str, other: str) -> None:
    assert _find(one, other)
    assert _find(other, one)


@pytest.mark.parametrize(("there", "quoted"), DIFFERENT)
def test_other_words_are_not_found(there: str, quoted: str) -> None:
    assert _find(there, quoted) is None


LIGATURES = "The brightness of \ue104uorescent proteins is de\ue103ned here; mKate2 is red-shi\ue105ed by 27 nm."
"""How Legault et al., Chemical Science 2022, is read: its fonts name the ligatures as no one else does."""


@pytest.mark.parametrize(
    "quote",
    [
        "brightness of \ue104uorescent proteins is de\ue103ned",
        "brightness of uorescent proteins is dened",
        "brightness of fluorescent proteins is defined here",
        "red-shifted by 27 nm",
    ],
)
def test_a_ligature_without_a_character_may_be_left_out_or_spelled(quote: str) -> None:
    assert QuoteIndex.of(LIGATURES).find(quote)


@pytest.mark.parametrize("quote", ["brightness of luorescent proteins", "is deined here", "red-shined by 27 nm"])
def test_it_stands_for_no_other_letters(quote: str) -> None:
    assert QuoteIndex.of(LIGATURES).find(quote) is None


@pytest.mark.parametrize(
    ("text", "quote", "there"),
    [
        ("It may induce immunity.110The risk of it rises.108 So", "The risk of it rises", True),
        ("It may induce immunity.11,12The risk of it rises.108 So", "The risk of it rises.", True),
        ("It may induce immunity.110the risk of it rises.", "the risk of it rises", False),
        ("It takes version 2.110The risk of it rises.", "The risk of it rises", False),
        ("It may induce immunity.110The risk of it rises.", "10The risk of it rises", False),
        ("It may induce IL.110The risk of it rises.", "The risk of it rises", False),
    ],
)
def test_a_sentence_may_have_the_note_before_it_glued_to_it(text: str, quote: str, there: bool) -> None:
    assert bool(QuoteIndex.of(text).find(quote)) == there
