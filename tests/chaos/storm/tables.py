"""The databases of a storm: built anew from this file alone, asked by scripted SQL, and the same when all is over.

A question says in brackets how its query goes, so that what the scripted agents answer depends on it alone.
"""

import csv
import re
import sqlite3
from collections.abc import Mapping
from contextlib import closing
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal, TypeAlias

from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.graphs.frozen import Json, JsonObject

Way: TypeAlias = Literal[
    "query", "mended", "vain", "sheets", "documents", "paths", "patient", "series", "reads", "writes"
]
"""How a question to databases goes. `vain`: no repair helps. `sheets`: CSV files through DuckDB. `paths` have the time
that the mode gives them, `patient` paths as much as they need. `reads`, `writes`: by a tool of a server."""

SQLITE: Final = "ships"
SHEETS: Final = "sheets"
TOOLS: Final = "hands"
"""Names of the two databases, and of the server of tools."""
WRITTEN: Final = "written"
"""The file in which the program of tools notes what it wrote, and `pids` its processes."""
PORTS: Final = ("Sevilla", "Lisboa", "Cádiz", "Ribeira Brava")
YEARS: Final = (1519, 1520, 1521, 1522)
MONTHS: Final = 60
LINGERS: Final = 1.0
"""Seconds that a tool takes after it has noted its call, so that a kill can come in between."""

_WAY: Final = re.compile(r"\(way (\w+)\)")
_YEAR: Final = re.compile(r"\b(1[5-9]\d\d)\b")
_PATHS: Final = re.compile(r"\((\d) paths\)")


def build(folder: Path) -> Mapping[str, str]:
    """Makes the databases in `folder`; their addresses by name, as `ELCANO_DATABASES` has them."""
    folder.mkdir(parents=True)
    voyages = [
        (number, f"ship {number % 7}", PORTS[number % len(PORTS)], YEARS[number % 3], 10 + number * 37 % 90)
        for number in range(1, 81)
    ]
    months = [(f"{1996 + n // 12}-{n % 12 + 1:02d}", 400 + 5 * n + 60 * (n % 12) + n * 31 % 17) for n in range(MONTHS)]
    place = folder / "ships.db"
    with closing(sqlite3.connect(place)) as connection, connection:
        connection.execute(
            "CREATE TABLE voyages (id INTEGER PRIMARY KEY, ship TEXT, port TEXT, year INTEGER, tons INTEGER)"
        )
        connection.execute("CREATE TABLE months (month TEXT PRIMARY KEY, tons INTEGER)")
        connection.executemany("INSERT INTO voyages VALUES (?, ?, ?, ?, ?)", voyages)
        connection.executemany("INSERT INTO months VALUES (?, ?)", months)
    sheets = folder / "sheets"
    sheets.mkdir()
    with (sheets / "voyages.csv").open("w", encoding="utf-8", newline="") as file:
        csv.writer(file).writerows([("id", "ship", "port", "year", "tons"), *voyages])
    return {SQLITE: f"sqlite:///{place}", SHEETS: str(sheets)}


def hashes(folder: Path) -> dict[str, str]:
    """SHA-256 of every file below `folder`, by its place: files that a reader must not leave there are in it too."""
    files = sorted(path for path in folder.rglob("*") if path.is_file())
    return {str(path.relative_to(folder)): sha256(path.read_bytes()).hexdigest() for path in files}


def question(way: Way, paths: int) -> str:
    """What a run is asked."""
    told = f" ({paths} paths)" if paths else ""
    return f"How many tons did the ships of the voyages bring to each port? (way {way}){told}"


def way_of(asked: str) -> Way | None:
    """The way that stands in a question; None: it is not one to databases."""
    found = _WAY.search(asked)
    return found[1] if found else None  # type: ignore[return-value]


def sources(way: Way) -> tuple[str, ...]:
    """What a run of this way may search."""
    return {"sheets": (SHEETS,), "documents": (SQLITE, "log")}.get(way, (SQLITE,))


def answer(task: TaskEnvelope, run: str) -> JsonObject:
    """What the agents answer that questions to databases have of their own."""
    match task.kind:
        case "splitter":
            return split(task, run)
        case "sql_writer":
            return queried(task)
        case "sql_repairer":
            return mended(task)
        case _:
            return answered(task)


