"""From a question taken apart to a form in the terms of the schema. What does not fit is refused, with its reason."""

from typing import Final

from elcano.activities.offline.sql.conditioning import Conditioning
from elcano.activities.offline.sql.form import Asked, Bucket, Form, Metric, Output, Unread
from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.names import Column, counts, said_by
from elcano.activities.offline.sql.wording import root

_BUCKETS: Final = frozenset({"month", "year", "day"})


class Resolving(Conditioning):
    """What is listed and computed."""

    def form(self) -> Form:
        """All of it."""
        wish = self.wish
        metrics = [one for one in wish.select if isinstance(one, Asked)]
        ranked = bool(wish.order) and isinstance(wish.order[0][0], Asked)
        if wish.entity is not None and metrics and not ranked and not wish.groups:
            raise Unread(f"it is not clear for what `{wish.entity.text}` is to be computed")
        base = self._base(metrics)
        form = Form(base=base, limit=wish.limit, distinct=wish.distinct and not metrics)
        self.chooser.speak(base)
        form.groups, shown = self.groups(base)
        made = {id(one): self.metric(one, base) for one in metrics}
        order = self._order(form, base)
        entity = self._entity(form, base, [*made.values(), *order])
        listed: list[Output] = []
        for one in wish.select:
            listed.append(made[id(one)] if isinstance(one, Asked) else self._shown(one, form, made.values()))
        form.select = list(dict.fromkeys([*(() if self._all_listed(listed, entity) else entity), *shown, *listed]))
        form.order = [(key, descending) for key, (_, descending) in zip(order, wish.order, strict=True)]
        if not form.select:
            raise Unread("the question does not say what is wanted")
        return self.finished(form)

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

    def metric(self, asked: Asked, base: str) -> Output:
        """What is computed, of a column or of the rows of a table; rows of `base` where nothing else is named.

        Raises:
            Unread: its words have no column, or several.
        """
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

    def groups(self, base: str) -> tuple[list[Column | Bucket], list[Output]]:
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
                found.append(self.metric(key, base))
            elif (counted := self._told(key)) is not None:
                found.append(self.metric(counted, base))
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
        metrics = [self.metric(one, base) for one in self.wish.select if isinstance(one, Asked)]
        ranked = [one for one, _ in self.wish.order if isinstance(one, Asked)]
        if metrics:
            return metrics[0]
        if ranked:
            return self.metric(ranked[0], base)
        if self.wish.entity is not None and self.wish.entity.columns:
            return self.chooser.column(self.wish.entity)
        if self.wish.entity is not None and self.wish.entity.table:
            return self.names.display(self.wish.entity.table)[0]
        raise Unread("the question does not say by what is to be ordered")

    def finished(self, form: Form) -> Form:
        """A form with its conditions and tables, and every verb accounted for."""
        self.conditioned(form)
        for asked, operator, number in self.wish.having:
            self._having(form, asked, operator, number)
        for item in self.wish.absent:
            if item.table is not None:
                form.absent.append(item.table)
        form.hints = frozenset(root(one.text.lower()) for one in self.wish.verbs)
        form.tables = [form.base, *(one for one in self.chooser.tables if one not in form.absent)]
        self.verbs_told(form)
        form.choices.extend(dict.fromkeys(self.chooser.choices))
        self._with_none(form)
        if form.limit == 1 and self.wish.order:
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
        made = self.metric(asked, form.base)
        if not isinstance(made, Metric):
            raise Unread("it is not clear of what there are to be so many")
        form.having.append((made, operator, number))
