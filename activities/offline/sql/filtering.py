"""Conditions of a question: moments, comparisons, values, parts of texts, what is there and what is not."""

from dataclasses import replace
from typing import Final

from elcano.activities.offline.sql.form import Asked, Operator, Unread, Wish
from elcano.activities.offline.sql.items import Item

_LIKE: Final[dict[str, Operator]] = {"start": "start", "end": "end", "in": "in text"}
_OPERATORS: Final[dict[str, Operator]] = {">": ">", "<": "<", ">=": ">=", "<=": "<=", "=": "="}
_SKIPPED: Final = frozenset({"of", "place", "which", "with", "all", "verb", "distinct"})


def take_filters(row: list[Item], found: Wish) -> None:
    """Takes every condition out of `row`.

    Raises:
        Unread: one of them does not say what it is of.
    """
    _take_likes(row, found)
    _take_moments(row, found)
    _take_compared(row, found)
    _take_values(row, found)
    _take_absent(row, found)
    _take_flags(row, found)


def _is_column(item: Item) -> bool:
    return item.kind == "noun" and bool(item.columns) and (item.table is None or bool(item.mentions))


def _take_likes(row: list[Item], found: Wish) -> None:
    while True:
        place = next((n for n, one in enumerate(row) if one.kind == "like"), None)
        if place is None:
            return
        if place + 1 >= len(row) or place == 0:
            raise Unread(f"`{row[place].text}` does not say with what, or what of")
        before, text = row[place - 1], row[place + 1].text
        if before.kind != "noun" or not before.columns:
            raise Unread(f"what `{row[place].text} {text}` is no column of the database")
        said = f"{before.text} {row[place].text} `{text}`"
        found.filters.append((before, _LIKE[row[place].arg], (text,), said))
        first = place - 1
        if first and row[first - 1].kind in ("which", "with"):
            first -= 1
        row[first : place + 2] = [Item("comma", "")]


def _take_moments(row: list[Item], found: Wish) -> None:
    place = 0
    while place < len(row):
        one = row[place]
        if one.kind != "moment" or one.moment is None:
            place += 1
            continue
        first = place
        while first and row[first - 1].kind in ("place", "comma", "which"):
            first -= 1
        hint = row[first - 1] if first else None
        dated = hint is not None and _is_column(hint) and any(c.column and c.column.moment for c in hint.columns)
        if hint is not None and hint.kind == "verb":
            found.verbs.append(hint)
            first -= 1
        elif dated and first > 1 and row[first - 2].kind in ("with", "which", "place", "comma", "and"):
            first -= 1
        elif not dated:
            hint = None
        found.moments.append((one.moment, hint))
        row[first : place + 1] = [Item("comma", "")]
        place = first


def _take_compared(row: list[Item], found: Wish) -> None:
    """`price over 30`, `more than 100 seats`, `between 3 and 5`, `semester 1`."""
    place = 0
    while place < len(row):
        one = row[place]
        if one.kind == "number" and place and _is_column(row[place - 1]):
            before = row[place - 1]
            found.filters.append((before, "=", (_number(one),), f"{before.text} {one.text}"))
            row[place - 1 : place + 1] = [Item("comma", "")]
        elif one.kind == "between":
            place = _between(row, place, found)
        elif one.kind == "compare" and place + 1 < len(row) and row[place + 1].kind == "number":
            _compared(row, place, row[place + 1], one.arg, place + 2, found)
        elif one.kind == "compare" and one.arg in (">==", "<==") and place and row[place - 1].kind == "number":
            _compared(row, place - 1, row[place - 1], one.arg[:2], place + 1, found)
            place -= 1
        elif one.kind == "compare":
            raise Unread(f"`{one.text}` does not stand before a number")
        place += 1


def _between(row: list[Item], place: int, found: Wish) -> int:
    numbers = row[place + 1 : place + 4]
    if [one.kind for one in numbers] != ["number", "and", "number"]:
        raise Unread("`between` does not stand before two numbers")
    subject, first = _subject(row, place)
    if subject is None:
        raise Unread("what is between two numbers is no column of the database")
    for operator, number in ((">=", numbers[0]), ("<=", numbers[2])):
        said = f"{subject.text} between {numbers[0].text} and {numbers[2].text}"
        found.filters.append((subject, _OPERATORS[operator], (_number(number),), said))
    row[first : place + 4] = [Item("comma", "")]
    return first


