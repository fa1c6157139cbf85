"""What a start costs: worker, API and command line against the libraries that they stand on, until they are ready.

Counted is the time of the processor, so that what else the machine does changes it less, and the memory of a program
that waits for work. The libraries are those that each program needs for any run at all.
"""

import asyncio
import resource
import sys
import time
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import psutil

from benchmarks.bench import Bench
from elcano.dev.claims import free_ports
from elcano.dev.stack import open_stack
from elcano.settings import Settings

_COMMON: Final = "httpx, pydantic_settings, sqlalchemy.ext.asyncio, aiosqlite, temporalio.client, uvloop"
LIBRARIES: Final = {
    "worker": f"{_COMMON}, temporalio.worker, pydantic_ai",
    "api": f"{_COMMON}, fastapi, uvicorn",
}
_MEASURED: Final = """
import {libraries}
import psutil
me = psutil.Process()
print(sum(me.cpu_times()[:2]), me.memory_info().rss)
"""


@dataclass(frozen=True)
class Cost:
    """What a process took until now."""

    seconds: float
    memory: int


async def _measure_libraries(program: str) -> Cost:
    code = _MEASURED.format(libraries=LIBRARIES[program])
    process = await asyncio.create_subprocess_exec(sys.executable, "-c", code, stdout=asyncio.subprocess.PIPE)
    said, _ = await process.communicate()
    seconds, memory = said.split()
    return Cost(float(seconds), int(memory))


def _measure_process(pid: int) -> Cost:
    process = psutil.Process(pid)
    times = process.cpu_times()
    return Cost(times.user + times.system, process.memory_info().rss)


async def _measure_command(*command: str) -> float:
    """Seconds of the processor that a command takes."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = await asyncio.create_subprocess_exec(sys.executable, *command, stdout=asyncio.subprocess.DEVNULL)
    assert await process.wait() == 0
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


async def _measure_stack(folder: Path) -> tuple[float, dict[str, Cost]]:
    """Seconds until a stack is ready, and the cost of its programs."""
    api, temporal, page = free_ports(3)
    settings = Settings(_env_file=None, data_dir=folder, api_port=api, temporal_port=temporal, temporal_ui_port=page)
    began = time.perf_counter()
    async with open_stack(settings, say=lambda _: None) as stack:
        ready = time.perf_counter() - began
        return ready, {child.name: _measure_process(child.pid) for child in (stack.worker, stack.api)}


async def main(bench: Bench) -> None:
    """Tells how many times as much each takes as its libraries alone, of several rounds the least disturbed."""
    rounds = range(bench.choose(5, 1))
    libraries = [{name: await _measure_libraries(name) for name in LIBRARIES} for _ in rounds]
    # Processes of a group cannot be started on uvloop, which benchmarks run on.
    stacks = [await asyncio.to_thread(asyncio.run, _measure_stack(bench.folder / str(number))) for number in rounds]
    bench.say(f"the stack is ready after {min(ready for ready, _ in stacks):.1f} s")
    for name in LIBRARIES:
        own = _find_least(costs[name] for _, costs in stacks)
        bare = _find_least(costs[name] for costs in libraries)
        bench.say(
            f"{name}: {own.seconds:.2f} s of the processor, its libraries {bare.seconds:.2f} s; "
            f"{own.memory / 1e6:.0f} MB at rest, its libraries {bare.memory / 1e6:.0f} MB"
        )
        bench.tell(f"{name}, processor time / its libraries", own.seconds / bare.seconds)
        bench.tell(f"{name}, memory / its libraries", own.memory / bare.memory)
    python = min([await _measure_command("-c", "pass") for _ in rounds])
    command = min([await _measure_command("-m", "elcano", "--help") for _ in rounds])
    bench.say(f"elcano --help: {command * 1e3:.0f} ms of the processor, Python alone {python * 1e3:.0f} ms")
    bench.tell("elcano --help / Python", command / python)


def _find_least(costs: Iterable[Cost]) -> Cost:
    seconds, memory = zip(*((one.seconds, one.memory) for one in costs), strict=True)
    return Cost(min(seconds), min(memory))
