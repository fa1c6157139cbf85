"""Days, without a clock: which one a moment is in, and as how much of a date what a source wrote can be read."""

import math
from typing import Final

_SECONDS: Final = 86_400
_LAST: Final = 253_402_300_800.0
"""The end of the year 9999, in seconds since the epoch."""
_PARTS: Final = ((1, 9999), (1, 12), (1, 31))


def format_utc_day(at: float) -> str:
    """Return the UTC date of a time in seconds since the epoch, as `2026-11-22`; empty for 0 and invalid times."""
    if not (math.isfinite(at) and 0 < at < _LAST):
        return ""
    year, month, number = _civil_from_days(int(at // _SECONDS))
    return f"{year:04}-{month:02}-{number:02}"


def parse_date_parts(date: str) -> tuple[int, ...]:
    """`2024-05-17` as year, month and day, as far as these are some; `2024-13` is the year alone."""
    found: list[int] = []
    for text, (low, high) in zip(date.split("-"), _PARTS, strict=False):
        if not (text.isascii() and text.isdigit() and low <= int(text[:5]) <= high):
            break
        found.append(int(text))
    return tuple(found)


def _civil_from_days(days: int) -> tuple[int, int, int]:
    """Year, month and day of the Gregorian calendar, of days since 1970-01-01.

    Years begin in March here, so that the leap day is their last; 400 of them have 146,097 days.
    """
    era, of_era = divmod(days + 719_468, 146_097)
    year = (of_era - of_era // 1_460 + of_era // 36_524 - of_era // 146_096) // 365
    of_year = of_era - (365 * year + year // 4 - year // 100)
    shifted = (5 * of_year + 2) // 153
    month = shifted + 3 if shifted < 10 else shifted - 9
    return era * 400 + year + (month <= 2), month, of_year - (153 * shifted + 2) // 5 + 1
