"""The figures of an analysis as rows: one for each study, one for each estimate over all studies of a pool."""

import csv
import io
from collections.abc import Iterator
from typing import Final

from elcano.plugins.analysis.analysis import Analysis, Pool

COLUMNS: Final = (
    *("pool", "row", "outcome", "first", "second", "measure", "unit", "study", "reference", "evidence"),
    *("estimate", "low", "high", "p", "weight_percent", "effect", "standard_error"),
    *("q", "q_p", "i2_percent", "tau2", "quote", "notes"),
)
_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r")


def as_csv(analysis: Analysis) -> str:
    """RFC 4180, with a line of names; what a spreadsheet would take for a formula begins with an apostrophe."""
    written = io.StringIO()
    table = csv.DictWriter(written, COLUMNS, restval="", lineterminator="\r\n")
    table.writeheader()
    for pool in analysis.pools:
        for row in _list_pool_rows(pool):
            table.writerow({name: _escape_formula_cell(value) for name, value in row.items()})
    return written.getvalue()


def _list_pool_rows(pool: Pool) -> Iterator[dict[str, object]]:
    of = {
        "pool": pool.number,
        "outcome": pool.outcome,
        "first": pool.first,
        "second": pool.second,
        "measure": pool.measure,
        "unit": pool.unit,
    }
    for one in pool.studies:
        yield {
            **of,
            "row": "study",
            "study": one.study,
            "reference": one.number,
            "evidence": one.evidence,
            "estimate": one.estimate,
            "low": one.low,
            "high": one.high,
            "p": one.p,
            "weight_percent": one.weight,
            "effect": one.effect,
            "standard_error": one.error,
            "quote": one.quote,
            "notes": "; ".join(one.notes),
        }
    differences = {"q": pool.q, "q_p": pool.q_p, "i2_percent": pool.i2, "tau2": pool.tau2}
    for name, pooled in (("fixed", pool.fixed), ("random", pool.random), ("adjusted", pool.adjusted)):
        if pooled is not None:
            yield {**of, "row": name, **pooled.model_dump(), **differences}


def _escape_formula_cell(value: object) -> object:
    """A text of strangers as no formula; numbers as they are."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
