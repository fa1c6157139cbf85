"""Response models for databases: name, dialect and contents, never the address."""

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.graphs.data.database_look import DatabaseLooked
from elcano.graphs.data.schema import Dialect, TableSchema


class DatabaseView(Described):
    """A database that the operator named."""

    name: str = Field(examples=["sales"])
    """Pass it where a question names a database."""
    dialect: Dialect = Field(examples=["sqlite"])
    """What its SQL is written in; files and folders are read by DuckDB."""


class DatabaseSchemaView(DatabaseView):
    """The contents of a database."""

    hash: str = Field(examples=["6f3c2a"])
    """SHA-256 over names, types and keys; it changes when these do."""
    seconds: float = Field(examples=[0.2])
    """For the reading alone."""
    tables: tuple[TableSchema, ...]
    """Tables and views that may be read."""

    @classmethod
    def of(cls, looked: DatabaseLooked) -> "DatabaseSchemaView":
        """As a worker saw it."""
        found = looked.found
        return cls(
            name=found.database, dialect=found.dialect, hash=found.hash, seconds=looked.seconds, tables=found.tables
        )
