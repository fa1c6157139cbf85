"""`make bench PEERS=1`: the same work by Elcano and by what a user would pick instead, on one machine, taking turns.

(a) one run of 50 steps, each of which reads a text of 2 kB and writes another one: milliseconds a step
(b) 60 runs of 12 such steps at once: runs a second
(c) kB that are kept of a run of (a): of Temporal the history, of others how much their database grows

Processor time is that of a contender's own program and of its server. Temporal's server keeps everything in memory: on
a file it is what everybody waits for who uses it. PostgreSQL and SQLite write to files.
"""

import argparse
import asyncio
import sqlite3
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager, closing
from functools import partial
from pathlib import Path
from statistics import median
from subprocess import PIPE
from sys import executable
from tempfile import TemporaryDirectory
from typing import Final

import psutil
import psycopg
from temporalio.client import Client

from benchmarks.load.stack import ROOT, find_postmaster
from benchmarks.peers.contender import Contender, Keeping, Plan, compare
from benchmarks.server import measure_history, postgresql, temporal_server

PEERS: Final = str(ROOT / "build" / "peers" / "bin" / "python")
"""The Python of the peers' environment, which `scripts/bench` makes."""
BEGIN: Final = "import sys, uvloop; from benchmarks.peers.{} import main; uvloop.run(main(*sys.argv[1:]))"
"""Of the programs: Temporal's plugin runs no functions that are defined in `__main__`."""
WARM_UP: Final = 3
"""Steps of a run that is not counted."""
FULL: Final = Plan(rounds=5, steps=50, runs=60, steps_at_once=12, kept=10)
SMALL: Final = Plan(rounds=1, steps=4, runs=3, steps_at_once=2, kept=2)


async def history_size(client: Client, ids: Sequence[str]) -> float:
    """Of the histories of these runs, kB."""
    return sum([(await measure_history(client, run_id)).size for run_id in ids]) / 1_000


async def database_size(url: str, ids: Sequence[str]) -> float:
    """Of a whole database of PostgreSQL, kB."""
    async with await psycopg.AsyncConnection.connect(url) as connection:
        found = await (await connection.execute("SELECT pg_database_size(current_database())")).fetchone()
    return float((found or (0,))[0]) / 1_000


async def file_size(file: Path, ids: Sequence[str]) -> float:
    """Of a database of SQLite, kB."""
    with closing(sqlite3.connect(file)) as connection:
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
        (pages,), (size,) = (connection.execute(f"PRAGMA {one}").fetchone() for one in ("page_count", "page_size"))
    return float(pages * size) / 1_000


def create_database(server: str, name: str) -> str:
    """The URL of a new database of a server."""
    with psycopg.connect(server, autocommit=True) as connection:
        connection.execute(f'CREATE DATABASE "{name}"'.encode())
    return server.replace("/postgres?", f"/{name}?")


@asynccontextmanager
async def contenders(folder: Path, plan: Plan) -> AsyncIterator[list[Contender]]:
    """All of them, started and warm; Elcano is the first."""
    async with AsyncExitStack() as opened:

        async def start(
            name: str, command: Sequence[str], server: psutil.Process | None, keeping: Keeping
        ) -> Contender:
            python, module, *arguments = command
            program = await asyncio.create_subprocess_exec(
                python, "-c", BEGIN.format(module), *arguments, cwd=ROOT, stdin=PIPE, stdout=PIPE
            )
            opened.push_async_callback(end, program)
            contender = Contender(name, program, server, keeping)
            await contender.work(1, WARM_UP)
            return contender

        client = await opened.enter_async_context(temporal_server())
        temporal = next(one for one in psutil.Process().children() if "temporal" in one.name())
        database = opened.enter_context(postgresql())
        postgres = find_postmaster(database)
        address, histories = client.service_client.config.target_host, partial(history_size, client)
        lengths = [str(steps) for steps in sorted({plan.steps, plan.steps_at_once, WARM_UP})]
        file, langgraph, dbos = (
            folder / "langgraph.db",
            *(create_database(database, name) for name in ("langgraph", "dbos")),
        )
        yield [
            await start("Elcano", (executable, "ours", "graph", address), temporal, histories),
            await start("hand-written workflow", (executable, "ours", "twin", address), temporal, histories),
            await start(
                "LangGraph, Temporal's plugin",
                (PEERS, "langgraph_runs", "temporal", address, *lengths),
                temporal,
                histories,
            ),
            await start(
                "LangGraph on PostgreSQL",
                (PEERS, "langgraph_runs", "postgresql", langgraph, *lengths),
                postgres,
                partial(database_size, langgraph),
            ),
            await start(
                "LangGraph on SQLite",
                (PEERS, "langgraph_runs", "sqlite", str(file), *lengths),
                None,
                partial(file_size, file),
            ),
            await start("DBOS on PostgreSQL", (PEERS, "dbos_runs", dbos), postgres, partial(database_size, dbos)),
        ]


async def end(program: asyncio.subprocess.Process) -> None:
    """Ends a program, which has nothing more to do."""
    assert program.stdin is not None
    program.stdin.close()
    await program.wait()


async def main(plan: Plan) -> None:
    """Measures and tells."""
    rounds = []
    with TemporaryDirectory() as folder:
        async with contenders(Path(folder), plan) as those:
            for number in range(plan.rounds):
                turn = number % len(those)
                found = {one.name: await one.measure(plan) for one in those[turn:] + those[:turn]}
                rounds.append([found[one.name] for one in those])
                told = (f"{name} {one.step:.1f} ms, {one.rate:.1f}/s" for name, one in found.items())
                print(f"round {number + 1}: {'; '.join(told)}", flush=True)
            kept = [await one.measure_kept(plan) for one in those]
    print(f"{'':<30}{'ms a step':>10}{'runs a second':>15}{'ms processor a step':>21}{'kB kept':>9}   times Elcano's")
    for place, (one, ratios) in enumerate(zip(those, compare(rounds), strict=True)):
        step, rate, processor = (median(figures) for figures in zip(*(all_of[place] for all_of in rounds), strict=True))
        print(
            f"{one.name:<30}{step:>10.1f}{rate:>15.1f}{processor:>21.1f}{kept[place]:>9.0f}   "
            f"{ratios.step:.2f}, {ratios.rate:.2f}, {ratios.processor:.2f}, {kept[place] / kept[0]:.2f}"
        )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(
        prog="make bench PEERS=1", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--small", action="store_true", help="only see that they run through, in seconds")
    asyncio.run(main(SMALL if parser.parse_args().small else FULL))
