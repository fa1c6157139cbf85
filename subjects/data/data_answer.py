"""An answer to a question over databases: its queries, what its numbers came from, its tables and its chart.

SQL is never put together from what a client says: it comes from a model or from the operator, and the policy reads all
of it before a database does. A number comes from a cell of a result, or from arithmetic over cells, which code does
again; one that names nothing, or whose arithmetic gives another one, is listed as unverified and never mended. The
answer travels within the draft of a report; its tables are cut for reading, and the whole of each is an artifact.
"""

from collections.abc import Mapping
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.subjects.data.tables import Cell, Dialect, ResultColumn, ResultDigest

SQL_CHARACTERS = 20_000

FaultStage: TypeAlias = Literal["syntax", "policy", "names", "database", "limits"]
"""The stage that reported the fault: the parser, the policy, the schema check, the database, or its guards."""


class SqlQuery(Frozen):
    """One query of one database."""

    database: str
    dialect: Dialect
    sql: str = Field(min_length=1, max_length=SQL_CHARACTERS)
    reasons: tuple[str, ...] = ()
    """Why each join and each filter is there, in sentences."""
    choices: tuple[str, ...] = ()
    """Choices made where the question left something open, in sentences; shown next to the answer."""


class QueryFault(Frozen):
    """Why a query was not run, or did not end."""

    stage: FaultStage
    message: str = Field(max_length=2_000)
    """The error and, if known, its remedy. For a database: its own words, without its address."""
    unknown: tuple[str, ...] = ()
    """Names that the schema does not have."""
    near: tuple[str, ...] = ()
    """Names that it has and that look like them, the nearest first."""
    lasting: bool = True
    """False: the same query may do better later, because the database was busy or away."""


Operation: TypeAlias = Literal[
    "cell", "count", "sum", "mean", "minimum", "maximum", "difference", "ratio", "share", "change"
]
"""`cell`: the one cell. `count`: how many cells. `difference`: first less second. `ratio`: first by second. `share`:
the first in percent of the sum of the others. `change`: from the second to the first, in percent of the second."""


class CellReference(Frozen):
    """One cell, or a column from one row to another."""

    result: int = Field(ge=1)
    """The number of the result, in the order in which the answer was given them."""
    column: str
    row: int = Field(ge=1)
    """Counted from 1."""
    to_row: int | None = Field(default=None, ge=1)
    """The last row of several; None: the one cell."""


class NumberProof(Frozen):
    """One number as the answer writes it, and the cells that it comes from."""

    text: str = Field(min_length=1, max_length=100)
    """Literal words of the claim: `1,204`, `3.5 million`, `12 %`."""
    operation: Operation = "cell"
    cells: tuple[CellReference, ...] = Field(default=(), max_length=1_000)


SHOWN_ROWS: Final = 50
"""Rows of a result that stand in the report."""
ANSWER: Final = "data"
"""The name of a `DataAnswer` among the attachments of drafts and reports."""
VEGA_LITE: Final = "https://vega.github.io/schema/vega-lite/v5.json"
"""The schema of specifications of charts."""
CHART_PATH: Final = "chart.svg"
"""Path of the chart in Markdown, next to the report."""

NumberStatus: TypeAlias = Literal["proven", "given", "quoted", "named", "wrong", "unproven"]
"""`proven`: the cells that it names give it. `given`: the question, or the text next to the answer, says it.
`quoted`: a passage that is quoted there says it. `named`: digits of a name that a result has. `wrong`: the cells give
another number, or none. `unproven`: no cell is named."""
DOUBTFUL: Final[frozenset[NumberStatus]] = frozenset({"wrong", "unproven"})
ChartKind: TypeAlias = Literal["line", "bar", "scatter"]


class NumberVerdict(Frozen):
    """One number of an answer and its verdict."""

    text: str
    """The number in the text, with its unit."""
    statement: str
    """Its sentence, item or cell, without markup."""
    status: NumberStatus
    reason: str = ""
    """Origin, fault, or what a proof leaves open; a clause without a full stop."""
    operation: Operation | None = None
    cells: tuple[CellReference, ...] = ()
    value: str = ""
    """The value of its cells, as an exact decimal; empty: nothing was computed."""


class QueryRepair(Frozen):
    """One change that was made to a query because it could not be run."""

    before: str
    after: str
    reason: str = Field(default="", max_length=2_000, description="Who complained, and of what.")
    changes_meaning: bool = False
    """Whether it may answer another question than the one that was asked."""


class AnsweredQuery(Frozen):
    """A query that was run, and how it came to be so."""

    query: SqlQuery
    repairs: tuple[QueryRepair, ...] = ()
    """In the order in which they were made."""


class AnswerTable(Frozen):
    """A result as the report shows it."""

    number: int = Field(ge=1)
    artifact: str
    """The artifact of the whole `ResultTable`."""
    evidence: str
    database: str
    dialect: Dialect
    sql: str
    """Empty: it was put together by code, from the results in `parents`."""
    columns: tuple[ResultColumn, ...]
    rows: tuple[tuple[Cell, ...], ...] = ()
    """The first 50."""
    row_count: int = Field(ge=0)
    truncated: bool = False
    at: str = ""
    reasons: tuple[str, ...] = ()
    choices: tuple[str, ...] = ()
    repairs: tuple[QueryRepair, ...] = ()
    parents: tuple[str, ...] = ()


class Chart(Frozen):
    """One drawing of a result: a Vega-Lite specification and what a library made of it, all kept as artifacts."""

    kind: ChartKind
    title: str
    description: str
    """A description for readers who do not see it, and what was left out of it."""
    result: int = Field(ge=1)
    """The number of the result that it shows."""
    spec: str
    """Artifact hash of the specification, JSON."""
    svg: str
    png: str
    """Artifact hash of the picture in Base64."""


class DataAnswer(Frozen):
    """All of an answer but its words."""

    tables: tuple[AnswerTable, ...] = ()
    numbers: tuple[NumberVerdict, ...] = ()
    """Every number of the prose, in its order."""
    chart: Chart | None = None
    no_chart: str = ""
    """Why there is none, in a sentence; empty: there is one, or none was asked for."""
    forecasts: tuple[str, ...] = ()
    gaps: tuple[str, ...] = ()
    """Missing parts, in sentences: paths that failed or were too slow."""
    by_rules: bool = False
    """True: no language model wrote its words."""

    @property
    def doubtful(self) -> tuple[NumberVerdict, ...]:
        """Numbers that are not verified."""
        return tuple(one for one in self.numbers if one.status in DOUBTFUL)


def read_data_answer(attachments: Mapping[str, JsonObject]) -> DataAnswer | None:
    """The answer that is attached to a draft or a report; None if there is none."""
    found = attachments.get(ANSWER)
    return None if found is None else DataAnswer.model_validate(found)


class ChartInput(Frozen):
    """The results to draw a chart of: the first one that a chart fits is drawn."""

    results: tuple[ResultDigest, ...] = Field(default=(), max_length=100)
    spec: str = Field(default="", max_length=100)
    """Artifact hash of a Vega-Lite specification that is drawn instead, as of a forecast; it shows `result`."""
    title: str = Field(default="", max_length=300)
    """Title of the drawing."""
    result: int = Field(default=1, ge=1)


class ChartOutput(Frozen):
    """The chart, or why there is none."""

    chart: Chart | None = None
    reason: str = ""
    """Why there is none, in a sentence."""
