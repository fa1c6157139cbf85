"""The phases of a measurement: warm up, do nothing, work, hold streams open, read what ended."""

import asyncio
import os
import platform
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import mean, median
from typing import Final, NamedTuple

import httpx
import psutil

from benchmarks.load.clients import Asked, ask_and_follow, follow_run, open_client, start_run
from benchmarks.load.corpus import ask_question
from benchmarks.load.costs import Costs, Machine, Plan, RunSize, StreamCosts, divide_usage
from benchmarks.load.meters import Reading, read_cpu, read_memory, read_meters, subtract
from benchmarks.load.stack import Measured, Size, start_stack
from elcano.service.temporal.connection import connect_when_ready

SETTLE_SECONDS: Final = 2.0
"""After the last event of a run: counts are written, and the server deletes its timers."""
MEMORY_SECONDS: Final = 2.0
"""Between two looks at the memory of all programs."""
STREAMED_RUN: Final = 1_000_000
"""The number of the run whose streams are held open."""
WARM_UP: Final = 2
"""Runs of each worker before anything is measured."""
Say = Callable[[str], None]


class Outcome(NamedTuple):
    """What came of a measurement."""

    costs: Costs
    lost: Sequence[str]
    """What is wrong: runs that did not complete, streams that differ, programs that died."""


class Phases(NamedTuple):
    """How long the phases last in which nothing goes on but what they measure."""

    idle_seconds: float = 15.0
    stream_seconds: float = 20.0
    open_streams: int = 200
    readers: int = 40


async def measure_load(plan: Plan, folder: Path, *, phases: Phases, say: Say = print) -> Outcome:
    """Play all phases on a stack of its own."""
    size = Size(plan.workers, plan.apis, plan.at_once, plan.model_seconds, plan.seed)
    async with start_stack(folder, size) as stack, _open_clients(stack) as clients:
        say(f"the stack is ready: {plan.workers} workers, {plan.apis} APIs; warming up")
        warm = WARM_UP * plan.workers
        base = {kind: mean(map(read_memory, found)) for kind, found in stack.programs.items()}
        await _play(clients, plan.model_copy(update={"turns": 1}), range(-warm, 0), warm)
        await asyncio.sleep(SETTLE_SECONDS)
        before = await read_meters(stack)
        await asyncio.sleep(phases.idle_seconds)
        quiet = await read_meters(stack)
        idle, rest = subtract(quiet, before), _sum_memory(stack)
        say(f"{plan.runs} runs, {plan.at_once} at once")
        async with _watch_memory(stack) as peak:
            asked = await _play(clients, plan, range(plan.runs), plan.at_once)
            await asyncio.sleep(SETTLE_SECONDS)
        used = subtract(await read_meters(stack), quiet)
        say(f"they took {used.at:.0f} s; {phases.open_streams} streams of a run that waits")
        stream = await _measure_streams(stack, clients, plan, phases, asked)
        run, lost = await _describe_runs(stack, plan, asked, used)
        lost += stack.list_deaths()
        costs = divide_usage(
            plan=plan,
            machine=_describe_machine(used),
            run=run,
            used=used,
            idle=idle,
            base_bytes=base,
            open_run_bytes={kind: max(0.0, peak[kind] - rest[kind]) / plan.at_once for kind in rest},
            stream=stream,
        )
    return Outcome(costs, lost)


@asynccontextmanager
async def _open_clients(stack: Measured) -> AsyncIterator[Sequence[httpx.AsyncClient]]:
    clients = [open_client(url) for url in stack.base_urls]
    try:
        yield clients
    finally:
        await asyncio.gather(*(client.aclose() for client in clients))


async def _play(clients: Sequence[httpx.AsyncClient], plan: Plan, numbers: range, at_once: int) -> list[Asked]:
    """Make runs with these numbers, so many at once; each begins at another API."""
    gate = asyncio.Semaphore(at_once)

    async def one(number: int) -> Asked:
        async with gate:
            first = number % len(clients)
            question = ask_question(plan.seed, number, plan.turns, plan.sections)
            order = [*clients[first:], *clients[:first]]
            return await ask_and_follow(order, question, plan.mode, plan.turns, plan.sections, plan.streams)

    return await asyncio.gather(*map(one, numbers))


def _sum_memory(stack: Measured) -> dict[str, float]:
    return {kind: float(sum(map(read_memory, found))) for kind, found in stack.programs.items()}


