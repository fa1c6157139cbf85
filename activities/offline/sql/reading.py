"""A question taken apart: what is listed, computed, grouped, filtered and ordered.

Each pass takes the items that it understands out of the row and leaves the others. What is left at the end is what a
list names; anything else that is left is unread, and then the question is.
"""

import re
from typing import Final

from elcano.activities.offline.sql.filtering import take_filters
from elcano.activities.offline.sql.form import Aggregate, Asked, Unread, Wish
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.metrics import metric_at, told
from elcano.activities.offline.sql.operations import VERBS
from elcano.activities.offline.sql.ratios import take_ratio
from elcano.activities.offline.sql.wording import root

_DESCENDING: Final = frozenset({"desc", "max", "late", "dear", "long"})
_METHOD: Final = re.compile(
    r",? (?:by doing (?:a )?(?:left|inner|outer)? ?join\b|by joining\b|based on joining\b)[^.?!]*?\btables?\b",
    re.IGNORECASE,
)


def without_method(question: str) -> str:
    """The question without words that say only how the SQL is to be written."""
    return _METHOD.sub("", question)


def wish(row: tuple[Item, ...]) -> Wish:
    """What a question of one or several sentences asks for.

    Raises:
        Unread: something of it has no place in what was understood.
    """
    found = Wish()
    sentences = _sentences(list(row))
    if not sentences:
        raise Unread("the question has no words")
    main, rest = sentences[0], sentences[1:]
    _take_order(main, found)
    _take_groups(main, found)
    take_ratio(main, found)
    take_filters(main, found)
    _take_metrics(main, found)
    _take_list(main, found)
    for sentence in rest:
        _follow(sentence, found)
    _objects(found)
    return found


def _sentences(row: list[Item]) -> list[list[Item]]:
    found: list[list[Item]] = [[]]
    for item in row:
        if item.kind == "end":
            found.append([])
        else:
            found[-1].append(item)
    return [one for one in found if one]


def _follow(sentence: list[Item], found: Wish) -> None:
    """A later sentence: what is to be shown, or in which order."""
    if any(one.kind == "order" for one in sentence):
        _take_order(sentence, found)
        if not [one for one in sentence if one.kind not in ("ask", "comma")]:
            return
    if sentence[0].kind not in ("ask", "direction"):
        raise Unread(f"the sentence with {told(sentence)} has no place in the question")
    if any(one.kind in ("moment", "compare", "like", "not", "value") for one in sentence):
        raise Unread(f"the sentence with {told(sentence)} says more than what is to be shown")
    _take_order(sentence, found)
    asked = _listed(sentence, found)
    known = [one for one in found.select if isinstance(one, Asked)]
    shown = [one for one in asked if not (isinstance(one, Item) and one.text.lower() == "count" and known)]
    found.select = shown + [one for one in known if not any(isinstance(other, Asked) for other in shown)]


def _take_order(row: list[Item], found: Wish) -> None:
    """`ordered by X in descending order`, `from highest to lowest`."""
    directions = [one for one in row if one.kind == "direction"]
    for one in directions:
        row.remove(one)
    descending = [one.arg == "desc" for one in directions]
    start = next((n for n, one in enumerate(row) if one.kind == "order"), None)
    if start is None:
        if descending:
            found.order.append((Item("ask", ""), descending[0]))
        return
    keys: list[Item | Asked] = []
    place = start + 1
    while place < len(row) and row[place].kind not in ("end", "ask"):
        one = row[place]
        if one.kind in ("count", "aggregate", "most", "distinct"):
            asked, place = metric_at(row, place)
            keys.append(asked)
            continue
        if one.kind == "noun" and not (keys and _verbal(one)):
            keys.append(one)
        elif one.kind not in ("verb", "noun", "by", "comma", "and", "of", "place", "all"):
            raise Unread(f"`{one.text}` has no place in an order")
        place += 1
    del row[start:place]
    if row and row[-1].kind in ("comma", "and"):
        row.pop()
    if not keys and not descending:
        raise Unread("an order is asked for without saying by what")
    if not keys:
        keys = [Item("ask", "")]
    found.order.extend((key, descending[0] if descending else False) for key in keys)


