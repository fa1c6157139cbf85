"""Dates of works in lists, as exactly as they are known: `2024`, `2024-05` or `2024-05-17`.

Programs write them in many forms: `2019/03/15/`, `MAR 15 2019`, `20190315`, `4-8 Aug. 2020`. Of `03/04/2019`, which may
be read in two ways, only the year is taken.
"""

import re
from collections.abc import Iterable
from typing import Final

from elcano.text.written_dates import parse_month_name

_YEAR_FIRST: Final = re.compile(
    r"(?<!\d)(?P<year>[12]\d{3})(?:[-/.](?P<month>\d{1,2})(?!\d)(?:[-/.](?P<day>\d{1,2})(?!\d))?)?(?!\d)"
)
_YEAR_LAST: Final = re.compile(
    r"(?<!\d)(?P<first>\d{1,2})[-/.](?P<then>\d{1,2})[-/.](?P<year>[12]\d{3})(?!\d)",
)
_COMPACT: Final = re.compile(r"(?<!\d)(?P<year>[12]\d{3})(?P<month>0[1-9]|1[0-2])(?P<day>[0-3]\d)(?!\d)")
_NAMED: Final = re.compile(
    r"(?:(?<![\d\u2013-])(?P<before>\d{1,2})(?:st|nd|rd|th|\.)?\s+)?(?P<name>[^\W\d_]{3,12})\.?"
    r"(?:\s+(?P<after>\d{1,2})(?![\d\u2013-]))?"
)
_PARTS: Final = ((1000, 2999), (1, 12), (1, 31))


def format_date_parts(parts: Iterable[object]) -> str:
    """Year, month and day as one date, up to the first that is none; empty without a year."""
    found = ""
    for part, (low, high), width in zip(parts, _PARTS, (4, 2, 2), strict=False):
        text = str(part).strip()
        if not (text.isascii() and text.isdigit() and len(text) <= 4 and low <= int(text) <= high):
            break
        found += f"{'-' if found else ''}{int(text):0{width}}"
    return found


def parse_date(text: str) -> str:
    """The date that a text begins with or has; empty if it has no year."""
    year = _YEAR_FIRST.search(text)
    exact = year if year and year["month"] else None
    if found := _COMPACT.search(text) or exact or _YEAR_LAST.search(text) or year:
        parts = found.groupdict()
        if "first" in parts:
            first, then = int(parts["first"]), int(parts["then"])
            day, month = (first, then) if first > 12 else (then, first)
            known = max(first, then) > 12 or first == then
            return format_date_parts((parts["year"], *((month, day) if known else ())))
        if parts["month"]:
            return format_date_parts((parts["year"], parts["month"], parts["day"] or ""))
        return format_date_parts((parts["year"], *parse_month_and_day(text)))
    return ""


def parse_month_and_day(text: str) -> tuple[int, ...]:
    """The month, and its day if one is stated, that a text such as `MAR 15` names; empty if it names none."""
    for found in _NAMED.finditer(text):
        name = found["name"].lower()
        if month := parse_month_name(name if len(name) > 4 else name[:3]):
            day = found["before"] or found["after"]
            return (month, int(day)) if day and 1 <= int(day) <= 31 else (month,)
    return ()


def choose_date(*written: str) -> str:
    """The most exact date within the year of the first text that has one.

    A text without a year, as Web of Science writes the day, is of the year that another one names.
    """
    dates = [parse_date(text) for text in written]
    year = next((date[:4] for date in dates if date), "")
    if year:
        dates += [format_date_parts((year, *parse_month_and_day(text))) for text in written if not parse_date(text)]
    return max((date for date in dates if date[:4] == year), key=len, default="")
