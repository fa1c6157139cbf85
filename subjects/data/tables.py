"""Databases and results of queries, as far as questions and reports need them: schemas, tables, columns, cells.

A schema is read by a worker, kept by its hash, and travels by that hash. A result is kept twice, under one hash each:
as `ResultTable`, whose cells numbers are computed from, and as the text that is quoted. The state of a run holds its
digest.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

Dialect: TypeAlias = Literal["sqlite", "postgresql", "duckdb"]
Kind: TypeAlias = Literal["integer", "decimal", "text", "date", "time", "timestamp", "boolean", "json", "other"]
"""The type of a column's values. `decimal` is every number that need not be whole, floating or exact."""


def dialect_of(address: str) -> Dialect:
    """Return the dialect at an address of `ELCANO_DATABASES`; plain files and folders are read by DuckDB."""
    if address.startswith("sqlite://"):
        return "sqlite"
    return "postgresql" if address.startswith("postgresql://") else "duckdb"


NUMBERS: Final[frozenset[Kind]] = frozenset({"integer", "decimal"})
MOMENTS: Final[frozenset[Kind]] = frozenset({"date", "timestamp"})
NAME_CHARACTERS: Final = 300
READING_NOTE: Final = "As read from its file: "
"""Begins the comments that say how a file was interpreted."""
EXACT_NOTE: Final = (
    "Exact decimal numbers: CAST to DOUBLE for median and quantiles, which DuckDB rounds to their decimals."
)
"""The comment on columns of files that have as many decimals in each value."""


class ColumnSchema(Frozen):
    """One column of a table."""

    name: str = Field(min_length=1, max_length=NAME_CHARACTERS)
    type: str = Field(default="", max_length=NAME_CHARACTERS, description="In the database's words: `NUMERIC(10, 2)`.")
    kind: Kind = "other"
    nullable: bool = True
    comment: str = Field(default="", max_length=1_000)
    samples: tuple[str, ...] = ()
    """Its most common values, the most common first; empty: there are none, or the operator keeps them in the database.
    """
    distinct: int | None = None
    """Number of distinct values, without NULL; None: not counted."""
    lowest: str | None = None
    """The lowest number or time, as the database writes it; None: not determined, or the column is empty."""
    highest: str | None = None


class ForeignKey(Frozen):
    """Columns of a table that name rows of another one."""

    columns: tuple[str, ...] = Field(min_length=1)
    table: str
    """The name of the other table, as `TableSchema.name` has it."""
    referred: tuple[str, ...] = Field(min_length=1)
    """The referenced columns, in the same order."""
    declared: bool = True
    """False: the database does not say so; the names and the types of the columns do."""


class TableSchema(Frozen):
    """One table or view."""

    name: str = Field(min_length=1, max_length=NAME_CHARACTERS)
    """The name in SQL without quotation marks; `schema.table` outside the default schema."""
    kind: Literal["table", "view"] = "table"
    comment: str = Field(default="", max_length=2_000)
    rows: int | None = None
    """Number of rows; None: not counted."""
    estimated: bool = False
    """Whether `rows` is the database's estimate."""
    columns: tuple[ColumnSchema, ...] = ()
    primary_key: tuple[str, ...] = ()
    foreign_keys: tuple[ForeignKey, ...] = ()


class DatabaseSchema(Frozen):
    """All that is known of one database that the operator named."""

    database: str
    """The name that the operator gave it."""
    dialect: Dialect
    tables: tuple[TableSchema, ...] = ()
    hash: str = ""
    """SHA-256 over names, types and keys; values, counts and comments do not change it."""


def named_alone(schema: DatabaseSchema) -> DatabaseSchema:
    """`schema` with the names of its tables and columns and nothing else of them."""
    tables = (
        TableSchema(name=table.name, columns=tuple(ColumnSchema(name=column.name) for column in table.columns))
        for table in schema.tables
    )
    return schema.model_copy(update={"tables": tuple(tables)})


Cell: TypeAlias = bool | int | float | str | None
"""A value. Exact decimals and moments are strings, as the database writes them; the column's kind distinguishes
them."""

DIGEST_ROWS: Final = 10
RESULT_EVIDENCE: Final = "result:"
"""Begins the id of the evidence that a result is; followed by the artifact hash of its table."""


class ResultColumn(Frozen):
    """One column of a result."""

    name: str
    """The name in the query; a second column of the same name gets the suffix `_2`."""
    type: str = ""
    kind: Kind = "other"
    caution: str = ""
    """Caveat about its values, such as a join that repeats rows which they count; a clause, empty: nothing known."""
    repeated: str = ""
    """Why its values may not be added up; a clause, empty: nothing known."""


class ResultTable(Frozen):
    """All rows that were read, and where they are from."""

    database: str
    dialect: Dialect
    sql: str
    """The SQL as it ran, with the limit around it."""
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...]
    truncated: bool = False
    """True: there are more rows, or wider values, than were read. No total may be computed from such a result."""
    limit: int | None = None
    """The limit that the query itself has, if there are as many rows: there may be more behind them."""
    at: str
    """When it was read: UTC, ISO 8601, to the second."""
    schema_hash: str = ""
    """The hash of the schema against which the query was checked."""
    tables: tuple[str, ...] = ()
    """The tables that the query read, as the schema names them; empty also for results older than this field."""
    parents: tuple[str, ...] = ()
    """Artifact hashes of the results that code put it together from; empty: a query gave it."""
    notes: tuple[str, ...] = ()
    """Notes on how the files were interpreted, in sentences."""
    computed: str = ""
    """Description of how the rows were computed from those of `sql`, in a sentence; empty: they are what the query
    gave."""

    def find_column(self, name: str) -> int | None:
        """The place of a column, by its exact name or else without regard to case; None: there is none, or several."""
        names = [column.name for column in self.columns]
        folded = [one.casefold() for one in names]
        if name in names:
            return names.index(name)
        return folded.index(name.casefold()) if folded.count(name.casefold()) == 1 else None


class ResultDigest(Frozen):
    """The part of a result that the state holds."""

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
