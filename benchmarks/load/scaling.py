"""What a service needs for many runs, and what would be too little first: pure functions of what one run costs.

All of it is proportional to the runs; what grows with the time that a run takes is told apart by two measurements.
"""

from collections.abc import Iterator, Mapping, Sequence
from math import ceil
from typing import Final, NamedTuple

from pydantic import Field

from benchmarks.load.costs import Costs, sum_ending
from elcano.graphs.frozen import Frozen

DAY_SECONDS: Final = 86_400
BEAT_RPC: Final = "RecordActivityTaskHeartbeat"
"""The request by which an activity says that it is alive."""
GROWING: Final = ("cpu", "statements", "rpcs", "persistence")
GROWING_SUMS: Final = ("transactions", "commits", "checkouts", "polls")
"""What may grow with the time that a run takes."""
LEAST_CPU: Final = 1e-4
"""Seconds of a run; what a busy machine did before its runs can be more than what it did for them."""
RECONCILED: Final = 100
"""Open runs that the API compares with Temporal at a time."""


class Assumptions(Frozen):
    """What no measurement on one machine says: `--assume NAME=VALUE` changes each."""

    run_seconds: float = Field(default=300, gt=0)
    """How long a run takes with a real model."""
    call_seconds: float = Field(default=20, gt=0)
    """How long a real model takes for one request."""
    peak: float = Field(default=2, ge=1)
    """Runs that begin in the busiest hour, by those of a mean hour."""
    watched: float = Field(default=0.5, ge=0)
    """Open streams for each open run."""
    reads: float = Field(default=3, ge=0)
    """How often all events of a run are read again."""
    keep_days: float = Field(default=90, gt=0)
    """How long the store keeps runs."""
    history_days: float = Field(default=3, gt=0)
    """How long Temporal keeps histories of runs that ended."""
    utilisation: float = Field(default=0.6, gt=0, le=1)
    """The share of a processor, or of whatever is done one after the other, that may be used at the peak."""
    worker_activities: int = Field(default=20, ge=1)
    """`ELCANO_WORKER_ACTIVITIES`."""
    worker_cached_workflows: int = Field(default=500, ge=1)
    """`ELCANO_WORKER_CACHED_WORKFLOWS`."""
    open_runs: int = Field(default=500, ge=1)
    """`ELCANO_OPEN_RUNS`."""
    reconcile_seconds: float = Field(default=30, gt=0)
    """`ELCANO_RECONCILE_SECONDS`: how often the API compares `RECONCILED` open runs with Temporal."""
    unnoticed_seconds: float = Field(default=600, gt=0)
    """How long it may take until a run is closed that ended without saying so."""
    worker_gib: float = Field(default=2, gt=0)
    api_gib: float = Field(default=1, gt=0)
    """Memory of one program."""
    pool: int = Field(default=15, ge=1)
    """Connections that one program opens at most."""
    max_connections: int = Field(default=100, ge=1)
    """Of PostgreSQL."""
    database_cores: float = Field(default=4, gt=0)
    server_cores: float = Field(default=4, gt=0)
    """Of PostgreSQL and of the Temporal server."""
    commit_ms: float = Field(default=2, gt=0)
    """How long a row stays locked that a transaction changed: until its log is on disk."""
    shards: int = Field(default=4, ge=1)
    """History shards of the Temporal server."""
    shard_ms: float = Field(default=5, gt=0)
    """How long a shard is locked for one state transition: a write to its database."""
    shard_utilisation: float = Field(default=0.1, gt=0, le=1)
    """The share of that time that a shard may be locked: above it, runs wait for each other's steps."""
    output_factor: float = Field(default=4, gt=0)
    """Tokens that a real model writes, its thoughts too, for each that the scripted one writes."""
    input_usd: float = Field(default=1.25, ge=0)
    output_usd: float = Field(default=10, ge=0)
    """For a million tokens."""
    tokens_a_minute: float = Field(default=30_000_000, gt=0)
    """What the model's provider allows."""


class Need(NamedTuple):
    """One line of what a service needs."""

    part: str
    name: str
    value: float
    unit: str = ""


class Limit(NamedTuple):
    """What is too little above so many runs at once."""

    at_once: float
    name: str
    remedy: str


def count_runs_at_once(runs_a_day: float, given: Assumptions) -> float:
    """How many runs are open in the busiest hour of a day with so many."""
    return runs_a_day / DAY_SECONDS * given.peak * given.run_seconds


