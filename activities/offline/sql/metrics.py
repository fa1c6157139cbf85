"""What is computed: the words from an operation to the name of what it is computed of."""

from typing import Final

from elcano.activities.offline.sql.form import Aggregate, Asked, Unread
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.names import said_by
from elcano.activities.offline.sql.wording import root, singular

_AGGREGATES: Final[dict[str, Aggregate]] = {"sum": "sum", "avg": "avg", "max": "max", "min": "min"}


def told(row: list[Item]) -> str:
    """Items as a refusal names them."""
    return " ".join(f"`{one.text}`" for one in row if one.kind not in ("comma",))[:200]


def metric_at(row: list[Item], place: int) -> tuple[Asked, int]:
    """What is computed from here on, and where the row goes on.

    Raises:
        Unread: it is not clear what is computed, or of what.
    """
    first = row[place]
    aggregate: Aggregate | None = _AGGREGATES.get(first.arg) if first.kind in ("aggregate", "most") else None
    distinct = first.kind == "distinct"
    counted = first.kind == "count"
    place += 1
    while place < len(row) and row[place].kind in ("count", "aggregate", "distinct", "of", "all"):
        one = row[place]
        if one.kind == "aggregate":
            if aggregate is not None and aggregate != one.arg:
                raise Unread(f"`{first.text} {one.text}` computes twice")
            aggregate = _AGGREGATES[one.arg]
        counted = counted or one.kind == "count"
        distinct = distinct or one.kind == "distinct"
        place += 1
    if place >= len(row) or row[place].kind != "noun":
        if counted and aggregate is None:
            return Asked("count", None, distinct), place
        raise Unread(f"what `{first.text}` is computed of is no name of the database")
    item = row[place]
    if item.meanings and all(one.role in ("flag", "value") for one in item.meanings):
        raise Unread(f"`{item.text}` is nothing that could be counted or computed")
    end = place + 1 + _absorbed(item, row, place)
    if counted:
        return _number(first, item, aggregate, distinct), end
    if item.table is not None and not item.columns:
        raise Unread(f"`{first.text} {item.text}` does not say what of {item.text} is computed")
    return Asked(aggregate or "value", item, distinct), end


def _number(first: Item, item: Item, aggregate: Aggregate | None, distinct: bool) -> Asked:
    """A number of something: of rows, of different values, or one that a column holds."""
    if any(one.role == "quantity" for one in item.meanings):
        return Asked(aggregate or "sum", item, distinct)
    if item.table is not None:
        alike = [one.column for one in item.meanings if one.role == "column" and one.column and one.column.numeric]
        if alike and not distinct:
            both = f"the rows of {item.table} or {alike[0].table}.{alike[0].name}"
            raise Unread(f"`{item.text}` may be {both}")
        if aggregate in (None, "sum"):
            return Asked("count", item, distinct)
        raise Unread(f"`{first.text}` of a number of {item.text} computes twice")
    numeric = any(one.column is not None and one.column.numeric for one in item.columns)
    if aggregate in (None, "sum") and not numeric:
        return Asked("count", item, distinct=True)
    if aggregate is not None and numeric:
        return Asked(aggregate, item)
    raise Unread(f"`{item.text}` is no number that `{first.text}` could be computed of")


def _absorbed(item: Item, row: list[Item], place: int) -> int:
    """1 if the next name only says again of whom a column holds the number: `number of enrolled students`."""
    following = row[place + 1] if place + 1 < len(row) else None
    if following is None or following.kind != "noun" or following.table is None:
        return 0
    numbers = [one.column for one in item.meanings if one.role == "quantity" and one.column is not None]
    return int(any(root(singular(following.text.lower())) in said_by(one) for one in numbers))