@asynccontextmanager
async def _watch_memory(stack: Measured) -> AsyncIterator[Mapping[str, float]]:
    """The most memory that programs of each kind had together while the block ran."""
    peak = _sum_memory(stack)

    async def watch() -> None:
        while True:
            await asyncio.sleep(MEMORY_SECONDS)
            now = await asyncio.to_thread(_sum_memory, stack)
            peak.update({kind: max(peak[kind], now[kind]) for kind in peak})

    watching = asyncio.create_task(watch())
    try:
        yield peak
    finally:
        watching.cancel()


async def _measure_streams(
    stack: Measured, clients: Sequence[httpx.AsyncClient], plan: Plan, phases: Phases, asked: Sequence[Asked]
) -> StreamCosts:
    """Hold streams of a paused run open, and read the events of a run that ended; all at the first API."""
    api, process = clients[0], stack.programs["api"][0]
    question = ask_question(plan.seed, STREAMED_RUN, plan.turns, plan.sections)
    run_id, _ = await start_run(api, question, plan.mode, plan.turns, plan.sections)
    (await api.post(f"/v1/runs/{run_id}/pause")).raise_for_status()
    await asyncio.sleep(SETTLE_SECONDS + plan.model_seconds)
    still = await _measure_cpu(process, phases.stream_seconds)
    small = read_memory(process)
    following = [asyncio.create_task(follow_run(api, run_id)) for _ in range(phases.open_streams)]
    await asyncio.sleep(SETTLE_SECONDS)
    held = await _measure_cpu(process, phases.stream_seconds)
    large = read_memory(process)
    (await api.post(f"/v1/runs/{run_id}/cancel")).raise_for_status()
    await asyncio.gather(*following)
    began = read_cpu(process)
    read = await asyncio.gather(*(follow_run(api, asked[0].run_id) for _ in range(phases.readers)))
    return StreamCosts(
        open_cpu=max(0.0, held - still) / phases.open_streams,
        open_bytes=max(0.0, large - small) / phases.open_streams,
        read_cpu=(read_cpu(process) - began) / phases.readers,
        read_bytes=mean(one.bytes for one in read),
    )


async def _measure_cpu(process: psutil.Process, seconds: float) -> float:
    """The share of a processor that a process uses."""
    began = read_cpu(process)
    await asyncio.sleep(seconds)
    return (read_cpu(process) - began) / seconds


async def _describe_runs(
    stack: Measured, plan: Plan, asked: Sequence[Asked], used: Reading
) -> tuple[RunSize, list[str]]:
    """The mean size of the runs, by Temporal and by what clients heard; and what is wrong with any of them."""
    temporal = await connect_when_ready(
        stack.settings.model_copy(update={"temporal_address": stack.settings.temporal_target})
    )
    executions = [
        (one.id, description.raw_description.workflow_execution_info)
        for run in asked
        async for one in temporal.list_workflows(f"RootWorkflowId = '{run.run_id}'")
        for description in [await temporal.get_workflow_handle(one.id).describe()]
    ]
    found = {run_id for run_id, _ in executions}
    lost = [f"{run.run_id} is unknown to Temporal" for run in asked if run.run_id not in found]
    for run in asked:
        if wrong := sorted({one.ended for one in run.streams} - {"complete"}):
            lost.append(f"{run.run_id} ended as {', '.join(wrong)}")
        if len({tuple(one.events) for one in run.streams}) > 1:
            lost.append(f"the streams of {run.run_id} differ")
        if any(len(set(one.events)) < len(one.events) for one in run.streams):
            lost.append(f"a stream of {run.run_id} told an event twice")
    runs = plan.runs
    size = RunSize(
        seconds=median(run.seconds for run in asked),
        calls=used.rows.get("ledger", 0.0) / runs,
        passages=used.rows.get("findings", 0.0) / runs,
        events=mean(len(run.streams[0].events) for run in asked),
        executions=len(executions) / runs,
        transitions=sum(info.state_transition_count for _, info in executions) / runs,
        history_events=sum(info.history_length for _, info in executions) / runs,
        history_bytes=sum(info.history_size_bytes for _, info in executions) / runs,
        model_requests=used.model["requests"] / runs,
        input_tokens=used.model["input_tokens"] / runs,
        output_tokens=used.model["output_tokens"] / runs,
    )
    return size, lost


def _describe_machine(used: Reading) -> Machine:
    cores = os.cpu_count() or 1
    return Machine(
        cores=cores,
        memory_gib=psutil.virtual_memory().total / 2**30,
        python=platform.python_version(),
        busy=sum(used.cpu.values()) / used.at / cores,
    )
