"""The result of a branch, and how its run uses it: a draft, evidence, values, no answer, or a gap.

A draft is one kind of result. If the exit is a writer, or hands in an earlier draft, the branch returns its draft and
keeps the evidence that the draft does not cite; otherwise it returns all its findings. Values are those that its graph
declares as its `result`.
"""

from typing import Final

from pydantic import ValidationError

from elcano.graphs.catalogue.reducers import REDUCERS, DraftToHandIn
from elcano.graphs.engine.entries import BranchStart, StepCompleted
from elcano.graphs.engine.entry_effects import output_model
from elcano.graphs.engine.inputs import ExpressionReader, build_node_input
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.run_contracts import Handover, ResearchResult
from elcano.graphs.spec.graph import Node, StateNode
from elcano.graphs.state.branches import BranchOutcome
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Ending, Failure, FailureType
from elcano.graphs.state.plan import SectionGap
from elcano.graphs.state.state import DraftRef

EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})
"""Values that are nothing to hand over; zero and false are something."""


def build_handover(journal: Journal, failure: Failure | None) -> Handover:
    """Return the result of the branch of `journal`, which is over; nothing if it failed or its writer did not write."""
    if failure is not None:
        return Handover()
    state = journal.run.state
    if not _ends_in_a_writer(journal):
        useful = set(state.useful_evidence)
        evidence = tuple(ref for ref in state.evidence if ref.id in useful)
        values, warnings = _evaluate_result_values(journal)
        return Handover(
            evidence=evidence,
            values=values,
            warnings=warnings,
            unanswered=not (evidence or (values and not _hands_over(journal))) and _searched_to_the_end(journal),
        )
    written = find_exit_draft(journal)
    if written is None:
        return Handover()
    values, warnings = _evaluate_result_values(journal)
    return Handover(
        draft=written.artifact,
        unanswered=not (written.answered and written.claims),
        evidence=tuple(ref for ref in state.evidence if ref.id in {*written.evidence, *written.beside}),
        values=values,
        warnings=warnings,
    )


def find_exit_draft(journal: Journal) -> DraftRef | None:
    """Return the draft that the run's exit wrote or handed in; None if no writer finished, or its input is no draft."""
    if not _ends_in_a_writer(journal):
        return None
    here = _find_left_exit(journal)
    if isinstance(here, StateNode):
        try:
            return DraftToHandIn.model_validate(
                build_node_input(DraftToHandIn, here.inputs, ExpressionReader(journal.run))
            ).draft
        except ValidationError:  # it has failed the step, and the run ends all the same
            return None
    output = journal.run.state.outputs.get(here.id)
    return None if output is None else DraftRef.model_validate(output)


def _find_left_exit(journal: Journal) -> Node:
    """The node that the run is at; of a run at the appendix the exit before it."""
    graph, here = journal.graph, journal.run.node
    if here == graph.appendix:
        done = (entry.node for entry in reversed(journal.entries) if isinstance(entry, StepCompleted))
        here = next((node for node in done if node in graph.exit_nodes), here)
    return graph.by_id[here]


def _ends_in_a_writer(journal: Journal) -> bool:
    """Whether the run is where it can end, at a writer or at what hands in a draft."""
    here = _find_left_exit(journal)
    return here.id in journal.graph.exit_nodes and (output_model(journal.graph, here) is DraftRef or _hands_in(here))


def _hands_over(journal: Journal) -> bool:
    """Whether the run ends where passages are handed over for another to write from."""
    here = journal.graph.by_id[journal.run.node]
    return isinstance(here, StateNode) and REDUCERS[here.reducer].hands_over


def _hands_in(node: Node) -> bool:
    return isinstance(node, StateNode) and REDUCERS[node.reducer].hands_in


def _evaluate_result_values(journal: Journal) -> tuple[JsonObject, tuple[str, ...]]:
    """The values of the graph's result, and what has to be said of them."""
    reading = ExpressionReader(journal.run)
    values = {name: reading.value(expression) for name, expression in journal.graph.result.items()}
    return {name: value for name, value in values.items() if value not in EMPTY}, tuple(reading.warnings)


def _searched_to_the_end(journal: Journal) -> bool:
    """Nothing ended the research early, and at least one search worked, its own or one of its branches'."""
    state = journal.run.state
    worked = any(call.error is None for turn in state.conversation for call in turn.tool_calls)
    return journal.run.ending is None and (worked or any(section.unanswered for section in state.sections))


def build_branch_outcome(start: BranchStart, result: ResearchResult) -> BranchOutcome:
    """A branch that ended by itself; one that failed, hands over nothing or could not search is a gap all the same."""
    gap = None
    failure = result.failure
    found = result.evidence or result.values
    not_searched = not found and result.ending is not None and result.ending.kind == "sources"
    if failure is not None or not_searched or not (result.draft or result.unanswered or found):
        gap = SectionGap(
            reason=failure.message if failure else result.ending.detail if result.ending else "it handed over nothing",
            type=failure.type if failure else result.ending.kind if result.ending else "NoResult",
            attempts=failure.attempts if failure else 0,
            tokens=result.usage.tokens,
            cost_microusd=result.usage.cost_microusd,
        )
    return BranchOutcome.from_record(
        result,
        index=start.index,
        parallel_path_id=start.parallel_path_id,
        title=start.title,
        question=start.input.question,
        draft=None if not_searched else result.draft,
        unanswered=result.unanswered and not not_searched,
        ending=result.ending.detail or result.ending.kind if result.ending else "",
        ended_by=_ended_by(result.ending),
        gap=gap,
    )


def _ended_by(ending: Ending | None) -> str:
    """Return the reason that a branch ended early; for a call that timed out its type, since more time would help."""
    if ending is None:
        return ""
    return FailureType.TIMEOUT if ending.type == FailureType.TIMEOUT else ending.kind


def build_missing_outcome(start: BranchStart, reason: str, *, type: str, usage: Usage | None = None) -> BranchOutcome:
    """A branch that left nothing."""
    used = usage or Usage()
    return BranchOutcome(
        index=start.index,
        parallel_path_id=start.parallel_path_id,
        title=start.title,
        question=start.input.question,
        gap=SectionGap(reason=reason, type=type, tokens=used.tokens, cost_microusd=used.cost_microusd),
        usage=used,
    )
