"""The look into a database: its state and its contents, for somebody who waits. Its address is never told."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.looks import LookSpec
from elcano.graphs.frozen import Answer, Frozen
from elcano.graphs.report.tables import DatabaseSchema

DATABASE_LOOK_SECONDS: Final = 50.0
"""How long somebody waits for the schema of a database; the first reading counts and samples its values."""


class DatabaseLook(Frozen):
    """Input of a look into a database that belongs to no run."""

    database: str = Field(min_length=1, max_length=63)
    values: bool = True
    """Whether rows are counted and values sampled, as far as the operator lets them be shown."""


class DatabaseLooked(Answer):
    """The schema as a worker read it."""

    found: DatabaseSchema
    seconds: float = 0.0
    """For all of the reading."""


DATABASE_LOOK: Final = LookSpec(
    name="database",
    input=DatabaseLook,
    output=DatabaseLooked,
    seconds=DATABASE_LOOK_SECONDS,
    run="elcano.plugins.data.tools.looking:look_at_database",
)
