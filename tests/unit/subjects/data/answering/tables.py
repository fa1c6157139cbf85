"""Results for tests, put together in a line."""

from collections.abc import Sequence

from elcano.subjects.data.answering.number_proofs import GivenNumbers, ProofCheck
from elcano.subjects.data.data_answer import CellReference, NumberProof, NumberVerdict, Operation
from elcano.subjects.data.tables import Cell, Kind, ResultColumn, ResultTable


def table(
    columns: Sequence[tuple[str, Kind]],
    rows: Sequence[Sequence[Cell]],
    *,
    truncated: bool = False,
    sql: str = "SELECT region, SUM(amount) AS revenue FROM sales GROUP BY region",
    database: str = "sales",
) -> ResultTable:
    return ResultTable(
        database=database,
        dialect="sqlite",
        sql=sql,
        columns=tuple(ResultColumn(name=name, kind=kind) for name, kind in columns),
        rows=tuple(tuple(row) for row in rows),
        truncated=truncated,
        at="2026-11-22T17:00:00Z",
    )


def at(column: str, row: int, to_row: int | None = None, result: int = 1) -> CellReference:
    return CellReference(result=result, column=column, row=row, to_row=to_row)


def proof(text: str, operation: Operation, *cells: CellReference) -> NumberProof:
    return NumberProof(text=text, operation=operation, cells=cells)


def prove_numbers(
    text: str,
    proofs: Sequence[NumberProof],
    results: Sequence[ResultTable],
    *,
    given: Sequence[GivenNumbers] = (),
    quotes: Sequence[str] = (),
    language: str = "",
) -> tuple[NumberVerdict, ...]:
    return ProofCheck(proofs, results, given, language).verdicts(text, quotes)


REVENUE = table(
    [("region", "text"), ("revenue", "decimal"), ("orders", "integer"), ("day", "date"), ("note", "text")],
    [
        ("Nord", "120400.50", 1204, "2024-03-01", "Route 66"),
        ("Süd", "98000.25", 987, "2024-03-02", None),
        ("Ost", "-1500.00", 12, None, "SKU-12 red"),
        ("West", None, 0, "2023-12-31", "7"),
    ],
)
"""Four rows with everything that is awkward: a loss, NULLs, zero, text with digits."""
