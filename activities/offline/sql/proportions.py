"""Ratios in the terms of the schema: of two columns of a row, or of two numbers of rows, each under its conditions."""

from dataclasses import replace

from elcano.activities.offline.sql.conditioning import typed
from elcano.activities.offline.sql.form import Asked, Condition, Form, Metric, Ratio, Unread, Wish
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.links import Links
from elcano.activities.offline.sql.names import Column, Names
from elcano.activities.offline.sql.resolving import Resolving


def resolved(wish: Wish, names: Names, links: Links) -> Form:
    """The form of a wish.

    Raises:
        Unread: a word has no column, or several.
    """
    if wish.ratio is None:
        return Resolving(wish, names, links).form()
    return _Proportion(wish, names, links).form()


class _Proportion(Resolving):
    def form(self) -> Form:
        return self.finished(self._ratio())

    def _ratio(self) -> Form:
        assert self.wish.ratio is not None
        first, second = (self._half(one.asked) for one in self.wish.ratio)
        if isinstance(first, Column) != isinstance(second, Column):
            raise Unread("the ratio is between something computed and a column")
        if isinstance(first, Column) or isinstance(second, Column):
            return self._of_columns(first, second)
        sides = [self._own(one.own, half.table) for one, half in zip(self.wish.ratio, (first, second), strict=True)]
        first, second = (replace(one, conditions=own) for one, own in zip((first, second), sides, strict=True))
        form = Form(base=first.table)
        made = Ratio(first, second, self.wish.percent)
        if not self.wish.groups:
            if first.table != second.table and (any(sides) or self._conditions()):
                raise Unread("conditions on one side of a ratio between two tables are not read")
            if first.table != second.table:
                self.chooser.tables.clear()
            form.select = [made]
            return form
        if first.table != second.table and (any(sides) or self._conditions() or not _counts(first, second)):
            raise Unread(f"a ratio for each group between {first.table} and {second.table} is not read")
        self.chooser.speak(first.table)
        form.groups, shown = self.groups(first.table)
        if first.table != second.table:
            owners = {one.table if isinstance(one, Column) else one.column.table for one in form.groups}
            if len(owners) != 1:
                raise Unread("the groups of the ratio are of several tables")
            form.base, form.outer = owners.pop(), True
        form.select = [*shown, made]
        return form

    def _half(self, asked: Asked | Item) -> Metric | Column:
        if isinstance(asked, Item) and asked.table is not None and not asked.columns:
            return Metric("count", None, asked.table)
        made = self.metric(asked if isinstance(asked, Asked) else Asked("value", asked), "")
        if not isinstance(made, Metric | Column):
            raise Unread("one side of the ratio cannot be computed")
        return made

    def _conditions(self) -> bool:
        wish = self.wish
        return bool(wish.values or wish.filters or wish.moments or wish.flags or wish.absent)

    def _own(self, own: Wish, table: str) -> tuple[Condition, ...]:
        """The conditions of one side, all of them on the table that its rows are of."""
        found = [self.flag(item, wanted) for item, wanted in own.flags]
        for chain, hint, word in own.values:
            column, literal = self.chooser.value(chain[0], hint, word, table)
            if len(chain) > 1:
                raise Unread("several values on one side of a ratio are not read")
            found.append(Condition(column, "=", (typed(column, literal),), chain[0].text))
        for item in own.mentions:
            links = self.links.referring(table, item.table or "")
            if item.table != table and len(links) != 1:
                raise Unread(f"`{item.text}` is no condition on rows of {table}")
            found.extend(Condition(link.column, "filled", (), item.text) for link in links[:1] if item.table != table)
            if item.table in self.chooser.tables:
                self.chooser.tables.remove(item.table)
        if own.filters or own.absent or any(one.column.table != table for one in found):
            raise Unread("a condition on one side of the ratio is not on its own rows")
        return tuple(found)

    def _of_columns(self, first: Metric | Column, second: Metric | Column) -> Form:
        """A ratio of two columns of the same row, which every row of the group has alone."""
        if not isinstance(first, Column) or not isinstance(second, Column) or first.table != second.table:
            raise Unread("the ratio is of columns of different tables")
        if self.wish.ratio and any(one.own != Wish() for one in self.wish.ratio):
            raise Unread("conditions on one side of a ratio of columns are not read")
        if not self.wish.groups:
            raise Unread("the ratio does not say whether each row or all together are meant")
        self.chooser.speak(first.table)
        groups, shown = self.groups(first.table)
        keys = [one for one in groups if isinstance(one, Column)]
        if not keys or (self.names.key(first.table) not in keys and not self._alone(keys, first.table)):
            raise Unread("the ratio is of columns of single rows, and the group has several")
        return Form(base=first.table, select=[*shown, Ratio(first, second, self.wish.percent)])

    def _alone(self, keys: list[Column], table: str) -> bool:
        """Whether every row has a value of its own in one of these columns."""
        rows = self.names.tables[table].rows
        return any(one.table == table and rows is not None and one.schema.distinct == rows for one in keys)


def _counts(*metrics: Metric) -> bool:
    """Whether all of them count rows."""
    return all(one.aggregate == "count" and one.column is None for one in metrics)
