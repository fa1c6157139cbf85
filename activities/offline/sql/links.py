"""How tables hang together: declared keys, and columns that are called after another table's key.

A path is taken only if there is one shortest way; where there are two, the question does not say which.
"""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise
from typing import Final

from elcano.activities.offline.sql.names import Column, Names
from elcano.activities.offline.sql.wording import root

MOST_JOINS: Final = 3
"""Between two tables that a question names."""


@dataclass(frozen=True)
class Link:
    """A column whose values name rows of another table."""

    column: Column
    """On the side of which many rows may name one."""
    referred: Column
    declared: bool

    def other(self, table: str) -> str:
        """The table at the other end."""
        return self.referred.table if table == self.column.table else self.column.table


class Ambiguous(Exception):
    """There are several ways between two tables. The text names them."""


class Unlinked(Exception):
    """There is no way between two tables that is short enough."""


class Links:
    """All links of one schema."""

    def __init__(self, names: Names) -> None:
        self._names = names
        told = tuple(dict.fromkeys(self._told()))
        self.all: tuple[Link, ...] = tuple(one for one in told if one.declared)
        known = {(one.column, one.referred.table) for one in self.all}
        self.all += tuple(one for one in self._guessed() if (one.column, one.referred.table) not in known)
        linked = {one.column for one in self.all}
        self.all += tuple(
            one for one in told if not one.declared and one.column not in linked and _within(one.column, one.referred)
        )
        self._of: dict[str, list[Link]] = defaultdict(list)
        for link in self.all:
            self._of[link.column.table].append(link)
            if link.referred.table != link.column.table:
                self._of[link.referred.table].append(link)

    def referring(self, table: str, to: str) -> tuple[Link, ...]:
        """The links whose column is in `table` and names rows of `to`."""
        return tuple(one for one in self._of[table] if one.column.table == table and one.referred.table == to)

    def between(self, start: str, end: str, hints: frozenset[str] = frozenset()) -> tuple[Link, ...]:
        """The shortest way from one table to another.

        Of two columns that name the same table, the one is taken whose name has one of `hints`.

        Raises:
            Ambiguous: there are several shortest ways.
            Unlinked: there is none of at most 3 links.
        """
        ways: list[tuple[str, tuple[Link, ...]]] = [(start, ())]
        for _ in range(MOST_JOINS):
            ways = [
                (link.other(table), (*way, link))
                for table, way in ways
                for link in self._of[table]
                if link not in way and link.other(table) not in {start, *(one.other(start) for one in way)} - {end}
            ]
            if found := [way for table, way in ways if table == end]:
                if len(found) > 1 and hints:
                    hinted = [way for way in found if hints & self._said(way)]
                    found = hinted or found
                if len(found) > 1:
                    told = "; ".join(" and ".join(str(one.column) for one in way) for way in found[:4])
                    raise Ambiguous(f"{start} and {end} hang together in several ways ({told})")
                return found[0]
        raise Unlinked(f"the schema does not say how {start} and {end} hang together")

    def _said(self, way: tuple[Link, ...]) -> set[str]:
        """Roots of the words of the columns and tables along a way."""
        words = [word for one in way for word in (*one.column.words, *self._names.said[one.column.table])]
        return {root(word) for word in words}

    def _told(self) -> Iterable[Link]:
        for table in self._names.schema.tables:
            for key in table.foreign_keys:
                if len(key.columns) == 1:
                    column = self._names.column(table.name, key.columns[0])
                    referred = self._names.column(key.table, key.referred[0])
                    if column is not None and referred is not None:
                        yield Link(column, referred, key.declared)

    def _guessed(self) -> Iterable[Link]:
        keys = {name: key for name in self._names.tables if (key := self._names.key(name)) is not None}
        for table, columns in self._names.columns.items():
            for column in columns:
                if keys.get(table) == column or any(one.column == column for one in self.all):
                    continue
                owners = [key for other, key in keys.items() if other != table and self._refers(column, key)]
                if owner := _best(column, owners, self._names):
                    yield Link(column, owner, declared=False)

    def _refers(self, column: Column, key: Column) -> bool:
        """Whether a column is called after a key, and its values can be that key's."""
        if (column.schema.kind == "text") != (key.schema.kind == "text"):
            return False
        said = self._names.said[key.table]
        last = key.words[-1:] if key.words else ()
        forms = {(*said, *last), (*said, "id"), (*said, "code")}
        if len(column.words) <= len(said) + 1 and not {"number", "count", "total"} & set(column.words):
            forms.add(said)
        called = column.name.lower() == key.name.lower() and key.words != ("id",)
        if not called and not any(column.words[-len(form) :] == form for form in forms if form):
            return False
        return _within(column, key)


def _within(column: Column, key: Column) -> bool:
    """Whether the values that are known of a column may be values of a key."""
    samples, keys = set(column.schema.samples), set(key.schema.samples)
    if not samples or not keys:
        return True
    if key.schema.distinct is not None and len(keys) >= key.schema.distinct:
        return len(samples & keys) * 2 >= len(samples)
    return bool(samples & keys) or key.schema.distinct is None or key.schema.distinct > len(keys)


def _best(column: Column, owners: list[Column], names: Names) -> Column | None:
    """The key that a column is called after most plainly; None: none, or two alike."""

    def plain(key: Column) -> tuple[bool, bool, int]:
        said = names.said[key.table]
        whole = column.words[: len(said)] == said and len(column.words) <= len(said) + 1
        initial = column.name[:1].lower() == said[0][:1]
        return whole, initial and column.name.lower() == key.name.lower(), -len(said)

    ranked = sorted(owners, key=plain, reverse=True)
    if len(ranked) > 1 and plain(ranked[0]) == plain(ranked[1]):
        return None
    return ranked[0] if ranked else None


def tables_of(start: str, way: Iterable[Link]) -> tuple[str, ...]:
    """The tables along a way, in order."""
    found = [start]
    for link in way:
        found.append(link.other(found[-1]))
    return tuple(found)


def multiplies(start: str, way: Iterable[Link]) -> int:
    """How many times along a way one row may meet several."""
    links = tuple(way)
    stops = tables_of(start, links)
    return sum(1 for link, (here, _) in zip(links, pairwise(stops), strict=True) if link.referred.table == here)
