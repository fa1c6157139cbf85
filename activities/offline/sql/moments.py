"""Moments in questions: days, months, quarters, years and spans before today, as half-open ranges of days.

A span that ends today has today in it. Without a day that counts as today, a question that speaks of one is not read.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from typing import Final

MONTHS: Final = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH: Final = r"(?:jan|feb|mar|apr|may|jun|jul|aug|sept?|oct|nov|dec|" + "|".join(MONTHS) + r")\b\.?"
_DAY: Final = (
    rf"(?:\d{{4}}-\d\d-\d\d|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}})"
)
_YEAR: Final = r"(?:1[5-9]\d\d|20\d\d)(?![\d-])"
_QUARTERS: Final = {"first": 1, "1st": 1, "second": 2, "2nd": 2, "third": 3, "3rd": 3, "fourth": 4, "4th": 4}
_NTH: Final = "|".join(_QUARTERS)
_COUNTS: Final = {
    word: number
    for number, word in enumerate(
        ["one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"], 1
    )
}
_INCLUSIVE: Final = (
    r"(?:,? ?\(?(?:both )?(?:inclusive|including|including of)(?: of| both)?(?: the)?"
    r"(?: start and end dates?| today(?:'s date)?"
    r"| \w+ days? ago"
    r"| \d+ \w+ ago| both| dates)?\)?)?"
)
_LEAD: Final = r"(?:(?:in|during|over|within|for|of|on|from|at) )?(?:the )?"
MARK: Final = "\u00a7"
"""Stands for a moment in a question that has been read for them, with its number behind it."""


@dataclass(frozen=True)
class Moment:
    """A range of days."""

    start: date | None
    """None: from the beginning."""
    end: date | None
    """The first day after it; None: without end."""
    text: str
    """As the question says it."""
    relative: bool = False
    """Whether it depends on the day of the question."""

    @property
    def years(self) -> tuple[int | None, int | None] | None:
        """The first and the last year, both included, if it is whole years; None on a side without end."""
        for edge in (self.start, self.end):
            if edge is not None and (edge.month, edge.day) != (1, 1):
                return None
        return (self.start.year if self.start else None, self.end.year - 1 if self.end else None)


class NoToday(Exception):
    """A question speaks of today, and nobody said which day that is."""


def moments(question: str, today: date | None) -> tuple[str, tuple[Moment, ...]]:
    """The question with marks in the place of its moments, and these.

    Raises:
        NoToday: it speaks of today, and `today` is None.
        ValueError: it names a day that no calendar has.
    """
    found: list[Moment] = []

    def marked(make: Callable[[re.Match[str]], Moment]) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            found.append(make(match))
            return f" {MARK}{len(found) - 1} "

        return replaced

    for pattern, make in _FIXED:
        question = pattern.sub(marked(make), question)
    for pattern, move in _RELATIVE:
        question = pattern.sub(marked(partial(_relative, move=move, today=today)), question)
    return question, tuple(found)


def _relative(
    match: re.Match[str], move: Callable[[re.Match[str], date], tuple[date, date]], today: date | None
) -> Moment:
    if today is None:
        raise NoToday(match[0].strip())
    start, end = move(match, today)
    return Moment(start, end, match[0].strip(), relative=True)


def _day(text: str) -> date:
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    parts = re.findall(r"[a-z]+|\d+", re.sub(r"(?<=\d)(?:st|nd|rd|th)", "", text.lower()))
    name = next(one for one in parts if one.isalpha())
    numbers = [int(one) for one in parts if one.isdigit()]
    return date(numbers[1], _month(name), numbers[0])


def _month(name: str) -> int:
    return next(number for number, one in enumerate(MONTHS, 1) if one.startswith(name.lower().rstrip(".")[:3]))


def months_on(start: date, months: int) -> date:
    """The same day so many months later, or the last one of that month."""
    year, month = divmod(start.year * 12 + start.month - 1 + months, 12)
    after = date(year + (month + 1) // 12, (month + 1) % 12 + 1, 1)
    return date(year, month + 1, min(start.day, (after - timedelta(days=1)).day))


def _after(day: date) -> date:
    return day + timedelta(days=1)


def _quarter(match: re.Match[str]) -> Moment:
    number = int(match["q"]) if match["q"] else _QUARTERS[match["nth"].lower()]
    start = date(int(match["year"]), 3 * number - 2, 1)
    return Moment(start, months_on(start, 3), match[0].strip())


def _in_month(match: re.Match[str]) -> Moment:
    start = date(int(match["year"]), _month(match["month"]), 1)
    return Moment(start, months_on(start, 1), match[0].strip())


def _compared(match: re.Match[str]) -> Moment:
    """Before, after or on a day or a year."""
    word, text = match["word"].lower(), match["day"]
    start = date(int(text), 1, 1) if len(text) == 4 else _day(text)
    end = date(start.year + 1, 1, 1) if len(text) == 4 else _after(start)
    said = match[0].strip()
    if word in ("on or after", "since", "from", "starting from", "starting", "as of"):
        return Moment(start, None, said)
    if word in ("after", "later than"):
        return Moment(end, None, said)
    if word in ("before", "prior to", "earlier than"):
        return Moment(None, start, said)
    return Moment(None, end, said)


_FIXED: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str]], Moment]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), make)
    for pattern, make in (
        (
            rf"\b(?:between|from) (?P<a>{_DAY}) (?:and|to|until|through) (?P<b>{_DAY}){_INCLUSIVE}",
            lambda match: Moment(_day(match["a"]), _after(_day(match["b"])), match[0].strip()),
        ),
        (
            rf"\b(?:between|from) (?:the years? )?(?P<a>{_YEAR}) (?:and|to|until|through) (?P<b>{_YEAR}){_INCLUSIVE}",
            lambda match: Moment(date(int(match["a"]), 1, 1), date(int(match["b"]) + 1, 1, 1), match[0].strip()),
        ),
        (
            rf"\b(?P<word>on or after|on or before|since|starting from|starting|from|after|later than|before|prior to"
            rf"|earlier than|until|up to|by) (?:the )?(?:year )?(?P<day>{_DAY}|{_YEAR}\b)",
            _compared,
        ),
        (rf"\b{_LEAD}(?:(?P<nth>{_NTH}) quarter of|q(?P<q>[1-4]),?(?: of)?) (?P<year>{_YEAR})\b", _quarter),
        (rf"\b(?:on )?(?P<day>{_DAY})", lambda match: Moment(_day(match["day"]), _after(_day(match["day"])), match[0])),
        (rf"\b{_LEAD}(?:month of )?(?P<month>{_MONTH}),?(?: of)? (?P<year>{_YEAR})\b", _in_month),
        (
            rf"\b(?:(?:in|during|for|of|from) (?:the )?(?:whole (?:of )?)?(?:year )?|(?:the )?year )"
            rf"(?P<year>{_YEAR})\b",
            lambda match: Moment(date(int(match["year"]), 1, 1), date(int(match["year"]) + 1, 1, 1), match[0].strip()),
        ),
    )
)  # fmt: skip


def _last(match: re.Match[str], today: date) -> tuple[date, date]:
    """So many units back, today included; without today's unit if it is left out."""
    said = match["n"]
    count = 1 if not said else _COUNTS.get(said.lower()) or int(said)
    unit = match["unit"].lower()
    if match["without"]:
        end = _begin(today, unit)
        return _back(end, count, unit), end
    return _back(today, count, unit), _after(today)


