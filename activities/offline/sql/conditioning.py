"""Conditions in the terms of the schema: comparisons, values, flags and moments, each on one column."""

from elcano.activities.offline.sql.choosing import Chooser
from elcano.activities.offline.sql.form import Asked, Bucket, Condition, Form, Metric, Unread, Wish
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.links import Links
from elcano.activities.offline.sql.moments import Moment
from elcano.activities.offline.sql.names import Column, Names, said_by
from elcano.activities.offline.sql.operations import VERBS
from elcano.activities.offline.sql.wording import root
from elcano.graphs.data.schema import NUMBERS


class Conditioning:
    """A wish, and the tables and columns that its words are given.

    Args:
        wish: the question, taken apart.
        names: of the schema.
        links: between its tables.
    """

    def __init__(self, wish: Wish, names: Names, links: Links) -> None:
        self.wish, self.names, self.links = wish, names, links
        self.chooser = Chooser(names, links)
        for item in self._named():
            self.chooser.speak(item.table or (item.mentions[0] if item.mentions else None))

    def _named(self) -> list[Item]:
        """All names of the question, what is counted or listed first."""
        wish = self.wish
        asked = [one.item for one in wish.select if isinstance(one, Asked) and one.item is not None]
        ordered = [one.item if isinstance(one, Asked) else one for one, _ in wish.order]
        ratio = [one.asked.item if isinstance(one.asked, Asked) else one.asked for one in wish.ratio or ()]
        plain = [one for one in wish.select if isinstance(one, Item)]
        hints = [hint for _, hint, _ in wish.values if hint is not None]
        first = [wish.entity] if wish.entity is not None else []
        found = (*first, *asked, *ratio, *ordered, *plain, *wish.mentions, *hints, *wish.groups)
        return [one for one in found if one is not None and one.kind == "noun" and not (one.columns and one.table)]

    def conditioned(self, form: Form) -> None:
        """Adds all conditions of the wish to a form.

        Raises:
            Unread: one of them is on no column, or on several.
        """
        for item, operator, values, said in self.wish.filters:
            numeric = operator not in ("start", "end", "in text")
            if item is None:
                raise Unread(f"{said} is said of nothing")
            column = self.chooser.column(item, _any if numeric else _textual)
            if numeric and not (column.schema.kind in NUMBERS or column.identifying):
                raise Unread(f"{said} compares no number")
            form.conditions.append(Condition(column, operator, values, said))
        for chain, hint, word in self.wish.values:
            found = [self.chooser.value(one, hint, word, form.base) for one in chain]
            if len({column for column, _ in found}) != 1:
                raise Unread(f"{' and '.join(one.text for one in chain)} are values of different columns")
            said = " or ".join(one.text for one in chain)
            literals = tuple(typed(column, literal) for column, literal in found)
            form.conditions.append(Condition(found[0][0], "in" if len(chain) > 1 else "=", literals, f"`{said}`"))
        for item, wanted in self.wish.flags:
            form.conditions.append(self.flag(item, wanted))
        for moment, hint in self.wish.moments:
            form.conditions.extend(self._during(moment, hint, form.base, form))

    def flag(self, item: Item, wanted: bool) -> Condition:
        """The condition that rows have something, or have it not.

        Raises:
            Unread: nothing in the schema says whether they do.
        """
        said = item.text if wanted else f"no {item.text}"
        if item.arg == "near" and not any(one.table in self.chooser.tables for one in item.columns):
            raise Unread(f"`{item.text}` is said by no column of what the question is about")
        if any(one.role == "flag" for one in item.meanings):
            column = self.chooser.column(item, lambda one: one.flag is not None)
            yes, no = column.flag or ("", "")
            if column.schema.kind == "boolean":
                return Condition(column, "yes" if wanted else "no", (), said)
            if not (yes if wanted else no):
                raise Unread(f"no value of {column} says `{said}`")
            return Condition(column, "=", (yes if wanted else no,), said)
        column = self.chooser.column(item)
        if any(one.role == "quantity" for one in item.meanings) and column.numeric:
            return Condition(column, ">" if wanted else "=", (0,), said)
        if not column.schema.nullable or column.numeric:
            raise Unread(f"what it means to have `{item.text}` is not said by {column}")
        self.chooser.choices.append(f"`{said}` was read as {column} being {'filled' if wanted else 'empty'}.")
        return Condition(column, "filled" if wanted else "null", (), said)

    def _during(self, moment: Moment, hint: Item | None, base: str, form: Form) -> list[Condition]:
        column = self.chooser.moment(hint, base)
        if column is None:
            years = [
                one
                for table in (base, *self.chooser.tables)
                for one in self.names.columns[table]
                if one.words == ("year",)
            ]
            if moment.years is None or not years:
                raise Unread(f"nothing in {base} says when, so `{moment.text}` is not read")
            first, last = moment.years
            if first == last and first is not None:
                return [Condition(years[0], "=", (first,), moment.text)]
            found = [Condition(years[0], ">=", (first,), moment.text)] if first is not None else []
            return [*found, *([Condition(years[0], "<=", (last,), moment.text)] if last is not None else [])]
        found = []
        if moment.start is not None:
            found.append(Condition(column, ">=", (moment.start.isoformat(),), moment.text))
        if moment.end is not None:
            found.append(Condition(column, "<", (moment.end.isoformat(),), moment.text))
        if moment.relative:
            form.choices.append(f"`{moment.text}` was read as from {moment.start} to before {moment.end}, by {column}.")
        return found

    def verbs_told(self, form: Form) -> None:
        """Every verb is one that only links, or speaks of a table or a column of the query."""
        told: set[str] = set(VERBS)
        used = [*form.groups, *form.select, *(one for one, _ in form.order), *(one.column for one in form.conditions)]
        for one in used:
            column = one.column if isinstance(one, Metric | Bucket) else one if isinstance(one, Column) else None
            told |= said_by(column) if column is not None else set()
        for table in (*form.tables, *form.absent):
            told |= {root(word) for word in self.names.said[table]}
        roots = {one.arg for one in self.wish.verbs if one.arg and one.arg not in told}
        filled = [
            column
            for table in dict.fromkeys(form.tables)
            for column in self.names.columns[table]
            if len(roots) > 1 and {root(word) for word in column.words} == roots and column.schema.nullable
        ]
        if len(filled) == 1:
            form.conditions.append(Condition(filled[0], "filled", (), " ".join(one.text for one in self.wish.verbs)))
            form.choices.append(f"{filled[0]} was taken to be filled where the question says so.")
            return
        for verb in self.wish.verbs:
            if verb.arg and verb.arg not in told:
                raise Unread(f"`{verb.text}` has no place in what was understood")


def _any(column: Column) -> bool:
    return True


def _textual(column: Column) -> bool:
    return column.schema.kind == "text"


def typed(column: Column, literal: str) -> str | int | float:
    """A literal as the column's values are."""
    return int(literal) if column.schema.kind == "integer" else literal
