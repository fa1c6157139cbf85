"""The tables of a query: each joined by the one way that the question leaves open, from the table named before it."""

from elcano.activities.offline.sql.form import Form, Unread
from elcano.activities.offline.sql.links import Ambiguous, Link, Links, Unlinked, multiplies
from elcano.activities.offline.sql.names import Names


class Tree:
    """The tables of a query, joined from the first one on."""

    def __init__(self, names: Names, links: Links, form: Form) -> None:
        self.base = form.base
        self.ways: dict[str, tuple[Link, ...]] = {form.base: ()}
        """By table, the way to it from the base."""
        self.joined: list[tuple[str, str, Link]] = []
        """Each table with the one it is joined to, and by what."""
        self._links, self._names = links, names
        self.outer = form.outer
        before = form.base
        for table in dict.fromkeys(form.tables):
            if table not in self.ways:
                self._reach(table, before, form)
            before = table

    def many(self, table: str) -> int:
        """How often one row of the base may meet several on the way to a table."""
        return multiplies(self.base, self.ways[table])

    @property
    def multiplied(self) -> bool:
        """Whether one row of the base may stand several times in the joined rows."""
        return any(self.many(table) for table in self.ways)

    def _reach(self, table: str, before: str, form: Form) -> None:
        """Joins a table, from the one named before it or from the nearest one."""
        best: tuple[str, tuple[Link, ...]] | None = None
        failed: Exception | None = None
        named = [one for one in self.ways if one in form.tables and one != before]
        for start in (self.base,) if self.outer else (before, *named):
            try:
                way = self._links.between(start, table, form.hints)
            except Unlinked as error:
                failed = failed or error
                continue
            except Ambiguous as error:
                if best is None:
                    raise Unread(str(error)) from None
                continue
            if best is None or len(way) < len(best[1]):
                best = (start, way)
        if best is None:
            raise Unread(str(failed))
        here, way = best
        for link in way:
            there = link.other(here)
            if there not in self.ways:
                self.ways[there] = (*self.ways[here], link)
                self.joined.append((here, there, link))
            here = there


def way_in(tree: Tree, start: str, end: str) -> tuple[Link, ...]:
    """The way between two tables of a tree."""
    first, second = list(tree.ways[start]), list(tree.ways[end])
    while first and second and first[0] == second[0]:
        first.pop(0)
        second.pop(0)
    return (*reversed(first), *second)


def stops_in(tree: Tree, start: str, end: str) -> tuple[str, ...]:
    """The tables on the way between two tables of a tree, both included."""
    found = [start]
    for link in way_in(tree, start, end):
        found.append(link.other(found[-1]))
    return tuple(found)
