"""Dates and times as texts have them, with names of months of ten languages, and as databases write them.

What is written says as much as it says: `March 2024` is any day of that month. `03/04/2024` may be read in two ways,
and both are kept.

dateparser finds one whole date for each, by guessing what is not written; here nothing may be known that is not said.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final

_NAMES_OF_MONTHS: Final = (
    "january jan januar jänner jän janvier janv enero ene gennaio janeiro januari ocak январь января styczeń stycznia",
    "february feb februar février févr febrero febbraio fevereiro fev februari şubat февраль февраля luty lutego",
    "march mar märz mars marzo março maart mrt mart март марта marzec marca",
    "april apr avril avr abril abr aprile nisan апрель апреля kwiecień kwietnia",
    "may mai mayo maggio maio mei may\u0131s май мая maj maja",
    "june jun juni juin junio giugno giu junho haziran июнь июня czerwiec czerwca",
    "july jul juli juillet juil julio luglio lug julho temmuz июль июля lipiec lipca",
    "august aug août agosto ago augustus ağustos август августа sierpień sierpnia augusti",
    "september sep sept septembre septiembre settembre setembro eylül сентябрь сентября wrzesień września",
    "october oct oktober okt octobre octubre ottobre ott outubro ekim октябрь октября październik października",
    "november nov novembre noviembre novembro kas\u0131m ноябрь ноября listopad listopada",
    "december dec dezember dez décembre déc diciembre dic dicembre dezembro aral\u0131k декабрь декабря grudzień"
    " grudnia",
)
"""Long and short names of the months. Without `set`, `out`, `mag` and `gen`, which are other words too."""
_DAYS: Final = """
    di dienstag dim dimanche dinsdag do dom domenica domingo donderdag donnerstag fr freitag fri friday gio giovedì
    jeu jeudi jue jueves lun lundi lunedì lunes ma maandag mardi martedì martes mer mercoledì mercredi mi mittwoch
    mié miércoles mo mon monday montag qua quarta-feira qui quinta-feira sa sab sabato sam samedi samstag sat
    saturday seg segunda-feira sex sexta-feira so sonntag sun sunday sáb sábado ter terça-feira thu thursday tue
    tuesday ven vendredi venerdì vie viernes vr vrijdag wed wednesday wo woensdag za zaterdag zo zondag