def _compared(row: list[Item], place: int, number: Item, operator: str, end: int, found: Wish) -> None:
    """A comparison whose operator is at `place` and which ends before `end`, with what stands on either side."""
    behind = row[end] if end < len(row) else None
    said = f"{operator} {number.text}"
    if behind is not None and behind.arg == "unit":
        end, behind = end + 1, None
    subject, first = _subject(row, place)
    if subject is None and behind is not None and behind.kind == "noun":
        first = place
        while first and row[first - 1].kind in ("with", "which"):
            first -= 1
        quantity = any(one.role == "quantity" for one in behind.columns)
        if behind.table is not None and not quantity:
            found.having.append((Asked("count", behind), operator, _number(number)))
        else:
            found.filters.append((behind, _OPERATORS[operator], (_number(number),), f"{behind.text} {said}"))
        row[first : end + 1] = [Item("comma", "")]
        return
    if subject is None:
        raise Unread(f"what is {said} is no column of the database")
    found.filters.append((subject, _OPERATORS[operator], (_number(number),), f"{subject.text} {said}"))
    row[first:end] = [subject] if _shown(row, first) else [Item("comma", "")]


def _subject(row: list[Item], place: int) -> tuple[Item | None, int]:
    """The column that stands before a comparison, and where the words of the comparison begin."""
    first = place
    while first and row[first - 1].kind in ("of", "with", "which"):
        first -= 1
    if not first or not _is_column(row[first - 1]):
        return None, place
    subject = row[first - 1]
    first -= 1
    while first and row[first - 1].kind in ("with", "which"):
        first -= 1
    return subject, first


def _shown(row: list[Item], place: int) -> bool:
    """Whether a column that is compared stands in a list of what is to be shown."""
    if not place or row[place - 1].kind not in ("and", "comma", "ask"):
        return False
    return not any(one.kind in ("with", "which", "count", "aggregate") for one in row[:place])


def _number(item: Item) -> float | int:
    try:
        return float(item.arg) if "." in item.arg else int(item.arg)
    except ValueError:
        raise Unread(f"`{item.text}` is no number that can be compared") from None


def _take_values(row: list[Item], found: Wish) -> None:
    place = 0
    while place < len(row):
        if row[place].kind not in ("value", "quoted"):
            place += 1
            continue
        chain, end = _chain(row, place)
        first, word = place, ""
        while first and row[first - 1].kind in ("place", "of"):
            word = row[first - 1].arg or word
            first -= 1
        if _contained(row, first, end, chain, found):
            continue
        before = row[first - 1] if first else None
        behind = row[end] if end < len(row) else None
        hint = _hint(chain[0], before, behind, apart=first < place and word not in ("", "named"))
        found.values.append((tuple(chain), hint, word))
        column = hint is not None and _is_column(hint)
        if column and hint is before and _may_go(row, first - 1):
            first -= 1
        elif column and hint is behind:
            end += 1
        if hint is not None and hint is behind and not column:
            row[first:end] = [Item("place", "")] if first < place else []
        else:
            row[first:end] = [Item("comma", "")]
        place = first


def _chain(row: list[Item], place: int) -> tuple[list[Item], int]:
    """Values of which any one will do, and where the row goes on behind them."""
    chain, end = [row[place]], place + 1
    while end + 1 < len(row) and row[end].kind in ("or", "comma") and row[end + 1].kind in ("value", "quoted"):
        chain.append(row[end + 1])
        end += 2
    if end + 1 < len(row) and row[end].kind == "and" and row[end + 1].kind in ("value", "quoted"):
        raise Unread(f"`{chain[-1].text} and {row[end + 1].text}` may mean both at once or either of them")
    return chain, end


