"""From a question taken apart to a form in the terms of the schema. What does not fit is refused, with its reason."""

from dataclasses import replace
from typing import Final

from elcano.activities.offline.sql.choosing import Chooser
from elcano.activities.offline.sql.form import Asked, Bucket, Condition, Form, Metric, Output, Ratio, Unread, Wish
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.links import Links
from elcano.activities.offline.sql.moments import Moment
from elcano.activities.offline.sql.names import Column, Names, counts, said_by
from elcano.activities.offline.sql.operations import VERBS
from elcano.activities.offline.sql.wording import root

MOST_ROWS: Final = 1_000
_BUCKETS: Final = frozenset({"month", "year", "day"})


def resolved(wish: Wish, names: Names, links: Links) -> Form:
    """The form of a wish.

    Raises:
        Unread: a word has no column, or several.
    """
    return _Resolving(wish, names, links).form()


class _Resolving:
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

    def form(self) -> Form:
        """All of it."""
        wish = self.wish
        if wish.ratio is not None:
            return self._finished(self._ratio())
        metrics = [one for one in wish.select if isinstance(one, Asked)]
        ranked = bool(wish.order) and isinstance(wish.order[0][0], Asked)
        if wish.entity is not None and metrics and not ranked and not wish.groups:
            raise Unread(f"it is not clear for what `{wish.entity.text}` is to be computed")
        base = self._base(metrics)
        form = Form(base=base, limit=wish.limit, distinct=wish.distinct and not metrics)
        self.chooser.speak(base)
        form.groups, shown = self._groups(base)
        made = {id(one): self._metric(one, base) for one in metrics}
        order = self._order(form, base)
        entity = self._entity(form, base, [*made.values(), *order])
        listed: list[Output] = []
        for one in wish.select:
            listed.append(made[id(one)] if isinstance(one, Asked) else self._shown(one, form, made.values()))
        form.select = list(dict.fromkeys([*(() if self._all_listed(listed, entity) else entity), *shown, *listed]))
        form.order = [(key, descending) for key, (_, descending) in zip(order, wish.order, strict=True)]
        if not form.select:
            raise Unread("the question does not say what is wanted")
        return self._finished(form)

    def _all_listed(self, listed: list[Output], entity: list[Output]) -> bool:
        """Whether what is to be shown was said apart, so that the entity is not shown beside it."""
        table = self._entity_table()
        known = () if table is None else (self.names.key(table), *self.names.display(table))
        return any(isinstance(one, Column) and one in known for one in listed)

    def _entity_table(self) -> str | None:
        return self.wish.entity.table if self.wish.entity is not None else None

    def _base(self, metrics: list[Asked]) -> str:
        """The table that rows are counted, computed or listed of."""
        wish = self.wish
        ranked = [one for one, _ in wish.order if isinstance(one, Asked)]
        for asked in (*metrics, *ranked):
            if asked.item is None:
                continue
            if asked.aggregate == "count" and asked.item.table is not None:
                counted = self._counted(asked.item.table)
                return asked.item.table if counted is None else counted.table
            if asked.aggregate in ("count", "sum", "avg"):
                return self._column(asked).table
        if wish.entity is not None:
            if wish.entity.table is not None and not wish.entity.mentions:
                return wish.entity.table
            return self.chooser.column(wish.entity).table
        for asked in metrics:
            if asked.item is not None:
                return self._column(asked).table
        raise Unread("the question names no table that could be listed or counted")

    def _column(self, asked: Asked) -> Column:
        assert asked.item is not None
        if asked.aggregate == "count":
            return self.chooser.column(asked.item)
        if asked.aggregate in ("max", "min", "value"):
            return self.chooser.column(asked.item, lambda one: one.numeric or one.moment)
        return self.chooser.column(asked.item, lambda one: one.numeric)

    def _metric(self, asked: Asked, base: str) -> Output:
        item = asked.item
        if item is None:
            return Metric("count", None, base)
        if asked.aggregate == "count" and item.table is not None:
            if (counted := self._counted(item.table)) is not None:
                self.chooser.speak(counted.table)
                if item.table in self.chooser.tables:
                    self.chooser.tables.remove(item.table)
                return Metric("sum", counted, counted.table)
            self.chooser.speak(item.table)
            return Metric("count", None, item.table, asked.distinct)
        column = self._column(asked)
        if asked.aggregate == "value":
            return column
        return Metric(asked.aggregate, column, column.table, asked.distinct and asked.aggregate == "count")

    def _counted(self, table: str) -> Column | None:
        """A column that says in its comment that it holds the number asked for: `number of students enrolled`."""
        verbs = {root(one.text.lower()) for one in self.wish.verbs} - {root("have")}
        first = root(self.names.said[table][-1])
        found = [
            column
            for name, columns in self.names.columns.items()
            for column in columns
            if name != table and column.numeric and verbs and verbs <= said_by(column)
            if (said := counts(column)) and root(said) == first
        ]
        if len(found) == 1:
            self.chooser.choices.append(f"{found[0]} was taken for that number: {found[0].schema.comment}")
            return found[0]
        return None

    def _groups(self, base: str) -> tuple[list[Column | Bucket], list[Output]]:
        """What is grouped by, and what is shown of it."""
        groups: list[Column | Bucket] = []
        shown: list[Output] = []
        for item in self.wish.groups:
            if item.kind == "bucket":
                groups.append(self._bucket(item, base))
                shown.append(groups[-1])
                continue
            own = [one for one in item.columns if one.table == base and one.role == "column" and not one.weak]
            if item.table is not None and not item.mentions and not own:
                added = self._rows_of(item.table)
                groups.extend(added)
                shown.extend(one for one in added if one in self.names.display(item.table) or len(added) == 1)
            else:
                groups.append(self.chooser.column(item, among=base if own else None))
                shown.append(groups[-1])
        return groups, shown

    def _bucket(self, item: Item, base: str) -> Column | Bucket:
        own = [one for one in self.names.columns[base] if one.words == (item.arg,)]
        if own:
            return own[0]
        if item.arg not in _BUCKETS:
            raise Unread(f"rows cannot be put together by {item.arg}")
        column = self.chooser.moment(None, base)
        if column is None:
            raise Unread(f"nothing in {base} says when, so there is no {item.arg}")
        return Bucket(column, item.arg)

    def _rows_of(self, table: str) -> list[Column]:
        """What rows of a table are told apart and known by."""
        self.chooser.speak(table)
        key, display = self.names.key(table), self.names.display(table)
        found = [*([key] if key is not None else []), *display]
        if not found:
            raise Unread(f"nothing tells the rows of {table} apart")
        return list(dict.fromkeys(found))

    def _entity(self, form: Form, base: str, computed: list[Output]) -> list[Output]:
        """What is shown of what is listed; rows are grouped by it where something is computed of several rows."""
        item = self.wish.entity
        if item is None:
            return []
        aggregated = any(isinstance(one, Metric) for one in computed)
        if (
            item.table is not None
            and not item.mentions
            and not (aggregated and any(one.table == base and not one.weak for one in item.columns))
        ):
            self.chooser.speak(item.table)
            display: list[Output] = list(self.names.display(item.table))
            if not display:
                raise Unread(f"nothing says by what rows of {item.table} are known")
            if aggregated:
                form.groups.extend(one for one in self._rows_of(item.table) if one not in form.groups)
            return display
        column = self.chooser.column(item)
        grouped = {one.table for one in form.groups if isinstance(one, Column)}
        if self.wish.groups and aggregated and column.table not in grouped:
            raise Unread(f"{column} is not of what is grouped by")
        if aggregated:
            owner = item.mentions[0] if item.mentions else None
            whole = owner is not None and column in self.names.display(owner)
            form.groups.extend(self._rows_of(owner) if whole and owner else [column])
        return [column]

    def _shown(self, item: Item, form: Form, metrics: object) -> Output:
        """A column that is to be shown beside others."""
        prefer = next((one.table for one in form.groups if isinstance(one, Column)), None) or self._entity_table()
        if item.table is not None and not item.mentions and not item.columns:
            display = self.names.display(item.table)
            if len(display) != 1:
                raise Unread(f"it is not clear what of {item.text} is to be shown")
            column = display[0]
            self.chooser.speak(item.table)
        else:
            column = self.chooser.column(item, among=prefer)
        if form.groups and column not in form.groups:
            form.groups.append(column)
        return column

    def _order(self, form: Form, base: str) -> list[Output]:
        found: list[Output] = []
        for key, _ in self.wish.order:
            if isinstance(key, Asked):
                found.append(self._metric(key, base))
            elif (counted := self._told(key)) is not None:
                found.append(self._metric(counted, base))
            elif key.kind == "noun":
                if key.table is not None and not key.columns:
                    raise Unread(f"`{key.text}` says no order")
                found.append(self.chooser.column(key))
            else:
                found.append(self._only(base))
        return found

    def _told(self, key: Item) -> Asked | None:
        """What is counted already, if an order names no more than that: `from most to least sales`."""
        asked = [one for one in self.wish.select if isinstance(one, Asked) and one.aggregate == "count"]
        own = [one for one in asked if one.item is not None and one.item.table == key.table]
        return own[0] if own and key.table is not None else None

    def _only(self, base: str) -> Output:
        """What is ordered by where nobody says: what is computed, or the one column that is shown."""
        metrics = [self._metric(one, base) for one in self.wish.select if isinstance(one, Asked)]
        ranked = [one for one, _ in self.wish.order if isinstance(one, Asked)]
        if metrics:
            return metrics[0]
        if ranked:
            return self._metric(ranked[0], base)
        if self.wish.entity is not None and self.wish.entity.columns:
            return self.chooser.column(self.wish.entity)
        if self.wish.entity is not None and self.wish.entity.table:
            return self.names.display(self.wish.entity.table)[0]
        raise Unread("the question does not say by what is to be ordered")

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
        form.groups, shown = self._groups(first.table)
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
        made = self._metric(asked if isinstance(asked, Asked) else Asked("value", asked), "")
        if not isinstance(made, Metric | Column):
            raise Unread("one side of the ratio cannot be computed")
        return made

    def _conditions(self) -> bool:
        wish = self.wish
        return bool(wish.values or wish.filters or wish.moments or wish.flags or wish.absent)

    def _own(self, own: Wish, table: str) -> tuple[Condition, ...]:
        """The conditions of one side, all of them on the table that its rows are of."""
        found = [self._flag(item, wanted) for item, wanted in own.flags]
        for chain, hint, word in own.values:
            column, literal = self.chooser.value(chain[0], hint, word, table)
            if len(chain) > 1:
                raise Unread("several values on one side of a ratio are not read")
            found.append(Condition(column, "=", (_typed(column, literal),), chain[0].text))
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
        groups, shown = self._groups(first.table)
        keys = [one for one in groups if isinstance(one, Column)]
        if not keys or (self.names.key(first.table) not in keys and not self._alone(keys, first.table)):
            raise Unread("the ratio is of columns of single rows, and the group has several")
        return Form(base=first.table, select=[*shown, Ratio(first, second, self.wish.percent)])

    def _alone(self, keys: list[Column], table: str) -> bool:
        """Whether every row has a value of its own in one of these columns."""
        rows = self.names.tables[table].rows
        return any(one.table == table and rows is not None and one.schema.distinct == rows for one in keys)

    def _finished(self, form: Form) -> Form:
        """With its conditions, tables, and every verb accounted for."""
        wish, base = self.wish, form.base
        for item, operator, values, said in wish.filters:
            numeric = operator not in ("start", "end", "in text")
            column = (
                self.chooser.column(item, lambda one: one.schema.kind == "text" or not _text(operator))
                if item
                else None
            )
            if column is None or (numeric and not (one_number(column) or column.identifying)):
                raise Unread(f"{said} compares no number")
            form.conditions.append(Condition(column, operator, values, said))
        for chain, hint, word in wish.values:
            found = [self.chooser.value(one, hint, word, base) for one in chain]
            if len({column for column, _ in found}) != 1:
                raise Unread(f"{' and '.join(one.text for one in chain)} are values of different columns")
            said = " or ".join(one.text for one in chain)
            literals = tuple(_typed(column, literal) for column, literal in found)
            form.conditions.append(Condition(found[0][0], "in" if len(chain) > 1 else "=", literals, f"`{said}`"))
        for item, wanted in wish.flags:
            form.conditions.append(self._flag(item, wanted))
        for moment, hint in wish.moments:
            form.conditions.extend(self._during(moment, hint, base, form))
        for asked, operator, number in wish.having:
            self._having(form, asked, operator, number)
        for item in wish.absent:
            assert item.table is not None
            form.absent.append(item.table)
        form.hints = frozenset(root(one.text.lower()) for one in wish.verbs)
        form.tables = [base, *(one for one in self.chooser.tables if one not in form.absent)]
        self._spoken_verbs(form)
        form.choices.extend(dict.fromkeys(self.chooser.choices))
        self._with_none(form)
        if form.limit == 1 and wish.order:
            form.choices.append("Of several that are equal the database shows one.")
        return form

    def _with_none(self, form: Form) -> None:
        """Keeps what has none of what is counted, where the fewest are wanted."""
        metric, descending = form.order[0] if form.order else (None, True)
        entity = self.wish.entity.table if self.wish.entity is not None else None
        if not isinstance(metric, Metric) or metric.aggregate != "count" or descending or entity in (None, form.base):
            return
        if form.limit is None:
            return
        if form.conditions or form.absent or form.having:
            raise Unread(f"rows of {entity} that have none at all would be left out")
        assert entity is not None
        form.base, form.outer = entity, True
        form.tables = [entity, *(one for one in form.tables if one != entity)]

    def _having(self, form: Form, asked: Asked, operator: str, number: float) -> None:
        entity = self.wish.entity
        if not form.groups and entity is not None and entity.table is not None and not entity.columns:
            form.groups.extend(self._rows_of(entity.table))
        if not form.groups:
            raise Unread("it is not clear of what there are to be so many")
        made = self._metric(asked, form.base)
        if not isinstance(made, Metric):
            raise Unread("it is not clear of what there are to be so many")
        form.having.append((made, operator, number))

    def _flag(self, item: Item, wanted: bool) -> Condition:
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

    def _spoken_verbs(self, form: Form) -> None:
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


def _counts(*metrics: Metric) -> bool:
    """Whether all of them count rows."""
    return all(one.aggregate == "count" and one.column is None for one in metrics)


def one_number(column: Column) -> bool:
    """Whether a number can be compared with the column's values."""
    return column.schema.kind in ("integer", "decimal")


def _text(operator: str) -> bool:
    return operator in ("start", "end", "in text")


def _typed(column: Column, literal: str) -> str | int | float:
    """A literal as the column's values are."""
    if column.schema.kind == "integer":
        return int(literal)
    return literal
