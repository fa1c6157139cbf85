"""What traces and metrics cost: processor time and duration of a step with both, for each without.

A worker with the extractive model works on runs of the mode `iterative` over a few documents, with everything that a
worker does: store, objects, checks of citations. In one process nothing is observed; in another, spans go to a
collector on loopback, contents left out, and all metrics are kept. The processes take turns.
"""

import asyncio
import json
import os
import sys
import threading
import time
import uuid
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from statistics import median
from typing import Final

from benchmarks.bench import Bench
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


async def main(bench: Bench) -> None:
    """Runs it and tells."""
    turns, runs = bench.choose(3, 1), bench.choose(12, 1)
    documents = bench.folder / "documents"
    documents.mkdir()
    for name, text in DOCUMENTS.items():
        (documents / name).write_text(text, encoding="utf-8")
    async with bench.temporal() as client:
        with discarding_spans() as collector:
            base = {
                "TEMPORAL_ADDRESS": client.service_client.config.target_host,
                "ELCANO_COLLECTIONS": json.dumps({"parts": str(documents)}),
                "ELCANO_PACKAGE_READMES": "false",
                "ELCANO_MODEL": "offline",
                "ELCANO_METRICS_PORT": "0",
                "OTEL_EXPORTER_OTLP_ENDPOINT": collector,
            }
            steps: dict[str, list[tuple[float, float]]] = {"false": [], "true": []}
            for turn in range(turns):
                for observed, found in steps.items():
                    folder = bench.folder / f"{observed}-{turn}"
                    variables = {
                        **base,
                        "ELCANO_DATA_DIR": str(folder),
                        "ELCANO_TRACES": observed,
                        "ELCANO_METRICS": observed,
                    }
                    found += await measure_process(variables, runs)
    cpu = {observed: median(one[0] for one in found) for observed, found in steps.items()}
    wall = {observed: median(one[1] for one in found) for observed, found in steps.items()}
    bench.say(f"a step takes {cpu['false']:.1f} ms of a processor, observed {cpu['true']:.1f} ms")
    bench.say(f"it lasts {wall['false']:.1f} ms, observed {wall['true']:.1f} ms (target at most 5 % more)")
    bench.tell("processor time, on / off", cpu["true"] / cpu["false"])
    bench.tell("duration, on / off", wall["true"] / wall["false"])


async def measure_process(variables: Mapping[str, str], runs: int) -> list[tuple[float, float]]:
    """Measure a worker's runs in a process of its own: milliseconds of processor and of time for a step of each."""
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-m", NAME, str(runs)),
        env={**Settings().environment(), **variables},
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    said, errors = await process.communicate()
    if process.returncode:
        raise RuntimeError(f"the measured worker ended with {process.returncode}:\n{errors.decode()}")
    found: list[tuple[float, float]] = [tuple(pair) for pair in json.loads(said.splitlines()[-1])]
    return found


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


async def work_and_measure(runs: int) -> list[tuple[float, float]]:
    """Work on runs one after the other, as a worker that was started with this environment would."""
    from functools import partial

    from elcano.activities.sources.registry import open_sources
    from elcano.api.temporal.connection import connect_when_ready
    from elcano.graphs.contracts import TASK_QUEUE
    from elcano.graphs.mode_choice import MODES
    from elcano.graphs.plugin import Surroundings
    from elcano.graphs.run_contracts import ResearchInput
    from elcano.plugins.telemetry.start import accompany_program, start_telemetry
    from elcano.storage.store import open_configured
    from elcano.worker import build_worker, install_runtime
    from elcano.workflows.research import ResearchWorkflow

    settings = Settings()
    install_runtime()
    start_telemetry("worker", settings)
    client = await connect_when_ready(settings)
    found = []
    async with open_configured(settings) as store, open_sources(settings) as sources:
        surroundings = Surroundings("worker", settings, store, partial(asyncio.sleep, 0, client))
        async with accompany_program(surroundings), build_worker(client, store, sources, settings):
            for number in range(runs + 1):
                asked = ResearchInput(
                    run_id=f"default-{uuid.uuid4()}",
                    question=QUESTION,
                    mode="iterative",
                    graph=MODES["iterative"],
                    sources=("parts",),
                )
                cpu, began = time.process_time(), time.perf_counter()
                result = await client.execute_workflow(
                    ResearchWorkflow.run, asked, id=asked.run_id, task_queue=TASK_QUEUE
                )
                spent = (time.process_time() - cpu, time.perf_counter() - began)
                if number:  # the first one indexes the documents
                    found.append((1_000 * spent[0] / result.steps, 1_000 * spent[1] / result.steps))
    return found


if __name__ == "__main__":
    measured = asyncio.run(work_and_measure(int(sys.argv[1])))
    print(json.dumps(measured), flush=True)
    os._exit(0)  # the SDK's runtime can abort an interpreter that exits in the ordinary way
