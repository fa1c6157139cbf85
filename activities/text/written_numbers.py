"""Numbers of a text as a reader sees them: each with all values that it may have, and how exact it is shown.

`1,204` is a thousand in English and little more than one in German: both are kept. `3.5 million` is shown to the
hundred thousand. A word with digits in it, as `SKU-12`, is a name and no number; it is found all the same, because who
changes a digit of it names something else. Nothing with a digit in it is passed over.

Babel and other libraries read one whole string as the number of one language; none finds the numbers of a text whose
language may be another, with all that they may mean.
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from functools import cache
from typing import Final

from elcano.activities.text.languages import possible_languages
from elcano.activities.text.number_words import (
    UNSURE_SCALES,
    is_ambiguous,
    is_hundred,
    is_long_scale_word,
    number_word,
    parse_half_word,
    parse_multiple_word,
    parse_scale_word,
)
from elcano.activities.text.units import (
    PER_MILLE,
    POINTS,
    SHARE,
    TIMES,
    find_unit,
    get_smaller_units,
    parse_currency,
)
from elcano.activities.text.written_dates import Moment, WrittenMoment, find_moments

_RATIO_UNITS: Final = (SHARE, PER_MILLE, POINTS, TIMES)
_MOST_DIGITS: Final = 60
_POWERS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻\u2212", "0123456789--")
_FRACTIONS: Final = "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SPACES: Final = " \u00a0\u202f\u2009'\u2019\u066c"
_POINT: Final = ".,\u00b7\u066b"
"""What may stand before decimals: also the raised point of British journals and the sign of Arabic."""
_MINUS: Final = r"\-\u2010-\u2013\u2212\ufe63\uff0d"
_CURRENCY_SIGNS: Final = ("€", "$", "£", "¥", "₹", "₩", "₽", "₺", "฿")
_CURRENCY: Final = (
    r"(?:(?:US|CAN|CA|AU|NZ|HK|SG|NT|MX|[CASR])?\$|[€£¥₹₩₽₺฿]|Rs\.?(?=[ \u00a0\d])"
    r"|(?:USD|EUR|GBP|CHF|JPY|CNY|INR|AUD|CAD|BRL|SEK|NOK|DKK|KRW)(?=[ \u00a0]))"
)
_GROUPED: Final = rf"\d{{1,3}}(?:[{_SPACES}]\d{{3}})+(?:[{_POINT}]\d+)?(?!\d)|"


def _compile_number(grouped: str) -> re.Pattern[str]:
    return re.compile(
        rf"(?P<currency>(?<![^\W\d_]){_CURRENCY}[ \u00a0]?)?"
        rf"(?P<sign>[+{_MINUS}](?:(?<=\u2212)[ \u00a0])?)?"
        rf"(?P<money>(?<=[+{_MINUS}]){_CURRENCY}[ \u00a0]?)?"
        rf"(?P<digits>{grouped}\d+(?:[{_POINT}]\d+)*|(?<![\d{_POINT}])[{_POINT}]\d+|(?=[{_FRACTIONS}]))"
        r"(?:[ \u00a0]?[x\u00d7*·⋅][ \u00a0]?10[ \u00a0]?"
        r"(?:\^[ \u00a0]?\(?(?P<power>[-\u2212]?\d{1,3})\)?|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,3}))"
        r"|[eE](?P<exponent>[-+]?\d{1,3})(?!\w)"
        r"|(?:(?<=^10)|(?<=[^\d.,]10))(?P<ten>\^[({]?(?P<typed>[-\u2212]?\d{1,3})[)}]?|(?P<set>⁻?[⁰¹²³⁴-⁹]{1,3})))?"
        rf"(?P<half>[{_FRACTIONS}])?"
    )


_NUMBER: Final = _compile_number(_GROUPED)
_UNGROUPED: Final = _compile_number("")
_ROW_BEFORE: Final = re.compile(r"\d[ \u00a0][<>\u2264\u2265]?$")
_ROW_AFTER: Final = re.compile(r"[ \u00a0][<>\u2264\u2265]?\d")
_SCALES: Final = re.compile(
    r"[-\s]{0,2}([\u4e07\u842c\u4ebf\u5104\u5343\u5146\ub9cc\uc5b5\uc870\ucc9c]|[\u0e00-\u0e4e]{3,12}|[^\W\d_]{1,11}\b)\.?"
)
_NONE: Final = r"none|no[ \u00a0]\w{1,20}|keine[rsmn]?|aucune?|ninguno|ninguna|nessun[oa]?|nenhuma?|geen"
_NONE_OF: Final = re.compile(
    rf"\b(?:{_NONE})[ \u00a0](?:of|out[ \u00a0]of|von|der|des|sur|de|di|van)[ \u00a0](?:the[ \u00a0])?(?=\d)",
    re.IGNORECASE,
)
_AND_HALF: Final = re.compile(r"[ \u00a0]and[ \u00a0]a[ \u00a0]half\b", re.IGNORECASE)
_WORD_AFTER: Final = re.compile(r"[ \u00a0-]{1,2}(?:(?:and|und|et|y|e|en)[ \u00a0])?([^\W\d_]{3,})(?![\w-])")
_ONE: Final = frozenset(["one", "a", "an", "ein", "eine", "einer", "un", "une", "una", "um", "uma", "een"])
_BETWEEN_PARTS: Final = re.compile(r"[ \u00a0]?(?:,[ \u00a0]|and[ \u00a0]|und[ \u00a0]|et[ \u00a0])?")
_BEHIND_SCALE: Final = re.compile(r"\.(?=\s)|\s(?:de|di)(?=\s)|\sd['\u2019]")
"""What stands between a scale and its unit: `5 Mio. Euro`, `5 millones de euros`."""
_POINTS: Final = re.compile(
    r"\s{0,2}(?:%|percent(?:age)?|prozent)?[-\s]{0,2}(?:points?\s+de\s+pourcentage|puntos\s+porcentuales"
    r"|points?\b|punkte\w?\b|pp\b)",
    re.IGNORECASE,
)
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th|er|ère|re|e|ème|º|ª|°|\.º|\.ª)(?![\w])")
_DECADE: Final = re.compile(r"(?<=\d0)(?:s|er)\b")
_NAME_BEFORE: Final = re.compile(r"(?:[^\W\d]|[^\W\d][-\u2010\u2011/.])[\w./\u2010\u2011-]*$")
_NO_NAME_BEFORE: Final = re.compile(r"(?:^|[^\w])(?:mid|pre|post|non|age|aged)[-\u2010\u2011]$", re.IGNORECASE)
_NAME_AFTER: Final = re.compile(r"[\w]*(?:[-\u2010\u2011/.][\w]+)*")
_LIST_MARK: Final = re.compile(r"^[ \t]*\d{1,9}[.)](?=\s)", re.MULTILINE)
_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?:-[^\W\d_]{2,})*(?![\w-])")


@dataclass(frozen=True)
class NumberReading:
    """One value that a number may have, and the place of its last digit: it is meant to within half of `step`."""

    value: Decimal
    step: Decimal


@dataclass(frozen=True)
class Number:
    """One number of a text, or a date, or a name with digits."""

    text: str
    start: int
    end: int
    readings: tuple[NumberReading, ...] = ()
    unit: str = ""
    """The unit as `unit_of` names it; empty: no known unit."""
    unit_end: int = 0
    """Where its unit ends; `end` counts only those of `ratio_unit`."""
    signed: bool = False
    ordinal: bool = False
    spelled: bool = False
    """In words."""
    moment: WrittenMoment | None = None
    name: str = ""
    """Of digits within a name: all of it. It has no value then."""

    @property
    def ratio_unit(self) -> str:
        """`%`, `‰`, percentage points, times, or empty: other units do not change a value."""
        return self.unit if self.unit in _RATIO_UNITS else ""

    @property
    def moments(self) -> tuple[Moment, ...]:
        """All that a date may mean."""
        return self.moment.readings if self.moment else ()

    @property
    def values(self) -> frozenset[Decimal]:
        """All that it may be read as."""
        return frozenset(reading.value.normalize() for reading in self.readings)


def find_numbers(text: str, language: str = "", *, ambiguous: bool = False) -> list[Number]:
    """The numbers of `text` in order.

    Args:
        text: on one line or several; numbers of a list's items are none.
        language: ISO 639-1; words that are numbers in it count also if they are other words elsewhere.
        ambiguous: words that are numbers in any language count.
    """
    folded = _fold_digits(text)
    taken = bytearray(len(folded))
    for mark in _LIST_MARK.finditer(folded):
        _mark_taken(taken, *mark.span())
    found: list[Number] = []
    for one in find_moments(folded):
        if not any(taken[one.start : one.end]):
            found.append(Number(text[one.start : one.end], one.start, one.end, unit_end=one.end, moment=one))
            _mark_taken(taken, one.start, one.end)
    for number in _find_written_numbers(text, folded, taken):
        found.append(number)
        _mark_taken(taken, number.start, number.end)
    spelled = _find_spelled_numbers(text, folded, None if ambiguous else language)
    found += [one for one in spelled if not any(taken[one.start : one.end])]
    return list(_combine_parts(text, sorted(found, key=lambda one: one.start)))


def _combine_parts(text: str, numbers: Iterable[Number]) -> Iterator[Number]:
    """The numbers, those as one that are one amount in two units, as in `1 h 30 min`."""
    waiting: Number | None = None
    for one in numbers:
        if waiting is not None and (both := _combine_amounts(text, waiting, one)) is not None:
            waiting = both
            continue
        if waiting is not None:
            yield waiting
        waiting = one
    if waiting is not None:
        yield waiting


def _combine_amounts(text: str, one: Number, following: Number) -> Number | None:
    factor = get_smaller_units(one.unit, following.unit) if one.unit and following.unit else None
    if factor is None or len(one.readings) != 1 or len(following.readings) != 1:
        return None
    if not _BETWEEN_PARTS.fullmatch(text, one.unit_end, following.start) or one.ordinal or following.signed:
        return None
    more = following.readings[0]
    if not 0 <= more.value < factor:
        return None
    value = one.readings[0].value * factor + more.value
    return replace(
        following,
        text=text[one.start : following.end],
        start=one.start,
        readings=(NumberReading(value, more.step),),
        signed=one.signed,
    )


def _fold_digits(text: str) -> str:
    """`text` with digits of every script as ours, each character in its place."""
    return "".join(str(unicodedata.decimal(one)) if one.isdecimal() else one for one in text)


def _mark_taken(taken: bytearray, start: int, end: int) -> None:
    taken[start:end] = b"\x01" * (end - start)


def _find_written_numbers(text: str, folded: str, taken: bytearray) -> Iterator[Number]:
    at = 0
    while (match := _search_number(folded, at)) is not None:
        start, end = match.span("digits")
        at = max(match.end(), at + 1)
        if any(taken[start:end]):
            while at < len(taken) and taken[at]:
                at += 1
            continue
        name = _find_name_span(folded, start, match.end())
        if name is not None:
            at = max(name[1], at)
            yield Number(text[name[0] : name[1]], *name, unit_end=name[1], name=text[name[0] : name[1]])
            continue
        one = _parse_amount(text, folded, match)
        at = max(at, one.end)
        yield one


def _search_number(text: str, at: int) -> re.Match[str] | None:
    """The next number from `at` on; in a row of numbers, as a table has them, spaces part them."""
    match = _NUMBER.search(text, at)
    if match is None or not re.search(r"\d[ \u00a0]\d", match["digits"]):
        return match
    start = match.start("digits")
    in_row = _ROW_BEFORE.search(text, max(0, start - 3), start) or _ROW_AFTER.match(text, match.end())
    return _UNGROUPED.match(text, match.start()) if in_row else match


def _find_name_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Where the name begins and ends that the digits from `start` to `end` are a part of; None: they are a number."""
    before = _NAME_BEFORE.search(text[max(0, start - 60) : start])
    if before is None or _NO_NAME_BEFORE.search(text[max(0, start - 6) : start]) or _is_ideograph(text[start - 1]):
        if end >= len(text) or not text[end].isalpha() or _is_ideograph(text[end]) or _means_something(text, end):
            return None
        begin = start
    else:
        begin = start - len(before[0])
    after = _NAME_AFTER.match(text, end)
    return begin, after.end() if after else end


