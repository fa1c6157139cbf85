"""What encrypting payloads costs: the same runs on one server, with keys and without, in pairs that take turns.

(a) a step: 100 no-op nodes in a row, seconds with keys / without; target at most 1.11 (throughput at least 0.9)
(b) many at once: 60 concurrent runs of 12 no-op nodes, likewise
"""

import asyncio
import statistics
import time

from temporalio.client import Client

from benchmarks.bench import Bench
from benchmarks.engine import graph_run
from benchmarks.server import NOOP_ACTIVITIES, research_worker
from elcano.operations.encryption.keys import INDEX, make_key, parse_keys
from elcano.storage.objects import open_objects
from elcano.storage.payloads import data_converter

SEALED = "benchmark-sealed"
CLEAR = "benchmark-clear"


async def main(bench: Bench) -> None:
    """Runs both."""
    keys = parse_keys(f"{make_key()},{make_key(INDEX)}")
    async with bench.temporal() as clear:
        config = clear.config()
        config["data_converter"] = data_converter(open_objects("", bench.folder), keys)
        sealed = Client(**config)
        async with (
            research_worker(sealed, SEALED, NOOP_ACTIVITIES),
            research_worker(clear, CLEAR, NOOP_ACTIVITIES),
        ):
            await asyncio.gather(graph_run(sealed, 3, SEALED), graph_run(clear, 3, CLEAR))
            for name, runs, length in (
                ("a step, encrypted / in clear", 1, bench.choose(100, 4)),
                ("many at once, encrypted / in clear", bench.choose(60, 3), bench.choose(12, 2)),
            ):

                async def seconds(client: Client, queue: str, runs: int = runs, length: int = length) -> float:
                    began = time.perf_counter()
                    await asyncio.gather(*(graph_run(client, length, queue) for _ in range(runs)))
                    return time.perf_counter() - began

                pairs = [
                    (await seconds(sealed, SEALED), await seconds(clear, CLEAR)) for _ in range(bench.choose(9, 1))
                ]
                bench.say(f"{runs} runs of {length} steps: {', '.join(f'{a:.2f}/{b:.2f}' for a, b in pairs)} s")
                bench.tell(name, statistics.median(one / other for one, other in pairs))
