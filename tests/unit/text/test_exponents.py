"""What is raised or lowered never becomes another number, and is found as people type it."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.text.words import LONGEST, flatten_exponents, lower_text, raise_text, split_words


@pytest.mark.parametrize(
    ("raised", "written"),
    [
        ("64", "⁶⁴"),
        ("\N{MINUS SIGN}3", "⁻³"),
        ("n", "ⁿ"),
        ("x", "ˣ"),
        ("n+1", "ⁿ⁺¹"),
        ("2k", "^(2k)"),
        ("th", "th"),
        ("[1]", "[1]"),
        ("*", "*"),
        (" 2 ", " ² "),
        ("", ""),
        ("1" * (LONGEST + 1), "1" * (LONGEST + 1)),
    ],
)
def test_what_is_raised(raised: str, written: str) -> None:
    assert raise_text(raised) == written


@pytest.mark.parametrize(("lowered", "written"), [("2", "₂"), ("1c", "₁c"), ("max", "max"), ("i", "ᵢ"), (" 2", " ₂")])
def test_what_is_lowered(lowered: str, written: str) -> None:
    assert lower_text(lowered) == written


@given(st.integers(0, 10**6), st.integers(0, 10**6))
def test_an_exponent_is_never_run_together_with_its_base(base: int, exponent: int) -> None:
    assert str(base) + str(exponent) not in f"{base}{raise_text(str(exponent))}"
    assert split_words(f"{base}{raise_text(str(exponent))}") == [str(base), str(exponent)]


def test_indices_are_searched_as_they_are_typed() -> None:
    assert split_words("CO₂ and HbA₁c") == ["co2", "and", "hba1c"]
    assert split_words("10⁻³") == split_words("10^-3")
    assert flatten_exponents("plain") == "plain"
