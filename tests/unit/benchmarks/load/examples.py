"""Readings and costs with round figures."""

from typing import Any

from benchmarks.load.costs import Costs, Machine, Plan, RunSize, StreamCosts
from benchmarks.load.meters import Reading

PLAN = Plan(
    runs=4,
    at_once=2,
    mode="iterative",
    turns=2,
    sections=0,
    streams=1,
    workers=1,
    apis=1,
    model_seconds=1.0,
    seed=1,
)
MACHINE = Machine(cores=2, memory_gib=8.0, python="3.11", busy=0.5)
RUN = RunSize(
    seconds=10.0,
    calls=10.0,
    passages=20.0,
    events=30.0,
    executions=1.0,
    transitions=50.0,
    history_events=80.0,
    history_bytes=60_000.0,
    model_requests=8.0,
    input_tokens=40_000.0,
    output_tokens=2_000.0,
)
STREAM = StreamCosts(open_cpu=0.0001, open_bytes=50_000.0, read_cpu=0.004, read_bytes=10_000.0)
NOTHING = Reading(
    at=0.0,
    cpu={},
    statements={},
    rows={},
    table_bytes={},
    wal_bytes=0.0,
    rpcs={},
    polls={},
    persistence={},
    temporal_bytes=0.0,
    slow_queries=0.0,
    objects=0.0,
    object_bytes=0.0,
    model={},
)


def make_reading(**changed: Any) -> Reading:
    """A reading of which only these are not zero."""
    return NOTHING.model_copy(update=changed)


COSTS = Costs(
    plan=PLAN,
    machine=MACHINE,
    run=RUN,
    cpu={"worker": 1.0, "api": 0.1, "temporal": 0.5, "postgres": 0.25},
    idle_cpu={},
    base_bytes={"worker": 200e6, "api": 150e6},
    open_run_bytes={"worker": 1e6, "api": 0.1e6},
    statements={"worker: insert usage_totals": 10.0, "worker: select runs": 90.0},
    transactions=60.0,
    commits=25.0,
    checkouts=60.0,
    rows={"events": 100.0},
    table_bytes={"events": 100_000.0},
    wal_bytes=250_000.0,
    rpcs={"StartWorkflowExecution": 80.0},
    polls=40.0,
    persistence={"UpdateWorkflowExecution": 200.0},
    temporal_bytes=90_000.0,
    objects=5.0,
    object_bytes=200_000.0,
    stream=STREAM,
)
"""Of a run."""
