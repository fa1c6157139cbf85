"""What is printed of a measurement."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from benchmarks.load.costs import Compared, Costs
from benchmarks.load.scaling import Assumptions, count_runs_at_once, list_limits, list_needs

AT_ONCE: Final = (150, 10_000)
A_DAY: Final = (1_000_000,)
MOST_LINES: Final = 12
"""Of a list of statements, tables or requests; the others are one line."""


def list_cost_lines(costs: Costs) -> Iterator[str]:
    """The costs, each of a run, of a call and of a passage."""
    run, plan = costs.run, costs.plan
    yield (
        f"{plan.runs} runs of {plan.mode}, {plan.at_once} at once, {plan.workers} workers, {plan.apis} APIs, "
        f"answers after {plan.model_seconds:g} s; {costs.machine.cores} cores, {costs.machine.busy:.0%} busy"
    )
    yield (
        f"a run: {run.seconds:.1f} s, {run.executions:.1f} workflows, {run.calls:.1f} calls, "
        f"{run.model_requests:.1f} requests to the model, {run.passages:.1f} passages, {run.events:.1f} events"
    )
    yield ""
    yield f"{'':44}{'a run':>14}{'a call':>12}{'a passage':>12}"
    for name, value in _list_figures(costs):
        yield f"{name:44}{value:>14,.2f}{value / run.calls:>12,.3f}{value / max(run.passages, 1.0):>12,.3f}"
    yield ""
    yield f"{'doing nothing, processor ms a second':44}" + _join(costs.idle_cpu, 1_000)
    yield f"{'memory of a program at rest, MB':44}" + _join(costs.base_bytes, 1e-6)
    yield f"{'memory of an open run, MB':44}" + _join(costs.open_run_bytes, 1e-6)
    yield f"{'took over a second, of all runs':44}" + _join(costs.slow, 1)
    stream = costs.stream
    quiet = f"{stream.open_cpu * 1_000:.3f} ms a second, {stream.open_bytes / 1e3:.0f} kB"
    yield f"{'an open stream that has nothing to say':44}{quiet}"
    yield f"{'all events of a run that ended':44}{stream.read_cpu * 1_000:.1f} ms, {stream.read_bytes / 1e3:.1f} kB"
    for title, found in (
        ("statements of a run", costs.statements),
        ("requests of a run to Temporal", costs.rpcs),
        ("checkouts and requests of a run by caller", costs.callers),
        ("of the Temporal server to its database", costs.persistence),
        ("rows of a run", costs.rows),
        ("bytes of a run by table", costs.table_bytes),
    ):
        yield ""
        yield f"{title}, {sum(found.values()):,.1f} in all"
        yield from _list_largest(found, 3 * MOST_LINES if found is costs.callers else MOST_LINES)


def _list_figures(costs: Costs) -> Iterator[tuple[str, float]]:
    run = costs.run
    for kind, seconds in costs.cpu.items():
        yield f"processor of the {kind}, ms", seconds * 1_000
    yield "requests to Temporal", sum(costs.rpcs.values())
    yield "polls for work", costs.polls
    yield "state transitions", run.transitions
    yield "history events", run.history_events
    yield "history, kB", run.history_bytes / 1e3
    yield "Temporal's database on disk, kB", costs.temporal_bytes / 1e3
    yield "queries of that database", sum(costs.persistence.values())
    yield "statements", sum(costs.statements.values())
    yield "transactions", costs.transactions
    yield "of them commits", costs.commits
    yield "connections taken from a pool", costs.checkouts
    yield "rows", sum(costs.rows.values())
    yield "tables with indexes, kB", costs.store_bytes / 1e3
    yield "log of PostgreSQL, kB", costs.wal_bytes / 1e3
    yield "objects", costs.objects
    yield "objects, kB", costs.object_bytes / 1e3
    yield "input tokens", run.input_tokens
    yield "output tokens", run.output_tokens


def _join(found: Mapping[str, float], factor: float) -> str:
    return ", ".join(f"{kind} {value * factor:.1f}" for kind, value in found.items())


def _list_largest(found: Mapping[str, float], most: int) -> Iterator[str]:
    ordered = sorted(found.items(), key=lambda one: -one[1])
    for name, value in ordered[:most]:
        yield f"  {name:42}{value:>14,.2f}"
    if others := ordered[most:]:
        yield f"  {f'{len(others)} others':42}{sum(value for _, value in others):>14,.2f}"


def list_scaling_lines(costs: Costs, given: Assumptions) -> Iterator[str]:
    """What many runs need, and what is too little first."""
    targets = [(f"{runs:,} at once", float(runs)) for runs in AT_ONCE]
    targets += [(f"{runs:,} a day", count_runs_at_once(runs, given)) for runs in A_DAY]
    columns = [list_needs(costs, at_once, given) for _, at_once in targets]
    yield f"{'':62}" + "".join(f"{title:>18}" for title, _ in targets)
    for line in zip(*columns, strict=True):
        name = f"{line[0].part}: {line[0].name}{', ' if line[0].unit else ''}{line[0].unit}"
        yield f"{name:62}" + "".join(f"{_round(need.value):>18}" for need in line)
    yield ""
    yield "What is too little first, with one program of each kind:"
    for limit in list_limits(costs, given):
        yield f"  above {limit.at_once:>10,.0f} at once: {limit.name}: {limit.remedy}"
    yield f"It is assumed: {', '.join(f'{name}={value:g}' for name, value in given.model_dump().items())}"


def _round(value: float) -> str:
    """Three digits: no more is known."""
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def list_comparison_lines(compared: Sequence[Compared]) -> Iterator[str]:
    """What an earlier measurement foretold, beside what was measured."""
    yield f"{'':44}{'foretold':>14}{'measured':>14}{'error':>8}"
    for one in compared:
        yield f"{one.name:44}{one.foretold:>14,.1f}{one.measured:>14,.1f}{one.error:>+8.0%}"
