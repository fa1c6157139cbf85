"""Reads typed fields from a service's JSON; a field of another type counts as missing.

One wrong field costs that field and not the work, and never becomes something plausible.
"""

import re
from collections.abc import Mapping, Sequence
from typing import Any, Final

from elcano.activities.passages.document import normalize_text

LARGEST: Final = 1_000_000_000
"""No figure of a work, as its citations, is larger; what is has been damaged."""
_YEARS: Final = range(1000, 3000)
_DATE: Final = re.compile(r"(\d{4})(?:-(\d{1,2})(?:-(\d{1,2}))?)?(?!\d)")


def coerce_text(value: object) -> str:
    """A string on one line, or a whole number as one; empty for all else."""
    if isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= LARGEST:
        return str(value)
    return " ".join(normalize_text(value).split()) if isinstance(value, str) else ""


def coerce_first_text(value: object) -> str:
    """The first string of a list that is not empty, or the string itself; else empty."""
    return next((found for one in coerce_list(value) if (found := coerce_text(one))), coerce_text(value))


def coerce_whole_number(value: object) -> int | None:
    """A whole number from 0 on, also one written as digits; None for all else."""
    if isinstance(value, str) and value.strip().isdecimal() and len(value) <= len(str(LARGEST)):
        value = int(value)
    if isinstance(value, bool) or not isinstance(value, int):
        return None
    return value if 0 <= value <= LARGEST else None


def coerce_mapping(value: object) -> Mapping[str, Any]:
    """An object; empty for all else."""
    return value if isinstance(value, dict) else {}


def coerce_list(value: object) -> Sequence[Any]:
    """A list; empty for all else."""
    return value if isinstance(value, list) else ()


def coerce_mappings(value: object) -> list[Mapping[str, Any]]:
    """The objects of a list."""
    return [one for one in coerce_list(value) if isinstance(one, dict)]


def coerce_date(value: object) -> str:
    """`2024`, `2024-05` or `2024-05-17` at the beginning of a text, as far as it can be a date; else empty."""
    found = _DATE.match(coerce_text(value))
    return date_of([part for part in found.groups() if part is not None]) if found else ""


def date_of(parts: Sequence[object]) -> str:
    """The date of year, month and day, as many of them as there are and can be; empty without a year."""
    numbers = [coerce_whole_number(part) for part in parts[:3]]
    limits = (_YEARS, range(1, 13), range(1, 32))
    written: list[str] = []
    for value, allowed in zip(numbers, limits, strict=False):
        if value is None or value not in allowed:
            break
        written.append(f"{value:02}")
    return "-".join(written)


def parse_year(published: str) -> int | None:
    """The year of a date as `coerce_date` gives it."""
    return int(published[:4]) if published else None
