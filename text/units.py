"""Units of figures by meaning: which unit is written where, and whether two amounts are the same.

0.5 g is 500 mg, 100 ha are 1 km², and two weeks are fourteen days. Two amounts whose units cannot be converted into one
another are never the same: Sv and Gy, mg and mg/kg, US and Canadian dollars. Shares and currencies are themselves.
"""

import re
from decimal import Decimal
from functools import cache, lru_cache
from typing import TYPE_CHECKING, Final

from elcano.text.unit_names import (
    find_unit_by_name,
    load_currency_names,
    load_first_words,
    load_nations,
    load_unit_symbols,
)

if TYPE_CHECKING:
    import pint

SHARE: Final = "%"
PER_MILLE: Final = "‰"
POINTS: Final = "percentage points"
TIMES: Final = "times"
BASIS_POINTS: Final = "basis points"
RATIO_UNITS: Final = (SHARE, PER_MILLE, POINTS, TIMES)
_SHARES: Final = {
    **dict.fromkeys(("%", "٪", "％", "pct", "percents", "percent", "per cent", "prozent", "procent"), SHARE),
    **dict.fromkeys(("pourcent", "pour cent", "por ciento", "por cento", "per cento", "yüzde"), SHARE),
    **dict.fromkeys(("процент", "процента", "процентов"), SHARE),
    **dict.fromkeys(("パーセント", "퍼센트", "เปอร์เซ็นต์"), SHARE),
    **dict.fromkeys(("bps", "basis points", "basis point", "basispunkte", "basispunkten"), BASIS_POINTS),
    **dict.fromkeys(("points de base", "puntos básicos", "punti base", "pontos base"), BASIS_POINTS),
    **dict.fromkeys(("‰", "per mille", "promille", "pour mille", "por mil", "per mil"), PER_MILLE),
    **dict.fromkeys(
        ["x", "×", "fold", "times", "fach", "mal", "fois", "veces", "volte", "vezes", "keer", "maal"], TIMES
    ),
}
_CURRENCIES: Final = {
    "USD": "$ us$ usd dollar dollars dólares dollari dólar 美元 달러 ドル",
    "EUR": "€ eur euro euros ユーロ 유로 欧元 евро",
    "GBP": "£ gbp pound-sterling",
    "JPY": "¥ ￥ jpy yen 円",
    "CNY": "cny rmb cn¥ yuan 元",
    "CHF": "chf franken",
    "KRW": "krw won ₩ 원",
    "INR": "inr ₹ rs rupee rupees rupien roupies rupias",
    "RUB": "rub ₽ руб рубль рубля рублей",
    "TRY": "try ₺ lira lirası tl",
    "BRL": "brl r$ reais real",
    "CAD": "cad c$ ca$ can$",
    "AUD": "aud a$ au$",
    "NZD": "nzd nz$",
    "HKD": "hkd hk$",
    "SGD": "sgd s$ sg$",
    "TWD": "twd nt$",
    "MXN": "mxn mx$",
    "PLN": "pln zł złoty",
    "SEK": "sek kronor",
    "NOK": "nok",
    "DKK": "dkk",
    "THB": "thb ฿ baht บาท",
    "ZAR": "zar rand",
    "CENT": "¢ cent cents eurocent eurocents centavo centavos céntimo céntimos centime centimes centesimi",
    "PENNY": "penny pence",
}
_HUNDREDTHS: Final = {
    "CENT": frozenset(("USD", "EUR", "CAD", "AUD", "NZD", "HKD", "SGD", "MXN", "BRL", "ZAR", "CHF")),
    "PENNY": frozenset(("GBP",)),
}
"""Coins with the currencies of which they are a hundredth."""
_BY_CURRENCY: Final = {one: code for code, listed in _CURRENCIES.items() for one in listed.split()}
_NATIONS: Final = {
    ("canadian", "kanadische", "canadiens", "canadienses"): "CAD",
    ("australian", "australische", "australiens", "australianos"): "AUD",
    ("new zealand",): "NZD",
    ("hong kong",): "HKD",
    ("singapore",): "SGD",
    ("us", "u.s.", "american"): "USD",
}
_OF_NATION: Final = {nation: code for nations, code in _NATIONS.items() for nation in nations}

