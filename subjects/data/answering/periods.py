"""Periods as columns of results name them, each at the moment when it begins: years, halves, quarters, months, weeks.

`2024-Q1`, `Q1 2024`, `2024-H2`, `2024-W05`, `202405`, `05/2024`, `2024年5月` and `mayo de 2024` say by themselves which
period they are. A second column may say the part of a year that the first one names: `year` and `quarter`. `2024-05` is
a month unless a value of its column can be none (`2024-00`, `2024-13`), or the query counts weeks.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import MAXYEAR, date, datetime, timedelta
from typing import Final, Literal, TypeAlias

from elcano.subjects.data.databases.similar_names import words_of
from elcano.subjects.data.forecasting.frequencies import parse_moment_cell
from elcano.subjects.data.results import cell_text, is_year_name
from elcano.subjects.data.tables import Cell
from elcano.text.written_dates import parse_month_name

Part: TypeAlias = Literal["half", "quarter", "month", "week"]
LEAST_MOMENTS: Final = 3
"""Different moments that make a column a time."""
_FIRST_YEAR: Final = 1700
_LAST_YEAR: Final = 2200
"""Numbers beyond are years only in a column that says so."""
_WORDS: Final[Mapping[Part, str]] = {
    "half": "half halfyear hy semester halbjahr hj semestre halvår halfjaar",
    "quarter": "quarter qtr q quartal trimestre trim kwartaal kwartał kvartal квартал 四半期 季度 분기",
    "month": "month mon mo mth monat mois mes mese mês maand miesiąc месяц 月 月份 월",
    "week": "week wk isoweek weekno weeknum kw woche semaine semana settimana tydzień неделя 週 周 주",
}
_PARTS: Final[Mapping[Part, frozenset[str]]] = {part: frozenset(words.split()) for part, words in _WORDS.items()}
"""Names of columns that hold a part of a year."""
_SIGNS: Final[Mapping[str, Part]] = {
    **dict.fromkeys(("h", "hj", "s"), "half"),
    **dict.fromkeys(("q", "t", "四半期", "季度", "분기"), "quarter"),
    **dict.fromkeys(("w", "wk", "kw", "週", "周", "주"), "week"),
    **dict.fromkeys(("m", "月", "月份", "월", "-", "/", "."), "month"),
}
_MOST: Final[Mapping[Part, int]] = {"half": 2, "quarter": 4, "month": 12, "week": 53}
_SIGN: Final = "(?P<sign>HJ|H|S|Q|T|KW|WK|W|M)"
_YEAR: Final = r"(?P<year>[12]\d{3})"
_FORMS: Final = tuple(
    re.compile(form, re.IGNORECASE | re.ASCII)
    for form in (
        rf"{_YEAR}[-/. ]?{_SIGN}[-. ]?(?P<number>\d{{1,2}})",
        rf"{_SIGN}[-. ]?(?P<number>\d{{1,2}})[-/. ]{_YEAR}",
        rf"(?P<number>[1-4])\.?[-/. ]?{_SIGN}[-/. ]?{_YEAR}",
        rf"(?P<number>0?[1-9]|1[0-2])(?P<sign>[-/.]){_YEAR}",
        rf"{_YEAR} ?[年년] ?(?:第 ?)?(?P<number>\d{{1,2}}) ?(?P<sign>月份?|월|四半期|季度|분기|週|周|주)",
    )
)
_PART: Final = re.compile(rf"{_SIGN}?[-. ]?(?P<number>\d{{1,2}})(?:\.0)?|(?P<first>\d)\.? ?(?P<unit>HJ|H|S|Q|T)", re.I)
_NUMBERED: Final = re.compile(r"([12]\d{3})[-/. ]?(\d{1,2})")
_NAMED_MONTH: Final = re.compile(
    rf"(?:{_YEAR}[-/., ]+(?P<first>[^\W\d_]+)\.?|(?P<then>[^\W\d_]+)\.?(?: del? |[-/., ]+)(?P<end>[12]\d{{3}}))"
)
_WEEKS: Final = (
    ("monday", re.compile(r"strftime\b.{0,200}?%W", re.DOTALL)),
    ("sunday", re.compile(r"strftime\b.{0,200}?%U", re.DOTALL)),
    ("january", re.compile(r"to_char\b.{0,200}?\bWW\b", re.DOTALL | re.IGNORECASE)),
)
"""Ways to count weeks in SQL that differ from ISO 8601."""


@dataclass(frozen=True)
class TimeColumn:
    """A time axis of a result: the moments of its rows, None where a row has none, and the columns that say them."""

    columns: tuple[int, ...]
    moments: tuple[datetime | None, ...]


def find_time_column(
    names: Sequence[str], rows: Sequence[Sequence[Cell]], labels: Sequence[int], sql: str
) -> TimeColumn | None:
    """The first of the label columns that holds moments or periods in every row with a value; None: none does.

    Args:
        names: of all columns.
        rows: of the result.
        labels: places of the columns that may be it.
        sql: the query, which says how it counts weeks.
    """
    for at in labels:
        if words_of(names[at])[-1] == "id":
            continue
        cells = [row[at] for row in rows]
        years = [_parse_year(cell) for cell in cells]
        known = [year for year in years if year is not None]
        if known and not all(_FIRST_YEAR <= year <= _LAST_YEAR for year in known) and not is_year_name(names[at]):
            continue
        if all(year is not None or cell is None for year, cell in zip(years, cells, strict=True)):
            for other in labels:
                found = None if other == at else _join_parts(years, names[other], [row[other] for row in rows], sql)
                if found is not None:
                    return TimeColumn((at, other), tuple(found))
        parsed = _parse_cells(cells, names[at], sql)
        if _is_time(parsed, cells):
            return TimeColumn((at,), tuple(parsed))
    return None


def _join_parts(
    years: Sequence[int | None], name: str, cells: Sequence[Cell], sql: str
) -> list[datetime | None] | None:
    """The moments that years and the parts of years next to them say; None: the other column holds no such parts."""
    part = _find_part(name, cells)
    if part is None:
        return None
    numbers = [_parse_part(cell, part) for cell in cells]
    weeks = _find_week_count(sql, numbers)
    found = [
        None if year is None or number is None else _begin_part(year, part, number, weeks)
        for year, number in zip(years, numbers, strict=True)
    ]
    missing = [None if year is None else cell for year, cell in zip(years, cells, strict=True)]
    return found if _is_time(found, missing) else None


def _is_time(moments: Sequence[datetime | None], cells: Sequence[Cell]) -> bool:
    known = {moment for moment in moments if moment is not None}
    return len(known) >= LEAST_MOMENTS and all(
        moment is not None or cell is None for moment, cell in zip(moments, cells, strict=True)
    )


def _parse_cells(cells: Sequence[Cell], name: str, sql: str) -> list[datetime | None]:
    texts = ["" if cell is None or isinstance(cell, bool) else cell_text(cell).strip() for cell in cells]
    filled = [text for text in texts if text]
    numbered = [_NUMBERED.fullmatch(text) for text in filled]
    if filled and all(numbered) and not all(len(text) == 4 for text in filled):
        years = [int(one[1]) for one in numbered if one]
        numbers = [int(one[2]) for one in numbered if one]
        if not all(_FIRST_YEAR <= year <= _LAST_YEAR for year in years):  # postcodes: `10115`
            return [None for _ in texts]
        if all(number == (year + 1) % 100 for year, number in zip(years, numbers, strict=True)):  # `2021/22`
            return [datetime(int(text[:4]), 1, 1) if text else None for text in texts]
        counted = _find_week_count(sql, numbers)
        is_week = max(numbers) > 12 or min(numbers) < 1 or words_of(name)[-1] in _PARTS["week"] or counted != "iso"
        part: Part = "week" if is_week else "month"
        return [
            _begin_part(int(one[1]), part, int(one[2]), counted) if (one := _NUMBERED.fullmatch(text)) else None
            for text in texts
        ]
    signed = [found for text in filled if (found := _match_period(text)) is not None]
    counted = _find_week_count(sql, [int(one["number"]) for one in signed])
    return [_parse_period(text, counted) if text else None for text in texts]


def _match_period(text: str) -> re.Match[str] | None:
    return next((found for form in _FORMS if (found := form.fullmatch(text))), None)


def _parse_period(text: str, weeks: str) -> datetime | None:
    if found := _match_period(text):
        return _begin_part(int(found["year"]), _SIGNS[found["sign"].lower()], int(found["number"]), weeks)
    if found := _NAMED_MONTH.fullmatch(text):
        month = parse_month_name((found["first"] or found["then"]).lower())
        return _begin_part(int(found["year"] or found["end"]), "month", month, weeks) if month else None
    moment = parse_moment_cell(text)
    return None if moment is None else moment.at


def _parse_year(cell: Cell) -> int | None:
    if isinstance(cell, bool) or cell is None:
        return None
    text = cell_text(cell).strip().removesuffix(".0")
    return int(text) if re.fullmatch(r"[12]\d{3}", text, re.ASCII) else None


def _find_part(name: str, cells: Sequence[Cell]) -> Part | None:
    """The part of a year that a column holds, by its name and by each of its values."""
    words = words_of(name)
    for part, names in _PARTS.items():
        signed = all(_names_part_itself(cell, part) for cell in cells)
        if (signed or names & {*words, "".join(words)}) and all(
            cell is None or _parse_part(cell, part) is not None for cell in cells
        ):
            return part
    return None


def _names_part_itself(cell: Cell, part: Part) -> bool:
    """Whether a value says of itself which part it is: `Q1`, `W05`, `March`."""
    if not isinstance(cell, str):
        return False
    found = _PART.fullmatch(cell.strip())
    sign = (found["sign"] or found["unit"] or "").lower() if found else ""
    return _SIGNS.get(sign) == part or (part == "month" and parse_month_name(cell.strip().rstrip(".").lower()) > 0)


def _parse_part(cell: Cell, part: Part) -> int | None:
    """The number of a part of a year; None: it is none of this kind."""
    if cell is None or isinstance(cell, bool):
        return None
    text = cell_text(cell).strip()
    found = _PART.fullmatch(text)
    if found is None:
        return (parse_month_name(text.rstrip(".").lower()) or None) if part == "month" else None
    sign = (found["sign"] or found["unit"] or "").lower()
    number = int(found["number"] or found["first"])
    least = 0 if part == "week" else 1
    return number if (not sign or _SIGNS[sign] == part) and least <= number <= _MOST[part] else None


def _begin_part(year: int, part: Part, number: int, weeks: str) -> datetime | None:
    """When a part of a year begins; None: the year has none of this number."""
    if not 1 <= year <= MAXYEAR or number > _MOST[part] or (part != "week" and number < 1):
        return None
    try:
        if part == "week":
            return _WEEK_STARTS[weeks](year, number)
        return datetime(year, (number - 1) * (12 // _MOST[part]) + 1, 1)
    except (ValueError, OverflowError):
        return None


def _find_week_count(sql: str, numbers: Sequence[int | None]) -> str:
    """Find how the query counts weeks; a week 0 is none of ISO 8601, and `%W` is what SQLite has for it."""
    said = next((name for name, sign in _WEEKS if sign.search(sql)), "")
    return said or ("monday" if 0 in numbers else "iso")


def _begin_iso_week(year: int, week: int) -> datetime:
    return datetime.combine(date.fromisocalendar(year, week, 1), datetime.min.time())


def _begin_week_after(weekday: int) -> Callable[[int, int], datetime]:
    """Weeks as `strftime` counts them: week 1 begins with the first such day, and the days before are week 0."""

    def begin(year: int, week: int) -> datetime:
        first = datetime(year, 1, 1)
        opening = first + timedelta(days=(weekday - first.weekday()) % 7)
        return max(first, opening + timedelta(weeks=week - 1))

    return begin


def _begin_week_from_january(year: int, week: int) -> datetime:
    """Weeks as PostgreSQL's `WW` counts them: the first begins on 1 January."""
    return datetime(year, 1, 1) + timedelta(weeks=week - 1)


_WEEK_STARTS: Final[Mapping[str, Callable[[int, int], datetime]]] = {
    "iso": _begin_iso_week,
    "monday": _begin_week_after(0),
    "sunday": _begin_week_after(6),
    "january": _begin_week_from_january,
}
