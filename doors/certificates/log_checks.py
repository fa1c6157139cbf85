"""Checks of a run's log by itself: that it leads to the run, and that its sections' logs lead to their outcomes.

Pure. A doubt names the part of the log that contradicts another one.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, NamedTuple, TypeAlias

from elcano.graphs.engine.entries import BranchStart, Held, RunResumed, StepAbandoned, StepCompleted, StepFailed
from elcano.graphs.engine.run import Run
from elcano.graphs.lifecycle import finish
from elcano.graphs.lifecycle.handover import build_branch_outcome as outcome_of
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.lifecycle.start_and_fold import fold
from elcano.graphs.lifecycle.step_history import Visit, iter_fanout_visits, section_id
from elcano.graphs.records import RunLog
from elcano.graphs.run_contracts import JournalPages
from elcano.graphs.spec.graph import AgentNode
from elcano.graphs.state.branches import BranchInput, BranchOutcome
from elcano.graphs.state.budget import Usage, sum_usages
from elcano.graphs.state.state import ResearchState

Charged: TypeAlias = StepCompleted | StepFailed | StepAbandoned | Held
"""Entries that say what was used."""


class Doubt(NamedTuple):
    """An inconsistency between parts."""

    part: Literal["entries", "sections"]
    text: str


def journal_of(log: RunLog) -> Journal:
    """Build the journal of a run that is over, without its events."""
    return Journal(log.asked.graph, JournalPages(run=log.run, entries=log.entries, events=(), started_at=0.0))


def find_log_mismatch(log: RunLog) -> str | None:
    """Why the entries do not give the run that the log has; None if they do.

    A run that is older than a field of the state has no weight for it.
    """
    try:
        run = fold(log.asked, log.entries)
    except Exception as error:  # whatever was written into a file must not end the program that reads it
        return f"they cannot be replayed: {type(error).__name__}: {error}"
    run = run.model_copy(update={"weights": _select_recorded_weights(run, log.run)})
    fields = [name for name in Run.model_fields if getattr(run, name) != getattr(log.run, name)]
    if not fields:
        return None
    return f"replayed, they lead to a state of {log.asked.run_id} that differs in {', '.join(fields)}"


def _select_recorded_weights(run: Run, recorded: Run) -> dict[str, int]:
    """Drop from the weights of `run` those of state fields that `recorded` is too old to have."""
    fresh = ResearchState(question="")
    missing = run.weights.keys() - recorded.weights.keys()
    never = {name for name in missing if getattr(recorded.state, name) == getattr(fresh, name)}
    return {name: weight for name, weight in run.weights.items() if name not in never}


def doubtful_sections(log: RunLog, sections: Mapping[str, RunLog]) -> Iterator[Doubt]:
    """Yield contradictions between the steps of a run and its branches' own logs.

    Args:
        log: the run's log.
        sections: the logs of all branches, by run id.
    """
    for visit in iter_fanout_visits(log):
        if visit.entry.usage != sum_usages(outcome.usage for outcome in visit.outcomes) + visit.dropped:
            yield Doubt("entries", f"the usage of step {visit.entry.step} differs from the sum of its sections")
        for outcome in visit.outcomes:
            known = sections.get(section_id(visit, outcome))
            if outcome.gap is not None:
                yield from _of_gap(visit, outcome)
            elif known is None:
                yield Doubt("sections", f"the log of {section_id(visit, outcome)} is missing ({outcome.title!r})")
            else:
                yield from _of_section(log, visit, outcome, known)


def own_usage(log: RunLog) -> dict[int, Usage]:
    """Return the usage of each step without branches, by number; for a fork, only of its own steps."""
    visited = {visit.entry.step for visit in iter_fanout_visits(log)}
    used: dict[int, Usage] = {}
    for entry in log.entries[_own_from(log) :]:
        if isinstance(entry, Charged) and entry.step not in visited:
            used[entry.step] = used.get(entry.step, Usage()) + entry.usage
    return used


def agents_asked(log: RunLog) -> set[int]:
    """The steps in which an agent answered; of a run that others began, its own."""
    nodes = log.asked.graph.by_id
    own = (entry for entry in log.entries[_own_from(log) :] if isinstance(entry, StepCompleted))
    return {entry.step for entry in own if isinstance(nodes.get(entry.node), AgentNode)}


def models_asked(log: RunLog) -> dict[int, str]:
    """Return the model that answered each agent step; in a run that continues another one, only its own steps."""
    own = (entry for entry in log.entries[_own_from(log) :] if isinstance(entry, StepCompleted))
    return {entry.step: entry.model for entry in own if entry.model}


def _of_gap(visit: Visit, outcome: BranchOutcome) -> Iterator[Doubt]:
    if outcome.draft or outcome.evidence or outcome.values:
        yield Doubt("entries", f"step {visit.entry.step} says that {outcome.title!r} is missing, but it has content")


def _of_section(log: RunLog, visit: Visit, outcome: BranchOutcome, section: RunLog) -> Iterator[Doubt]:
    """A branch has another question than its run's graph gave it, or left something else than its run holds."""
    asked = section.asked
    if visit.owner == log.asked.run_id and asked.graph not in log.asked.graph.branches.values():
        yield Doubt("sections", f"{asked.run_id} ran a graph that is not a branch of the run's graph")
    given = BranchInput(question=asked.question, background=asked.background, title=outcome.title)
    start = BranchStart(
        index=outcome.index, parallel_path_id=outcome.parallel_path_id, branch=asked.graph.name, input=given
    )
    left = outcome_of(start, finish.build_research_result(asked, journal_of(section), section.run.failure, None))
    fields = [name for name in BranchOutcome.model_fields if getattr(left, name) != getattr(outcome, name)]
    if fields:
        text = f"the run and {asked.run_id} ({outcome.title!r}) disagree on {', '.join(fields)}"
        yield Doubt("sections", text)


def _own_from(log: RunLog) -> int:
    """Return where the entries begin whose calls a run made itself.

    Another run began a fork, and an earlier section one that continues it.
    """
    of_others = (
        position
        for position, entry in enumerate(log.entries, start=1)
        if isinstance(entry, RunResumed) and (entry.from_run or log.asked.branch_of is not None)
    )
    return max(of_others, default=0)
