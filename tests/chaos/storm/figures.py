"""What a storm is summed up in: counts of what must not be, and times that are told and not judged."""

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from datetime import datetime
from itertools import pairwise
from typing import Final

from elcano.graphs.frozen import Frozen
from tests.chaos.storm.checks import Finding, retimed
from tests.chaos.storm.records import Applied, Heard, Played, Transcript
from tests.chaos.storm.repeats import repeated
from tests.chaos.storm.schedule import Target

KINDS: Final[Mapping[str, str]] = {
    "lost": "runs lost",
    "different": "reports different from the undisturbed twin",
    "repeated": "calls repeated that were completed, or undisturbed",
    "events": "streams with events missing or doubled",
    "books": "runs whose budget, ledger and model disagree",
    "folds": "logs that do not give their run",
    "certificates": "certificates that do not hold",
    "answers": "answers that no client should get",
    "harm": "runs, databases and processes that came to harm",
}
"""Kinds of findings, in words."""


class Times(Frozen):
    """Seconds."""

    count: int = 0
    median: float = 0.0
    most: float = 0.0


class Figures(Frozen):
    """One storm."""

    seed: int
    runs: int
    finished: int
    twins: int
    disturbances: dict[str, int]
    faults: dict[str, int]
    requests: dict[str, int]
    """What clients asked for and was done, by action."""
    refused: int
    connections: int
    """Of clients that followed a run."""
    ended_by_themselves: int
    """Processes."""
    findings: dict[str, int]
    """Runs with a finding, by kind."""
    in_flight: int
    """Calls that were cut off and made again."""
    retimed: int
    """Events that a client was told with another time than the archive has."""
    modes: dict[str, int] = {}
    certified: int = 0
    """Runs whose certificate holds."""
    results: int = 0
    """Results of queries that can be read."""
    written: int = 0
    """Calls of a tool that wrote."""
    tokens_charged: int
    tokens_noted: int
    tokens_given: int
    """By the budgets, the ledger and the model."""
    longest_silence: float
    """Seconds in which a client of an open run that did not wait for anybody heard nothing."""
    longest_silence_of: str
    first_progress: dict[str, Times]
    """From SIGKILL to the next event of any run, by what was killed and started again at once."""
    own_progress: dict[str, Times]
    """From SIGKILL to the next event of each run that was open."""
    seconds: float


def figures(
    seed: int,
    runs: Sequence[Played],
    twins: int,
    applied: Sequence[Applied],
    ended: Sequence[str],
    found: Sequence[Finding],
    seconds: float,
    written: int = 0,
) -> Figures:
    """Sums up."""
    silences = [(gap, run.plan.name) for run in runs for one in run.transcripts for gap in silence(one)]
    longest, of = max(silences, default=(0.0, ""))
    kills = [one for one in applied if one.how == "kill" and one.ended - one.began < AT_ONCE]
    targets = sorted({one.target for one in kills})
    return Figures(
        seed=seed,
        runs=len(runs),
        finished=sum(run.ended is not None and run.left is not None for run in runs),
        twins=twins,
        disturbances=dict(Counter(f"{one.how} {one.target}" for one in applied)),
        faults=dict(Counter(note.fault for run in runs for note in run.notes if note.fault)),
        requests=dict(Counter(one.action for run in runs for one in run.requests if one.accepted)),
        refused=sum(not one.accepted for run in runs for one in run.requests),
        connections=sum(one.connections for run in runs for one in run.transcripts),
        ended_by_themselves=len(ended),
        findings={kind: len({one.run for one in found if one.kind == kind}) for kind in KINDS},
        certified=sum(run.left.certified for run in runs if run.left),
        in_flight=sum(repeated(run, applied).in_flight for run in runs),
        retimed=sum(retimed(run) for run in runs),
        modes=dict(Counter(run.plan.script.mode for run in runs)),
        results=sum(run.left.results for run in runs if run.left),
        written=written,
        tokens_charged=sum(run.left.charged for run in runs if run.left),
        tokens_noted=sum(run.left.noted for run in runs if run.left),
        tokens_given=sum(note.tokens for run in runs for note in run.notes),
        longest_silence=round(longest, 1),
        longest_silence_of=of,
        first_progress={target: _times(_first(runs, _of(kills, target))) for target in targets},
        own_progress={target: _times(_own(runs, _of(kills, target))) for target in targets},
        seconds=round(seconds, 1),
    )