def _back(day: date, count: int, unit: str) -> date:
    if unit in ("day", "week"):
        return day - timedelta(days=count * (7 if unit == "week" else 1))
    return months_on(day, -count * {"month": 1, "quarter": 3, "year": 12}[unit])


def _begin(today: date, unit: str) -> date:
    """The first day of the week, month, quarter or year of a day. Weeks begin on Monday."""
    if unit == "day":
        return today
    if unit == "week":
        return today - timedelta(days=today.weekday())
    month = {"month": today.month, "quarter": today.month - (today.month - 1) % 3, "year": 1}[unit]
    return date(today.year, month, 1)


def _calendar(match: re.Match[str], today: date) -> tuple[date, date]:
    """The week, month, quarter or year that today is in, or the one before."""
    unit, word = match["unit"].lower(), match["word"].lower()
    start = _begin(today, unit)
    if word in ("last", "previous"):
        return _back(start, 1, unit), start
    return start, _back(start, -1, unit)


_UNIT: Final = "day|week|month|quarter|year"
_EXCEPT: Final = (
    r"(?P<without>,? \(?(?:excluding|exclusive of|not including) (?:the )?(?:current|this) "
    rf"(?:{_UNIT})\)?)?"
)
_RELATIVE: Final[tuple[tuple[re.Pattern[str], Callable[[re.Match[str], date], tuple[date, date]]], ...]] = tuple(
    (re.compile(pattern, re.IGNORECASE), move)
    for pattern, move in (
        (
            rf"\b{_LEAD}(?:past|last|previous) (?P<n>\d{{1,4}}|{'|'.join(_COUNTS)}) (?P<unit>{_UNIT})s?\b"
            rf"{_EXCEPT}{_INCLUSIVE}",
            _last,
        ),
        (rf"\b{_LEAD}past (?P<n>)(?P<unit>day|week|month|quarter|year)\b{_EXCEPT}{_INCLUSIVE}", _last),
        (
            rf"\b{_LEAD}(?P<word>last|previous|this|current) (?P<unit>week|month|quarter|year)\b"
            rf"{_EXCEPT.replace('<without>', '<x>')}",
            _calendar,
        ),
        (r"\btoday(?:'s date)?\b", lambda match, today: (today, _after(today))),
        (r"\byesterday\b", lambda match, today: (today - timedelta(days=1), today)),
    )
)  # fmt: skip
