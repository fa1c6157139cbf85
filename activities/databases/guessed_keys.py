"""Infers undeclared foreign keys from names and types: `orders.customer_id` is the id of `customers`.

A guess is marked as one (`declared=False`). It takes a column whose name has the other table's in it, and a column
there that can be meant: the primary key, or without one `id` or a column of the same name.
"""

from collections.abc import Iterable, Mapping
from typing import Final

from elcano.activities.databases.similar_names import words_of
from elcano.graphs.data.schema import ColumnSchema, ForeignKey, TableSchema

_ENDINGS: Final = frozenset({"id", "key", "code", "no", "number", "nr", "fk"})


def with_guessed_keys(tables: Iterable[TableSchema]) -> tuple[TableSchema, ...]:
    """Return the tables with inferred foreign keys after their declared ones."""
    listed = tuple(tables)
    by_word: dict[str, list[TableSchema]] = {}
    for table in listed:
        if table.kind == "table":
            for form in _list_name_forms(table.name.rpartition(".")[2]):
                by_word.setdefault(form, []).append(table)
    return tuple(_guess_table_keys(table, by_word) for table in listed)


def _guess_table_keys(table: TableSchema, by_word: Mapping[str, list[TableSchema]]) -> TableSchema:
    declared = {column for key in table.foreign_keys for column in key.columns}
    found = [
        key
        for column in table.columns
        if column.name not in declared and (column.name,) != table.primary_key
        for key in _guess_column_key(column, table, by_word)
    ]
    return table.model_copy(update={"foreign_keys": (*table.foreign_keys, *found)}) if found else table


def _guess_column_key(
    column: ColumnSchema, table: TableSchema, by_word: Mapping[str, list[TableSchema]]
) -> Iterable[ForeignKey]:
    """At most one key: a column that may belong to two tables belongs to none."""
    words = words_of(column.name)
    stem = "".join(words[:-1] if len(words) > 1 and words[-1] in _ENDINGS else words)
    if len(words) == 1 and stem.endswith("id") and len(stem) > 4:  # `customerid`
        stem = stem[:-2]
    elif len(words) == 1 or words[-1] not in _ENDINGS:
        return ()
    targets = [
        (other, meant)
        for other in by_word.get(stem, ())
        if other.name != table.name and (meant := _find_referred_column(column, other)) is not None
    ]
    if len(targets) != 1:
        return ()
    ((other, meant),) = targets
    return (ForeignKey(columns=(column.name,), table=other.name, referred=(meant,), declared=False),)


def _find_referred_column(column: ColumnSchema, other: TableSchema) -> str | None:
    """The column of the other table that is meant, if it has values of the same kind."""
    by_name = {one.name.lower(): one for one in other.columns}
    if len(other.primary_key) == 1:
        wanted = by_name.get(other.primary_key[0].lower())
    elif other.primary_key:
        return None
    else:
        wanted = by_name.get("id") or by_name.get(column.name.lower())
    return wanted.name if wanted is not None and wanted.kind == column.kind != "other" else None


def _list_name_forms(name: str) -> set[str]:
    """A table's name as columns may have it: together, and in the singular."""
    together = "".join(words_of(name))
    forms = {together}
    if together.endswith("ies"):
        forms.add(f"{together[:-3]}y")
    if together.endswith("es"):
        forms.add(together[:-2])
    if together.endswith("s"):
        forms.add(together[:-1])
    return forms
