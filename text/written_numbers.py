"""Numbers of a text as a reader sees them: each with all values that it may have, and how exact it is shown.

`1,204` is a thousand in English and little more than one in German: both are kept. `3.5 million` is shown to the
hundred thousand. A word with digits in it, as `SKU-12`, is a name and no number; it is found all the same, because who
changes a digit of it names something else. Nothing with a digit in it is passed over.

Babel and other libraries read one whole string as the number of one language; none finds the numbers of a text whose
language may be another, with all that they may mean.
"""

import re
import unicodedata
from collections.abc import Iterator
from decimal import Decimal
from typing import Final

from elcano.text.amounts import Number, NumberReading, is_ideograph, parse_unit, read_scale_words, share_units
from elcano.text.currencies import parse_currency
from elcano.text.languages import possible_languages
from elcano.text.number_words import find_decimal_sign, parse_scale_word
from elcano.text.part_amounts import add_halves, combine_parts, find_part_amounts
from elcano.text.spelled_numbers import find_spelled_numbers
from elcano.text.units import RATIO_UNITS, read_rate
from elcano.text.written_dates import find_moments

_MOST_DIGITS: Final = 60
_POWERS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁻\u2212", "0123456789--")
_FRACTIONS: Final = "½¼¾⅓⅔⅕⅖⅗⅘⅙⅚⅛⅜⅝⅞"
_SPACES: Final = " \u00a0\u202f\u2009'\u2019\u066c"
_POINT: Final = ".,\u00b7\u066b"
"""Characters before decimals: also the raised point of British journals and the sign of Arabic."""
_DASHES: Final = ("-", "\u2010", "\u2011", "\u2012", "\u2013")
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
        rf"(?P<sign>[+{_MINUS}](?:(?:(?<=\u2212)|(?<==[ \u00a0][-\u2013])|(?<=[=(][-\u2013]))[ \u00a0])?)?"
        rf"(?P<money>(?<=[+{_MINUS}]){_CURRENCY}[ \u00a0]?)?"
        rf"(?P<digits>{grouped}\d+(?:[{_POINT}]\d+)*|(?<![\w{_POINT}])[{_POINT}]\d+|(?=[{_FRACTIONS}]))"
        r"(?:[ \u00a0]?[x\u00d7*·⋅][ \u00a0]?10[ \u00a0]?"
        r"(?:\^[ \u00a0]?\(?(?P<power>[-\u2212]?\d{1,3})\)?|(?P<raised>⁻?[⁰¹²³⁴-⁹]{1,3})"
        r"|(?<=10)(?:\((?P<flat>[-\u2212]?\d{1,2})\)|(?P<run>[-\u2212]\d{1,2})(?![\d.,]\d)))"
        r"|[eE](?P<exponent>[-+]?\d{1,3})(?!\w)"
        r"|(?:(?<=^10)|(?<=[^\d.,]10))(?P<ten>\^[({]?(?P<typed>[-\u2212]?\d{1,3})[)}]?|(?P<set>⁻?[⁰¹²³⁴-⁹]{1,3})"
        r"|\((?P<bare>[-\u2212]?\d{1,2})\)(?![\w%])))?"
        rf"(?P<half>[{_FRACTIONS}])?"
    )