"""
_MONTHS: Final = {name: month for month, names in enumerate(_NAMES_OF_MONTHS, 1) for name in names.split()}
DATE_WORDS: Final = frozenset((*_MONTHS, *_DAYS.split()))
"""Names of months and of days of the week."""
_MONTH: Final = "|".join(sorted(_MONTHS, key=len, reverse=True))
_CLOCK: Final = r"(?P<hour>[0-2]?\d):(?P<minute>[0-5]\d)(?::(?P<second>[0-5]\d)(?:[.,]\d{1,9})?)?"
_ZONE: Final = r"(?:\ ?(?:Z|UTC|[+-]\d{2}(?::?\d{2})?)\b)?"
_DAY: Final = r"(?P<day>[0-3]?\d)(?:st|nd|rd|th|er|\.|º)?"
_FORMS: Final = tuple(
    re.compile(
        rf"(?:(?<![\w.,:/-])|(?<=[\u3040-\u9fff])){form}(?:(?<=[年月日号년월일時时点點시分분])|(?![\w:/]|[-.,]\d))",
        re.IGNORECASE | re.VERBOSE,
    )
    for form in (
        rf"(?P<year>\d{{4}})-(?P<month>[01]\d)-(?P<day>[0-3]\d)(?:[T ]{_CLOCK}{_ZONE})?",
        r"(?P<year>\d{4})-(?P<month>0[1-9]|1[0-2])",
        r"(?P<year>\d{4})[年년]\ ?(?P<month>1[0-2]|0?[1-9])[月월](?:\ ?(?P<day>[0-3]?\d)[日일号])?",
        r"(?P<month>1[0-2]|0?[1-9])[月월]\ ?(?P<day>[0-3]?\d)[日일号]",
        rf"{_DAY}\s+(?:of\s+|de\s+)?(?P<name>{_MONTH})\b\.?(?:,?\s+(?:de\s+|del\s+)?(?P<year>\d{{4}}))?",
        rf"(?P<name>{_MONTH})\.?\s+{_DAY}(?:,?\s+(?P<year>\d{{4}}))?",
        rf"(?P<name>{_MONTH})\.?\s+(?:de\s+|del\s+)?(?P<year>\d{{4}})",
        r"(?P<hour>1[0-2]|0?[1-9])(?:[:.](?P<minute>[0-5]\d))?[ \u00a0]?(?P<noon>[ap])(?:\.[ \u00a0]?m\.|m\b)",
        r"(?P<hour>[0-2]?\d)(?:[.:](?P<minute>[0-5]\d))?[ \u00a0](?:Uhr|uur)\b",
        r"(?P<noon>[午上下]午|午[前後]|오[전후])\ ?(?P<hour>1[0-2]|0?\d)[時时点點시](?![間间간])"
        r"(?:\ ?(?P<minute>[0-5]?\d)[分분])?",
        r"(?P<hour>[0-2]?\d)[時时시](?![間间간])(?:\ ?(?P<minute>[0-5]?\d)[分분])?",
        r"(?P<hour>[01]?\d|2[0-3])[ \u00a0]?h[ \u00a0]?(?P<minute>[0-5]\d)(?![ \u00a0]?m)",
        _CLOCK,
    )
)
_RANGED_FORM: Final = re.compile(
    r"(?<![\w.,:/])(?P<first>[0-3]?\d)[./](?P<then>[0-3]?\d)[./](?P<year>\d{4})(?![\w:/]|[.,]\d)"
)
"""The only one that a dash may join with another of its kind and not with more of itself."""
_STORED: Final = re.compile(
    rf"\s*(?P<year>\d{{4}})(?:-(?P<month>\d{{1,2}})(?:-(?P<day>\d{{1,2}})(?:[T ]{_CLOCK})?)?)?", re.ASCII
)
_CLOCK_ALONE: Final = re.compile(rf"\s*{_CLOCK}", re.ASCII)


@dataclass(frozen=True)
class Moment:
    """The stated parts of a moment; None for parts that are not stated."""

    year: int | None = None
    month: int | None = None
    day: int | None = None
    hour: int | None = None
    minute: int | None = None
    second: int | None = None

    def holds_of(self, other: "Moment") -> bool:
        """Whether `other` says all that this one says."""
        pairs = zip(self._parts, other._parts, strict=True)
        return all(own is None or own == theirs for own, theirs in pairs)

    @property
    def _parts(self) -> tuple[int | None, ...]:
        return (self.year, self.month, self.day, self.hour, self.minute, self.second)


@dataclass(frozen=True)
class WrittenMoment:
    """A date or a time in a text, and all that it may mean."""

    start: int
    end: int
    readings: tuple[Moment, ...]
    parts: tuple[tuple[int, int, int], ...]
    """Start and end of each of its numbers and names, and its number."""


def find_moments(text: str) -> Iterator[WrittenMoment]:
    """The dates and times of `text`, none within another; a year alone is a number like any other."""
    taken = bytearray(len(text))
    for form in (_RANGED_FORM, *_FORMS):
        for found in form.finditer(text):
            start, end = found.span()
            if any(taken[start:end]):
                continue
            readings = tuple(_iter_moment_readings(found))
            if readings:
                taken[start:end] = b"\x01" * (end - start)
                yield WrittenMoment(start, end, readings, tuple(_iter_moment_parts(found)))


def parse_month_name(word: str) -> int:
    """The number of the month that a lower-case word names; 0 if it names none."""
    return _MONTHS.get(word, 0)


def parse_stored_moment(written: str) -> Moment | None:
    """A moment as a database writes it: `2024-03`, `2024-03-01 12:30:00`, `12:30`; None if it is none."""
    found = _STORED.match(written) or _CLOCK_ALONE.match(written)
    return None if found is None else next(_iter_moment_readings(found), None)


def _iter_moment_readings(found: re.Match[str]) -> Iterator[Moment]:
    parts = found.groupdict()
    said = {name: int(value) for name in ("year", "hour", "minute", "second") if (value := parts.get(name))}
    if parts.get("noon"):
        said["hour"] = _read_hour(found)
    orders: set[tuple[int | None, int | None]]
    if parts.get("first"):
        first, then = int(parts["first"]), int(parts["then"])
        orders = {(first, then), (then, first)}
    else:
        name = parts.get("name")
        month = _MONTHS[name.lower()] if name else int(parts["month"]) if parts.get("month") else None
        orders = {(int(parts["day"]) if parts.get("day") else None, month)}
    for day, month in sorted(orders, key=str):
        if (month is None or 1 <= month <= 12) and (day is None or 1 <= day <= 31):
            yield Moment(day=day, month=month, **said)


_AFTERNOON: Final = ("p", "P", "午後", "下午", "오후")


def _read_hour(found: re.Match[str]) -> int:
    """The hour of a day of 24 that `3 pm` says."""
    return int(found["hour"]) % 12 + 12 * (found["noon"] in _AFTERNOON)


def _iter_moment_parts(found: re.Match[str]) -> Iterator[tuple[int, int, int]]:
    for part, written in found.groupdict().items():
        if written and part == "hour" and "noon" in found.groupdict():
            yield *found.span(part), _read_hour(found)
        elif written and part != "noon":
            yield *found.span(part), _MONTHS[written.lower()] if part == "name" else int(written)