def _take_groups(row: list[Item], found: Wish) -> None:
    """`for each X`, `by X and Y` behind something that is computed, `per month`."""
    while True:
        start = next((n for n, one in enumerate(row) if _groups(row, n, found)), None)
        if start is None:
            return
        place = start + 1
        while place < len(row):
            one = row[place]
            if one.kind in ("noun", "bucket"):
                found.groups.append(one)
                if row[start].kind == "each" and _goes_on(row, place + 1):
                    place += 2
                    continue
                place += 1
                break
            if one.kind not in ("distinct", "of", "all"):
                raise Unread(f"`{row[start].text} {one.text}` names no group")
            place += 1
        else:
            raise Unread(f"nothing stands behind `{row[start].text}`")
        row[start:place] = [Item("comma", "")] if start and place < len(row) else []


def _groups(row: list[Item], place: int, found: Wish) -> bool:
    one = row[place]
    if one.kind == "each":
        return True
    if one.kind == "bucket" and one.arg in ("month", "year", "day", "week", "quarter") and one.text.endswith("ly"):
        row[place : place + 1] = [Item("each", one.text), Item("bucket", one.text, one.arg)]
        return True
    if one.kind != "by" or any(other.kind in ("top", "most") for other in row[:place]):
        return False
    if place and (row[place - 1].kind == "verb" or (row[place - 1].kind == "noun" and _verbal(row[place - 1]))):
        return False
    computes = any(other.kind in ("count", "aggregate", "ratio") for other in row[:place])
    return computes and place + 1 < len(row) and row[place + 1].kind in ("noun", "bucket")


def _goes_on(row: list[Item], place: int) -> bool:
    """Whether another group is named from here on, and not something else: `for each X, Y have ...`."""
    kinds = [one.kind for one in row[place : place + 3]]
    if kinds[:1] not in (["and"], ["comma"]) or kinds[1:2] != ["noun"]:
        return False
    return kinds[2:] not in (["with"], ["which"], ["verb"], ["compare"], ["like"], ["value"])


def _take_top(row: list[Item], found: Wish) -> None:
    """`top 5`; without a number the first one."""
    top = next((n for n, one in enumerate(row) if one.kind == "top"), None)
    if top is not None:
        if top + 1 < len(row) and row[top + 1].kind == "number" and row[top + 1].arg.isdigit():
            found.limit = int(row[top + 1].arg)
            del row[top : top + 2]
        else:
            found.limit = 1
            del row[top]


def _take_metrics(row: list[Item], found: Wish) -> None:
    """What is computed, and by what a list is ordered that wants the first or the last of something."""
    _take_top(row, found)
    place = 0
    while place < len(row):
        one = row[place]
        if one.kind == "most" and not (one.arg in ("max", "min") and place and row[place - 1].kind == "ask"):
            asked, end = metric_at(row, place + 1 - 1) if one.arg in ("max", "min") else _most(row, place)
            before = [other for other in row[:place] if other.kind == "noun"]
            if any(isinstance(key, Asked) for key, _ in found.order) and (before or found.limit is not None):
                raise Unread(f"`{one.text}` is a second thing to choose by")
            if before and found.order and found.limit is None:
                raise Unread(f"`{one.text}` asks for one, and the order for several")
            if before or found.limit is not None:
                found.order.insert(0, (asked, one.arg in _DESCENDING))
                found.limit = found.limit or 1
                if asked.aggregate in ("count", "sum", "avg") or found.limit > 1:
                    found.select.append(asked)
            elif asked.aggregate != "value":
                raise Unread(f"`{one.text}` is asked for without saying of what")
            else:
                end_kind: Aggregate = "max" if one.arg in _DESCENDING else "min"
                found.select.append(Asked(end_kind, asked.item))
            row[place:end] = [Item("which", "")]
            continue
        if one.kind == "by" and found.limit is not None and place + 1 < len(row) and row[place + 1].kind == "noun":
            found.order.insert(0, (Asked("value", row[place + 1]), True))
            row[place : place + 2] = [Item("which", "")]
            continue
        if one.kind in ("count", "aggregate", "most"):
            ranking = found.limit is not None and place and row[place - 1].kind in ("by", "with")
            asked, end = metric_at(row, place)
            found.select.append(asked)
            if ranking:
                found.order.insert(0, (asked, True))
            row[place:end] = [Item("which", "")]
            continue
        place += 1