def tell_time_apart(fast: Costs, slow: Costs, seconds: float) -> Costs:
    """The costs of a run that takes so many seconds, from those of the same run with a faster and a slower model.

    What grows with time (heartbeats, open streams) grows on the line through both; what does not is as in `slow`.

    Raises:
        ValueError: both took the same time, or are not of the same run.
    """
    kind = ("mode", "turns", "sections", "streams")
    if any(getattr(fast.plan, name) != getattr(slow.plan, name) for name in kind):
        raise ValueError(f"the two measurements are not of the same run: they differ in one of {', '.join(kind)}")
    if fast.run.seconds >= slow.run.seconds:
        raise ValueError("the runs of the first measurement did not take less time than those of the second")
    place = (seconds - fast.run.seconds) / (slow.run.seconds - fast.run.seconds)

    def lie(one: float, other: float) -> float:
        return max(0.0, one + place * (other - one))

    def lie_all(one: Mapping[str, float], other: Mapping[str, float]) -> dict[str, float]:
        return {name: lie(one.get(name, 0.0), other.get(name, 0.0)) for name in {**other, **one}}

    run = {"seconds": seconds, "transitions": lie(fast.run.transitions, slow.run.transitions)}
    growing: dict[str, object] = {name: lie_all(getattr(fast, name), getattr(slow, name)) for name in GROWING}
    growing |= {name: lie(getattr(fast, name), getattr(slow, name)) for name in GROWING_SUMS}
    return slow.model_copy(update={**growing, "run": slow.run.model_copy(update=run)})


def list_needs(costs: Costs, at_once: float, given: Assumptions) -> Sequence[Need]:
    """What so many open runs need; amounts of a day assume that the peak is `peak` times the mean."""
    rate = at_once / given.run_seconds
    a_day = rate / given.peak * DAY_SECONDS
    tokens = costs.run.input_tokens, costs.run.output_tokens * given.output_factor
    dollars = (tokens[0] * given.input_usd + tokens[1] * given.output_usd) / 1e6
    workers, reason = count_workers(costs, rate, given)
    apis = count_apis(costs, rate, given)
    transitions = rate * costs.run.transitions
    return (
        Need("runs", "begin in a second", rate),
        Need("runs", "a day", a_day),
        Need("workers", f"processes, because of their {reason}", workers),
        Need("workers", "processor", rate * costs.cpu["worker"], "cores"),
        Need("workers", "model requests at once", rate * costs.run.model_requests * given.call_seconds),
        Need("API", "processes", apis),
        Need("API", "processor", _api_cores(costs, rate, given), "cores"),
        Need("API", "open streams", at_once * given.watched),
        Need("Temporal", "requests a second, polls not counted", rate * sum(costs.rpcs.values())),
        Need("Temporal", "of them heartbeats", rate * costs.rpcs.get(BEAT_RPC, 0.0)),
        Need("Temporal", "state transitions a second", transitions),
        Need("Temporal", "history shards", ceil(transitions * given.shard_ms / 1_000 / given.shard_utilisation)),
        Need("Temporal", "queries of its database a second", rate * sum(costs.persistence.values())),
        Need("Temporal", "processor, with its database", rate * costs.cpu["temporal"], "cores"),
        Need("Temporal", "histories kept", a_day * given.history_days * costs.run.history_bytes / 1e9, "GB"),
        Need("PostgreSQL", "processor", rate * costs.cpu["postgres"], "cores"),
        Need("PostgreSQL", "statements a second", rate * sum(costs.statements.values())),
        Need("PostgreSQL", "transactions a second, each written to disk", rate * costs.commits),
        Need("PostgreSQL", "log a second", rate * costs.wal_bytes / 1e6, "MB"),
        Need("PostgreSQL", "rows a day", a_day * sum(costs.rows.values()) / 1e6, "million"),
        Need("PostgreSQL", "kept", a_day * given.keep_days * costs.store_bytes / 1e9, "GB"),
        Need("PostgreSQL", "connections, if every pool is full", (workers + apis) * given.pool),
        Need("objects", "a day", a_day * costs.objects / 1e6, "million"),
        Need("objects", "kept", a_day * given.keep_days * costs.object_bytes / 1e9, "GB"),
        Need("model", "requests a minute", rate * costs.run.model_requests * 60),
        Need("model", "tokens a minute", rate * sum(tokens) * 60 / 1e6, "million"),
        Need("model", "a run", dollars, "USD"),
        Need("model", "a day", a_day * dollars, "USD"),
    )


