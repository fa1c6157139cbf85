"""What one run costs, from what a stack used for many: plain quotients, with the cost of doing nothing taken off."""

from collections.abc import Mapping, Sequence
from typing import Final

from benchmarks.load.meters import Reading
from benchmarks.load.statement_counter import BY, SLOW
from elcano.graphs.frozen import Frozen

NO_STATEMENTS: Final = ("commit", "rollback", "checkout", SLOW)


class Plan(Frozen):
    """What was asked for."""

    runs: int
    at_once: int
    mode: str
    turns: int
    sections: int
    streams: int
    """Of each run."""
    workers: int
    apis: int
    model_seconds: float
    """Mean time of an answer."""
    seed: int


class Machine(Frozen):
    """Where it was measured."""

    cores: int
    memory_gib: float
    python: str
    busy: float
    """Processor time of all measured programs, by the time that its cores had."""


class RunSize(Frozen):
    """How large the runs were, in the mean."""

    seconds: float
    """From the request to the last event; the median."""
    calls: float
    """Attempts of calls of agents and tools: lines of the ledger."""
    passages: float
    events: float
    """As a client hears them."""
    executions: float
    """Workflows: the run and its sections."""
    transitions: float
    """State transitions of these, by Temporal."""
    history_events: float
    history_bytes: float
    model_requests: float
    input_tokens: float
    output_tokens: float


class StreamCosts(Frozen):
    """What streams cost beside their run."""

    open_cpu: float
    """Seconds of the API's processor for a stream that is open for a second and has nothing to say."""
    open_bytes: float
    """Memory of the API."""
    read_cpu: float
    """Seconds of the API's processor to read all events of a run that ended."""
    read_bytes: float
    """Sent to the client by that."""


class Costs(Frozen):
    """What a run costs."""

    plan: Plan
    machine: Machine
    run: RunSize
    cpu: Mapping[str, float]
    """Seconds of processor of a run, by kind of program."""
    idle_cpu: Mapping[str, float]
    """Of all programs of a kind, a second, when nothing goes on."""
    base_bytes: Mapping[str, float]
    """Memory of one program before its first run."""
    open_run_bytes: Mapping[str, float]
    """Memory that all programs of a kind together took for each run that was open."""
    statements: Mapping[str, float]
    transactions: float
    commits: float
    """Of these transactions, those that may have changed something: PostgreSQL writes each to disk."""
    checkouts: float
    """Connections taken from a pool, each with a question whether it still lives."""
    callers: Mapping[str, float] = {}
    """Checkouts and requests to Temporal by the functions that caused them."""
    slow: Mapping[str, float] = {}
    """What took over a second, of all runs together: statements, and Temporal's queries of runs."""
    rows: Mapping[str, float]
    table_bytes: Mapping[str, float]
    wal_bytes: float
    rpcs: Mapping[str, float]
    polls: float
    persistence: Mapping[str, float]
    temporal_bytes: float
    objects: float
    object_bytes: float
    stream: StreamCosts

    @property
    def store_bytes(self) -> float:
        """Of a run, in all tables."""
        return sum(self.table_bytes.values())


def divide_usage(
    *,
    plan: Plan,
    machine: Machine,
    run: RunSize,
    used: Reading,
    idle: Reading,
    base_bytes: Mapping[str, float],
    open_run_bytes: Mapping[str, float],
    stream: StreamCosts,
) -> Costs:
    """Divide what was used by the runs; `idle` was used while nothing went on."""
    seconds, runs = used.at, plan.runs

    def share(found: Mapping[str, float], still: Mapping[str, float]) -> dict[str, float]:
        whole = {name: value - still.get(name, 0.0) / idle.at * seconds for name, value in found.items()}
        return {name: max(0.0, value) / runs for name, value in sorted(whole.items(), key=lambda one: -one[1])}

    statements = share(used.statements, idle.statements)
    counted = {name: sum_ending(statements, name) for name in NO_STATEMENTS}
    return Costs(
        plan=plan,
        machine=machine,
        run=run,
        cpu=share({name: value for name, value in used.cpu.items() if name != "model"}, idle.cpu),
        idle_cpu={name: value / idle.at for name, value in idle.cpu.items() if name != "model"},
        base_bytes=base_bytes,
        open_run_bytes=open_run_bytes,
        statements={
            name: value
            for name, value in statements.items()
            if BY not in name and name.partition(": ")[2] not in NO_STATEMENTS
        },
        callers={name: value for name, value in statements.items() if BY in name},
        transactions=counted["commit"] + counted["rollback"],
        commits=counted["commit"],
        checkouts=counted["checkout"],
        slow={"statements": counted[SLOW] * runs, "queries of runs": used.slow_queries},
        rows=share(used.rows, {}),
        table_bytes=share(used.table_bytes, {}),
        wal_bytes=used.wal_bytes / runs,
        rpcs=share(used.rpcs, idle.rpcs),
        polls=sum(share(used.polls, idle.polls).values()),
        persistence=share(used.persistence, idle.persistence),
        temporal_bytes=used.temporal_bytes / runs,
        objects=used.objects / runs,
        object_bytes=used.object_bytes / runs,
        stream=stream,
    )


def sum_ending(found: Mapping[str, float], name: str) -> float:
    """Sum what all programs did of one name."""
    return sum(value for key, value in found.items() if key.partition(": ")[2] == name)


class Compared(Frozen):
    """A figure that was foretold from the costs of another measurement."""

    name: str
    foretold: float
    measured: float

    @property
    def error(self) -> float:
        """By how much the measured figure is above the foretold one, as a share of that."""
        return self.measured / self.foretold - 1 if self.foretold else 0.0


def foretell(before: Costs, now: Costs) -> Sequence[Compared]:
    """What the costs of `before` say that the runs of `now` use together, beside what these used.

    Both must be of the same kind of run; their number, and how many were open at once, may differ.
    """
    runs = now.plan.runs

    def whole(name: str, one: float, other: float) -> Compared:
        return Compared(name=name, foretold=one * runs, measured=other * runs)

    memory = [
        Compared(
            name=f"peak memory of the {kind}s, MB",
            foretold=_peak(before, kind, now.plan) / 1e6,
            measured=_peak(now, kind, now.plan) / 1e6,
        )
        for kind in ("worker", "api")
    ]
    return [
        *(whole(f"processor, {kind}, s", before.cpu[kind], now.cpu[kind]) for kind in before.cpu),
        whole("requests to Temporal", sum(before.rpcs.values()), sum(now.rpcs.values())),
        whole("queries of Temporal's database", sum(before.persistence.values()), sum(now.persistence.values())),
        whole("state transitions", before.run.transitions, now.run.transitions),
        whole("history, MB", before.run.history_bytes / 1e6, now.run.history_bytes / 1e6),
        whole("statements", sum(before.statements.values()), sum(now.statements.values())),
        whole("transactions", before.transactions, now.transactions),
        whole("rows", sum(before.rows.values()), sum(now.rows.values())),
        whole("tables, MB", before.store_bytes / 1e6, now.store_bytes / 1e6),
        whole("log of PostgreSQL, MB", before.wal_bytes / 1e6, now.wal_bytes / 1e6),
        whole("objects, MB", before.object_bytes / 1e6, now.object_bytes / 1e6),
        *memory,
    ]


def _peak(costs: Costs, kind: str, plan: Plan) -> float:
    programs = plan.workers if kind == "worker" else plan.apis
    return costs.base_bytes[kind] * programs + costs.open_run_bytes[kind] * plan.at_once