def _is_ideograph(sign: str) -> bool:
    """Whether it is of a script that is written without spaces, so that digits beside it are no part of its word."""
    return ord(sign) >= 0x3000


def _means_something(text: str, end: int) -> bool:
    """Whether the letters that stand directly behind digits are a scale, a unit, an ordinal's or a decade's."""
    word = re.match(r"[^\W\d_]+", text[end:])
    if word is None:
        return False
    said = word[0]
    after = text[end + len(said) : end + len(said) + 1]
    if after.isdigit():
        return False
    return (
        bool(parse_scale_word(said) or _parse_unit(text, end)[0])
        or bool(_ORDINAL.match(text, end))
        or bool(_DECADE.match(text, end))
    )


def _parse_amount(text: str, folded: str, match: re.Match[str]) -> Number:
    end = match.end()
    power = match["power"] or match["raised"] or match["exponent"] or match["typed"] or match["set"]
    exponent = int(power.translate(_POWERS)) - bool(match["ten"]) if power else 0
    exponents = {exponent}
    currency = (match["currency"] or match["money"] or "").strip(" \u00a0.")
    decade = _DECADE.match(folded, end)
    ordinal = None if decade else _ORDINAL.match(folded, end)
    closing = decade or ordinal
    if closing:
        end = closing.end()
    else:
        exponents, end = _read_scale_words(folded, end, exponent, money=bool(currency))
    # What may be `m` for a million may be metres too.
    unit, unit_end = _parse_unit(folded, end if len(exponents) == 1 else match.end()) if not closing else ("", end)
    if not unit and end > match.end() and (behind := _BEHIND_SCALE.match(folded, end)):
        said, said_end = _parse_unit(folded, behind.end())
        if behind[0] == "." or said.isupper():  # a currency: `5 millones de metros` may go on with `cuadrados`
            unit, unit_end = said, said_end if said else end
    if unit in _RATIO_UNITS or folded[end:unit_end].strip() in _CURRENCY_SIGNS:
        end = unit_end
    if money := parse_currency(currency):  # what follows `$5 million` is no unit: `in 2019` no inches
        unit, unit_end = money, end
    sign = match["sign"].strip() if match["sign"] and not _is_joining_dash(folded, match.start("sign")) else ""
    start = match.start() if match["currency"] or sign else match.start("digits")
    more = _read_fraction(match["half"])
    readings = {
        NumberReading(-value if sign and sign != "+" and value else value, step)
        for whole, places in _iter_digit_readings(match["digits"] or "0")
        for power_of_ten in exponents
        for value, step in [_compute_value_and_step(whole, places, power_of_ten, more)]
    }
    ordered = tuple(sorted(readings, key=lambda one: (one.value, one.step)))
    return Number(
        text[start:end].strip(), start, end, ordered, unit, max(end, unit_end), bool(sign), ordinal is not None
    )


