"""A server with a database of sales beside its handbook, and a provider that writes queries of them by a script."""

import json
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.settings import Settings
from elcano.testing import Reply
from elcano.testing.model import Answer
from tests.api.again.going_on import Json, Provider

SALES = (
    (1, "2023-02-01", "Oslo", 100),
    (2, "2023-09-12", "Turin", 250),
    (3, "2024-01-05", "Oslo", 400),
    (4, "2024-06-30", "Turin", 50),
)
TOTAL = "What is the total revenue of sales?"
SAVED = {
    TOTAL: "SELECT SUM(revenue) AS total FROM sales",
    "What is the total revenue of sales by city?": (
        "SELECT city, SUM(revenue) AS total FROM sales GROUP BY city ORDER BY city"
    ),
    "What is the total revenue of sales in 2024?": (
        "SELECT SUM(revenue) AS total FROM sales WHERE sold_date >= '2024-01-01' AND sold_date < '2025-01-01'"
    ),
    "What is the total revenue of sales in 2023?": (
        "SELECT SUM(revenue) AS total FROM sales WHERE sold_date >= '2023-01-01' AND sold_date < '2024-01-01'"
    ),
    "Which sales were lost?": "SELECT * FROM lost_sales",
}
"""The saved questions of the database, the last one with a query that fails."""


def with_sales(settings: Settings, folder: Path) -> Settings:
    """The same server with the database `shop` and its saved questions."""
    saved = folder / "shop.jsonl"
    lines = (json.dumps({"question": question, "sql": sql}) for question, sql in SAVED.items())
    saved.write_text("\n".join(lines), encoding="utf-8")
    place = folder / "shop.db"
    with closing(sqlite3.connect(place)) as connection:
        columns = "sale_id INTEGER PRIMARY KEY, sold_date DATE, city TEXT, revenue INTEGER"
        connection.execute(f"CREATE TABLE sales ({columns})")
        connection.executemany("INSERT INTO sales VALUES (?, ?, ?, ?)", SALES)
        connection.commit()
    return settings.model_copy(
        update={"databases": {"shop": f"sqlite:///{place}"}, "database_examples": {"shop": saved}}
    )


class Analyst(Provider):
    """Answers plainly, and writes these queries, one after the other, the last one again and again."""

    def __init__(self, *queries: str, mended: Sequence[str] = ()) -> None:
        super().__init__()
        self._queries = list(queries)
        self._mended = list(mended)
        self.wasted: int | None = None
        """What each try of the data writer takes, all of which are of no use; None: it answers."""

    def _answer(self, task: TaskEnvelope) -> Answer:
        if task.kind == "data_writer" and self.wasted is not None:
            return Reply(text="of no use", input_tokens=self.wasted)
        return super()._answer(task)

    def _output(self, task: TaskEnvelope) -> Json:
        if task.kind == "sql_writer":
            return {"decision": "query", "sql": self._next(self._queries), "reasons": ["It was scripted."]}
        if task.kind == "sql_repairer":
            return {"sql": self._next(self._mended), "explanation": "It was scripted."}
        return dict(super()._output(task))

    @staticmethod
    def _next(left: list[str]) -> str:
        return left.pop(0) if len(left) > 1 else left[0]
