"""Databases: the ones that the operator configured, and what each contains. Their addresses are never shown.

Response models for databases: name, dialect and contents, never the address.
"""

from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import Field

from elcano.api.http.errors import (
    DatabaseNotFound,
    DatabaseUnavailable,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.http.fields import Described
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.api.temporal.looks import LookFailed
from elcano.plugins.data.query_models import DATABASE_LOOK, DatabaseLook, DatabaseLooked
from elcano.plugins.data.tables import Dialect, TableSchema, dialect_of


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
        """Build the view from a worker's answer."""
        found = looked.found
        return cls(
            name=found.database, dialect=found.dialect, hash=found.hash, seconds=looked.seconds, tables=found.tables
        )


router = APIRouter(prefix="/v1/databases", tags=["databases"], dependencies=[requires("read_catalogue")])


@router.get("")
async def list_databases(services: Provided) -> list[DatabaseView]:
    """List the databases that questions may be put to."""
    named = services.settings.databases
    return [DatabaseView(name=name, dialect=dialect_of(address)) for name, address in named.items()]


@router.get(
    "/{name}",
    responses=problem_docs(DatabaseNotFound, DatabaseUnavailable, TemporalRefused, TemporalUnavailable),
)
async def get_database(
    name: str,
    services: Provided,
    values: Annotated[
        bool, Query(description="Whether rows are counted and values sampled; without, the reading is a quick check.")
    ] = True,
) -> DatabaseSchemaView:
    """Read the schema of a database through a worker: tables, columns, keys, counts, and sample values if allowed."""
    named = services.settings.databases
    if name not in named:
        raise DatabaseNotFound(f"there is no database {name!r}; there are: {', '.join(named) or 'none'}")
    try:
        found = await services.temporal.looks.look(
            DATABASE_LOOK, DatabaseLook(database=name, values=values), f"what does {name} hold?"
        )
    except LookFailed as error:
        raise DatabaseUnavailable(f"{name!r}: {error}" if not error.type else str(error)) from error
    assert isinstance(found, DatabaseLooked)
    return DatabaseSchemaView.of(found)
