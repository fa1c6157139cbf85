"""The result of a query: an artifact by itself, and evidence, so that words can cite it.

A result is kept twice, under one hash each: as `ResultTable`, whose cells numbers are computed from, and as the text
that is quoted. The state of a run holds its digest.
"""

from typing import Final, TypeAlias

from pydantic import Field

from elcano.graphs.data.schema import Dialect, Kind
from elcano.graphs.frozen import Frozen

Cell: TypeAlias = bool | int | float | str | None
"""A value. Exact decimals and moments are strings, as the database writes them; the column's kind tells them apart."""

DIGEST_ROWS: Final = 10
RESULT_EVIDENCE: Final = "result:"
"""Begins the id of the evidence that a result is; behind it stands the artifact hash of its table."""


class ResultColumn(Frozen):
    """One column of a result."""

    name: str
    """As the query calls it; of two with one name the second has `_2` behind it."""
    type: str = ""
    kind: Kind = "other"


class ResultTable(Frozen):
    """All rows that were read, and where they are from."""

    database: str
    dialect: Dialect
    sql: str
    """As it was run, with the limit that was put around it."""
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    """True: there are more rows, or wider values, than were read. No total may be computed from such a result."""
    at: str
    """When it was read: UTC, ISO 8601, to the second."""
    schema_hash: str = ""
    """Of the schema that the query was checked against."""
    tables: tuple[str, ...] = ()
    """Those that the query read, as the schema calls them; empty also of results of before this was kept."""
    parents: tuple[str, ...] = ()
    """Artifact hashes of the results that code put it together from; empty: a query gave it."""
    computed: str = ""
    """How the rows were computed from those of `sql`, in a sentence; empty: they are what the query gave."""


class ResultDigest(Frozen):
    """What the state knows of a result."""

    artifact: str
    """The artifact hash of the `ResultTable`."""
    evidence: str
    """The id of the evidence whose text are its rows."""
    database: str
    sql: str
    columns: tuple[ResultColumn, ...]
    row_count: int = Field(ge=0)
    truncated: bool = False
    head: tuple[tuple[Cell, ...], ...] = ()
    """Its first rows, at most 10."""
