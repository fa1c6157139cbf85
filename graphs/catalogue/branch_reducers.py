"""The reducers of branches: what they hand over, folded into the state of their run.

A branch that failed leaves a gap, never a hole.
"""

from typing import Final

from elcano.graphs.catalogue.reducers import with_findings
from elcano.graphs.catalogue.registry_specs import ReducerSpec
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.branches import BranchOutcomes
from elcano.graphs.state.plan import SectionResult
from elcano.graphs.state.state import ResearchState


def collect_drafts(state: ResearchState, output: BranchOutcomes) -> ResearchState:
    """Merges the branches: sections in the plan's order, each passage handed over once, every warning once."""
    warnings = dict.fromkeys(state.warnings)
    wishes = {section.title: section.wish for section in state.plan}
    sections = []
    for branch in output.branches:
        warnings.update(dict.fromkeys(branch.warnings))
        sections.append(
            SectionResult(
                title=branch.title,
                key_question=branch.question,
                draft=branch.draft,
                unanswered=branch.unanswered,
                evidence=tuple(ref.id for ref in branch.evidence),
                searches=branch.searches,
                ending=branch.ending,
                ended_by=branch.ended_by or (branch.gap.type if branch.gap else ""),
                tokens=branch.usage.tokens,
                wish=wishes.get(branch.title, ""),
                gap=branch.gap,
            )
        )
    grown = state.with_evidence(ref for branch in output.branches for ref in branch.evidence)
    return grown.model_copy(update={"sections": tuple(sections), "warnings": tuple(warnings)})


def collect_results(state: ResearchState, output: BranchOutcomes) -> ResearchState:
    """As `collect_drafts`; new evidence is a finding of the running iteration too, and values can be read by name.

    `values.<name>` becomes the list of what the branches declare under this name, in the plan's order, with null for a
    branch that hands over no such value.
    """
    grown = collect_drafts(state, output)
    names = dict.fromkeys(name for branch in output.branches for name in branch.values)
    listed: JsonObject = {name: [branch.values.get(name) for branch in output.branches] for name in names}
    return with_findings(grown.model_copy(update={"values": {**state.values, **listed}}), state)


BRANCH_REDUCERS: Final = (
    ReducerSpec(
        "collect_drafts",
        "Merges the sections that the branches drafted, in the plan's order.",
        BranchOutcomes,
        collect_drafts,
        adds_evidence=True,
    ),
    ReducerSpec(
        "collect_results",
        "Merges what the branches found as findings, and lists the values that they declare, in the plan's order.",
        BranchOutcomes,
        collect_results,
        adds_evidence=True,
    ),
)
