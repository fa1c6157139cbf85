"""Numbers and dates of texts, with all that they may mean: the one reader of quotes and of answers from databases."""

from decimal import Decimal

import pytest

from elcano.activities.support.figures_and_names import extract_figures
from elcano.activities.text.languages import possible_languages
from elcano.activities.text.written_dates import Moment, find_moments
from elcano.activities.text.written_numbers import find_numbers


@pytest.mark.parametrize(
    ("text", "values", "unit"),
    [
        ("1,204 of them", {"1204", "1.204"}, ""),
        ("1.204,5 kg", {"1204.5"}, "kilogram"),
        ("共有1.2万人", {"12000"}, ""),
        ("12 percentage points", {"12"}, "percentage points"),
        ("threefold", {"3"}, "times"),
        ("$3.5 billion", {"3500000000"}, "USD"),
        ("27,4 Mio. Euro", {"27400000"}, "EUR"),
        ("5 Mio. In Berlin", {"5000000"}, ""),
        ("3 millones de euros", {"3000000"}, "EUR"),
        ("3 millones de metros cuadrados", {"3000000"}, ""),
        ("3 millions d'euros", {"3000000"}, "EUR"),
        ("$5 million in 2019", {"5000000"}, "USD"),
        ("in mid-1990 it was", {"1990"}, ""),
        ("15%-27% of all", {"15"}, "%"),
        ("some 10⁴ of them", {"10000"}, ""),
        ("10^-3 of them", {"0.001"}, ""),
        ("10⁻ of them", {"10"}, ""),
    ],
)
def test_a_number_is_read_with_all_that_it_may_mean(text: str, values: set[str], unit: str) -> None:
    first = find_numbers(text)[0]
    assert first.values == {Decimal(value).normalize() for value in values}
    assert first.unit == unit
    assert not first.name


def test_a_dash_between_shares_is_no_sign() -> None:
    assert [one.values for one in find_numbers("15%-27%")] == [{Decimal(15)}, {Decimal(27)}]


def test_digits_within_names_are_names_and_no_figures() -> None:
    assert [one.name for one in find_numbers("SKU-12 and IL-6")] == ["SKU-12", "IL-6"]
    assert extract_figures("SKU-12 and IL-6") == []


@pytest.mark.parametrize(
    "text", ["12 March 2024", "12. März 2024", "12 mars 2024", "12 de marzo de 2024", "12 marzo 2024", "12 maart 2024"]
)
def test_months_have_names_in_seven_languages(text: str) -> None:
    (found,) = find_moments(text)
    assert found.readings == (Moment(year=2024, month=3, day=12),)


def test_both_dates_of_a_span_are_read() -> None:
    assert len(list(find_moments("from 01.04.2000-31.12.2000"))) == 2


@pytest.mark.parametrize("text", ["the term 2018-19", "during 2001-03"])
def test_the_last_year_of_a_span_may_have_two_digits(text: str) -> None:
    first, last = extract_figures(text)
    assert max(last.values) - max(first.values) in (1, 2)


def test_a_language_is_told_by_small_words_or_its_script_and_else_by_nothing() -> None:
    assert possible_languages("Der Hund und die Katze sind nicht im Haus.") == {"de"}
    assert possible_languages("这是一只猫") == {"zh"}
    assert possible_languages("Pfizer sold Xeljanz") == frozenset()
