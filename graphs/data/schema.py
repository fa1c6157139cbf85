"""The contents of a database, as far as questions need them: tables, columns, keys, and a few of the values.

A schema is read by a worker, kept by its hash, and travels by that hash; what a model or a rule is shown of it is the
few tables that a question is about.
"""

from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

Dialect: TypeAlias = Literal["sqlite", "postgresql", "duckdb", "mysql"]
Kind: TypeAlias = Literal["integer", "decimal", "text", "date", "time", "timestamp", "boolean", "json", "other"]
"""What the values of a column are. `decimal` is every number that need not be whole, floating or exact."""


def dialect_of(address: str) -> Dialect:
    """Return the dialect at an address of `ELCANO_DATABASES`; plain files and folders are read by DuckDB."""
    if address.startswith("sqlite://"):
        return "sqlite"
    return "postgresql" if address.startswith("postgresql://") else "duckdb"


NUMBERS: Final[frozenset[Kind]] = frozenset({"integer", "decimal"})
MOMENTS: Final[frozenset[Kind]] = frozenset({"date", "timestamp"})
NAME_CHARACTERS: Final = 300


class ColumnSchema(Frozen):
    """One column of a table."""

    name: str = Field(min_length=1, max_length=NAME_CHARACTERS)
    type: str = Field(default="", max_length=NAME_CHARACTERS, description="In the database's words: `NUMERIC(10, 2)`.")
    kind: Kind = "other"
    nullable: bool = True
    comment: str = Field(default="", max_length=1_000)
    samples: tuple[str, ...] = ()
    """Its commonest values, the commonest first; empty: there are none, or the operator keeps them in the database."""
    distinct: int | None = None
    """How many different values it has, NULL apart; None: not counted."""
    lowest: str | None = None
    """Of numbers and moments, as the database writes it; None: not looked at, or the column is empty."""
    highest: str | None = None


class ForeignKey(Frozen):
    """Columns of a table that name rows of another one."""

    columns: tuple[str, ...] = Field(min_length=1)
    table: str
    """The name of the other table, as `TableSchema.name` has it."""
    referred: tuple[str, ...] = Field(min_length=1)
    """Its columns, in the same order."""
    declared: bool = True
    """False: the database does not say so; the names and the types of the columns do."""


class TableSchema(Frozen):
    """One table or view."""

    name: str = Field(min_length=1, max_length=NAME_CHARACTERS)
    """As it is written in SQL without quotation marks; `schema.table` outside of the default schema."""
    kind: Literal["table", "view"] = "table"
    comment: str = Field(default="", max_length=2_000)
    rows: int | None = None
    """How many there are; None: not counted."""
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
