"""Which column a word means: one of a table that the question speaks of, never one of several without saying so."""

from collections.abc import Callable, Iterable, Sequence
from typing import Final

from elcano.activities.offline.sql.form import Unread
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.links import Links
from elcano.activities.offline.sql.names import Column, Meaning, Names
from elcano.activities.offline.sql.operations import OCCURRING
from elcano.activities.offline.sql.wording import root

_BOOKKEEPING: Final = frozenset({"created", "crtd", "updated", "modified", "inserted", "deleted", "ingested", "loaded"})
_ROLES: Final = {"column": 0, "flag": 1, "quantity": 2}


class Chooser:
    """Finds columns for words, given the tables that the question speaks of."""

    def __init__(self, names: Names, links: Links) -> None:
        self.names, self._links = names, links
        self.tables: list[str] = []
        """Those that are spoken of, in order."""
        self.choices: list[str] = []

    def speak(self, table: str | None) -> None:
        """From now on the question speaks of this table too."""
        if table is not None and table not in self.tables:
            self.tables.append(table)

    def column(self, item: Item, fits: Callable[[Column], bool] = lambda _: True, among: str | None = None) -> Column:
        """The column that an item means; its table is spoken of from then on.

        Raises:
            Unread: it means none that `fits`, or several.
        """
        meanings = [one for one in item.columns if one.column is not None and fits(one.column)]
        if among is not None and any(one.table == among for one in meanings):
            meanings = [one for one in meanings if one.table == among]
        if not meanings:
            raise Unread(f"`{item.text}` is no column of the database that would fit here")
        meanings = self._spoken(meanings) or [one for one in meanings if not one.weak]
        if not meanings:
            raise Unread(f"it is not clear of which table `{item.text}` is")
        strong = [one for one in meanings if not one.weak] or meanings
        found = _each([one.column for one in sorted(strong, key=lambda one: _ROLES[one.role]) if one.column])
        if len({one.table for one in found}) == 1:
            self.speak(found[0].table)
            return found[0]
        chosen = self._one(found, item.text)
        self.speak(chosen.table)
        return chosen

    def moment(self, hint: Item | None, base: str) -> Column | None:
        """The column of moments that a verb or a name beside a moment means, or the only one of the base table."""
        columns = [one for name in self.names.columns.values() for one in name if one.moment]
        if hint is not None and hint.kind == "noun":
            return self.column(hint, lambda one: one.moment)
        if hint is not None:
            said = [one for one in columns if root(hint.text.lower()) in {root(word) for word in one.words}]
            near = [one for one in said if one.table in self.tables] or said
            if len(near) == 1:
                self.speak(near[0].table)
                return near[0]
            if near:
                raise Unread(f"`{hint.text}` may mean {_listed(near)}")
            if not self._speaks_of(hint, base):
                raise Unread(f"no moment of {base} is known to be when it was that they `{hint.text}`")
        for tables in ([base], self.tables):
            own = [one for one in columns if one.table in tables and not _BOOKKEEPING & set(one.words)]
            if len(own) == 1:
                return own[0]
            if own:
                raise Unread(f"it is not clear which moment is meant: {_listed(own)}")
        return None

    def _speaks_of(self, verb: Item, table: str) -> bool:
        """Whether a verb is one of the table's own word, as `published` of publications, or of anything that is."""
        word = verb.text.lower()
        own = self.names.said[table]
        return root(word) in OCCURRING or any(one[:5] == word[:5] and len(one) > 4 for one in own)

    def value(self, item: Item, hint: Item | None, word: str, base: str) -> tuple[Column, str]:
        """The column that a value is compared with, and the value as the database writes it.

        Raises:
            Unread: no column is known to have it, or several are.
        """
        found = list(item.values)
        if hint is not None:
            if found := _of(hint, found):
                if len(found) == 1:
                    return self._taken(found[0])
            elif item.kind == "quoted" and hint.columns:
                column = self.column(hint, lambda one: one.schema.kind == "text")
                self.choices.append(
                    f"`{item.text}` is not among the known values of {column}; it was compared as written."
                )
                return column, item.text
        if not found:
            raise Unread(f"`{item.text}` is not among the values that are known of the database")
        if word in ("from", "to"):
            found = [one for one in found if one.column and word in one.column.words] or found
        near = [one for one in found if one.table == base] or [one for one in found if one.table in self.tables]
        if not near and hint is None and any(" " not in one.literal for one in found) and item.kind == "value":
            near = found if len({one.table for one in found}) == 1 else []
        near = near or found
        columns = _each([one.column for one in near if one.column])
        if len(columns) == 1:
            return self._taken(near[0])
        raise Unread(f"`{item.text}` may be a value of {_listed(columns)}")

    def _taken(self, meaning: Meaning) -> tuple[Column, str]:
        assert meaning.column is not None
        self.speak(meaning.table)
        return meaning.column, meaning.literal

    def _spoken(self, meanings: Sequence[Meaning]) -> list[Meaning]:
        return [one for one in meanings if one.table in self.tables]

    def _one(self, found: Sequence[Column], text: str) -> Column:
        """One of several: they hold the same, or the table that was named first has one of them."""
        spoken = [one for one in found if one.table in self.tables]
        if len(spoken) > 1 and not self._same(spoken):
            raise Unread(f"`{text}` may be {_listed(spoken)}")
        if spoken:
            return min(spoken, key=lambda one: self.tables.index(one.table))
        if self._same(found):
            keys = [one for one in found if self.names.key(one.table) == one]
            return (keys or list(found))[0]
        raise Unread(f"`{text}` may be {_listed(found)}")

    def _same(self, found: Sequence[Column]) -> bool:
        """Whether columns name rows of one and the same table."""
        targets = set()
        for one in found:
            link = next((link for link in self._links.all if link.column == one), None)
            targets.add(link.referred if link else one)
        return len(targets) == 1


def _of(hint: Item, values: Iterable[Meaning]) -> list[Meaning]:
    """The values that are in a column or a table which a name means."""
    columns = {one.column for one in hint.columns}
    if exact := [one for one in values if one.column in columns]:
        return exact
    tables = {one.table for one in hint.meanings if one.role == "table"}
    return [one for one in values if one.table in tables]


def _each(columns: Iterable[Column]) -> list[Column]:
    return list(dict.fromkeys(columns))


def _listed(columns: Iterable[Column]) -> str:
    told = [str(one) for one in _each(columns)]
    return " or ".join(told[:4]) + (" or others" if len(told) > 4 else "")
