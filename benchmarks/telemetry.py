"""What traces and metrics cost: processor time and duration of a step with both, for each without.

A worker with the extractive model works on runs of the mode `iterative` over a few documents, with everything that a
worker does: store, objects, checks of citations. In one process nothing is observed; in another, spans go to a
collector on loopback, contents left out, and all metrics are kept. The processes take turns, run by run, so that what
else the machine does is alike for both. Two processes differ also where both do the same, so each turn has new ones.
"""

import asyncio
import json
import os
import sys
import threading
import time
import uuid
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from contextlib import asynccontextmanager, contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from statistics import fmean, median, stdev
from typing import Final, NamedTuple

from temporalio.client import Client
from temporalio.runtime import Runtime

from benchmarks.bench import Bench
from benchmarks.server import temporal_server
from elcano.settings import Settings

DOCUMENTS: Final = {
    f"part-{number}.md": f"# Part {number}\n\n"
    + "\n\n".join(
        f"Valve {number}.{line} of the pump opens at {number + line} bar and closes at {line} bar."
        for line in range(20)
    )
    for number in range(10)
}
QUESTION: Final = "At which pressure does valve 3.7 of the pump open?"
NAME: Final = "benchmarks.telemetry"
T_OF_95: Final = 2.36
"""Student's t for eight turns."""


async def main(bench: Bench) -> None:
    """Runs it and tells."""
    turns, pairs = bench.choose(8, 1), bench.choose(16, 1)
    documents = bench.folder / "documents"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    found: list[tuple[Spent, Spent]] = []
    async with bench.temporal() as one, temporal_server() as other:
        with discarding_spans() as collector:
            for turn in range(turns):
                base = {
                    "ELCANO_COLLECTIONS": json.dumps({"parts": str(documents)}),
                    "ELCANO_PACKAGE_READMES": "false",
                    "ELCANO_MODEL": "offline",
                    "ELCANO_METRICS_PORT": "0",
                    "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
                    "PYTHONHASHSEED": str(turn),  # the order of sets and dictionaries is alike for both
                }
                first, second = (one, other) if turn % 2 else (other, one)
                async with (
                    measured_worker(first, {**base, **observe(False, bench.folder / f"off-{turn}")}) as plain,
                    measured_worker(second, {**base, **observe(True, bench.folder / f"on-{turn}")}) as observed,
                ):
                    found.append(await measure_pairs(plain, observed, pairs))
                off, on = found[-1]
                shown = f"{on.processor / off.processor:.3f} of its processor time, {on.duration / off.duration:.3f}"
                bench.say(f"a step takes {off.processor:.1f} ms; observed, {shown} of its duration")
    for name, ratios in (
        ("processor time", [on.processor / off.processor for off, on in found]),
        ("duration", [on.duration / off.duration for off, on in found]),
    ):
        bench.say(f"{name}, on / off: {describe_spread(ratios)}")
        bench.tell(f"{name}, on / off", median(ratios))


def describe_spread(ratios: Sequence[float]) -> str:
    """The mean of what turns found, and the interval of 95 %."""
    half = T_OF_95 * stdev(ratios) / len(ratios) ** 0.5 if len(ratios) > 1 else 0.0
    return f"mean {fmean(ratios):.3f} ± {half:.3f} (target at most 1.05)"


class Spent(NamedTuple):
    """What a step took, in milliseconds."""

    processor: float
    duration: float