AT_ONCE: Final = 0.5
"""Seconds within which a process counts as started again at once."""


def silence(transcript: Transcript) -> Iterator[float]:
    """The gaps between two messages of a run that neither waited for a person nor was over."""
    for one, other in pairwise(transcript.heard):
        if one.event != "paused" and not one.ends:
            yield other.at - one.at


def _of(kills: Sequence[Applied], target: Target) -> list[Applied]:
    return [one for one in kills if one.target == target]


def _own(runs: Sequence[Played], kills: Iterable[Applied]) -> Iterator[float]:
    for kill in kills:
        yield from _progress(runs, kill)


def _first(runs: Sequence[Played], kills: Iterable[Applied]) -> Iterator[float]:
    for kill in kills:
        if times := list(_progress(runs, kill)):
            yield min(times)


def _progress(runs: Sequence[Played], kill: Applied) -> Iterator[float]:
    """Of each run that was open, how long it took to the next thing that it did."""
    for run in runs:
        if not run.began < kill.began < (run.ended or 0.0):
            continue
        heard = [one for one in run.transcripts[0].heard if one.id is not None]
        before = [one for one in heard if _at(one) < kill.began]
        if not before or before[-1].event == "paused" or before[-1].ends:
            continue
        if (after := next((one for one in heard if _at(one) > kill.began), None)) is not None:
            yield _at(after) - kill.began


def _at(heard: Heard) -> float:
    """When it happened, by the workflow's clock."""
    return datetime.fromisoformat(str(heard.data["at"])).timestamp()


def _times(values: Iterable[float]) -> Times:
    ordered = sorted(values)
    if not ordered:
        return Times()
    return Times(count=len(ordered), median=round(ordered[len(ordered) // 2], 1), most=round(ordered[-1], 1))


def told(summed: Figures) -> Iterator[str]:
    """The figures as lines."""
    yield f"seed {summed.seed}: {summed.runs} runs ({summed.twins} twins) in {summed.seconds:.0f} s"
    yield f"  finished                     {summed.finished}, of which certificates hold: {summed.certified}"
    yield f"  modes: {_counted(summed.modes)}"
    for kind, words in KINDS.items():
        yield f"  {words}: {summed.findings[kind]}"
    yield f"  calls cut off and made again: {summed.in_flight}"
    yield f"  events told with another time than they are kept with: {summed.retimed}"
    yield f"  disturbances: {_counted(summed.disturbances)}"
    yield f"  processes that ended by themselves: {summed.ended_by_themselves}"
    yield f"  answers of the model: {_counted(summed.faults)}"
    yield f"  requests: {_counted(summed.requests)}; refused: {summed.refused}; connections: {summed.connections}"
    yield f"  results of queries that can be read: {summed.results}; calls of a tool that wrote: {summed.written}"
    yield (
        f"  tokens by budgets {summed.tokens_charged:,}, by the ledger {summed.tokens_noted:,}, "
        f"by the model {summed.tokens_given:,}"
    )
    yield f"  longest silence: {summed.longest_silence} s ({summed.longest_silence_of})"
    for target, times in summed.first_progress.items():
        own = summed.own_progress[target]
        yield (
            f"  {target} killed {times.count} times: next progress of any run after {times.median} s "
            f"(at most {times.most} s), of each open run after {own.median} s (at most {own.most} s)"
        )


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{name} {count}" for name, count in sorted(counts.items())) or "none"