_EXPONENTS: Final = ("power", "raised", "flat", "run", "exponent", "typed", "set", "bare")
"""Groups that hold a power of ten; `flat`, `run` and `bare` are how plain text flattens it: `2 x 10(9)`, `5x10-8`."""
_NUMBER: Final = _compile_number(_GROUPED)
_UNGROUPED: Final = _compile_number("")
_ROW_BEFORE: Final = re.compile(r"\d[ \u00a0][<>\u2264\u2265]?$")
_ROW_AFTER: Final = re.compile(r"[ \u00a0][<>\u2264\u2265]?\d")
_ERROR_SIGN: Final = re.compile(r"[ \u00a0][\u00b1\ufffd][ \u00a0]")
"""Between a figure and its error, also where a PDF could not decode it: `596 \u00b1 2 632 \u00b1 2` is a row."""
_BEHIND_SCALE: Final = re.compile(r"\.(?=\s)|\s(?:de|di)(?=\s)|\sd['\u2019]")
"""Text between a scale and its unit: `5 Mio. Euro`, `5 millones de euros`."""
_ORDINAL: Final = re.compile(r"(?:st|nd|rd|th|er|ère|re|e|ème|(?<!\d[.,·]\d)(?:º|ª|°)|\.º|\.ª)(?![\w])")
_PER_HOUR: Final = re.compile(r"(?:每小时|每小時|時速|시속)[ \u00a0]?$")
_SPOON: Final = re.compile(r"[大小](?:さじ|匙)\Z|カップ\Z")
"""Measures of Japanese kitchens, which stand before their number: `大さじ2`."""
_ROMANCE: Final = frozenset({"es", "it", "pt", "gl", "ca"})
"""Languages whose ordinals end in a raised letter, for which many type the sign of degrees: `1° de mayo`."""
_DECADE: Final = re.compile(r"(?<=\d0)(?:s|er)\b")
_NAME_BEFORE: Final = re.compile(r"(?:[^\W\d]|[^\W\d][-\u2010\u2011/.])[\w./\u2010\u2011-]*$")
_NO_NAME_BEFORE: Final = re.compile(r"(?:^|[^\w])(?:mid|pre|post|non|age|aged)[-\u2010\u2011]$|\dx$", re.IGNORECASE)
_WORD_JOINED: Final = re.compile(r"(?<![\w-])[a-z]{5,}-\Z")
"""A word that a dash joins with decimals, which are no name: `a magnitude-6.8 earthquake`."""
_NAME_BEHIND: Final = re.compile(
    r"(?<=\d)[-\u2010\u2011](?=[^\W\d_]*[A-Z])(?:[A-Z]{2,5}|[A-Z]{1,4}\d\w*|[A-Z](?=[\s,.;)]))(?![\w-])"
)
"""Text that makes a name of digits before it: `5-HT2`, `5-FU`, `3-D`; units such as `10-MHz` are read before."""
_ISOTOPE: Final = re.compile(r"\((?P<mass>\d{1,3}m?)\)(?=[A-Z][a-z]?(?![a-z]))")
"""An isotope whose raised number plain text has put in brackets: `(18)F`."""
_SYMBOL: Final = re.compile(r"(?<![^\W_])[A-Za-z]{0,4}[A-Z][a-z]?$|(?<!\w)(?:r|chi|t)$")
"""Text that makes an index of digits in brackets directly behind it: `CO(2)`, `FEV(1)`, `IC(50)`."""
_NAME_AFTER: Final = re.compile(r"[\w]*(?:[-\u2010\u2011/.][\w]+)*")
_LIST_MARK: Final = re.compile(r"^[ \t]*\d{1,9}[.)](?=\s)", re.MULTILINE)


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
    for number in find_part_amounts(text, folded):
        if not any(taken[number.start : number.end]):
            found.append(number)
            _mark_taken(taken, number.start, number.end)
    for number in _find_written_numbers(text, folded, taken):
        found.append(number)
        _mark_taken(taken, number.start, number.end)
    spelled = find_spelled_numbers(text, folded, None if ambiguous else language)
    for word in spelled:
        if not any(taken[word.start : word.end]):
            found.append(word)
            if word.text[:1].isalpha() and parse_scale_word(word.text.split()[-1].split("-")[-1]) > 2:
                _mark_taken(taken, word.start, word.end)
    numbers = add_halves(text, sorted(found, key=lambda one: one.start))
    return share_units(text, combine_parts(text, numbers))


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
        name = _find_name_from_digits(folded, start, end) or _find_name_span(folded, start, match.end())
        if name is not None:
            at = max(name[1], at)
            yield Number(text[name[0] : name[1]], *name, unit_end=name[1], name=text[name[0] : name[1]])
            continue
        one = _parse_amount(text, folded, match)
        at = max(at, one.end, one.unit_end)  # digits in a unit are its powers: `kg m-2`
        yield one