def _hint(value: Item, before: Item | None, behind: Item | None, *, apart: bool) -> Item | None:
    """The name beside a value that says what it is of; `apart`: a preposition stands between it and what is before."""
    names = [one for one in (before, behind) if one is not None and one.kind == "noun"]
    for one in reversed(names) if apart else names:
        if _fits(one, value):
            return one
    if value.kind == "quoted" and not value.values:
        if not names:
            raise Unread(f"`{value.text}` is no value that is known of the database, and no column stands by it")
        return names[0]
    return None


def _contained(row: list[Item], first: int, end: int, chain: list[Item], found: Wish) -> bool:
    """Takes `has 'X' in its name`: a text that a column's values contain."""
    if len(chain) > 1 or chain[0].kind != "quoted" or end + 1 >= len(row) or row[end].arg != "in":
        return False
    column = row[end + 1]
    if not first or row[first - 1].kind != "with" or not _is_column(column):
        return False
    found.filters.append((column, "in text", (chain[0].text,), f"{column.text} with `{chain[0].text}`"))
    first -= 1
    while first and row[first - 1].kind == "which":
        first -= 1
    row[first : end + 2] = [Item("comma", "")]
    return True


def _may_go(row: list[Item], place: int) -> bool:
    """Whether the name at `place` is only there to say what a value is of, and is not itself what is listed."""
    return (place > 0 and any(one.kind == "noun" for one in row[:place])) or (
        place > 0 and any(one.kind in ("count", "aggregate", "most") for one in row[:place])
    )


def _fits(hint: Item, value: Item) -> bool:
    """Whether one of the columns of a name, or one in the table that it names, has the value."""
    return any(
        (one.table == named.table if named.role == "table" else one.column == named.column)
        for one in value.values
        for named in hint.meanings
    )


def _take_absent(row: list[Item], found: Wish) -> None:
    while True:
        place = next((n for n, one in enumerate(row) if one.kind == "not"), None)
        if place is None:
            return
        end = place + 1
        while end < len(row) and row[end].kind in _SKIPPED:
            if row[end].kind == "verb":
                found.verbs.append(row[end])
            end += 1
        if end >= len(row) or row[end].kind != "noun":
            raise Unread(f"what stands behind `{row[place].text}` is no name of the database")
        item = row[end]
        if item.table is not None and not any(one.role == "flag" for one in item.meanings):
            found.absent.append(item)
        else:
            near = row[place].text.lower() in ("not", "never")
            found.flags.append((replace(item, arg="near") if near else item, False))
        first = place
        while first and row[first - 1].kind in ("with", "which", "verb"):
            first -= 1
        if end + 1 < len(row) and row[end + 1].kind in ("or", "and") and end + 2 < len(row):
            raise Unread(f"it is not clear how far `{row[place].text}` reaches")
        row[first : end + 1] = [Item("which", "")]


def _take_flags(row: list[Item], found: Wish) -> None:
    """`with exams`, `have a final project and a final exam`, `active customers`."""
    _take_adjectives(row, found)
    place = 0
    while place + 1 < len(row):
        flagged = row[place + 1]
        if row[place].kind != "with" or flagged.kind != "noun" or not any(m.role == "flag" for m in flagged.meanings):
            place += 1
            continue
        found.flags.append((flagged, True))
        end = place + 2
        while end + 1 < len(row) and row[end].kind in ("and", "comma") and _flags(row[end + 1]):
            found.flags.append((row[end + 1], True))
            end += 2
        row[place:end] = [Item("which", "")]


def _take_adjectives(row: list[Item], found: Wish) -> None:
    """A flag, or a value that has the name of one, right before the table that it is of."""
    place = 0
    while place + 1 < len(row):
        one, noun = row[place], row[place + 1]
        place += 1
        if not _flags(one) or one.table is not None or noun.kind != "noun" or noun.table is None:
            continue
        if any(meaning.table == noun.table for meaning in one.columns):
            found.flags.append((replace(one, arg="near"), True))
        elif any(meaning.table == noun.table for meaning in one.values):
            found.values.append(((one,), noun, ""))
        else:
            raise Unread(f"`{one.text} {noun.text}` is said by no column of {noun.table}")
        del row[place - 1]


def _flags(item: Item) -> bool:
    return item.kind == "noun" and any(one.role == "flag" for one in item.meanings)
