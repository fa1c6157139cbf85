"""A question as a row of items: operations, names, values, moments, numbers. Every word is one of them, or unread."""

from dataclasses import dataclass, replace
from typing import Final

from elcano.activities.offline.sql.moments import MARK, Moment
from elcano.activities.offline.sql.names import Meaning, Names
from elcano.activities.offline.sql.operations import CALENDAR, MEASURES, NOUNS, PHRASES, SILENT, VERBS, Kind
from elcano.activities.offline.sql.wording import Token, root, tokens

LONGEST: Final = 7
"""Words of one name, value or operation."""
_MARKS: Final[dict[str, Kind]] = {",": "comma", ":": "comma", "(": "open", ")": "close"}
_UNITS: Final = frozenset(
    [
        "mph",
        "dollar",
        "usd",
        "$",
        "€",
        "£",
        "%",
        "percent",
        "mile",
        "km",
        "kg",
        "lb",
        "pound",
        "meter",
        "feet",
        "minute",
        "hour",
        "second",
    ]
)


@dataclass(frozen=True)
class Item:
    """One piece of a question that has one place in its meaning."""

    kind: Kind
    text: str
    arg: str = ""
    """Of an operation which one it is; of a verb its root."""
    meanings: tuple[Meaning, ...] = ()
    moment: Moment | None = None
    mentions: tuple[str, ...] = ()
    """Of a column that the question says to be of a table: that table."""

    @property
    def table(self) -> str | None:
        """The table it names; None: it names none, or may name several."""
        found = {one.table for one in self.meanings if one.role == "table"}
        return found.pop() if len(found) == 1 else None

    @property
    def columns(self) -> tuple[Meaning, ...]:
        """What columns it may name; of what is the name of a table as well, only those that it names in full."""
        table = any(one.role == "table" for one in self.meanings)
        named = (one for one in self.meanings if one.role in ("column", "quantity", "flag"))
        return tuple(one for one in named if not (table and one.weak))

    @property
    def values(self) -> tuple[Meaning, ...]:
        """The values it may be."""
        return tuple(one for one in self.meanings if one.role == "value")


def items(question: str, spoken: tuple[Moment, ...], names: Names) -> tuple[Item, ...]:
    """The items of a question in which moments are marked already."""
    pieces, found = tokens(question), list[Item]()
    roots = _value_roots(names)
    place = 0
    while place < len(pieces):
        if pieces[place].text == MARK and place + 1 < len(pieces):
            moment = spoken[int(pieces[place + 1].text)]
            found.append(Item("moment", moment.text, moment=moment))
            place += 2
            continue
        item, length = _longest(pieces, place, names, roots, found[-1] if found else None)
        if item is not None:
            found.append(item)
        place += length
    return tuple(_glossed(found))


def _longest(
    pieces: tuple[Token, ...], place: int, names: Names, roots: frozenset[str], before: Item | None
) -> tuple[Item | None, int]:
    """The longest item that begins here, and how many tokens it takes; none for what tells nothing."""
    first = pieces[place]
    if before is not None and before.kind == "like" and first.kind != "mark":
        return Item("quoted", first.text), 1
    if first.kind == "quoted":
        parts = [token.base for token in tokens(first.text) if token.kind != "mark"]
        values = tuple(one for one in names.valued(parts) if one.literal.lower() == first.base)
        return Item("quoted", first.text, meanings=values or names.named(parts)), 1
    if first.kind == "mark" or first.text == ".":
        return Item(_MARKS.get(first.text, "end"), first.text), 1
    if (turned := _turned(pieces, place, names)) is not None:
        return turned
    for length in range(min(LONGEST, len(pieces) - place), 0, -1):
        span = pieces[place : place + length]
        if any(token.kind in ("quoted", "date") for token in span):
            continue
        item = _known(span, names)
        if item is not None:
            return item, length
    return _single(first, names, roots, before), 1


def _known(span: tuple[Token, ...], names: Names) -> Item | None:
    """A name, an operation or a value that is said with exactly these tokens."""
    bases = tuple(token.base for token in span)
    text = " ".join(token.text for token in span)
    single = len(span) == 1
    if single and (bases[0] in SILENT or span[0].kind == "number"):
        return None
    marks = any(token.kind == "mark" for token in span)
    named = () if marks else names.named(bases)
    raw = " ".join(token.text.lower() for token in span)
    phrase = PHRASES.get(" ".join(bases)) or PHRASES.get(raw)
    if phrase is not None and _measures(bases, names):
        phrase = None
    if phrase is not None and (not named or all(one.weak for one in named)):
        return Item(phrase[0], text, phrase[1], meanings=named)
    values = names.valued(tuple(token.base for token in span if token.kind != "mark")) if not _edged(span) else ()
    if single and (len(span[0].text) < 2 or span[0].text.isdigit()):
        values = ()
    if named or values:
        return Item("noun" if named else "value", text, meanings=(*named, *values))
    return None


