"""The result of a branch: a draft, evidence, values; or that none of its findings answers its question.

A draft is one kind of result. Where a writer is the exit, or one that hands in what was written before, a branch stands
for its draft and keeps what that does not cite; where none is, it hands over all that it found. Values are those that
its graph declares as its `result`.
"""

from typing import Final

from pydantic import ValidationError

from elcano.graphs.catalogue.reducers import REDUCERS, DraftToHandIn
from elcano.graphs.engine.inputs import ExpressionReader, build_node_input
from elcano.graphs.engine.state_update import output_model
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.graphs.journal.journal import Journal
from elcano.graphs.report.draft import DraftRef
from elcano.graphs.spec.graph import Node, StateNode
from elcano.graphs.state.failures import Failure
from elcano.graphs.state.state import EvidenceRef

EMPTY: Final[tuple[Json, ...]] = (None, "", [], {})
"""Values that are nothing to hand over; zero and false are something."""


class Handover(Frozen):
    """The result of a branch. All fields empty: it leaves a gap."""

    draft: str | None = None
    """Artifact hash of its `ReportDraft`."""
    unanswered: bool = False
    """It came to its end, and nothing that it found answers its question."""
    evidence: tuple[EvidenceRef, ...] = ()
    values: JsonObject = {}
    warnings: tuple[str, ...] = ()
    """Which of its result's expressions asked for too much."""


def build_handover(journal: Journal, failure: Failure | None) -> Handover:
    """What the branch of `journal`, which is over, hands over; nothing if it failed or its writer did not write."""
    if failure is not None:
        return Handover()
    state = journal.run.state
    if not _ends_in_a_writer(journal):
        evidence = tuple(ref for ref in state.evidence if ref.duplicate_of is None)
        values, warnings = _evaluate_result_values(journal)
        return Handover(
            evidence=evidence,
            values=values,
            warnings=warnings,
            unanswered=not (evidence or values) and _searched_to_the_end(journal),
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
    here = journal.graph.by_id[journal.run.node]
    if isinstance(here, StateNode):
        try:
            return DraftToHandIn.model_validate(
                build_node_input(DraftToHandIn, here.inputs, ExpressionReader(journal.run))
            ).draft
        except ValidationError:  # it has failed the step, and the run ends all the same
            return None
    output = journal.run.state.outputs.get(here.id)
    return None if output is None else DraftRef.model_validate(output)


def _ends_in_a_writer(journal: Journal) -> bool:
    """Whether the run is where it can end, at a writer or at what hands in a draft."""
    here = journal.graph.by_id[journal.run.node]
    return here.id in journal.graph.exit_nodes and (output_model(journal.graph, here) is DraftRef or _hands_in(here))


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
