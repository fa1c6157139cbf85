"""A question without a subject takes the telling words of the one before; one that stands alone stays as it is."""

import pytest

from elcano.service.runs.follow_up import MOST_WORDS, in_context

REVENUE = "What was the revenue in Germany in 2023?"
ASPIRIN = "Does aspirin prevent preeclampsia?"


@pytest.mark.parametrize(
    ("question", "earlier", "meant"),
    [
        ("And in 2024?", REVENUE, "And in 2024? (revenue Germany)"),
        ("and 2025?", "And in 2024? (revenue Germany)", "and 2025? (revenue Germany)"),
        ("And in France?", REVENUE, "And in France? (revenue Germany 2023)"),
        ("Why?", ASPIRIN, "Why? (aspirin prevent preeclampsia)"),
        ("Is it safe in pregnancy?", ASPIRIN, "Is it safe in pregnancy? (aspirin prevent preeclampsia)"),
        ("What about side effects?", ASPIRIN, "What about side effects? (aspirin prevent preeclampsia)"),
        ("Und 2024?", "Wie hoch war der Umsatz in Deutschland 2023?", "Und 2024? (hoch Umsatz Deutschland)"),
        ("Et en 2024 ?", "Quel était le bénéfice de la France en 2023 ?", "Et en 2024 ? (bénéfice France)"),
        ("它呢", "阿司匹林能预防子痫前期吗", "它呢 (阿司匹林能预防子痫前期吗)"),
    ],
)
def test_what_is_lacking_is_taken_from_before(question: str, earlier: str, meant: str) -> None:
    assert in_context(question, earlier) == meant


@pytest.mark.parametrize(
    ("question", "earlier"),
    [
        ("Which Python packages can read PDF files?", ASPIRIN),
        ("How do whales sleep under water?", REVENUE),
        (ASPIRIN, ASPIRIN),
        ("Why?", "And?"),
        ("?!", "…"),
    ],
)
def test_what_stands_alone_or_finds_nothing_stays(question: str, earlier: str) -> None:
    assert in_context(question, earlier) == ""


def test_it_does_not_grow_without_bounds() -> None:
    earlier = " ".join(f"word{'y' * 5_000}{number}" for number in "abcdefghijklmnopqrstuvwxyz")
    meant = in_context("Why?", earlier)
    assert len(meant) < 1_000
    assert len(meant.split()) == MOST_WORDS + 1
