"""Ratios: of one thing to another, and the share of rows that meet a condition."""

from elcano.activities.offline.sql.filtering import take_filters
from elcano.activities.offline.sql.form import Asked, Side, Unread, Wish
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.metrics import metric_at, told


def take_ratio(row: list[Item], found: Wish) -> None:
    """`ratio of X to Y`, `proportion of X with Z`; each side may have conditions of its own.

    Raises:
        Unread: it is not clear what the sides are.
    """
    start = next((n for n, one in enumerate(row) if one.kind == "ratio" and one.arg != "all"), None)
    if start is None:
        return
    if any(one.kind not in ("ask", "comma") for one in row[:start]):
        raise Unread("a ratio is asked for beside something else")
    body = [one for one in row[start + 1 :]]
    found.percent = row[start].arg == "percent"
    if row[start].arg in ("share", "percent"):
        found.ratio = _share(body)
    else:
        found.ratio = _sides(body)
    row.clear()


def _sides(body: list[Item]) -> tuple[Side, Side]:
    places = [n for n, one in enumerate(body) if one.kind == "place" and one.arg == "to"]
    if len(places) != 1:
        raise Unread("it is not clear between which two things the ratio is")
    return _side(body[: places[0]]), _side(body[places[0] + 1 :])


def _share(body: list[Item]) -> tuple[Side, Side]:
    whole = next((n for n, one in enumerate(body) if one.kind == "ratio"), None)
    part = body if whole is None else body[:whole]
    first = _side(part)
    item = first.asked if isinstance(first.asked, Item) else first.asked.item
    if item is None or item.table is None:
        raise Unread("it is not clear of what the share is")
    if whole is not None:
        rest = [one for one in body[whole + 1 :] if one.kind not in ("comma", "all", "of")]
        if len(rest) != 1 or rest[0].table != item.table:
            raise Unread(f"{told(body[whole:])} is not what the share is of")
    if not _narrowed(first.own):
        raise Unread("it is not clear which rows the share is of")
    return first, Side(first.asked, Wish())


def _narrowed(own: Wish) -> bool:
    return bool(own.filters or own.values or own.flags or own.absent or own.mentions)


def _side(row: list[Item]) -> Side:
    """One side, with its conditions taken out of it."""
    own = Wish()
    row = list(row)
    take_filters(row, own)
    if own.moments:
        raise Unread("a moment on one side of a ratio is not read")
    place = 0
    while place < len(row) and row[place].kind in ("of", "all", "comma", "ask"):
        place += 1
    if place >= len(row):
        raise Unread("one side of the ratio is empty")
    asked: Asked | Item
    if row[place].kind in ("count", "aggregate", "most"):
        asked, place = metric_at(row, place)
    elif row[place].kind == "noun":
        asked, place = row[place], place + 1
    else:
        raise Unread(f"{told(row[place:])} is no name of the database")
    for one in row[place:]:
        if one.kind == "noun" and one.table is not None:
            own.mentions.append(one)
        elif one.kind == "verb":
            own.verbs.append(one)
        elif one.kind not in ("comma", "place", "of", "which", "all", "with"):
            raise Unread(f"`{one.text}` has no place in the ratio")
    return Side(asked, own)
