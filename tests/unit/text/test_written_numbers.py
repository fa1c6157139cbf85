"""Numbers and dates of texts, with all that they may mean: the one reader of quotes and of answers from databases."""

from decimal import Decimal

import pytest

from elcano.text import languages
from elcano.text.languages import possible_languages
from elcano.text.support.figures import extract_figures
from elcano.text.unit_comparison import same_amount
from elcano.text.written_dates import Moment, find_moments
from elcano.text.written_numbers import find_numbers


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
        ("one point five million people", {"1500000"}, ""),
        ("zwei Komma fünf Milliarden", {"2500000000"}, ""),
        ("un virgule cinq million", {"1500000"}, ""),
        ("twenty-one point zero five million people", {"21050000"}, ""),
        ("deux virgule vingt-cinq millions", {"2250000"}, ""),
        ("due virgola cinque milioni", {"2500000"}, ""),
        ("dos coma cinco millones", {"2500000"}, ""),
        ("by one point two years ago", {"2"}, "year"),
        ("On one point three judges dissented", {"3"}, ""),
        ("Two members raised one point", {"2"}, ""),
        ("at one point five patients left", {"5"}, ""),
        ("growth of one point five percent", {"5"}, "%"),
        ("one punto five million", {"5000000"}, ""),
        ("two point twenty five million", {"2"}, "percentage points"),
    ],
)
def test_a_number_is_read_with_all_that_it_may_mean(text: str, values: set[str], unit: str) -> None:
    first = find_numbers(text)[0]
    assert first.values == {Decimal(value).normalize() for value in values}
    assert first.unit == unit
    assert not first.name


@pytest.mark.parametrize(
    ("text", "read"),
    [
        ("2.4°, 3.2° of flexion", [("2.4", "angular_degree"), ("3.2", "angular_degree")]),
        ("2 x 10(9)/L, 10(-3) mol and 5x10-8", [("2E+9", ""), ("0.001", "mole"), ("5E-8", "")]),
        ("25 kg/m(2) and 1.73m2", [("25", "kilogram/(meter**2)"), ("1.73", "meter**2")]),
        ("60 min after it, and 100 ha of forest", [("60", "minute"), ("100", "hectare")]),
        ("0.2 mug/kg given", [("0.2", "microgram/kilogram")]),
        ("1 mg.kg(-1).h(-1), then", [("1", "milligram*kilogram**-1*hour**-1")]),
        ("7.6 plus minus 1.2 g/dL", [("7.6", "gram/deciliter"), ("1.2", "gram/deciliter")]),
        ("26.4 ml.kg-1.min-1", [("26.4", "milliliter*kilogram**-1*minute**-1")]),
        ("10 mg kg-1", [("10", "milligram*kilogram**-1")]),
        ("a fall of 10-13%", [("10", "%"), ("13", "%")]),
        ("7.5 +/- 2.1 mm", [("7.5", "millimeter"), ("2.1", "millimeter")]),
        ("77.8 and 77.5%", [("77.8", "%"), ("77.5", "%")]),
        ("in stage 1 and 12% of those", [("1", ""), ("12", "%")]),
        ("3- to 5-week-old, 10- and 15-year", [("3", "week"), ("5", "week"), ("10", "year"), ("15", "year")]),
        ("at 8, 10, and 12 kHz", [("8", "kilohertz"), ("10", "kilohertz"), ("12", "kilohertz")]),
        ("29.7 weeks (+/-1.9)", [("29.7", "week"), ("1.9", "")]),
        ("0.5--0.7", [("0.5", ""), ("0.7", "")]),
        ("a 4 x 100 m relay", [("4", ""), ("100", "meter")]),
        ("10 x 12 cm, 3x3 mm", [("10", "centimeter"), ("12", "centimeter"), ("3", "millimeter"), ("3", "millimeter")]),
        ("0.3 microg/kg at 120/80 mm Hg and 12 cm H2O", [
            ("0.3", "microgram/kilogram"), ("120", ""), ("80", "mmHg"), ("12", "centimeter_water"),
        ]),
        ("twenty one patients", [("21", "")]),
    ],
)  # fmt: skip
def test_abstracts_write_numbers_and_units_so(text: str, read: list[tuple[str, str]]) -> None:
    found = [(next(iter(one.values)), one.unit) for one in find_numbers(text, "en")]
    assert found == [(Decimal(value).normalize(), unit) for value, unit in read]


@pytest.mark.parametrize(
    ("written", "same"),
    [
        ("8.3 J/mol·K", "8.3 J mol-1 K-1"),
        ("8.3 J/mol·K⁻¹", "8.3 J mol-1 K-1"),
        ("5 W/m²·K", "5 W m-2 K-1"),
        ("5 mg/kg·day", "5 mg/kg/day"),
        ("8.3 J/(mol K)", "8.3 J mol-1 K-1"),
        ("5 W/(m²·K)", "5 W m-2 K-1"),
        ("9.8 m/(s²)", "9.8 m/s²"),
        ("3 kg/(ha × yr)", "3 kg/ha/yr"),
        ("12.5 kg/(person·year)", "12.5 kg per person per year"),
        ("12.5 ng/mL·h", "12.5 ng·h/mL"),
    ],
)
def test_what_follows_a_stroke_in_brackets_or_behind_a_dot_divides(written: str, same: str) -> None:
    (one,), (other,) = find_numbers(written), find_numbers(same)
    assert same_amount(one.readings[0].value, one.unit, other.readings[0].value, other.unit)


def test_what_stands_above_a_stroke_multiplies() -> None:
    (above,) = find_numbers("5 kg·m/s")
    assert above.unit == "kilogram*meter/second"


def test_digits_that_a_name_begins_with_or_has_in_brackets_are_no_numbers() -> None:
    names = ["5-HT2", "17-OHP", "3-D", "(99m)Tc-MIBI", "CO(2)", "FEV(1)"]
    assert [one.name for one in find_numbers(" and ".join(names))] == names
    assert [one.unit for one in find_numbers("a 12-month study, 10-MHz")] == ["month", "megahertz"]
    areas = [extract_figures(f"stone size in {unit}") for unit in ("mm(2)", "mm(3)")]
    assert areas[0] != areas[1]
    assert [(one.text, one.unit) for one in find_numbers("16.5 mm(2)")] == [("16.5", "millimeter**2")]


def test_the_sign_of_degrees_is_an_ordinal_in_romance_languages() -> None:
    assert find_numbers("La fiesta del 1° de mayo es muy importante para todos.")[0].ordinal


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


def test_all_words_of_a_text_ask_once_which_language_it_is_in(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whether a word is a lone thousand depends on it, and a report's figures are looked for thousands of times."""
    asked: list[str] = []

    def predict(line: str) -> dict[str, float]:
        asked.append(line)
        return {"es": 1.0}

    monkeypatch.setattr(languages, "_predict_languages", predict)
    text = "La torre de mil escalones, que nadie ha contado en ninguna de sus visitas, es de mil años antes."
    assert [number.text for number in find_numbers(text)] == ["mil", "mil"]
    assert len(asked) == 1
