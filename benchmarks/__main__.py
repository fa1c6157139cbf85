"""`python -m benchmarks [name ...]`: measures; without a name, everything that needs no data of yours."""

import argparse
import asyncio
from collections.abc import Callable, Coroutine, Mapping
from typing import Any

import uvloop

from benchmarks import (
    budgets,
    deep,
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
    progress,
    pubmed_parsing,
)


async def _index() -> None:
    await asyncio.to_thread(index.main)


BENCHMARKS: Mapping[str, Callable[[], Coroutine[Any, Any, None]]] = {
    "engine": engine.main,
    "progress": progress.main,
    "live-words": live_words.main,
    "history": history.main,
    "deep": deep.main,
    "going-on": going_on.main,
    "index": _index,
    "hostile-sql": hostile_sql.main,
    "budgets": budgets.main,
    "fetching": fetching.main,
    "fairness": fairness.main,
    "pubmed-parsing": pubmed_parsing.main,
    "knowledge": knowledge.main,
    "listing": listing.main,
}
"""By name, with what runs them. `benchmarks.pubmedqa`, `benchmarks.extraction`, `benchmarks.quality` and
`benchmarks.text2sql` are programs of their own: they need a folder."""


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="make bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="name", help=f"one of {', '.join(BENCHMARKS)}")
    parser.add_argument("--list", action="store_true", help="only list them")
    arguments = parser.parse_args()
    if unknown := sorted(set(arguments.names) - set(BENCHMARKS)):
        parser.error(f"there is no benchmark {', '.join(unknown)}; there are: {', '.join(BENCHMARKS)}")
    for name in arguments.names or BENCHMARKS:
        if arguments.list:
            print(name)
        else:
            print(f"-- {name}", flush=True)
            uvloop.run(BENCHMARKS[name]())


if __name__ == "__main__":
    main()
