"""Questions with the SQL that answers them. Nothing of them is in the repository: they are read from a folder.

Two forms are read. `text2sql`: for each database `NAME.sql` (PostgreSQL) and `NAME.json` (what its columns mean), and
`*_sqlite.csv` with `db_name`, `question`, `query` and `instructions`; `idk.csv` holds what cannot be answered. Spider:
`tables.json`, `dev.json` and `database/NAME/NAME.sqlite`.
"""

import csv
import json
import re
from dataclasses import dataclass
from pathlib import Path
from typing import Final

BESIDE: Final = Path(__file__).parents[3] / "shared" / "data" / "text2sql"
"""Where the data is looked for unless a folder is named: beside the checkout, as the tests look for recordings."""
UNANSWERABLE: Final = "idk.csv"
_ORDERED: Final = re.compile(r"\b(?:order|sort|arrang|rank|alphabetical)", re.IGNORECASE)
_BRACES: Final = re.compile(r"\{([^{}]*)\}")


@dataclass(frozen=True)
class Case:
    """One question."""

    database: str
    question: str
    background: str
    golds: tuple[str, ...]
    """Accepted queries, each as good as the others; none: the database cannot answer it."""
    ordered: bool
    """Whether the question asks for an order, so that a gold query that orders is compared row by row."""


def cases(folder: Path) -> tuple[Case, ...]:
    """All questions of a folder in one of the two forms.

    Raises:
        FileNotFoundError: it holds neither.
    """
    if (folder / "dev.json").is_file():
        return _spider(folder / "dev.json")
    files = sorted(folder.glob("*_sqlite.csv"))
    if not files:
        raise FileNotFoundError(f"{folder} has neither `*_sqlite.csv` nor Spider's `dev.json`: name another folder")
    found = [_case(row) for file in files for row in _rows(file)]
    unanswerable = folder / UNANSWERABLE
    rows = _rows(unanswerable) if unanswerable.is_file() else []
    found += [Case(row["db_name"], row["question"], "", (), False) for row in rows]
    return tuple(found)


def meanings(folder: Path, database: str) -> dict[tuple[str, str], str]:
    """What the columns of one database mean, by the lower-case names of table and column; empty where nobody says."""
    file = folder / f"{database}.json"
    if not file.is_file():
        return {}
    tables = json.loads(file.read_text(encoding="utf-8"))["table_metadata"]
    return {
        (table.lower(), column["column_name"].lower()): column.get("column_description") or ""
        for table, columns in tables.items()
        for column in columns
    }


def _case(row: dict[str, str]) -> Case:
    ordered = row.get("query_category") == "order_by" or _ORDERED.search(row["question"]) is not None
    return Case(row["db_name"], row["question"], row.get("instructions") or "", accepted(row["query"]), ordered)


def accepted(gold: str) -> tuple[str, ...]:
    """The queries that a gold entry accepts: those between semicolons, and of columns in braces all or any one.

    >>> accepted("SELECT {a, b} FROM t;")
    ('SELECT a, b FROM t', 'SELECT a FROM t', 'SELECT b FROM t')
    """
    found: list[str] = []
    for query in filter(None, (one.strip() for one in gold.split(";"))):
        braces = _BRACES.search(query)
        if braces is None:
            found.append(query)
            continue
        columns = [one.strip() for one in braces[1].split(",")]
        for chosen in (", ".join(columns), *columns):
            found.append(query.replace(braces[0], chosen))
    return tuple(dict.fromkeys(found))


def _spider(file: Path) -> tuple[Case, ...]:
    rows = json.loads(file.read_text(encoding="utf-8"))
    return tuple(
        Case(row["db_id"], row["question"], "", (row["query"],), "order by" in row["query"].lower()) for row in rows
    )


def _rows(file: Path) -> list[dict[str, str]]:
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines))