_GAP: Final = re.compile(r"[-\s]{0,2}(?!d['\u2019]\w)")
_LETTERS: Final = re.compile(
    r"cm\s?H[2₂]O(?!\w)|mm\sHg(?!\w)|(?:US|CAN|CA|AU|NZ|HK|SG|NT|MX|[CASR])\$|[°º]\s?[CFK]?(?![^\W\d_])|[℃℉Å%‰٪％€$£¥₹₩₽₺฿¢×]|[^\W\d_¹²³⁰⁴-⁹₀-₉](?:[^\W\d_¹²³⁰⁴-⁹₀-₉]|[\u0900-\u0963\u0970]){0,39}"
)
_WORDS: Final = re.compile(r"[^\W\d_]{1,30}(?:[ \u00a0-][^\W\d_]{1,30}){1,5}")
_SQUARED: Final = re.compile(r"(?P<power>sq|cu)\.?[ \u00a0](?=[a-z])")
_POWER: Final = re.compile(
    r"\^?\(?(?P<sign>[-−⁻–])(?P<down>[1-6¹²³⁴-⁶])\)?(?!\d)|\^?\(?(?P<up>[23²³])\)?(?![\d.,]\d|\w)"
)
_RAISED: Final = str.maketrans("¹²³⁴⁵⁶", "123456")
_PER: Final = re.compile(
    r"\s?/\s?(?=[^\W\d_])|(?P<dot>\.)(?=[^\W\d_]{1,4}\(?[-\u2212⁻][1-3¹²³])"
    r"|[ \u00a0](?:per|pro|par|por|each|every|на)[ \u00a0](?=[^\W\d_])"
    r"|(?P<times>\s?[·⋅]\s?|[ \u00a0])(?=[^\W\d_])"
)
_DIMENSION: Final = re.compile(r"[ \u00a0]?\d")
_ADVERBS: Final = {
    **dict.fromkeys(("daily", "a day", "täglich", "diarios", "diarias"), "day"),
    **dict.fromkeys(("weekly", "a week", "wöchentlich"), "week"),
    **dict.fromkeys(("monthly", "a month", "monatlich"), "month"),
    **dict.fromkeys(("annually", "yearly", "a year", "jährlich"), "year"),
    **dict.fromkeys(("hourly", "an hour"), "hour"),
}
_ADVERB: Final = re.compile(rf"(?:[ \u00a0]once)?[ \u00a0](?P<adverb>{'|'.join(_ADVERBS)})(?!\w)")
_WORDS_TOO: Final = frozenset(
    "in a at as am an do go to no so on or is et ha den ora ore let lat tag mes".split()  # noqa: SIM905
)
"""Symbols and names that are words of English and other languages: what follows them is no other word."""
_WORD_BEHIND: Final = re.compile(r"[ \u00a0](?!(?:of|von|van|av|af)\b)\w")
"""What makes a word of a symbol that is one too: `in 2019 ha sido`, but not `100 ha of forest`."""
_FEET_BEFORE: Final = re.compile(r"\b(?:ft|feet|foot)[ \u00a0]\d{1,2}(?:\.\d+)?[ \u00a0]\Z")
_STONE: Final = re.compile(r"st[ \u00a0](?=\d{1,2}[ \u00a0]?(?:lbs?|pounds?)\b)")
"""Stones are written so with the pounds behind them alone: `st` is a street, too."""
_SPACELESS: Final = re.compile(r"[\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]")
_LONGEST_SPACELESS: Final = 24
_POWERED_BY_DIGITS: Final = ("meter", "foot", "inch", "yard", "mile")
_MOST_TERMS: Final = 4


def find_unit(text: str, at: int) -> tuple[str, int]:
    """The unit that follows a number which ends at `at`, and where it ends; empty and `at` if none does."""
    gap = _GAP.match(text, at)
    unit, end = _read_term(text, gap.end()) if gap else ("", at)
    if not unit:
        return "", at
    if unit == TIMES and text[end - 1] in "xX\u00d7" and _DIMENSION.match(text, end):
        return "", at  # `10 x 12 cm`
    if unit == TIMES:
        return read_frequency(text, end)
    if unit in (SHARE, PER_MILLE):
        return unit, end
    if unit.isupper():
        return read_price(text, end, unit)
    for _ in range(_MOST_TERMS):
        per = _PER.match(text, end)
        if adverb := _ADVERB.match(text, end):
            return f"{unit}/{_ADVERBS[adverb['adverb']]}", adverb.end()
        if per is None:
            break
        term, after = _read_term(text, per.end(), per=per is not None and per["times"] is None)
        if (
            per["times"] is not None or per["dot"] is not None
        ):  # a product: `kg m-2`, `N·m`; behind a space only with a power below nothing
            if not term or (not (per["times"] or per["dot"]).strip() and "**-" not in term):
                break
            unit, end = f"{unit}*{term}", after
            continue
        if not term:
            word = _LETTERS.match(text, per.end())
            assert word is not None
            return f"{unit}/[{word[0].casefold()}]", word.end()
        unit, end = f"{unit}/({term})", after
    return unit, end