def count_workers(costs: Costs, rate: float, given: Assumptions) -> tuple[int, str]:
    """How many workers so many beginning runs a second need, and which of their limits says so."""
    open_runs = rate * given.run_seconds
    spare = given.worker_gib * 2**30 - costs.base_bytes["worker"]
    shares: Mapping[str, float] = {
        "processor": rate * costs.cpu["worker"] / given.utilisation,
        "activities at once": rate * costs.run.model_requests * given.call_seconds / given.worker_activities,
        "cached workflows": open_runs * costs.run.executions / given.worker_cached_workflows,
        "memory": open_runs * costs.open_run_bytes["worker"] / max(spare, 1.0),
    }
    reason = max(shares, key=lambda name: shares[name])
    return max(1, ceil(shares[reason])), reason


def count_apis(costs: Costs, rate: float, given: Assumptions) -> int:
    """How many APIs so many beginning runs a second need."""
    open_runs = rate * given.run_seconds
    spare = given.api_gib * 2**30 - costs.base_bytes["api"]
    memory = open_runs * (costs.open_run_bytes["api"] + given.watched * costs.stream.open_bytes) / max(spare, 1.0)
    return max(1, ceil(_api_cores(costs, rate, given) / given.utilisation), ceil(memory))


def _api_cores(costs: Costs, rate: float, given: Assumptions) -> float:
    streams = rate * given.run_seconds * given.watched * costs.stream.open_cpu
    return rate * (costs.cpu["api"] + given.reads * costs.stream.read_cpu) + streams


def list_limits(costs: Costs, given: Assumptions) -> Sequence[Limit]:
    """What is too little, in the order in which runs at once grow, of a service with one program of each kind."""
    return sorted(_limits(costs, given))


def _limits(costs: Costs, given: Assumptions) -> Iterator[Limit]:
    run, seconds, use = costs.run, given.run_seconds, given.utilisation
    cpu = {kind: max(used, LEAST_CPU) for kind, used in costs.cpu.items()}
    spare = given.worker_gib * 2**30 - costs.base_bytes["worker"]
    yield Limit(given.open_runs, "open runs that the API accepts", "raise ELCANO_OPEN_RUNS")
    yield Limit(
        given.worker_activities / (run.model_requests * given.call_seconds) * seconds,
        "model requests at once of one worker",
        "raise ELCANO_WORKER_ACTIVITIES to 200: waiting for a model costs a worker nothing",
    )
    yield Limit(
        given.worker_cached_workflows / run.executions,
        "workflows that one worker caches",
        "raise ELCANO_WORKER_CACHED_WORKFLOWS as memory allows, or more workers; above it runs are replayed",
    )
    yield Limit(
        spare / max(costs.open_run_bytes["worker"], 1.0), "memory of one worker", "more workers, or more memory"
    )
    yield Limit(use / cpu["worker"] * seconds, "processor of one worker", "more workers")
    yield Limit(use / _api_cores(costs, 1 / seconds, given), "processor of one API", "more API processes")
    yield Limit(
        given.database_cores * use / cpu["postgres"] * seconds,
        f"{given.database_cores:g} cores of PostgreSQL",
        "a larger server; after that tenants on several stores",
    )
    yield Limit(
        given.server_cores * use / cpu["temporal"] * seconds,
        f"{given.server_cores:g} cores of the Temporal server",
        "a Temporal cluster whose services scale out, with a database of its own",
    )
    yield Limit(
        given.shards * given.shard_utilisation / (given.shard_ms / 1_000) / run.transitions * seconds,
        f"{given.shards} history shards",
        "make the cluster with 512 shards or more: their number cannot be changed later",
    )
    yield Limit(
        use / (given.commit_ms / 1_000) / max(count_counter_updates(costs), 1e-9) * seconds,
        "the row in which the usage of one tenant, mode and model is summed",
        "tenants and models have rows of their own; for one large tenant a store that commits faster",
    )
    programs = given.max_connections // given.pool
    yield Limit(
        max(0, programs - 1) * use / cpu["worker"] * seconds,
        f"{given.max_connections} connections of PostgreSQL, for {programs} programs",
        "a pooler such as PgBouncer in transaction mode, or a higher max_connections",
    )
    yield Limit(
        RECONCILED * given.unnoticed_seconds / given.reconcile_seconds,
        f"open runs that the API compares with Temporal in {given.unnoticed_seconds:g} s",
        "lower ELCANO_RECONCILE_SECONDS: runs that ended without saying so stay open until their turn",
    )
    tokens = run.input_tokens + run.output_tokens * given.output_factor
    yield Limit(
        given.tokens_a_minute / 60 / tokens * seconds,
        f"{given.tokens_a_minute / 1e6:g} million tokens a minute of the model's provider",
        "a higher tier, several providers (ELCANO_AGENT_MODELS), or models of your own",
    )


def count_counter_updates(costs: Costs) -> float:
    """How often a run changes the row in which usage is summed; runs wait for each other there."""
    return sum_ending(costs.statements, "insert usage_totals")
