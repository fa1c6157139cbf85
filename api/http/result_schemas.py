"""What the API says of the results that an answer rests on."""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.tables import ResultColumn


class ResultSummary(Frozen):
    """One result, without its rows."""

    number: int = Field(ge=1, description="As the answer counts them.")
    database: str = Field(description="The name that the operator gave it.")
    sql: str = Field(description="As it was run; empty: code put it together from other results.")
    query_hash: str = Field(description="SHA-256 of the SQL in UTF-8, hexadecimal; empty without SQL.")
    columns: tuple[ResultColumn, ...] = Field(description="In their order.")
    rows: int = Field(ge=0, description="How many were read.")
    truncated: bool = Field(description="Whether there are more rows, or longer values, than were read.")
    at: str = Field(description="When it was read: UTC, ISO 8601.")
    artifact: str = Field(description="SHA-256 of the stored result.")


class ResultList(Frozen):
    """The results of queries that a run has."""

    run_id: str
    answer: bool = Field(
        default=True,
        description="Whether its answer rests on them; false: there is no such answer (yet), and these were found. The "
        "answer may count them otherwise.",
    )
    results: tuple[ResultSummary, ...] = ()
