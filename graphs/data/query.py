"""SQL on its way: the question, the query, its author, its reasons and its faults.

SQL is never put together from what a client says: it comes from a model or from the operator, and the policy reads all
of it before a database does.
"""

from typing import Literal, TypeAlias

from pydantic import Field

from elcano.graphs.data.schema import Dialect
from elcano.graphs.frozen import Frozen

SQL_CHARACTERS = 20_000

FaultStage: TypeAlias = Literal["syntax", "policy", "names", "database", "limits"]
"""Who complained: the parser, the policy, the check against the schema, the database, or its guards."""


class SqlQuery(Frozen):
    """One query of one database."""

    database: str
    dialect: Dialect
    sql: str = Field(min_length=1, max_length=SQL_CHARACTERS)
    reasons: tuple[str, ...] = ()
    """Why each join and each filter is there, in sentences."""
    choices: tuple[str, ...] = ()
    """Where the question left something open and what was chosen, in sentences: they stand beside the answer."""


class QueryFault(Frozen):
    """Why a query was not run, or did not end."""

    stage: FaultStage
    message: str = Field(max_length=2_000)
    """What is wrong and, if anybody knows, what to do. Of a database: its own words, without its address."""
    unknown: tuple[str, ...] = ()
    """Names that the schema does not have."""
    near: tuple[str, ...] = ()
    """Names that it has and that look like them, the nearest first."""
    lasting: bool = True
    """False: the same query may do better later, because the database was busy or away."""
