"""Questions to a database other than queries: its state and its contents; and the dialect that its address implies.

Names and fields here are persisted in histories, as those in `contracts.py` are. No address is ever one of them.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.data.schema import DatabaseSchema, Dialect
from elcano.graphs.frozen import Answer, Frozen

DATABASE_LOOK_WORKFLOW: Final = "database_look"
LOOK_AT_DATABASE: Final = "look_at_database"
DATABASE_LOOK_SECONDS: Final = 50.0
"""How long somebody waits for the schema of a database; the first reading counts and samples its values."""


def dialect_of(address: str) -> Dialect:
    """Return the dialect at an address of `ELCANO_DATABASES`; plain files and folders are read by DuckDB."""
    if address.startswith("sqlite://"):
        return "sqlite"
    return "postgresql" if address.startswith("postgresql://") else "duckdb"


class DatabaseLook(Frozen):
    """Input of a look into a database that belongs to no run."""

    database: str = Field(min_length=1, max_length=63)
    queue: str = ""
    """The task queue of the workers that read it; empty: that of all runs."""
    values: bool = True
    """Whether rows are counted and values sampled, as far as the operator lets them be shown."""


class DatabaseLooked(Answer):
    """The schema as a worker read it."""

    found: DatabaseSchema
    seconds: float = 0.0
    """For all of the reading."""
