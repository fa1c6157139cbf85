"""The schema of a SQLite file as the product reads it, with what a data set says its columns mean as comments."""

from pathlib import Path

from elcano.subjects.data.databases.database import Database
from elcano.subjects.data.databases.engine import Sqlite
from elcano.subjects.data.tables import DatabaseSchema


async def described(file: Path, name: str, meanings: dict[tuple[str, str], str]) -> DatabaseSchema:
    """All tables of one file, with counts and the product's few sample values of each column."""
    schema = await Database(Sqlite(name, file)).schema()
    tables = tuple(
        table.model_copy(
            update={
                "columns": tuple(
                    column.model_copy(
                        update={"comment": meanings.get((table.name.lower(), column.name.lower()), "")[:1_000]}
                    )
                    for column in table.columns
                )
            }
        )
        for table in schema.tables
    )
    return schema.model_copy(update={"tables": tables})
