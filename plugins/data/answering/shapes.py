"""Classifies a result's columns by names and values: which name rows, and which are measures.

A year is a number that names a row; so is an id.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_EVEN, Context, Decimal
from typing import Any, Final

from elcano.plugins.data.databases.cells import parse_decimal
from elcano.plugins.data.results import cell_text
from elcano.plugins.data.tables import NUMBERS, Cell, ResultTable

_YEAR: Final = ("year", "jahr", "año", "année", "annee")
_NAMES_OF_ROWS: Final = frozenset(["id", *_YEAR, "month", "monat", "mois", "mes", "quarter", "quartal", "week", "day"])


@dataclass(frozen=True)
class ShownRows:
    """A result, or as much of it as is shown."""

    number_of: int
    key: str
    names: Sequence[str]
    kinds: Sequence[str]
    rows: Sequence[Sequence[Cell]]
    row_count: int
    truncated: bool

    @classmethod
    def of(cls, told: dict[str, Any]) -> "ShownRows":
        """From `given.results` of an envelope."""
        columns = told.get("columns", [])
        return cls(
            number_of=told["number"],
            key=told["key"],
            names=[column["name"] for column in columns],
            kinds=[column["kind"] for column in columns],
            rows=told.get("rows", []),
            row_count=told.get("row_count", 0),
            truncated=told.get("truncated", False),
        )

    @classmethod
    def of_table(cls, table: ResultTable) -> "ShownRows":
        """All of a result."""
        return cls(
            number_of=1,
            key="",
            names=[column.name for column in table.columns],
            kinds=[column.kind for column in table.columns],
            rows=table.rows,
            row_count=len(table.rows),
            truncated=table.truncated,
        )

    @property
    def measures(self) -> list[int]:
        """Return the numeric columns, except those that name rows; the only column counts in any case."""
        found = [at for at in range(len(self.names)) if self._is_number(at)]
        measuring = [at for at in found if not self.names_rows(at)]
        return measuring if measuring or len(self.names) > 1 else found

    @property
    def labels(self) -> list[int]:
        """Return the other columns; those that name rows by number come after those that name them in words."""
        measures = self.measures
        others = [at for at in range(len(self.names)) if at not in measures]
        return sorted(others, key=self._is_number)

    def number(self, row: int, at: int) -> Decimal | None:
        """The number in a cell; None: it has none."""
        value = self.rows[row][at]
        return None if isinstance(value, str) and self.kinds[at] not in NUMBERS else parse_decimal(value)

    def said(self, row: int, at: int) -> str:
        """A cell as text."""
        return cell_text(self.rows[row][at])

    def names_rows(self, at: int) -> bool:
        """Whether a column of numbers says which row it is: by its name, and each number but once."""
        said = [row[at] for row in self.rows if row[at] is not None]
        whole = all(isinstance(one, int) and not isinstance(one, bool) for one in said)
        name = self.names[at].casefold()
        called = name in _NAMES_OF_ROWS or name.endswith(("_id", "year", " id", "jahr"))
        return whole and called and bool(said)

    def _is_number(self, at: int) -> bool:
        if self.kinds[at] in NUMBERS:
            return True
        said = [row[at] for row in self.rows if row[at] is not None]
        return bool(said) and all(isinstance(one, int | float) and not isinstance(one, bool) for one in said)


def format_number(value: Decimal, language: str) -> str:
    """A number as people of a language write it: whole ones whole, others to two places or three telling digits."""
    if not value or value == value.to_integral_value():
        places = 0
    elif abs(value) >= 1:
        places = 2
    else:
        places = min(30, 2 - value.adjusted())
    exact = Context(prec=100)
    rounded = value.quantize(Decimal(1).scaleb(-places), rounding=ROUND_HALF_EVEN, context=exact)
    written = f"{rounded:,f}"
    return written if language == "en" else written.translate(str.maketrans(",.", "\u202f,"))