def _is_joining_dash(text: str, at: int) -> bool:
    """Whether a dash at `at` stands between two things, as in `10-20`, and is no sign."""
    return at > 0 and (text[at - 1].isalnum() or text[at - 1] in ")]%")


def _compute_value_and_step(whole: str, places: int, power: int, more: Decimal) -> tuple[Decimal, Decimal]:
    power = max(-400, min(400, power))
    step = Decimal(1).scaleb(power - places)
    if more:  # a half is exact to a hundredth
        return (Decimal(whole) + more).scaleb(power), Decimal(1).scaleb(power - 2)
    return Decimal(whole).scaleb(power), step


def _read_fraction(sign: str | None) -> Decimal:
    return round(Decimal(unicodedata.numeric(sign)), 4).normalize() if sign else Decimal(0)


def _iter_digit_readings(digits: str) -> Iterator[tuple[str, int]]:
    """All that these digits, points and commas may stand for, with the digits behind the point."""
    plain = re.sub(f"[{_SPACES}]", "", digits)[:_MOST_DIGITS]
    if plain.count("\u00b7") + plain.count("\u066b") == 1 and not re.search(r"[\u00b7\u066b]\d*[.,]", plain):
        whole, _, rest = re.sub("[.,]", "", plain).replace("\u066b", "\u00b7").partition("\u00b7")
        yield f"{whole or '0'}.{rest}", len(rest)
        return
    plain = plain.replace("\u00b7", ".").replace("\u066b", ".")
    points, commas = plain.count("."), plain.count(",")
    if points + commas == 0:
        yield plain, 0
        return
    last = max(plain.rfind("."), plain.rfind(","))
    whole, rest = re.sub("[.,]", "", plain[:last]) or "0", plain[last + 1 :]
    groups = re.split("[.,]", plain)
    one_kind = not (points and commas)
    by_three = len(groups[-1]) == 3 and all(len(group) in (2, 3) for group in groups[1:]) and len(groups[0]) <= 3
    if one_kind and by_three and groups[0] not in ("", "0"):
        yield "".join(groups), 0
    if not one_kind or points + commas == 1:
        yield f"{whole}.{rest}", len(rest)
    elif not by_three:  # a version, or a list without spaces: one thing, which no cell is by chance
        yield "".join(f"{ord(sign):03}" if sign in ".," else sign for sign in plain), 0


