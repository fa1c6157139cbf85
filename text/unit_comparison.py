"""Whether two amounts with units are the same.

0.5 g is 500 mg, 100 ha are 1 km², and two weeks are fourteen days. Two amounts whose units cannot be converted into one
another are never the same: Sv and Gy, mg and mg/kg, US and Canadian dollars. Shares and currencies are themselves.
"""

from collections.abc import Iterator
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from elcano.text.units import BASIS_POINTS, POINTS, SHARE, TENTHS

if TYPE_CHECKING:
    import pint

_HUNDREDTHS: Final = {
    "CENT": frozenset(("USD", "EUR", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "BRL", "ZAR", "CHF")),
    "PENNY": frozenset(("GBP",)),
}
"""Coins with the currencies of which they are a hundredth."""
_SMALLER: Final = {
    ("year", "month"): 12, ("week", "day"): 7, ("day", "hour"): 24, ("hour", "minute"): 60, ("minute", "second"): 60,
    ("foot", "inch"): 12, ("pound", "ounce"): 16, ("stone", "pound"): 14, ("kilogram", "gram"): 1000,
    ("meter", "centimeter"): 100,
}  # fmt: skip


def get_smaller_units(unit: str, smaller: str) -> int | None:
    """Get how many of the smaller unit make one of the other, where people write both (`1 h 30 min`); else None."""
    return _SMALLER.get((unit, smaller))


_EITHER: Final = frozenset(
    frozenset(pair.split())
    for pair in (
        *("pound GBP", "metric_pound GBP", "metric_pound pound", "metric_ounce ounce", "kilometric_ton knot"),
        *("TRY teaspoon", "revolution/minute 1/minute", "revolution/minute enzyme_activity_unit/minute"),
        *("angular_degree degC", "angular_degree degF"),
    )
) | {frozenset(("base_pair", BASIS_POINTS))}
"""Units of which one word or symbol means both, as `kt` and `TL` do, or which are written as a mere count."""


def same_amount(value: Decimal, unit: str, other_value: Decimal, other_unit: str) -> bool:
    """Whether both are the same amount of the same thing; never if their units cannot be compared."""
    if unit == other_unit:
        return value == other_value
    if (unit, other_unit) in ((POINTS, BASIS_POINTS), (BASIS_POINTS, POINTS)):
        return value * 100 == other_value if unit == POINTS else value == other_value * 100
    if {unit, other_unit} == {TENTHS, SHARE}:
        return value * 10 == other_value if unit == TENTHS else value == other_value * 10
    if frozenset((unit, other_unit)) in _EITHER:
        return value == other_value
    (unit, _, counted), (other_unit, _, other_counted) = unit.partition("/["), other_unit.partition("/[")
    if counted and other_counted and counted != other_counted:  # `per fraction`; what one leaves out is elsewhere
        return False
    if unit == other_unit:
        return value == other_value
    if other_unit in _HUNDREDTHS.get(unit, ()):
        return value == other_value * 100
    if unit in _HUNDREDTHS.get(other_unit, ()):
        return value * 100 == other_value
    (money, _, paid), (other_money, _, other_paid) = unit.partition("/"), other_unit.partition("/")
    if (
        money.isupper() and money == other_money
    ):  # what it is paid for may be said elsewhere: `annual costs of $5 million`
        return (
            value == other_value
            if not (paid and other_paid)
            else same_amount(value, f"1/{paid}", other_value, f"1/{other_paid}")
        )
    return any(_is_equal(there, float(other_value)) for there in _convert_amount(value, unit, other_unit))


def _is_equal(one: float, other: float) -> bool:
    return abs(one - other) <= 1e-6 * max(abs(one), abs(other))


def is_same_difference(value: Decimal, unit: str, other_value: Decimal, other_unit: str) -> bool:
    """Whether both are the same difference of temperatures: warming by 2 K is warming by 2 °C."""
    return any(
        _is_equal(float(there), float(other_value))
        for there in convert_amount(value, unit, other_unit, differences=True)
    )


