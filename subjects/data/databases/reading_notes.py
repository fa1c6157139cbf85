"""Notes on how the files of a database were interpreted, as far as the result of a query depends on it."""

from collections.abc import Iterator

from sqlglot import exp

from elcano.subjects.data.databases.policy import Parsed
from elcano.subjects.data.tables import EXACT_NOTE, READING_NOTE, DatabaseSchema


def iter_reading_notes(query: Parsed, schema: DatabaseSchema) -> Iterator[str]:
    """Yield how files were interpreted, as far as the query reads what had to be."""
    named = {column.name.casefold() for column in query.tree.find_all(exp.Column)}
    every = "*" in named or any(not isinstance(star.parent, exp.Count) for star in query.tree.find_all(exp.Star))
    for table in schema.tables:
        if table.name not in query.tables:
            continue
        if table.comment.startswith(READING_NOTE):
            yield f"{table.name}: {table.comment.removeprefix(READING_NOTE)}"
        for column in table.columns:
            if column.comment.startswith(READING_NOTE) and (every or column.name.casefold() in named):
                said = column.comment.removeprefix(READING_NOTE).partition(EXACT_NOTE)[0].strip()
                yield f"{table.name}.{column.name} was read as {said}"
