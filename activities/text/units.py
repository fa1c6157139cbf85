"""Words of figures: numbers in words of seven languages (`twelve`, `zw\u00f6lf`, `threefold`), and units by meaning.

0.5 g is 500 mg, and two weeks are fourteen days. Currencies and shares are themselves.

Names of a library of units stand for themselves; other spellings and other languages are listed here.
"""

import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

_LANGUAGES: Final = ("en", "de", "fr", "es", "it", "pt", "nl")
_OTHER_WORDS: Final = "once sei due elf neuf cent dos acht mille onze six tien ten neun vier sete sette"
_AMBIGUOUS: Final = frozenset(_OTHER_WORDS.split())
"""Number words that are other words in another language: they count in a quote, and are not asked of one."""
_POWERS: Final = {
    3: "thousand tausend mil mila mille duizend k \u5343",
    4: "\u4e07 \u842c",
    5: "lakh",
    6: "million millions millionen mio mill\u00f3n millones milione milioni milh\u00e3o milh\u00f5es miljoen mn m",
    7: "crore",
    8: "\u4ebf \u5104 \uc5b5",
    9: "billion billions bn milliard milliards milliarde milliarden mrd miliardo miliardi miljard bilh\u00e3o",
    12: "trillion trillions billionen bill\u00f3n billones",
}
_SCALES: Final = {word: power for power, listed in _POWERS.items() for word in listed.split()}
_FOLD: Final = re.compile(r"^(.{2,}?)(?:-?fold|fach|voudig)$")
_MULTIPLES: Final = {"double": 2, "doubled": 2, "twice": 2, "doubling": 2, "triple": 3, "tripled": 3, "quadrupled": 4}


def parse_scale_word(word: str) -> int:
    """The power of ten that a word such as `million` multiplies by; 0 if it is none."""
    return _SCALES.get(word.lower(), 0)


def number_word(word: str) -> int | None:
    """The number that a lower-case word names, from 2 to 100; None if it names none."""
    return _number_words().get(word)


def parse_multiple_word(word: str) -> int | None:
    """How many times more a lower-case word such as `threefold` or `doubled` says; None if it does not."""
    fold = _FOLD.match(word)
    return number_word(fold[1]) if fold else _MULTIPLES.get(word)


def is_ambiguous(word: str) -> bool:
    """Whether a number word is also another word."""
    return word.lower() in _AMBIGUOUS


@cache
def _number_words() -> dict[str, int]:
    from num2words import num2words

    known: dict[str, int] = {}
    for language in _LANGUAGES:
        for number in range(100, 1, -1):
            known[num2words(number, lang=language).removeprefix("one ")] = number
    return known | {"dozen": 12, "hundred": 100, "hundert": 100}


if TYPE_CHECKING:
    import pint

SHARE: Final = "%"
PER_MILLE: Final = "‰"
POINTS: Final = "percentage points"
TIMES: Final = "times"
_SPELLED: Final = {
    PER_MILLE: "‰",
    SHARE: "% percent prozent procent pourcent % percents pct",
    TIMES: "x fold times fach mal fois veces volte vezes keer maal",
    "USD": "$ us$ usd dollar dollars d\u00f3lares dollari d\u00f3lar",
    "EUR": "\u20ac eur euro euros",
    "GBP": "\u00a3 gbp pound-sterling",
    "JPY": "\u00a5 jpy yen",
    "CNY": "cny rmb yuan \u5143",
    "second": "s sec secs second seconds sekunde sekunden seconde secondes segundo segundos secondi \u79d2",
    "minute": "min mins minute minutes minuten minuto minutos minuti \u5206\u949f",
    "hour": "h hr hrs hour hours stunde stunden heure heures hora horas ora ore uur uren \u5c0f\u65f6",
    "day": "d day days tag tage tagen jour jours d\u00eda d\u00edas dia dias giorno giorni dag dagen \u5929 \u65e5",
    "week": "wk wks week weeks woche wochen semaine semaines semana semanas settimana settimane weken \u5468",
    "month": "month months monat monate monaten mois mes meses mese mesi maand maanden",
    "year": "yr yrs year years jahr jahre jahren an ans ann\u00e9es a\u00f1o a\u00f1os anno anni jaar jaren \u5e74",
    "gram": "g gram grams gramm gramme grammes gramos grammi",
    "kilogram": "kg kilo kilos kilogram kilograms kilogramm",
    "milligram": "mg milligram milligrams milligramm",
    "microgram": "mcg ug \u00b5g \u03bcg microgram micrograms",
    "liter": "l L liter liters litre litres litro litros litri",
    "milliliter": "ml mL milliliter milliliters millilitre millilitres",
    "meter": "m meter meters metre metres metro metros metri",
    "kilometer": "km kilometer kilometers kilometre kilometres kil\u00f3metros chilometri",
    "mile": "mi mile miles meilen milles millas miglia",
    "degC": "\u00b0C \u2103 celsius",
    "degF": "\u00b0F \u2109 fahrenheit",
}
_BY_SPELLING: Final = {one: unit for unit, spelled in _SPELLED.items() for one in spelled.split()}
_WRITTEN: Final = """
ng pg kDa Da cm mm nm pm km2 m2 m3 cm3 dm ha kcal cal kJ J MJ kWh MWh GWh TWh W kW MW GW V mV kV A mA Hz kHz MHz GHz
Pa kPa MPa GPa mmHg bar mbar K mol mmol nmol B kB KB MB GB TB PB KiB MiB GiB TiB bit bits byte bytes Mbit Gbit ms us ns
ps µs \u03bcs t lb oz ft in dB eV keV MeV GeV rpm mM nM uM µM \u03bcM mg/dL mmol/L mg/kg g/L kg/m2 m/s km/h
"""
_SYMBOLS: Final = frozenset(_WRITTEN.split())
"""Symbols of units; for other units, what looks like a symbol may be a word."""
_FOR_LIBRARY: Final = {
    "KB": "kilobyte",
    "kB": "kilobyte",
    "B": "byte",
    "Da": "dalton",
    "kDa": "kilodalton",
    "W": "watt",
}


def unit_of(written: str) -> str:
    """The unit that is written so; empty if it is none, or none that is known."""
    if written in _SYMBOLS:
        return written
    return _BY_SPELLING.get(written) or (_BY_SPELLING.get(written.lower(), "") if len(written) > 2 else "")


def same_amount(value: Decimal, unit: str, other_value: Decimal, other_unit: str) -> bool:
    """Whether both are the same amount of the same thing."""
    if unit == other_unit:
        return value == other_value
    there = _convert_amount(value, unit, other_unit)
    return there is not None and abs(there - float(other_value)) <= 1e-6 * max(abs(there), abs(float(other_value)))


@lru_cache(maxsize=10_000)
def _convert_amount(value: Decimal, unit: str, other: str) -> float | None:
    """`value` in the other unit; None if these are units of different things, or of nothing that can be converted."""
    import pint  # and numpy with it, for the few texts whose units differ

    units = _load_unit_registry()
    try:
        measured = units.Quantity(float(value), _FOR_LIBRARY.get(unit, unit))
        return float(measured.to(_FOR_LIBRARY.get(other, other)).magnitude)
    except (pint.PintError, OverflowError, ValueError, TypeError, AttributeError):
        return None


@cache
def _load_unit_registry() -> "pint.UnitRegistry[float]":
    import pint

    return pint.UnitRegistry(cache_folder=None)