class MeasuredWorker:
    """A worker in a process of its own that works on a run when it is told to."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        assert process.stdin is not None
        assert process.stdout is not None
        self._input, self._output = process.stdin, process.stdout
        self._before = 0.0
        """Processor time at the end of the run before, in seconds."""

    async def measure(self) -> Spent:
        """Have it work on one run; processor time since the run before counts, since it exports when it rests."""
        self._input.write(b"\n")
        line = await self._output.readline()
        if not line:
            raise RuntimeError("the measured worker ended")
        processor, duration, steps = json.loads(line)
        spent = Spent(1_000 * (processor - self._before) / steps, 1_000 * duration / steps)
        self._before = processor
        return spent


@asynccontextmanager
async def measured_worker(client: Client, variables: Mapping[str, str]) -> AsyncIterator[MeasuredWorker]:
    """Start a worker of a server, and warm it up: the first run indexes the documents."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", NAME),
        env={
            **Settings().environment(),
            "TEMPORAL_ADDRESS": client.service_client.config.target_host,
            **variables,
        },
        stdin=asyncio.subprocess.PIPE,
        stdout=asyncio.subprocess.PIPE,
    )
    worker = MeasuredWorker(process)
    try:
        await worker.measure()
        await worker.measure()
        yield worker
    finally:
        if process.stdin is not None:
            process.stdin.close()
        await process.wait()


async def measure_pairs(plain: MeasuredWorker, observed: MeasuredWorker, pairs: int) -> tuple[Spent, Spent]:
    """Have both work in turns, each first as often as the other; the means of their runs.

    Not the medians: spans are exported every few seconds, so most runs would seem to have none.
    """
    found: list[tuple[Spent, Spent]] = []
    for number in range(pairs):
        if number % 2:
            later = await observed.measure()
            found.append((await plain.measure(), later))
        else:
            found.append((await plain.measure(), await observed.measure()))
    off, on = zip(*found, strict=True)
    return mean_of(off), mean_of(on)


def mean_of(runs: Sequence[Spent]) -> Spent:
    """The mean of what runs spent."""
    return Spent(fmean(one.processor for one in runs), fmean(one.duration for one in runs))


def observe(observed: bool, folder: Path) -> Mapping[str, str]:
    """The variables of a worker that is observed, or not, with a folder of its own."""
    said = str(observed).lower()
    return {"ELCANO_DATA_DIR": str(folder), "ELCANO_TRACES": said, "ELCANO_METRICS": said}


@contextmanager
def discarding_spans() -> Iterator[str]:
    """A collector on loopback that keeps nothing; its address."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["Content-Length"]))
            self.send_response_only(200)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield f"http://127.0.0.1:{server.server_address[1]}"
    finally:
        server.shutdown()
        server.server_close()


async def work_and_measure() -> None:
    """Work as a worker that was started with this environment would: on a run for each line of the input."""
    from functools import partial

    from elcano.activities.sources.registry import open_sources
    from elcano.graphs.contracts import TASK_QUEUE
    from elcano.graphs.mode_choice import MODES
    from elcano.graphs.plugin import Surroundings
    from elcano.graphs.run_contracts import ResearchInput
    from elcano.operations.telemetry.start import accompany_program, start_telemetry
    from elcano.service.temporal.connection import build_runtime, connect_when_ready
    from elcano.storage.store import open_configured
    from elcano.worker import build_worker
    from elcano.workflows.research import ResearchWorkflow

    settings = Settings()
    Runtime.set_default(build_runtime())
    start_telemetry("worker", settings)
    client = await connect_when_ready(settings)
    async with open_configured(settings) as store, open_sources(settings) as sources:
        surroundings = Surroundings("worker", settings, store, partial(asyncio.sleep, 0, client))
        async with accompany_program(surroundings), build_worker(client, store, sources, settings):
            while await asyncio.to_thread(sys.stdin.readline):
                asked = ResearchInput(
                    run_id=f"default-{uuid.uuid4()}",
                    question=QUESTION,
                    mode="iterative",
                    graph=MODES["iterative"],
                    sources=("parts",),
                )
                began = time.perf_counter()
                result = await client.execute_workflow(
                    ResearchWorkflow.run, asked, id=asked.run_id, task_queue=TASK_QUEUE
                )
                print(json.dumps((time.process_time(), time.perf_counter() - began, result.steps)), flush=True)


if __name__ == "__main__":
    asyncio.run(work_and_measure())
    os._exit(0)  # the SDK's runtime can abort an interpreter that exits in the ordinary way
