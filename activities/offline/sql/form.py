"""What a question asks for, in the terms of a schema: the form between words and SQL."""

from dataclasses import dataclass, field
from typing import Literal, TypeAlias

from elcano.activities.offline.sql.items import Item
from elcano.activities.offline.sql.moments import Moment
from elcano.activities.offline.sql.names import Column

Aggregate: TypeAlias = Literal["count", "sum", "avg", "max", "min"]
Operator: TypeAlias = Literal[
    "=", "<>", "in", ">", ">=", "<", "<=", "start", "end", "in text", "null", "filled", "yes", "no"
]


class Unread(Exception):
    """The question cannot be answered by rules. The text says why, for whoever asked."""


@dataclass(frozen=True)
class Asked:
    """Something that is computed, before its words have found their column."""

    aggregate: Aggregate | Literal["value"]
    item: Item | None
    """None: of the rows that the question is about."""
    distinct: bool = False


@dataclass(frozen=True)
class Metric:
    """Something that is computed."""

    aggregate: Aggregate
    column: Column | None
    """None: rows are counted."""
    table: str
    distinct: bool = False
    conditions: "tuple[Condition, ...]" = ()
    """Which rows count for it, where others count for something else of the same query."""


@dataclass(frozen=True)
class Bucket:
    """A column of moments, cut to the month or another span."""

    column: Column
    unit: str


@dataclass(frozen=True)
class Ratio:
    """One metric by another, or one column by another of the same row."""

    first: "Metric | Column"
    second: "Metric | Column"
    percent: bool = False


Output: TypeAlias = Column | Metric | Bucket | Ratio


@dataclass(frozen=True)
class Condition:
    """One condition on rows."""

    column: Column
    operator: Operator
    values: tuple[str | int | float, ...] = ()
    text: str = ""
    """The words that say it."""


@dataclass(frozen=True)
class Side:
    """One side of a ratio, with the conditions that are of it alone."""

    asked: Asked | Item
    own: "Wish"


@dataclass
class Wish:
    """A question taken apart, before its words have found their columns."""

    select: list[Item | Asked] = field(default_factory=list)
    groups: list[Item] = field(default_factory=list)
    mentions: list[Item] = field(default_factory=list)
    """Names of tables in the order of the question."""
    filters: list[tuple[Item | None, Operator, tuple[str | int | float, ...], str]] = field(default_factory=list)
    values: list[tuple[tuple[Item, ...], Item | None, str]] = field(default_factory=list)
    """Values of which any one will do, the name beside them, and the preposition before them."""
    flags: list[tuple[Item, bool]] = field(default_factory=list)
    moments: list[tuple[Moment, Item | None]] = field(default_factory=list)
    """With the verb or the name beside them."""
    absent: list[Item] = field(default_factory=list)
    having: list[tuple[Asked, str, float]] = field(default_factory=list)
    order: list[tuple[Item | Asked, bool]] = field(default_factory=list)
    """The last is True for descending."""
    ratio: "tuple[Side, Side] | None" = None
    percent: bool = False
    """Whether the ratio is wanted in percent."""
    entity: Item | None = None
    """What is listed."""
    limit: int | None = None
    distinct: bool = False
    verbs: list[Item] = field(default_factory=list)


@dataclass
class Form:
    """A query in the terms of a schema."""

    base: str
    """The table that rows are counted or listed of."""
    select: list[Output] = field(default_factory=list)
    groups: list[Column | Bucket] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    tables: list[str] = field(default_factory=list)
    """All that the question names, in its order."""
    absent: list[str] = field(default_factory=list)
    having: list[tuple[Metric, str, float]] = field(default_factory=list)
    order: list[tuple[Output, bool]] = field(default_factory=list)
    limit: int | None = None
    distinct: bool = False
    outer: bool = False
    """Whether rows of the base stay that meet none of another table."""
    hints: frozenset[str] = frozenset()
    """Roots of the verbs of the question, which may say by which way tables hang together."""
    reasons: list[str] = field(default_factory=list)
    choices: list[str] = field(default_factory=list)
