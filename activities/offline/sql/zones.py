"""Moments with a time zone: a day is one of UTC, in a filter as in a group, and the answer says so.

SQLite has no such type. There a text says its offset itself, and compared as it is written it would be of another day
than the one that functions of days make of it.
"""

import re
from collections.abc import Iterator
from typing import Final

from elcano.activities.offline.sql.form import Bucket, Form, Metric
from elcano.activities.offline.sql.names import Column

_OFFSET: Final = re.compile(r"\d\d:\d\d(?::\d\d(?:[.,]\d+)?)? ?(?:Z|[+-]\d\d(?::?\d\d)?)$", re.IGNORECASE)


def says_its_offset(column: Column) -> bool:
    """Whether values of a column end in an offset, as in `2024-01-01T23:30:00-05:00`, as far as any are known."""
    known = (*column.schema.samples, column.schema.lowest or "", column.schema.highest or "")
    return column.moment and any(_OFFSET.search(value) for value in known)


def zone_choices(form: Form) -> list[str]:
    """Of each column with a time zone that is cut to days or compared with them: whose days these are."""
    used = dict.fromkeys(_cut(form))
    return [
        f"{column} has a time zone: days, months and years are those of UTC."
        for column in used
        if says_its_offset(column) or _has_zone(column)
    ]


def _cut(form: Form) -> Iterator[Column]:
    for one in (*form.select, *form.groups, *(key for key, _ in form.order)):
        if isinstance(one, Bucket):
            yield one.column
        if isinstance(one, Metric):
            yield from (condition.column for condition in one.conditions if condition.column.moment)
    yield from (condition.column for condition in form.conditions if condition.column.moment)


def _has_zone(column: Column) -> bool:
    kind = column.schema.type.upper()
    return column.moment and ("TIMESTAMPTZ" in kind or ("TIME ZONE" in kind and "WITHOUT" not in kind))
