"""What a run starts from: the journal of a run that begins or goes on, and the input of each of its branches.

Pure; the counterpart of `closing`.
"""

from elcano.graphs.contracts import BranchOf, ResearchInput
from elcano.graphs.engine.commands import BranchStart
from elcano.graphs.journal.journal import Journal
from elcano.graphs.values.budget import Limits
from elcano.graphs.values.state import ResearchState


def journal(asked: ResearchInput, now: float) -> Journal:
    """A new journal, or the one that was carried over from the history before."""
    branch = asked.branch_of
    place = {"path": branch.path if branch else "", "section": branch.section if branch else ""}
    if asked.carried is not None:
        return Journal(asked.graph, asked.carried, **place)
    state = ResearchState(
        question=asked.question,
        background=asked.background,
        instructions=asked.instructions,
        sources=asked.sources,
    )
    return Journal.begin(asked.graph, state, asked.limits, mode=asked.mode, now=now, **place)


def branch(asked: ResearchInput, start: BranchStart, limits: Limits) -> ResearchInput:
    """The input of a branch of the run `asked`: a run of its own, with a question and limits of its own."""
    outer = asked.branch_of
    return asked.model_copy(
        update={
            "run_id": branch_id(asked, start),
            "question": start.input.question,
            "background": start.input.background,
            "graph": asked.graph.branches[start.branch],
            "limits": limits,
            "branch_of": BranchOf(
                run_id=outer.run_id if outer else asked.run_id,
                path=f"{outer.path}/{start.parallel_path_id}" if outer else start.parallel_path_id,
                section=start.title,
            ),
            "carried": None,
        }
    )


def branch_id(asked: ResearchInput, start: BranchStart) -> str:
    """The run id of a branch, which says whose it is."""
    return f"{asked.run_id}.{start.parallel_path_id}"