def _measures(bases: tuple[str, ...], names: Names) -> bool:
    """Whether a phrase has a word that a column is called by: the `total amount of` orders that have an `amount`."""
    said = (names.named((base,)) for base in bases if base in MEASURES)
    return len(bases) > 1 and any(one.role == "column" and not one.weak for found in said for one in found)


def _turned(pieces: tuple[Token, ...], place: int, names: Names) -> tuple[Item, int] | None:
    """A name that is said from its end: `cost of round-trip fares` is the `round_trip_cost` of `fare`."""
    following = pieces[place + 1 : place + 2]
    if pieces[place].kind != "word" or not following or following[0].base != "of":
        return None
    start = place + 2
    while start < len(pieces) and (pieces[start].base in SILENT or pieces[start].base == "all"):
        start += 1
    for length in (3, 2, 1):
        words = tuple(token.base for token in pieces[start : start + length])
        found = [one for one in names.named((*words, pieces[place].base)) if one.role == "column" and not one.weak]
        if len(words) < length or not found:
            continue
        end = start + length
        text = f"{pieces[place].text} of {' '.join(token.text for token in pieces[start:end])}"
        tables = (
            {one.table for one in names.named((pieces[end].base,)) if one.role == "table"}
            if end < len(pieces)
            else set()
        )
        own = tuple(one for one in found if one.table in tables)
        if own:
            return Item("noun", text, meanings=own, mentions=(own[0].table,)), end + 1 - place
        return Item("noun", text, meanings=tuple(found)), end - place
    return None


def _edged(span: tuple[Token, ...]) -> bool:
    """Whether a span begins or ends with a mark, which belongs to no value."""
    return span[0].kind == "mark" or span[-1].kind == "mark"


def _single(token: Token, names: Names, roots: frozenset[str], before: Item | None) -> Item | None:
    if token.base in SILENT:
        return None
    if token.kind == "number":
        return Item("number", token.text, token.text.strip("$€£%").replace(",", ""))
    if before is not None and before.kind == "number" and token.base in _UNITS:
        return Item("noun", token.text, "unit")
    if token.kind != "word":
        return Item("unread", token.text)
    if token.base in CALENDAR:
        return Item("bucket", token.text, token.base.removesuffix("ly").replace("dai", "day").replace("annual", "year"))
    verb = root(token.text.lower())
    if verb in roots:
        return Item("unread", token.text)
    if verb in _all_roots(names):
        return Item("verb", token.text, verb)
    light = verb in VERBS and token.base not in NOUNS
    return Item("verb", token.text) if light else Item("unread", token.text)


def _all_roots(names: Names) -> frozenset[str]:
    """Roots of all words of names, and of what is said of columns: whoever uses one has to use its column."""
    found = {root(word) for words in names.said.values() for word in words}
    for columns in names.columns.values():
        for column in columns:
            found |= {root(word) for word in column.words}
            found |= {root(one.base) for one in tokens(column.schema.comment) if one.kind == "word"}
    return frozenset(found)


def _value_roots(names: Names) -> frozenset[str]:
    """Roots of values of one word: a verb made of one of them is a condition."""
    found = (
        root(sample.lower())
        for columns in names.columns.values()
        for column in columns
        if column.schema.kind == "text"
        for sample in column.schema.samples
        if sample.isalpha()
    )
    return frozenset(found)


def _glossed(found: list[Item]) -> list[Item]:
    """Without brackets; of `Chicago (ORD)`, two values for one thing, the one in brackets stands."""
    kept: list[Item] = []
    for place, item in enumerate(found):
        if item.kind == "open" and kept and place + 2 < len(found) and found[place + 2].kind == "close":
            inside = found[place + 1]
            if inside.values and kept[-1].kind == "value":
                kept.pop()
        if item.kind not in ("open", "close"):
            kept.append(item)
    return kept


def merged(row: tuple[Item, ...]) -> tuple[Item, ...]:
    """A column and the table beside it as one: `customer name`, `name of the customer`, `customer's name`."""
    kept: list[Item] = []
    for item in row:
        if kept and item.kind == "noun" and kept[-1].kind == "noun":
            table = kept[-1].table
            within = tuple(one for one in item.columns if one.table == table)
            if table is not None and within and not (item.table and item.table != table and kept[-1].columns):
                text = f"{kept[-1].text} {item.text}"
                kept[-1] = replace(item, text=text, meanings=within, mentions=(table,))
                continue
        if item.kind == "noun" and len(kept) > 1 and kept[-1].kind == "of" and kept[-2].kind == "noun":
            table, column = item.table, kept[-2]
            within = tuple(one for one in column.columns if one.table == table)
            if table is not None and within:
                del kept[-1]
                kept[-1] = replace(column, text=f"{column.text} of {item.text}", meanings=within, mentions=(table,))
                continue
        kept.append(item)
    return tuple(kept)