def _most(row: list[Item], place: int) -> tuple[Asked, int]:
    """What is highest, latest or most: a column's value, a number of rows, or a sum."""
    first = row[place]
    if place + 1 < len(row) and row[place + 1].kind in ("count", "aggregate"):
        return metric_at(row, place + 1)
    if place + 1 >= len(row) or row[place + 1].kind != "noun":
        raise Unread(f"what is `{first.text}` is no name of the database")
    item = row[place + 1]
    strong = [one.column for one in item.columns if one.column is not None and not one.weak]
    numeric = any(one.numeric or one.moment for one in strong)
    if item.table is not None and not numeric:
        if first.text.lower() not in ("most", "fewest", "least"):
            raise Unread(f"`{first.text} {item.text}` does not say by what")
        return Asked("count", item), place + 2
    many = first.text.lower() in ("most", "fewest", "least") and not any(one.moment for one in strong)
    return Asked("sum" if many else "value", item), place + 2


def _take_list(row: list[Item], found: Wish) -> None:
    """What is left: names that are shown, and behind the first verb those that rows hang together with."""
    behind = False
    for place, one in enumerate(row):
        if one.kind == "noun":
            _place_name(one, row[place - 1] if place else Item("ask", ""), found, behind)
        elif one.kind == "verb":
            behind = True
            found.verbs.append(one)
        elif one.kind in ("which", "with", "place", "by"):
            behind = behind or (place > 0 and (found.entity is not None or bool(found.select)))
        elif one.kind == "distinct":
            found.distinct = True
        elif one.kind not in ("and", "comma", "of", "all", "ask"):
            raise Unread(f"`{one.text}` has no place in the question")


def _place_name(one: Item, previous: Item, found: Wish, behind: bool) -> None:
    """Takes a name for what is listed, for something to be shown, for a table or for a verb."""
    listed = previous.kind in ("and", "comma", "ask", "of")
    computed = found.entity is None and bool(found.select) and found.limit is None and not found.order
    if _verbal(one) and (previous.kind == "noun" or computed or (one.table is None and not listed and found.entity)):
        found.verbs.append(Item("verb", one.text, root(one.text.lower())))
    elif one.arg == "unit":
        raise Unread(f"`{one.text}` has no place in the question")
    elif previous.kind == "noun":
        raise Unread(f"`{previous.text} {one.text}` names two things side by side")
    elif found.entity is None and not behind:
        found.entity = one
    elif one.table is not None:
        found.mentions.append(one)
    elif _verbal(one) and not listed:
        found.verbs.append(Item("verb", one.text, root(one.text.lower())))
    elif not behind and listed:
        found.select.append(one)
    elif previous.kind in ("with", "verb", "which"):
        found.flags.append((one, True))
    else:
        raise Unread(f"`{one.text}` has no place in the question")


def _objects(found: Wish) -> None:
    """Refuses a verb that stands alone: `customers who bought` are not all customers."""
    said = (found.groups, found.filters, found.values, found.flags, found.moments, found.absent, found.mentions)
    telling = any(one.arg and root(one.text.lower()) not in VERBS for one in found.verbs)
    ranked = found.entity is not None and any(isinstance(one, Asked) for one in found.select)
    if found.verbs and not (any(said) or telling or ranked):
        raise Unread(f"`{found.verbs[0].text}` does not say what")


def _verbal(item: Item) -> bool:
    """Whether a name may as well be a verb that says how two things go together."""
    word = item.text.lower()
    return item.table is None and (word.endswith(("ed", "ing")) or root(word) in VERBS)


def _listed(row: list[Item], found: Wish) -> list[Item | Asked]:
    """What a sentence that begins with `return` or `show` names."""
    shown: list[Item | Asked] = []
    place = 0
    while place < len(row):
        one = row[place]
        if one.kind in ("count", "aggregate", "most", "distinct") and one.text:
            asked, place = metric_at(row, place)
            shown.append(asked)
            continue
        if one.kind == "each":
            place += 2
            continue
        if one.kind == "noun":
            if place and row[place - 1].kind == "noun":
                raise Unread(f"`{row[place - 1].text} {one.text}` names two things side by side")
            shown.append(one)
        elif one.kind not in ("ask", "and", "comma", "of", "all", "place", "which", "verb"):
            raise Unread(f"`{one.text}` has no place among what is to be shown")
        place += 1
    return shown