def _read_scale_words(text: str, end: int, exponent: int, *, money: bool) -> tuple[set[int], int]:
    """The powers of ten that words behind a number make of it, and where they end."""
    powers = {exponent}
    for _ in range(2):  # `mil millones`
        word = _SCALES.match(text, end)
        found = _parse_scale(text, word[1]) if word else 0
        if word is None or not found or (_is_ideograph(word[1][0]) and find_unit(text, end)[1] > word.end(1)):
            break
        attached = word.start(1) == end
        if word[1] in ("m", "M", "k", "K") and not attached and not money:
            break  # metres, or a name
        unsure = word[1].lower() in UNSURE_SCALES and not money
        powers = {power + found for power in powers} | (powers if unsure else set())
        end = word.end(1)
    return powers, end


def _parse_scale(text: str, word: str) -> int:
    if not is_long_scale_word(word):
        return parse_scale_word(word)
    return parse_scale_word(word, possible_languages(text))


def _parse_unit(text: str, end: int) -> tuple[str, int]:
    """The unit that follows a number, and where it ends."""
    if points := _POINTS.match(text, end):
        return POINTS, points.end()
    return find_unit(text, end)


def _find_spelled_numbers(text: str, folded: str, language: str | None) -> Iterator[Number]:
    """Numbers in words; None: those of every language."""
    for none in _NONE_OF.finditer(folded):
        reading = NumberReading(Decimal(0), Decimal(1))
        end = none.start() + len(none[0].split()[0])
        yield Number(text[none.start() : end], none.start(), end, (reading,), unit_end=end, spelled=True)
    at = 0
    while (match := _WORD.search(folded, at)) is not None:
        word, start, end = match[0].lower(), *match.span()
        at = end
        times = parse_multiple_word(word)
        if times is not None:
            readings: tuple[NumberReading, ...] = (NumberReading(Decimal(times), Decimal(1)),)
            yield Number(text[start:end], start, end, readings, TIMES, end, spelled=True)
            continue
        value, start, end = _read_number_words(folded, word, start, end, language)
        if value is None:
            continue
        powers, after = _read_scale_words(folded, end, 0, money=False)
        end = after if powers != {0} else end
        unit, unit_end = _parse_unit(folded, end)
        end = unit_end if unit in _RATIO_UNITS else end
        at = max(at, end)
        readings = tuple(
            NumberReading(value.scaleb(power), Decimal(1).scaleb(power + min(0, int(value.as_tuple().exponent))))
            for power in sorted(powers)
        )
        yield Number(text[start:end].strip(), start, end, readings, unit, max(end, unit_end), spelled=True)


