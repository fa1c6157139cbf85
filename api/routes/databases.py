"""Databases: the ones that the operator configured, and what each contains. Their addresses are never shown."""

from typing import Annotated

from fastapi import APIRouter, Query

from elcano.api.http.database_view import DatabaseSchemaView, DatabaseView
from elcano.api.http.errors import (
    DatabaseNotFound,
    DatabaseUnanswered,
    RequestInvalid,
    TemporalRefused,
    TemporalUnavailable,
    problem_docs,
)
from elcano.api.services import Provided
from elcano.graphs.data.database_look import DatabaseLook, dialect_of

router = APIRouter(prefix="/v1/databases", tags=["databases"])


@router.get("")
async def list_databases(services: Provided) -> list[DatabaseView]:
    """List the databases that questions may be put to."""
    named = services.settings.databases
    return [DatabaseView(name=name, dialect=dialect_of(address)) for name, address in named.items()]


@router.get(
    "/{name}",
    responses=problem_docs(DatabaseNotFound, DatabaseUnanswered, RequestInvalid, TemporalRefused, TemporalUnavailable),
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
    look = DatabaseLook(database=name, queue=services.temporal.task_queue, values=values)
    return DatabaseSchemaView.of(await services.temporal.looks.at_database(look))
