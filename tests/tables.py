"""Scripted answers of the mode `data`: results and faults of queries, and a run over one database."""

from collections.abc import Callable, Sequence

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.budget import Limits
from elcano.testing.script import Script

DATABASE = "sales"
QUESTION = "What was the revenue?"
Answer = Callable[[JsonObject], JsonObject]


def asked_of_tables(run_id: str, *, limits: Limits | None = None, question: str = QUESTION) -> ResearchInput:
    """The input of a run of the mode `data` over one database."""
    graph = MODES["data"]
    return ResearchInput(
        run_id=run_id,
        question=question,
        mode="data",
        graph=graph,
        limits=limits or default_limits(graph),
        sources=(DATABASE,),
        databases=(DATABASE,),
    )


def result(name: str, *, rows: int = 1) -> JsonObject:
    """What `execute_sql` answers for a query that is called so."""
    columns: list[Json] = [{"name": "revenue", "kind": "integer"}]
    passage: JsonObject = {
        "id": f"result:{name}",
        "source": DATABASE,
        "title": name,
        "locator": DATABASE,
        "excerpt": "Row 1: 7",
        "characters": 80,
        "document": f"result:{name}",
    }
    return {
        "result": {
            "artifact": name,
            "evidence": f"result:{name}",
            "database": DATABASE,
            "sql": f"SELECT {name}",
            "columns": columns,
            "row_count": rows,
            "head": [[7]],
        },
        "evidence": [passage],
    }


def fault(message: str, *, stage: str = "database", lasting: bool = True) -> JsonObject:
    """What `execute_sql` answers for a query that was not answered."""
    return {"fault": {"stage": stage, "message": message, "lasting": lasting}}


def in_turn(*answers: JsonObject) -> Answer:
    """These answers one after the other, the last one again and again."""
    left = list(answers)
    return lambda given: left.pop(0) if len(left) > 1 else left[0]


def written(sql: str = "SELECT wrong") -> JsonObject:
    """What the SQL writer answers."""
    return {"decision": "query", "sql": sql, "reasons": ["scripted"]}


def mended(*queries: str) -> Answer:
    """What the SQL repairer answers: these queries, one after the other."""
    answers: list[JsonObject] = [{"sql": one, "changed": ["scripted"], "diff": "-a\n+b"} for one in queries]
    return in_turn(*answers)


def of_paths(script: Script, names: Sequence[str]) -> None:
    """The question is split into paths of these names, each of which finds a result of its own."""
    paths: list[Json] = [{"name": one, "question": f"What of {one}?"} for one in names]
    script.overrides["splitter"] = lambda given: {"paths": paths}
    script.overrides["sql_writer"] = lambda given: written(f"SELECT {_name(given)}")
    script.overrides["execute_sql"] = lambda given: result(_queried(given))
    merged = result("merged")
    script.overrides["consensus"] = lambda given: {**merged, "told": "scripted"}


def _name(given: JsonObject) -> str:
    return str(given["question"]).removeprefix("What of ").rstrip("?")


def _queried(given: JsonObject) -> str:
    query = given["query"]
    assert isinstance(query, dict)
    return str(query["sql"]).removeprefix("SELECT ")
