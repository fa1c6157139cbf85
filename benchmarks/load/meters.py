"""What a stack has used so far, read at one moment: two readings and their difference are a measurement."""

import asyncio
import re
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Final

import httpx
import psutil
import psycopg
from psycopg import sql

from benchmarks.load.stack import Measured
from benchmarks.load.statement_counter import read_counts
from elcano.graphs.frozen import Frozen

_SAMPLE: Final = re.compile(r"^(?P<name>\w+)\{(?P<labels>[^}]*)\} (?P<value>\S+)$", re.MULTILINE)
_LABEL: Final = re.compile(r'(\w+)="([^"]*)"')


class Reading(Frozen):
    """Everything that grows, at one moment; all of it since the programs were started."""

    at: float
    """Seconds of the loop's clock."""
    cpu: Mapping[str, float]
    """Seconds of processor, by kind of program."""
    statements: Mapping[str, float]
    """Of the store, by program, verb and table; transactions and checkouts too."""
    rows: Mapping[str, float]
    """In each table."""
    table_bytes: Mapping[str, float]
    """Of each table with its indexes."""
    wal_bytes: float
    """What PostgreSQL wrote to its log."""
    rpcs: Mapping[str, float]
    """Requests to Temporal's frontend, by operation; those that wait for work are in `polls`."""
    polls: Mapping[str, float]
    persistence: Mapping[str, float]
    """What the Temporal server asked of its own database, by operation."""
    temporal_bytes: float
    """Of its database on disk."""
    slow_queries: float
    """Queries of runs that took over a second."""
    objects: float
    object_bytes: float
    model: Mapping[str, float]
    """Requests and tokens of the model."""


def subtract(later: Reading, earlier: Reading) -> Reading:
    """What was used between two readings; `at` is how long that was."""

    def differ(one: object, other: object) -> object:
        if isinstance(one, Mapping) and isinstance(other, Mapping):
            return {name: one[name] - other.get(name, 0.0) for name in one if one[name] != other.get(name, 0.0)}
        assert isinstance(one, float)
        assert isinstance(other, float)
        return one - other

    before, after = earlier.model_dump(), later.model_dump()
    return Reading.model_validate({name: differ(after[name], before[name]) for name in after})


async def read_meters(stack: Measured) -> Reading:
    """Read all of it."""
    async with httpx.AsyncClient(trust_env=False, timeout=30) as http:
        metrics = (await http.get(stack.metrics_url)).text
        model = (await http.get(f"{stack.model_url}/count")).json()
    requests = sum_samples(metrics, "service_requests", service_name="frontend")
    queries, quick = (
        sum_samples(metrics, "service_latency_bucket", service_name="frontend", le=le).get("QueryWorkflow", 0.0)
        for le in ("+Inf", "1")
    )
    rows, sizes, wal = await asyncio.to_thread(_read_database, stack.database)
    objects = await asyncio.to_thread(lambda: list(_list_sizes(stack.settings.data_dir / "objects")))
    temporal = await asyncio.to_thread(
        lambda: sum(path.stat().st_size for path in stack.settings.data_dir.glob("temporal.db*"))
    )
    return Reading(
        at=asyncio.get_running_loop().time(),
        cpu={kind: sum(map(read_cpu, found)) for kind, found in stack.programs.items()},
        statements=dict(read_counts(stack.settings.data_dir)),
        rows=rows,
        table_bytes=sizes,
        wal_bytes=wal,
        rpcs={name: count for name, count in requests.items() if not _is_poll(name)},
        polls={name: count for name, count in requests.items() if _is_poll(name)},
        persistence=dict(sum_samples(metrics, "persistence_requests")),
        temporal_bytes=temporal,
        slow_queries=queries - quick,
        objects=len(objects),
        object_bytes=sum(objects),
        model=model,
    )


def _is_poll(operation: str) -> bool:
    return operation.startswith("Poll") and operation.endswith("TaskQueue")


def sum_samples(text: str, metric: str, **labels: str) -> Mapping[str, float]:
    """Sum the samples of a metric of Prometheus by their label `operation`, of those with these labels."""
    found: Counter[str] = Counter()
    for sample in _SAMPLE.finditer(text):
        if sample["name"] != metric:
            continue
        given = dict(_LABEL.findall(sample["labels"]))
        if all(given.get(name) == value for name, value in labels.items()):
            found[given.get("operation", "")] += float(sample["value"])  # type: ignore[assignment]
    return found


def read_cpu(process: psutil.Process) -> float:
    """Seconds of processor that a process and all its children used, those that ended too."""
    total = 0.0
    for one in (process, *process.children(recursive=True)):
        try:
            times = one.cpu_times()
        except psutil.NoSuchProcess:
            continue  # it ended just now: its parent has its time
        total += times.user + times.system + times.children_user + times.children_system
    return total


def read_memory(process: psutil.Process) -> int:
    """Bytes that a process and its children have for themselves."""
    total = 0
    for one in (process, *process.children(recursive=True)):
        try:
            total += one.memory_full_info().uss
        except psutil.NoSuchProcess:
            continue
    return total


def _read_database(url: str) -> tuple[dict[str, float], dict[str, float], float]:
    rows, sizes = {}, {}
    with psycopg.connect(url) as connection:
        names = connection.execute("SELECT tablename FROM pg_tables WHERE schemaname = current_schema()").fetchall()
        for (name,) in names:
            counted = connection.execute(sql.SQL("SELECT count(*) FROM {}").format(sql.Identifier(name))).fetchone()
            size = connection.execute("SELECT pg_total_relation_size(%s::regclass)", (name,)).fetchone()
            rows[name], sizes[name] = float((counted or (0,))[0]), float((size or (0,))[0])
        wal = connection.execute("SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn").fetchone()
    return rows, sizes, float((wal or (0,))[0])


def _list_sizes(folder: Path) -> Iterator[int]:
    for path in folder.rglob("*") if folder.is_dir() else ():
        if path.is_file():
            yield path.stat().st_size
