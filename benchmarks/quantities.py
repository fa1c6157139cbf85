"""Whether amounts in other units, words and languages are told apart: pairs drawn from the tables of pint and Babel.

    python -m benchmarks.quantities [--show]

40 units, each ten times: spelled by Babel in a language, abbreviated, scaled by a prefix, converted by pint; half of
the pairs say the same amount, half another one (another prefix, another number, another kind of unit). A wrong pass is
a pair that differs and is taken for the same; a false alarm the reverse.
"""

import argparse
import random
from collections.abc import Iterator
from decimal import Decimal

import pint
from babel.units import format_unit

from elcano.text.support.missing_facts import Statement, figures_unquoted

UNITS = {
    "length-meter": "m", "length-centimeter": "cm", "length-millimeter": "mm", "length-kilometer": "km",
    "length-micrometer": "µm", "length-nanometer": "nm", "length-mile": "mi", "length-foot": "ft",
    "mass-gram": "g", "mass-kilogram": "kg", "mass-milligram": "mg", "mass-microgram": "µg", "mass-ounce": "oz",
    "mass-pound": "lb", "volume-liter": "L", "volume-milliliter": "mL", "volume-deciliter": "dL",
    "volume-cubic-meter": "m³", "volume-cubic-centimeter": "cm³", "area-hectare": "ha", "area-square-kilometer": "km²",
    "area-square-meter": "m²", "power-watt": "W", "power-kilowatt": "kW", "power-megawatt": "MW",
    "power-gigawatt": "GW", "energy-joule": "J", "energy-kilojoule": "kJ", "energy-kilocalorie": "kcal",
    "energy-kilowatt-hour": "kWh", "pressure-pascal": "Pa", "pressure-hectopascal": "hPa",
    "pressure-kilopascal": "kPa", "pressure-bar": "bar", "frequency-hertz": "Hz", "frequency-megahertz": "MHz",
    "duration-minute": "min", "duration-hour": "h", "speed-kilometer-per-hour": "km/h", "digital-megabyte": "MB",
}  # fmt: skip
LANGUAGES = ("en", "de", "fr", "es", "it", "pt", "nl", "ru", "tr", "ja", "ko", "zh", "th")
PAIRS = 400


def draw_pairs(seed: int = 1) -> Iterator[tuple[str, str, bool]]:
    """Pairs of amounts, and whether they are the same."""
    chance = random.Random(seed)
    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    names = list(UNITS)
    for number in range(PAIRS):
        name = names[number % len(names)]
        unit, symbol = _name_for_pint(name), UNITS[name]
        value = Decimal(chance.randint(2, 980))
        written = _write(value, name, symbol, chance)
        same = number % 2 == 0
        others = [
            one
            for one in names
            if one != name and registry.is_compatible_with(registry.Quantity(1, unit), _name_for_pint(one))
        ]
        if same and others and chance.random() < 0.5:
            other = chance.choice(others)
            there = registry.Quantity(float(value), unit).to(_name_for_pint(other)).magnitude
            yield written, _write(Decimal(f"{there:.12g}"), other, UNITS[other], chance), True
        elif same:
            yield written, _write(value, name, symbol, chance), True
        elif number % 3:
            other = chance.choice([one for one in names if one != name])
            yield written, _write(value, other, UNITS[other], chance), False
        else:
            yield written, _write(value + chance.choice([-1, 1, 10]), name, symbol, chance), False


def _name_for_pint(name: str) -> str:
    unit = name.partition("-")[2]
    for word, power in (("square-", "**2"), ("cubic-", "**3")):
        if unit.startswith(word):
            return unit.removeprefix(word) + power
    return unit.replace("-per-", "/").replace("kilowatt-hour", "kilowatt_hour").replace("-", "_")


def _write(value: Decimal, name: str, symbol: str, chance: random.Random) -> str:
    plain = format(value.normalize(), "f")
    if chance.random() < 0.35:
        return f"{plain} {symbol}"
    language = chance.choice(LANGUAGES)
    shown = int(value) if value == int(value) else float(value)
    spelled = format_unit(shown, name, length="long", locale=language)
    if name in spelled:  # Babel shows this id for a name that is the same as its short form
        spelled = format_unit(shown, name, length="short", locale=language)
    number = "".join(one for one in spelled if one.isdigit() or one in ".,\u00a0\u202f")
    return spelled.replace(number.strip("\u00a0\u202f"), plain, 1)


def measure(show: bool = False) -> tuple[int, int, int, int]:
    """Wrong passes, pairs that differ, false alarms, pairs that are the same."""
    wrong = differing = alarms = equal = 0
    for said, there, same in draw_pairs():
        passes = not figures_unquoted(Statement(f"It was {said}.", (f"a value of {there}",)))
        differing += not same
        equal += same
        wrong += passes and not same
        alarms += same and not passes
        if show and passes != same:
            print("wrong pass" if passes else "false alarm", "|", said, "|", there)
    return wrong, differing, alarms, equal


def main() -> None:
    """Prints how many pairs were judged wrongly."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--show", action="store_true")
    wrong, differing, alarms, equal = measure(parser.parse_args().show)
    print(f"wrong passes: {wrong} of {differing}; false alarms: {alarms} of {equal} ({alarms / equal:.1%})")


if __name__ == "__main__":
    main()