def split(task: TaskEnvelope, run: str) -> JsonObject:
    """What the splitter answers. What a tool is to write names the run, so that it can be counted."""
    arguments: JsonObject
    match way_of(task.question):
        case "paths" | "patient":
            found = _PATHS.search(task.question)
            ways = ("query", "mended", "vain")[: int(found[1]) if found else 2]
            paths: list[Json] = [
                {"name": str(year), "question": f"How many tons came to each port in {year}? (way {way})"}
                for year, way in zip(YEARS, ways, strict=False)
            ]
            return {"paths": paths, "reason": "Each year needs a query of its own."}
        case "series":
            asked = "How many tons came by month? (way series)"
            return {"forecast": {"horizon": 6, "span": "months"}, "history_question": asked}
        case "reads":
            arguments = {"seconds": LINGERS}
            return {"tool": {"server": TOOLS, "tool": "wait", "arguments": arguments}}
        case "writes":
            arguments = {"line": run, "seconds": LINGERS}
            return {"tool": {"server": TOOLS, "tool": "write_and_wait", "arguments": arguments}}
        case _:
            return {"reason": "It is one question."}


def queried(task: TaskEnvelope) -> JsonObject:
    """What the SQL writer answers: a query, which is wrong where it is to be mended, or that documents answer it."""
    match way_of(task.question):
        case "documents":
            return {"decision": "documents", "explanation": "The log says it."}
        case "mended":
            sql = _right(task.question).replace("tons)", "weight)")
        case "vain":
            sql = "SELECT SUM(weight) AS tons FROM voyages"
        case _:
            sql = _right(task.question)
    return {"decision": "query", "sql": sql, "reasons": ["It is what the question asks for."]}


def mended(task: TaskEnvelope) -> JsonObject:
    """What the SQL repairer answers: another wrong query and then the right one, or one with the same fault."""
    if way_of(task.question) == "vain":
        return {"sql": "SELECT AVG(weight) AS tons FROM voyages", "changed": ["The mean."]}
    right = _right(task.question)
    sql = right if repair(task.given) > 1 else right.replace("port", "harbour")
    return {"sql": sql, "changed": ["A column that is there."]}


def repair(given: JsonObject) -> int:
    """Which repair of a question it is, by what a repairer is given, from 1."""
    attempts = given.get("attempts")
    return 1 + (len(attempts) if isinstance(attempts, list) else 0)


def answered(task: TaskEnvelope) -> JsonObject:
    """What the data writer answers: a figure of the first result with its cell, and the first row of the others."""
    results = task.given.get("results")
    shown = [one for one in results if isinstance(one, dict) and one.get("rows")] if isinstance(results, list) else []
    if not shown:
        return {"title": "The tons", "answered": False, "limitations": ["There is no result."]}
    told: list[str] = []
    numbers: list[Json] = []
    citations: list[Json] = []
    for one in shown:
        columns, rows, key = one["columns"], one["rows"], str(one["key"])
        assert isinstance(columns, list)
        assert isinstance(rows, list)
        assert isinstance(rows[0], list)
        last, value = columns[-1], rows[0][-1]
        assert isinstance(last, dict)
        citations.append({"evidence": key, "quote": "Row 1", "mark": key})
        if not numbers and isinstance(value, int):
            cell: JsonObject = {"result": one["number"], "column": last["name"], "row": 1}
            cells: list[Json] = [cell]
            numbers.append({"text": f"{value} tons", "operation": "cell", "cells": cells})
            told.append(f"The first row has {value} tons [{key}].")
        else:
            told.append(f"More stands in another result [{key}].")
    return {"title": "The tons", "introduction": " ".join(told), "numbers": numbers, "citations": citations}


def _right(asked: str) -> str:
    if way_of(asked) == "series":
        return "SELECT month, SUM(tons) AS tons FROM months GROUP BY month ORDER BY month"
    year = _YEAR.search(asked)
    where = f" WHERE year = {year[1]}" if year else ""
    return f"SELECT port, SUM(tons) AS tons FROM voyages{where} GROUP BY port ORDER BY tons DESC, port"