def is_rounded_conversion(exact: Decimal, unit: str, shown: Decimal, shown_unit: str, places: int) -> bool:
    """Whether `shown`, with `places` decimals, is `exact` in another unit, rounded: 10 miles are 16.1 km.

    Of what is said to be about an amount, `places` may be below nothing: 110 kW are about 150 hp.

    Of one digit nothing is taken for rounded: 5 mg are no 0 g.
    """
    if unit == shown_unit or len(shown.normalize().as_tuple().digits) < 2:
        return False
    half = 0.5 * 10.0**-places
    return any(abs(there - float(shown)) <= half * 1.000001 for there in _convert_amount(exact, unit, shown_unit))


def convert_amount(value: Decimal, unit: str, other: str, *, differences: bool) -> Iterator[Decimal]:
    """Yield the amount in the other unit; nothing where the two cannot be compared.

    Args:
        value: in `unit`.
        unit: its unit.
        other: the one asked for.
        differences: of temperatures, of which 2 K are 2 °C.
    """
    if differences:
        unit, other = (f"delta_{one}" if one.startswith("deg") else one for one in (unit, other))
    yield from (Decimal(f"{there:.12g}") for there in _convert_amount(value, unit, other))


def can_convert(unit: str, other: str) -> bool:
    """Whether amounts of one unit are also amounts of another, as kg and lb are."""
    return unit == other or bool(_convert_amount(Decimal(1), unit, other))


@lru_cache(maxsize=10_000)
def _convert_amount(value: Decimal, unit: str, other: str) -> tuple[float, ...]:
    """`value` in the other unit; empty if the two cannot be compared."""
    import pint  # and numpy with it, for the few texts whose units differ

    try:
        return (float(_load_unit_registry().Quantity(float(value), unit).to(other).magnitude),)
    except (pint.PintError, OverflowError, ValueError, TypeError, AttributeError, ZeroDivisionError, KeyError):
        return ()
    except Exception as error:  # its parser raises what Python's own tokenizer does
        if "oken" not in type(error).__name__:
            raise
        return ()


_DEFINED: Final = """
sievert_dose = [equivalent_dose]; gray_dose = [absorbed_dose]; becquerel_activity = [activity]
curie_activity = 3.7e10 becquerel_activity; international_unit = [international_unit]
enzyme_activity_unit = [enzyme_activity_unit]; ppb = 1e-9; ppt = 1e-12; beat = [beat]; decibel_level = [level]
decibel_level_a = [level_a]; colony_forming_unit = [colonies]; plaque_forming_unit = [plaques]; osmole = [osmole]
charge_equivalent = [charge_equivalent]; newton_meter_torque = [torque]; angular_degree = [angle_in_degrees]
calendar_decade = 10 year; kilowatt_peak = [peak_power]; megawatt_peak = 1000 kilowatt_peak; quintal_mass = 100 kilogram
liter_per_100_km = [consumption]; molal = mole / kilogram; centimeter_water = 98.0665 pascal
decibel_level_m = [level_m]; container_unit = [containers]; deadweight_ton = [deadweight]; jin = 500 gram
oil_equivalent_barrel = [oil_equivalent]; li_length = 500 meter; mu_area = 10000 / 15 meter ** 2
tsubo = 400 / 121 meter ** 2; rai = 1600 meter ** 2; volt_ampere = [apparent_power]; base_pair = [base_pairs]
working_day = [working_time]; person_year = [person_time]; person_day = person_year / 365.25
person_hour = person_day / 24; tablet_dose = [tablets]; capsule_dose = [capsules]
gauss_field = 1e-4 tesla; foot_pound_torque = 1.3558179483 newton_meter_torque; metric_pound = 500 gram
metric_ounce = 100 gram
"""
"""Units that pint lacks or takes for something else: to it sievert and gray are one, and becquerel counts."""


@cache
def _load_unit_registry() -> "pint.UnitRegistry[float]":
    import pint

    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    for line in filter(None, (part.strip() for part in _DEFINED.replace("\n", ";").split(";"))):
        registry.define(line)
    return registry
