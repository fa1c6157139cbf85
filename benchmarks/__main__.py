"""`python -m benchmarks [name ...]`: measures, and compares the ratios with those of `figures.toml`."""

import argparse
import inspect
import logging
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory
from types import ModuleType
from typing import Final

import uvloop

from benchmarks import (
    budgets,
    deep,
    encryption,
    engine,
    fairness,
    fetching,
    going_on,
    history,
    hostile_sql,
    index,
    knowledge,
    listing,
    live_words,
    ordinary_sql,
    page,
    progress,
    pubmed_parsing,
    report_view,
    start,
    table_files,
    telemetry,
)
from benchmarks.bench import Bench

BENCHMARKS: Final[Mapping[str, ModuleType]] = {
    module.__name__.rpartition(".")[2].replace("_", "-"): module
    for module in (
        *(engine, encryption, progress, live_words, history, deep, going_on, index),
        *(hostile_sql, ordinary_sql, budgets, fetching, fairness, pubmed_parsing, knowledge, listing),
        *(page, report_view, table_files, telemetry, start),
    )
}
"""By name; each module says in its first line what it measures, and its `main(bench)` does."""
WITH_DATA: Final = (
    "extraction",
    "forecast",
    "pubmedqa",
    "quality",
    "reading",
    "reading_lists",
    "similarity",
    "text2sql",
)
"""Programs of their own (`python -m benchmarks.NAME`): they need data that does not come with this repository."""


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(
        prog="make bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter, epilog=_listed()
    )
    parser.add_argument("names", nargs="*", metavar="name", choices=[*BENCHMARKS, []], help="without one, all")
    parser.add_argument("--small", action="store_true", help="only see that they run through, in seconds")
    parser.add_argument("--list", action="store_true", help="only say what each measures")
    arguments = parser.parse_args()
    if arguments.list:
        print(_listed())
        return
    logging.getLogger("temporalio.activity").setLevel(logging.ERROR)  # scripted calls fail on purpose
    for name in arguments.names or BENCHMARKS:
        print(f"-- {name}", flush=True)
        with TemporaryDirectory() as folder:
            bench = Bench(name, Path(folder), small=arguments.small)
            uvloop.run(BENCHMARKS[name].main(bench))


def _listed() -> str:
    lines = [f"{name:<15} {_purpose(module)}" for name, module in BENCHMARKS.items()]
    return "\n".join([*lines, f"With data of yours, as `python -m benchmarks.NAME`: {', '.join(WITH_DATA)}."])


def _purpose(module: ModuleType) -> str:
    return (inspect.getdoc(module) or "").partition("\n")[0]


if __name__ == "__main__":
    main()