def _read_number_words(
    text: str, word: str, start: int, end: int, language: str | None
) -> tuple[Decimal | None, int, int]:
    """The value of the number in words that begins at `start`, before words such as `million`; None: it is none."""
    if (half := parse_half_word(word)) is not None:
        return half, start, end
    value = number_word(word)
    if value is None:
        before = re.search(r"(?<!\w)([^\W\d_]{1,5})[ \u00a0]$", text[max(0, start - 7) : start])
        if before and before[1].lower() in _ONE and parse_scale_word(word) > 2 and word not in UNSURE_SCALES:
            begin = start - len(before[0])
            return Decimal(1), begin, begin + len(before[1])
        return None, start, end
    if word == "cent" and text[:start].endswith(("per ", "pour ", "por ")):
        return None, start, end
    if language is not None and is_ambiguous(word) and _load_number_words(language).get(word) != value:
        return None, start, end
    while (after := _WORD_AFTER.match(text, end)) is not None:
        following = after[1].lower()
        more = number_word(following)
        if is_hundred(following) and value < 100 and after.start(1) - end == 1:
            value *= 100
        elif more is not None and more < 100 <= value and value % 100 == 0:
            value += more
        else:
            break
        end = after.end(1)
    if half_more := _AND_HALF.match(text, end):
        return value + Decimal("0.5"), start, half_more.end()
    return Decimal(value), start, end


@cache
def _load_number_words(language: str) -> dict[str, int]:
    """Number words of one language, from 2 to 20; empty of one that is not known."""
    if language not in ("en", "de", "fr", "es", "it", "pt", "nl"):
        return {}
    from num2words import num2words

    return {num2words(number, lang=language): number for number in range(2, 21)}