def read_frequency(text: str, at: int) -> tuple[str, int]:
    """The unit of what is so many times, which ends at `at`, and where it ends, as in `twice daily`."""
    adverb = _ADVERB.match(text, at)
    return (f"{TIMES}/{_ADVERBS[adverb['adverb']]}", adverb.end()) if adverb else (TIMES, at)


def read_price(text: str, at: int, currency: str) -> tuple[str, int]:
    """The unit of an amount of money that ends at `at`, with what it is paid for (`$5 per kg`), and its end."""
    per = _PER.match(text, at)
    if adverb := _ADVERB.match(text, at):
        return f"{currency}/{_ADVERBS[adverb['adverb']]}", adverb.end()
    if per is None or per["times"] is not None or per["dot"] is not None:
        return currency, at
    term, end = _read_term(text, per.end())
    return (f"{currency}/({term})", end) if term and term not in RATIO_UNITS and not term.isupper() else (currency, at)


def parse_currency(written: str) -> str:
    """The code of a currency that is written so; empty if it is none."""
    return _BY_CURRENCY.get(written.strip().lower(), "")


def _read_term(text: str, at: int, *, per: bool = False) -> tuple[str, int]:
    """One unit with its power; `per`: behind a stroke or its like, where a symbol that is a word too is a symbol."""
    unit, end = _read_name(text, at, per=per)
    if not unit or unit in (SHARE, PER_MILLE, TIMES) or unit.isupper():
        return unit, end
    power = _POWER.match(text, end)
    if power is None or (power["up"] in ("2", "3") and "^" not in power[0] and not unit.endswith(_POWERED_BY_DIGITS)):
        return unit, end
    said = f"-{power['down']}" if power["sign"] else power["up"]
    return f"{unit}**{said.translate(_RAISED)}", power.end()


def _read_name(text: str, at: int, *, per: bool = False) -> tuple[str, int]:
    found = _LETTERS.match(text, at)
    if found is None:
        return "", at
    word, end = found[0], found.end()
    if squared := _SQUARED.match(text, at):
        unit, after = _read_name(text, squared.end())
        return (f"{unit}**{2 if squared['power'] == 'sq' else 3}", after) if unit else ("", at)
    if _SPACELESS.match(word):
        return _read_spaceless(text, at)
    if (several := _WORDS.match(text, at)) and (
        word.casefold() in load_first_words() or word.casefold() in load_nations() or find_unit_by_name(word)
    ):
        words = several[0].replace("\u00a0", " ")
        while " " in words or "-" in words:
            named = _find_share(words) or load_currency_names().get(words.casefold(), "")
            if unit := named or find_unit_by_name(words) or find_unit_by_name(words.replace(" ", "-")):
                return unit, at + len(words)
            words = words[: max(words.rfind(" "), words.rfind("-"))]
    if (nation := _OF_NATION.get(word.casefold(), "")) and (
        money := re.compile(r"[ \u00a0]dollar\w?\w?").match(text, end)
    ):
        return nation, money.end()
    if word == "in" and _FEET_BEFORE.search(text, max(0, at - 12), at):
        return "inch", end
    if word in _WORDS_TOO and not per and _WORD_BEHIND.match(text, end):
        return "", at
    if _STONE.match(text, at):
        return "stone", end
    symbol = load_unit_symbols().get(word) or (load_unit_symbols().get(word.replace(" ", "").replace("º", "°")))
    unit = _find_share(word) or symbol or parse_currency(word) or find_unit_by_name(word)
    return (unit, end) if unit else ("", at)


def _read_spaceless(text: str, at: int) -> tuple[str, int]:
    """A name in a script that parts no words: the longest that is there."""
    for length in range(_LONGEST_SPACELESS, 0, -1):
        name = text[at : at + length]
        if len(name) == length and (unit := _find_share(name) or parse_currency(name) or find_unit_by_name(name)):
            return unit, at + length
    return "", at