def _search_number(text: str, at: int) -> re.Match[str] | None:
    """The next number from `at` on; in a row of numbers, as a table has them, spaces part them."""
    match = _NUMBER.search(text, at)
    if match is None or not re.search(r"\d[ \u00a0]\d", match["digits"]):
        return match
    start = match.start("digits")
    in_row = _ROW_BEFORE.search(text, max(0, start - 3), start) or _ROW_AFTER.match(text, match.end())
    in_row = in_row or (_ERROR_SIGN.match(text, max(0, start - 3)) and _ERROR_SIGN.match(text, match.end()))
    return _UNGROUPED.match(text, match.start()) if in_row else match


def _find_name_span(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Find the start and end of the name that includes the digits from `start` to `end`; None: they are a number."""
    if "." in text[start:end] and _WORD_JOINED.search(text, max(0, start - 20), start):
        return None
    before = _NAME_BEFORE.search(text[max(0, start - 60) : start])
    if before is None or _NO_NAME_BEFORE.search(text[max(0, start - 6) : start]) or is_ideograph(text[start - 1]):
        if end >= len(text) or not text[end].isalpha() or is_ideograph(text[end]) or _means_something(text, end):
            return None
        begin = start
    else:
        begin = start - len(before[0])
    after = _NAME_AFTER.match(text, end)
    return begin, after.end() if after else end


def _find_name_from_digits(text: str, start: int, end: int) -> tuple[int, int] | None:
    """Find a name that the digits begin, as `5-HT2` and `(18)F-FDG`, or that has them in brackets; None: none."""
    if text[start - 1 : start] == "(" and text[end : end + 1] == ")" and (symbol := _SYMBOL.search(text[: start - 1])):
        after = _NAME_AFTER.match(text, end + 1)
        return symbol.start(), after.end() if after else end + 1
    if (isotope := _ISOTOPE.match(text, start - 1)) and isotope.start("mass") == start > 0:
        after = _NAME_AFTER.match(text, isotope.end())
        return start - 1, after.end() if after else isotope.end()
    behind = _NAME_BEHIND.match(text, end)
    if behind is None or not text[start:end].isdigit() or text[:start][-1:].isalpha() or parse_unit(text, end)[0]:
        return None
    return start, behind.end()


def _means_something(text: str, end: int) -> bool:
    """Whether the letters that stand directly behind digits are a scale, a unit, an ordinal's or a decade's."""
    word = re.match(r"[^\W\d_\u0e00-\u0e7f\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+", text[end : end + 60])
    if word is None:
        return False
    said = word[0]
    after = text[end + len(said) : end + len(said) + 1]
    if said in ("x", "X") and after.isdigit():
        return True  # `3x3 mm`
    if parse_unit(text, end)[1] > end + len(said):
        return True  # `1.73m2`
    if after.isdigit():
        return False
    return (
        bool(parse_scale_word(said) or parse_unit(text, end)[0])
        or bool(_ORDINAL.match(text, end))
        or bool(_DECADE.match(text, end))
    )


def _parse_amount(text: str, folded: str, match: re.Match[str]) -> Number:
    end = match.end()
    power = next(filter(None, (match[name] for name in _EXPONENTS)), None)
    exponent = int(power.translate(_POWERS)) - bool(match["ten"]) if power else 0
    exponents = {exponent}
    currency = (match["currency"] or match["money"] or "").strip(" \u00a0.")
    decade = _DECADE.match(folded, end)
    ordinal = None if decade else _match_ordinal(folded, match["digits"] or "", end)
    closing = decade or ordinal
    if closing:
        end = closing.end()
    else:
        exponents, end = read_scale_words(folded, end, exponent, money=bool(currency))
    # What may be `m` for a million may be metres too.
    unit, unit_end = parse_unit(folded, end if len(exponents) == 1 else match.end()) if not closing else ("", end)
    if not unit and end > match.end() and (behind := _BEHIND_SCALE.match(folded, end)):
        said, said_end = parse_unit(folded, behind.end())
        if behind[0] == "." or said.isupper():  # a currency: `5 millones de metros` may continue with `cuadrados`
            unit, unit_end = said, said_end if said else end
    if not unit and (spoon := _SPOON.search(folded, max(0, match.start() - 4), match.start())):
        unit, unit_end = parse_unit(spoon[0], 0)[0], end
    if unit.endswith("meter") and _PER_HOUR.search(folded, max(0, match.start() - 5), match.start()):
        unit = f"{unit}/hour"
    if unit in RATIO_UNITS or folded[end:unit_end].strip() in _CURRENCY_SIGNS:
        end = unit_end
    if money := parse_currency(currency):  # what follows `$5 million` is no unit: `in 2019` no inches
        unit, unit_end = read_rate(folded, end, money)
    sign = match["sign"].strip() if match["sign"] and not _is_joining_dash(folded, match.start("sign")) else ""
    start = match.start() if match["currency"] or sign else match.start("digits")
    half = match["half"]
    more = round(Decimal(unicodedata.numeric(half)), 4).normalize() if half else Decimal(0)
    scale = _LAST_WORD.search(folded, match.end(), end) if exponents != {exponent} else None
    sign_of_decimals = find_decimal_sign(scale[0]) if scale else ""
    readings = {
        NumberReading(-value if sign and sign != "+" and value else value, step)
        for whole, places in _iter_digit_readings(match["digits"] or "0", sign_of_decimals)
        for power_of_ten in exponents
        for value, step in [_compute_value_and_step(whole, places, power_of_ten, more)]
    }
    ordered = tuple(sorted(readings, key=lambda one: (one.value, one.step)))
    return Number(
        text[start:end].strip(), start, end, ordered, unit, max(end, unit_end), bool(sign), ordinal is not None
    )


def _match_ordinal(text: str, digits: str, end: int) -> re.Match[str] | None:
    """Match the sign that makes an ordinal of the digits that end there; a degree sign only where it is written so."""
    found = _ORDINAL.match(text, end)
    if found is None or found[0] not in ("°", "º"):
        return found
    if not digits.isdigit() or not re.match(r"[ \u00a0][^\W\d_]", text[found.end() :]):
        return None
    return found if possible_languages(text) & _ROMANCE else None


def _is_joining_dash(text: str, at: int) -> bool:
    """Whether a dash at `at` is between two things, as in `10-20`, or ends `+/-`, and is no sign."""
    if text[max(0, at - 2) : at] == "+/":
        return True
    before = text[:at].rstrip("-\u2010\u2011\u2012\u2013")[-1:] if text[at - 1 : at] in _DASHES else text[at - 1 : at]
    return bool(before) and (before.isalnum() or before in ")]%")


def _compute_value_and_step(whole: str, places: int, power: int, more: Decimal) -> tuple[Decimal, Decimal]:
    power = max(-400, min(400, power))
    step = Decimal(1).scaleb(power - places)
    if more:  # a half is exact to a hundredth
        return (Decimal(whole) + more).scaleb(power), Decimal(1).scaleb(power - 2)
    return Decimal(whole).scaleb(power), step


_LAST_WORD: Final = re.compile(r"[^\W\d_]+(?=[^\w]*\Z)")


def _iter_digit_readings(digits: str, decimal_sign: str = "") -> Iterator[tuple[str, int]]:
    """All that these digits, points and commas may stand for, with the digits behind the point.

    `decimal_sign`: the one of the language that a word behind them is of; empty: it is not known.
    """
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
    grouped = one_kind and by_three and groups[0] not in ("", "0")
    if grouped and plain[last] == "." and decimal_sign:  # `3.200 millones`, but `3.200 million`
        yield ("".join(groups), 0) if decimal_sign == "," else (f"{whole}.{rest}", len(rest))
        return
    if grouped and plain[last] == "," and decimal_sign == ".":
        yield "".join(groups), 0
        return
    if grouped:
        yield "".join(groups), 0
    if not one_kind or points + commas == 1:
        yield f"{whole}.{rest}", len(rest)
    elif not by_three:  # a version, or a list without spaces: one thing, which no cell is by chance
        yield "".join(f"{ord(sign):03}" if sign in ".," else sign for sign in plain), 0
