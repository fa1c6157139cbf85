"""Amounts in parts, `half an hour`, `1 1/2 cups`, `une heure et demie`, or of several: `1 h 30 min`, `1億2000万`."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from typing import Final

from elcano.text.amounts import Number, NumberReading, build_spelled, parse_unit, read_scale_words
from elcano.text.number_words import parse_factor, parse_scale_word
from elcano.text.unit_comparison import get_smaller_units
from elcano.text.units import TIMES

_HALF: Final = (
    r"half(?:[ \u00a0](?:of[ \u00a0])?an?)?|an?[ \u00a0]half(?:[ \u00a0]an?)?|(?:eine[rnms]?[ \u00a0])?halbe[rnms]?"
    r"|(?:une?[ \u00a0])?demie?|(?:un[ao]?[ \u00a0])?me(?:di|zz)[oa]|(?:uma?[ \u00a0])?mei[oa]"
    r"|(?:een[ \u00a0])?hal(?:f|ve)"
)
_QUARTERS: Final = (
    r"(?P<quarters>(?:(?:(?P<three>three|drei|trois|tr[eêé]s?|drie)|an?|eine?|une?|un[ao]|uma?|een)[ \u00a0-]?)?"
    r"(?:quarters?|viertel|quarts?|cuartos?|quart[oi]|kwart)(?:[ \u00a0](?:of(?:[ \u00a0]an?)?|de|di))?)"
)
_PART: Final = re.compile(
    rf"(?<![\w/-])(?<!\band )(?<!\bund )(?<!\ben )(?<!\band a )(?<!\bund eine )(?<!\ben een )"
    rf"(?:(?:{_QUARTERS}|{_HALF})(?:[ \u00a0-](?:d['\u2019])?|(?=stunde))|mezz['\u2019])",
    re.IGNORECASE,
)
"""A part of what follows: it counts only before a unit or a word such as `million` or `dozen`."""
_IDEOGRAPHIC: Final = re.compile(
    r"(?<![\d个個大上下前后後多])(?<![年月日時时間间点斤])半(?=[^\W\d_])|반(?=[ \u00a0]?시간)|ครึ่ง(?=ชั่วโมง)"
)
_FRACTION: Final = re.compile(
    r"(?<![\w/.,])(?:(?P<whole>\d{1,3})[ \u00a0-])?(?P<over>\d{1,2})[/\u2044](?P<under>[2-9]|1[026]|32|64)"
    r"(?![\d/]|[.,\u2044]\d)"
)
_FEET: Final = re.compile(
    r"(?<![\w.,])(?P<feet>\d{1,2})['\u2019\u2032][ \u00a0]?(?P<inches>\d|1[01])(?:\"|\u201d|\u2033|'')"
)
_LAP: Final = re.compile(r"(?<![\w.,:])(?P<minutes>\d{1,2}):(?P<seconds>[0-5]\d[.,]\d{1,3})(?![\d:])")
_HALF_MORE: Final = (
    r"(?:[ \u00a0](?:and[ \u00a0](?:a|one)[ \u00a0]half|und[ \u00a0]eine?[ \u00a0]halbe"
    r"|en[ \u00a0]een[ \u00a0]hal(?:f|ve)"
    r"|et[ \u00a0]demie?|(?:y[ \u00a0]med|e[ \u00a0]me)(?:i|zz)[oa])(?!\w)"
    r"|[ \u00a0]buçuk(?!\w)|[ \u00a0]?[个個]?(?:半(?![導导径徑数數角球島岛])|반(?!\w)|ครึ่ง))"
)
_MORE: Final = re.compile(_HALF_MORE, re.IGNORECASE)
"""The half that follows an amount or its unit: `two and a half`, `2 ans et demi`, `1時間半`."""
_ONE_AND_HALF: Final = re.compile(
    rf"(?:(?<!\w)(?:an?|one|eine?|une?|un[ao]|uma?|een|bir)(?P<thing>[ \u00a0][^\W\d_]{{2,15}})?"
    rf"|一|한){_HALF_MORE}",
    re.IGNORECASE,
)

_LATIN: Final = {"b": 2, "t": 3, "q": 4}
_PRESCRIBED: Final = re.compile(
    r"(?<![\w.])(?:(?P<times>[btq]\.[ \u00a0]?i\.[ \u00a0]?d\.?|(?<=[gLlUs][ \u00a0])[btq]id|[BTQ]ID)"
    r"|[qQ][ \u00a0]?(?P<hours>\d{1,2})[ \u00a0]?h)(?!\w)"
)
"""How often a medicine is taken: `b.i.d.`, `q8h`."""


def find_part_amounts(text: str, folded: str) -> Iterator[Number]:
    """Parts of a unit, a scale word or a dozen, and doses."""
    for dose in _PRESCRIBED.finditer(folded):
        many = int(dose["hours"] or _LATIN[dose["times"][0].lower()])
        yield build_spelled(text, *dose.span(), many, "hour" if dose["hours"] else f"{TIMES}/day")
    for found in _ONE_AND_HALF.finditer(folded):  # `an hour and a half`, `one and a half litres`
        if not found["thing"]:
            unit, end = parse_unit(folded, found.end())
        elif (unit := parse_unit(folded, found.start("thing"))[0]) and unit != "%":
            end = found.end()
        else:
            continue
        yield build_spelled(text, *found.span(), Decimal("1.5"), unit, end, step="0.1")
    for found in (*_PART.finditer(folded), *_IDEOGRAPHIC.finditer(folded)):
        quarters = found.groupdict().get("quarters")
        share = Fraction(3 if found["three"] else 1, 4) if quarters else Fraction(1, 2)
        yield from _build_part(text, folded, found.start(), found.end(), share)
    for found in _FEET.finditer(folded):
        reading = NumberReading(Decimal(found["feet"]) * 12 + Decimal(found["inches"]), Decimal(1))
        yield Number(found[0], *found.span(), (reading,), "inch", found.end())
    for found in _LAP.finditer(folded):
        seconds = Decimal(found["seconds"].replace(",", "."))
        reading = NumberReading(
            int(found["minutes"]) * 60 + seconds, Decimal(1).scaleb(int(seconds.as_tuple().exponent))
        )
        yield Number(found[0], *found.span(), (reading,), "second", found.end())
    for found in _FRACTION.finditer(folded):
        share = Fraction(int(found["over"]), int(found["under"]))
        if share < 1:
            end = found.end() + (folded[found.end() : found.end() + 1] in (" ", "\u00a0", "-"))
            yield from _build_part(text, folded, found.start(), end, int(found["whole"] or 0) + share, spelled=False)


def _build_part(
    text: str, folded: str, start: int, end: int, share: Fraction, *, spelled: bool = True
) -> Iterator[Number]:
    value = round(Decimal(share.numerator) / Decimal(share.denominator), 4).normalize()
    step = Decimal(1).scaleb(int(value.as_tuple().exponent))
    word = re.match(r"[^\W\d_]{3,12}(?!\w)", folded[end : end + 14])
    said = word[0].lower() if word else ""
    times = parse_factor(said) if parse_factor(said) == 12 else 0
    power = parse_scale_word(said)
    if word and (times or power > 2):
        end += len(word[0])
        readings = (NumberReading((value * times if times else value).scaleb(power), step.scaleb(power)),)
        unit, unit_end = parse_unit(folded, end)
    else:
        readings = (NumberReading(value, step),)
        unit, unit_end = parse_unit(folded, end - (folded[end - 1] in " \u00a0-"))
        if not unit or unit.startswith(("%", "times")):
            return
    yield Number(text[start:end].strip(), start, end, readings, unit, max(end, unit_end), spelled=spelled)


def add_halves(text: str, numbers: list[Number]) -> list[Number]:
    """The numbers, those with a half behind them or their unit with it."""
    for at, one in enumerate(numbers):
        more = _MORE.match(text, max(one.end, one.unit_end)) if one.readings and not one.ordinal else None
        if more is None or any(reading.step != 1 for reading in one.readings):
            continue
        powers, end = ({0}, more.end()) if one.unit else read_scale_words(text, more.end(), 0, money=False)
        half = tuple(
            NumberReading((reading.value + Decimal("0.5")).scaleb(power), Decimal("0.1").scaleb(power))
            for reading in one.readings
            for power in sorted(powers)
        )
        unit, unit_end = (one.unit, end) if one.unit else parse_unit(text, end)
        written = text[one.start : end].strip()
        numbers[at] = replace(one, text=written, end=end, readings=half, unit=unit, unit_end=max(end, unit_end))
    return numbers


_BETWEEN_PARTS: Final = re.compile(r"[ \u00a0]?(?:,[ \u00a0]|and[ \u00a0]|und[ \u00a0]|et[ \u00a0])?")
_SPELLED_ON: Final = re.compile(r"[ \u00a0](?:(?:and|e|y|et|und|en)[ \u00a0])?(?:(?:one|an?)[ \u00a0])?")
"""What stands within `two thousand three hundred`."""
_PARTED_MYRIADS: Final = re.compile(r"[兆조亿億억万萬만][ \u00a0]?")
"""The signs that end the first part of a number by ten thousands: `1億2000万`."""


def combine_parts(text: str, numbers: Iterable[Number]) -> list[Number]:
    """The numbers, those as one that are one amount in two parts, as in `1 h 30 min`."""
    found: list[Number] = []
    for one in numbers:
        if found and (both := _combine_amounts(text, found[-1], one)):
            found[-1] = both
        else:
            found.append(one)
    return found


def _combine_amounts(text: str, one: Number, following: Number) -> Number | None:
    if not (one.readings and following.readings):
        return None
    larger, more = one.readings[0], following.readings[0]
    added = not one.unit and more.value < larger.step
    factor = None
    if added and one.spelled and following.spelled and _SPELLED_ON.fullmatch(text, one.end, following.start):
        factor = 1 if larger.step >= 1000 else None
    elif following.signed or len(one.readings) + len(following.readings) > 2:
        return None
    elif added and larger.step <= larger.value and _PARTED_MYRIADS.fullmatch(text, one.end - 1, following.start):
        factor = 1
    elif not one.ordinal and _BETWEEN_PARTS.fullmatch(text, one.unit_end, following.start):
        factor = get_smaller_units(one.unit, following.unit)
        factor = factor if factor and 0 <= more.value < factor else None
    if factor is None:
        return None
    reading = NumberReading(larger.value * factor + more.value, more.step)
    written = text[one.start : following.end]
    return replace(following, text=written, start=one.start, readings=(reading,), signed=one.signed)
