"""Amounts are the same whatever unit, language and form they are in, and never if they differ in one of these."""

import pytest

from benchmarks.quantities import measure
from elcano.text.support.missing_facts import Statement, figures_unquoted

SAME = [
    ("The dose was 0.82 mg.", "a dose of 0·82 mg"),
    ("It fell to −0.3 %.", "change of − 0.3 %"),
    ("change −0.3%", "a change of –0.3 %"),
    ("It covers 100 ha.", "an area of 1 km²"),
    ("It took 90 minutes.", "after 1 h 30 min"),
    ("two hundred patients", "200 patients were"),
    ("It was 200.", "two hundred people"),
    ("0.75 litres", "¾ litre of it"),
    ("0 of 45 died", "none of 45 patients died"),
    ("Es kostete 1,5 Mio. Euro", "anderthalb Millionen Euro"),
    ("5 kilometres per hour", "5 km/h"),
    ("It used 5 mmol per litre", "5 mmol/L"),
    ("a flux of 3 kg m-2", "3 kg m⁻²"),
    ("3 kg/m2", "3 kg m−2"),
    ("five Sv", "5 sieverts"),
    ("5 µSv", "5 microsieverts"),
    ("5 μL", "5 µL"),
    ("доза 5 мг", "5 milligrams"),
    ("5 миллиграммов", "5 mg"),
    ("1 billion euros", "1 Milliarde Euro der Firma sind da"),
    ("1000 Milliarden Euro", "Das kostete 1 Billion Euro im ganzen Land."),
    ("5 miles", "8.04672 km"),
    ("20 °C", "68 °F"),
    ("5 mg daily", "5 mg per day"),
    ("R$ 5 million", "5 milhões de reais"),
    ("2.5 million", "two and a half million"),
    ("1 million people", "one million people"),
    ("the price was £5", "5 pounds"),
    ("5 mil", "5 thousand"),
    ("5 lakh", "500,000 people"),
    ("5 MW", "5 megawatts"),
    ("12 months", "1 year"),
    ("5 ft 3 in", "63 inches"),
    ("3 % of them", "3 per cent"),
    ("It grew by 5 percentage points.", "5 Prozentpunkte mehr"),
    ("120 mmHg", "120 millimetres of mercury"),
    ("5 ppm", "5 parts per million"),
    ("1 milyar lira", "1 billion lira"),
    ("5.6 million", "5·6 million people"),
    ("at least 5 mg", "≥ 5 mg"),
    ("MIC of 32", "Strain >32 256 >32 128 32 128"),
    ("256 was seen", "Strain >32 256 >32 128 32 128"),
    ("12 345 people", "12,345 people"),
    ("100 km/h", "27.78 m/s"),
    ("10 miles", "16.1 km"),
    ("Three quarters of patients improved.", "75% of patients improved."),
    ("3/4 of patients improved.", "¾ of patients improved."),
    ("About a third of patients improved.", "35% of patients improved."),
    ("More than half of the patients improved.", "62% of patients improved."),
    ("Half of the patients improved.", "10 of 20 patients improved."),
    ("In the second half of 2020 sales rose.", "Sales rose in late 2020."),
    ("Zwei Drittel der Patienten starben.", "66,7 % der Patienten starben."),
    ("Les trois quarts des patients guérissent.", "75 % des patients guérissent."),
]
DIFFERENT = [
    ("5 centimetres", "5 millimetres"),
    ("5 µL", "5 mL"),
    ("5 mSv", "5 µSv"),
    ("5 ppm", "5 ppb"),
    ("5 megawatts", "5 kilowatts"),
    ("5 Gy", "5 Sv"),
    ("5 Hz", "5 Bq"),
    ("5 mg/kg", "5 mg"),
    ("5 mg/dL", "5 mmol/L"),
    ("R$ 5", "US$ 5"),
    ("5 Canadian dollars", "5 US dollars"),
    ("30 min", "1 h 30 min"),
    ("1 Billion Euro kostete das Haus der Stadt", "1 billion euros"),
    ("миллион: 5 миллионов", "5 миллиардов рублей"),
    ("5 milyon", "5 milyar"),
    ("at least 5 mg", "at most 5 mg"),
    ("p < 0.05", "p > 0.05"),
    ("more than 5 years", "less than 5 years"),
    ("3 %", "3 percentage points"),
    ("12 kg", "1.2 kg"),
    ("−5 °C", "5 °C"),
    ("100 ha", "1 ha"),
    ("32256", "Strain >32 256 >32 128 32 128"),
    ("5 kWh", "5 kW"),
    ("5 per cent", "5 per mille"),
    ("5 MB", "5 Mbit"),
    ("The P value was 0.001.", "p<0.001"),
    ("a difference (p = 0.001)", "(P < 0.001)"),
    ("p < 0.05", "P = 0.03"),
    ("8 ft", "2.5 m"),
    ("5 mg", "0 g"),
    ("A third of patients improved.", "30% of patients improved."),
    ("More than half of the patients improved.", "42% of patients improved."),
    ("Half of the patients improved.", "12 of 20 patients improved."),
    ("Zwei Drittel der Patienten starben.", "60 % der Patienten starben."),
]


@pytest.mark.parametrize(("said", "there"), SAME)
def test_the_same_amount_in_another_form_is_found(said: str, there: str) -> None:
    assert figures_unquoted(Statement(said, (there,))) == ()


@pytest.mark.parametrize(("said", "there"), DIFFERENT)
def test_another_amount_is_not_found(said: str, there: str) -> None:
    assert figures_unquoted(Statement(said, (there,)))


def test_amounts_drawn_from_tables_of_units_are_told_apart() -> None:
    wrong, differing, alarms, equal = measure()
    assert (wrong, differing, equal) == (0, 200, 200)
    assert alarms <= 4