def _find_share(word: str) -> str:
    return _SHARES.get(word) or _SHARES.get(word.casefold(), "")


_SMALLER: Final = {
    ("year", "month"): 12, ("week", "day"): 7, ("day", "hour"): 24, ("hour", "minute"): 60, ("minute", "second"): 60,
    ("foot", "inch"): 12, ("pound", "ounce"): 16, ("stone", "pound"): 14, ("kilogram", "gram"): 1000,
    ("meter", "centimeter"): 100,
}  # fmt: skip


def get_smaller_units(unit: str, smaller: str) -> int | None:
    """Get how many of the smaller unit make one of the other, where people write both (`1 h 30 min`); else None."""
    return _SMALLER.get((unit, smaller))


def same_amount(value: Decimal, unit: str, other_value: Decimal, other_unit: str) -> bool:
    """Whether both are the same amount of the same thing; never if their units cannot be compared."""
    if unit == other_unit:
        return value == other_value
    if (unit, other_unit) in ((POINTS, BASIS_POINTS), (BASIS_POINTS, POINTS)):
        return value * 100 == other_value if unit == POINTS else value == other_value * 100
    if {unit, other_unit} == {"pound", "GBP"}:  # `pounds` may be either
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
    return any(
        there is not None and abs(there - float(other_value)) <= 1e-6 * max(abs(there), abs(float(other_value)))
        for there in _convert_amount(value, unit, other_unit)
    )


def is_rounded_conversion(exact: Decimal, unit: str, shown: Decimal, shown_unit: str, places: int) -> bool:
    """Whether `shown`, with `places` decimals, is `exact` in another unit, rounded: 10 miles are 16.1 km.

    Of one digit nothing is taken for rounded: 5 mg are no 0 g.
    """
    if unit == shown_unit or len(shown.normalize().as_tuple().digits) < 2:
        return False
    half = 0.5 * 10.0**-places
    return any(abs(there - float(shown)) <= half * 1.000001 for there in _convert_amount(exact, unit, shown_unit))


def can_convert(unit: str, other: str) -> bool:
    """Whether amounts of one unit are also amounts of another, as kg and lb are."""
    return unit == other or bool(_convert_amount(Decimal(1), unit, other))


@lru_cache(maxsize=10_000)
def _convert_amount(value: Decimal, unit: str, other: str) -> tuple[float, ...]:
    """`value` in the other unit, as a temperature also as a difference; empty if the two cannot be compared."""
    import pint  # and numpy with it, for the few texts whose units differ

    units = _load_unit_registry()
    converted: list[float] = []
    for one, two in {(unit, other), (_as_difference(unit), _as_difference(other))}:
        try:
            converted.append(float(units.Quantity(float(value), one).to(two).magnitude))
        except (pint.PintError, OverflowError, ValueError, TypeError, AttributeError, ZeroDivisionError, KeyError):
            continue
        except Exception as error:  # its parser raises what Python's own tokenizer does
            if "oken" not in type(error).__name__:
                raise
    return tuple(converted)


def _as_difference(unit: str) -> str:
    return f"delta_{unit}" if unit in ("degC", "degF") else unit


_DEFINED: Final = """
sievert_dose = [equivalent_dose]; gray_dose = [absorbed_dose]; becquerel_activity = [activity]
curie_activity = 3.7e10 becquerel_activity; international_unit = [international_unit]
enzyme_activity_unit = [enzyme_activity_unit]; ppb = 1e-9; ppt = 1e-12; beat = [beat]; decibel_level = [level]
decibel_level_a = [level_a]; colony_forming_unit = [colonies]; plaque_forming_unit = [plaques]; osmole = [osmole]
charge_equivalent = [charge_equivalent]; newton_meter_torque = [torque]; angular_degree = [angle_in_degrees]
calendar_decade = 10 year; kilowatt_peak = [peak_power]; megawatt_peak = 1000 kilowatt_peak; quintal_mass = 100 kilogram
liter_per_100_km = [consumption]; molal = mole / kilogram; centimeter_water = 98.0665 pascal
"""
"""Units that pint lacks or takes for something else: to it sievert and gray are one, and becquerel counts."""


@cache
def _load_unit_registry() -> "pint.UnitRegistry[float]":
    import pint

    registry: pint.UnitRegistry[float] = pint.UnitRegistry(cache_folder=None)
    for line in filter(None, (part.strip() for part in _DEFINED.replace("\n", ";").split(";"))):
        registry.define(line)
    return registry
