"""Figures of a text: numbers as they are written in several languages, with their units.

A number may be read in more than one way: `1,234` is a thousand in English and little more than one in German. Both
readings are kept, so that a figure is found again however its source writes it; a figure that none of the readings
finds is another one. What is said to fall by an amount is also read as that amount below nothing.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation
from typing import Final

from elcano.activities.text.numbers import number_word, parse_month_name, parse_multiple_word, parse_scale_word
from elcano.activities.text.units import POINTS, SHARE, TIMES, unit_of

MOST_FIGURES: Final = 2_000
"""Of one text; more than any sentence or quote has."""
MOST_DIGITS: Final = 40
_POWERS: Final = str.maketrans(
    "\u2070\u00b9\u00b2\u00b3\u2074\u2075\u2076\u2077\u2078\u2079\u207b\u2212", "0123456789--"
)
_FRACTIONS: Final = {"\u00bd": ".5", "\u00bc": ".25", "\u00be": ".75"}
_NUMBER: Final = re.compile(
    r"""
    (?P<currency>US\$|[$€£¥]\ ?)?
    (?P<sign>(?<![\w)\]])[-+\u2212])?
    (?<![A-Za-z\u00c0-\u024f\d_.])
    (?P<digits>\d{1,3}(?:[\ \u00a0\u202f\u2009']\d{3})+(?:[.,]\d+)?(?!\d)|\d+(?:[.,]\d+)*|(?<!\d)\.\d+)
    (?:\ ?[x\u00d7*\u00b7]\ ?10\ ?(?:\^\ ?\(?(?P<power>[-\u2212]?\d{1,3})\)?|(?P<raised>[⁻⁰¹²³⁴-⁹]{1,4}))
        |[eE](?P<exponent>[-+]?\d{1,3})(?!\w))?
    (?P<half>[½¼¾])?
    (?:[-\ \u00a0\u202f\u2009]{0,2}(?P<scale>[\u4e07\u842c\u4ebf\u5104\u5343\uc5b5]|[^\W\d_]{1,10}))?
    """,
    re.VERBOSE,
)
_UNIT: Final = re.compile(
    r"[-\s\u00a0\u202f]{0,2}(%|‰|°[CF]?|[€$£¥]|per\ cent|pour\ cent|por\ cien?to|per\ cento"
    r"|[^\W\d_]{1,16}(?:/[^\W\d_]{1,3}\d?|\d)?)"
)
_POINTS: Final = re.compile(
    r"\s{0,2}(?:%|percent(?:age)?|prozent)?[-\s]{0,2}(?:points?\b|punkte\w?\b|pp\b)", re.IGNORECASE
)
_RANGE: Final = re.compile(r"\s{0,2}(?:[-\u2013\u2014\u2012]|to|bis|\u00e0|a|tot)\s{0,2}$")
_ORDINAL: Final = re.compile(r"(?<![\w.,])(\d{1,3})(?:st|nd|rd|th|er|e|\u00e8me|\u00ba|\u00aa)(?!\w)")
_CENTURY: Final = re.compile(r"(?<!\d)((?:1[5-9]|20)\d\d)[-\u2013/]$")
_FALLS: Final = re.compile(
    r"\b(?:reduc\w*|decreas\w*|declin\w*|dropp?\w*|fell|fall\w*|lower\w*|los[ts]\w*|lose|shr[aiu]nk\w*|cut|down|less|fewer"
    r"|sank\w*|sink\w*|gesunken|fiel\w*|gefallen|verringert\w*|gesenkt|senkt\w*|reduziert\w*|baiss\w*|diminu\w*|r\u00e9dui\w*"
    r"|redu[cj]\w*|baj\w*|cay\u00f3|ca\u00eddo|dismin\w*|ridott\w*|cal[ao]t?\w*|caiu|daald\w*|gedaald)\b"
)
_BY: Final = re.compile(
    r"(?:[^.;!?\d]{0,40}\b(?:by|of|um|de|con|del|met|por|em|is|was)\b|\W{0,3})[^.;!?\d]{0,12}$", re.IGNORECASE
)
_TO: Final = re.compile(r"\b(?:to|auf|\u00e0|a|naar|para|below|under|than)\W{0,3}$", re.IGNORECASE)
_SPELLED_WORD: Final = re.compile(r"(?<![\w-])[^\W\d_]{3,}(?:-[^\W\d_]{2,})*(?![\w-])")
_SCALE_AFTER: Final = re.compile(r"[-\s]{1,2}([^\W\d_]{3,10})")


@dataclass(frozen=True)
class Figure:
    """A number of a text with its unit."""

    written: str
    values: frozenset[Decimal]
    """All that it may be read as."""
    unit: str = ""
    places: int = 0
    """Digits behind its point."""
    spelled: bool = False
    """In words."""
    start: int = 0


def extract_figures(text: str, *, dates: bool = False) -> list[Figure]:
    """The figures of `text`, in order. Digits within a name (`IL-6`, `B12`) are no figures.

    `dates`: with what dates say otherwise, ordinals as `9th` and months by their names.
    """
    plain = dates_parted(text)
    found = [
        *_extract_digit_figures(plain),
        *_extract_spelled_figures(plain),
        *(_extract_date_figures(plain) if dates else ()),
    ]
    return sorted(found, key=lambda one: one.start)[:MOST_FIGURES]


def _extract_date_figures(text: str) -> Iterator[Figure]:
    for match in _ORDINAL.finditer(text):
        yield Figure(match[0], frozenset({Decimal(match[1])}), start=match.start())
    for match in _SPELLED_WORD.finditer(text):
        if number := parse_month_name(match[0].lower()):
            yield Figure(match[0], frozenset({Decimal(number)}), spelled=True, start=match.start())


def _extract_digit_figures(text: str) -> Iterator[Figure]:
    found: list[Figure] = []
    ends: list[int] = []
    for match in _NUMBER.finditer(text):
        digits = match["digits"]
        if _is_of_name(text, match.start("digits")) or len(digits) > MOST_DIGITS:
            continue
        said = match["scale"] or ""
        exponent = 0 if said.lower() == "m" and not match["currency"] else parse_scale_word(said)
        end = match.end("scale") if exponent else match.end("half") if match["half"] else match.end("digits")
        if raised := match["power"] or match["raised"] or match["exponent"]:
            exponent += int(raised.translate(_POWERS))
            end = match.end("scale") if parse_scale_word(said) else max(map(match.end, ("power", "raised", "exponent")))
            end += text[end : end + 1] == ")" and "(" in match[0]
        elif not exponent and end < len(text) and _is_letter_at(text, end) and not _is_unit(text, end):
            continue  # as `3D` or `1st`
        values = frozenset(
            _apply_exponent(value, exponent, match["sign"]) for value in _parse_number_readings(digits, match["half"])
        )
        if len(digits) == 2 and (year := _CENTURY.search(text[: match.start("digits")][-6:])):
            values |= {Decimal(year[1][:2] + digits)}
        if not match["sign"] and _is_decrease_amount(text, match.start()):
            values |= {-value for value in values}
        unit, closes = _parse_unit_after(text, end)
        unit = unit or unit_of((match["currency"] or "").strip())
        places = len(re.split("[.,]", digits)[-1]) if re.search(r"[.,]\d", digits) else 0
        found.append(Figure(text[match.start() : closes].strip(), values, unit, places, False, match.start()))
        ends.append(end)
    for place, one in enumerate(found):
        follows = place + 1 < len(found) and _RANGE.fullmatch(text, ends[place], found[place + 1].start)
        unit = one.unit or (found[place + 1].unit if follows else "")
        yield Figure(one.written, one.values, unit, one.places, False, one.start)


def _is_decrease_amount(text: str, at: int) -> bool:
    """Whether something falls by the amount at `at`, not to it."""
    before = text[max(0, at - 60) : at]
    if _TO.search(before):
        return False
    return any(_BY.fullmatch(before[found.end() :]) for found in _FALLS.finditer(before.lower()))


def _is_unit(text: str, at: int) -> bool:
    found = _UNIT.match(text, at)
    return found is not None and bool(unit_of(found[1]))


def _is_letter_at(text: str, at: int) -> bool:
    return text[at].isalpha() and ord(text[at]) < 0x3000


def _is_of_name(text: str, at: int) -> bool:
    """Whether the digits at `at` end a name, as in `IL-6` and `COVID-19`."""
    return bool(
        re.search(r"[^\W\d_][-\u2010\u2011]$|[A-Za-z\u00c0-\u024f_]$", text[max(0, at - 2) : at])
    ) and not re.search(
        r"(?:^|[^\w])(?:mid|pre|post|non|age|aged)[-\u2010\u2011]$", text[max(0, at - 6) : at], re.IGNORECASE
    )


def _parse_number_readings(digits: str, half: str | None) -> Iterator[Decimal]:
    """All numbers that these digits, points and commas may stand for."""
    plain = re.sub(r"[\s\u00a0\u202f\u2009']", "", digits)
    points, commas = plain.count("."), plain.count(",")
    more = Decimal(_FRACTIONS[half]) if half else Decimal(0)
    read: set[str] = set()
    if points and commas:
        last = max(plain.rfind("."), plain.rfind(","))
        read.add(f"{re.sub('[.,]', '', plain[:last])}.{plain[last + 1 :]}")
    elif points + commas > 1:
        if all(len(group) == 3 for group in re.split("[.,]", plain)[1:]):
            read.add(re.sub("[.,]", "", plain))
        else:  # a version, or a list without spaces
            read.add("".join(f"{ord(one):03}" if one in ".," else one for one in plain))
    elif points + commas == 1:
        whole, _, rest = plain.replace(",", ".").partition(".")
        read.add(f"{whole or '0'}.{rest}")
        if len(rest) == 3 and 1 <= len(whole) <= 3 and whole != "0":
            read.add(whole + rest)
    else:
        read.add(plain)
    for one in read:
        try:
            yield Decimal(one) + more
        except InvalidOperation:
            continue


def _apply_exponent(value: Decimal, exponent: int, sign: str | None) -> Decimal:
    scaled = value.scaleb(max(-400, min(400, exponent)))
    return (-scaled if sign in ("-", "\u2212") else scaled).normalize()


def _parse_unit_after(text: str, end: int) -> tuple[str, int]:
    """The unit that follows a number, and where it ends."""
    if points := _POINTS.match(text, end):
        return POINTS, points.end()
    found = _UNIT.match(text, end)
    if found is None:
        return "", end
    unit = SHARE if " " in found[1] else unit_of(found[1]) or unit_of(found[1].partition("/")[0])
    return unit, found.end() if unit else end


def _extract_spelled_figures(text: str) -> Iterator[Figure]:
    for match in _SPELLED_WORD.finditer(text):
        word = match[0].lower()
        times = parse_multiple_word(word)
        value = number_word(word) if times is None else times
        if value is None or (word == "cent" and text[: match.start()].endswith(("per ", "pour "))):
            continue
        unit = _parse_unit_after(text, match.end())[0] if times is None else TIMES
        after = _SCALE_AFTER.match(text, match.end())
        amount = Decimal(value).scaleb(parse_scale_word(after[1]) if after else 0).normalize()
        yield Figure(match[0], frozenset({amount}), unit, 0, True, match.start())


_LABELS: Final = (
    "fig figs figure figures table tables tab eq eqs equation chapter chap section sect sec appendix app p pp page ref "
    "refs abb abbildung tabelle kapitel abschnitt anhang seite figura tabla tableau tabella chapitre capitulo "
    "cap\u00edtulo hoofdstuk"
)
_POINTERS: Final = re.compile(
    r"(?:https?://|www\.|doi:)[^\s<>\"']+|\b10\.\d{4,9}/[^\s<>\"']+"
    r"|[\w.+-]{1,64}@[\w-]+(?:\.[\w-]+)+"
    r"|(?<!CI )(?<!CI: )(?<!CI, )(?<!interval )(?<!range )(?<!= )(?<!\d )\[\d{1,3}(?:\s?[,;\u2013-]\s?\d{1,3})*\]"
    rf"|\b(?i:{'|'.join(_LABELS.split())})\b\.?[\s\u00a0]?\d{{1,3}}(?:[.\u2013-]\d{{1,3}})*[a-z]?\b"
    r"(?!\s?[%\u2030])"
)
_DATE: Final = re.compile(r"(?<![\d.])(\d{1,2})\.(\d{1,2})\.((?:1[5-9]|20)\d\d)(?!\d)")


def without_pointers(text: str) -> str:
    """`text`, as long as it is, without digits that count nothing."""
    return _POINTERS.sub(lambda found: " " * len(found[0]), text)


def dates_parted(text: str) -> str:
    """`text`, as long as it is, with strokes for the points of dates, since the parts of a date are figures."""
    return _DATE.sub(r"\1/\2/\3", text)
