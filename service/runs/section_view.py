"""Progress of a run's sections, while they are researched and at the end.

A run's own workflow is notified of a section when it starts and when it ends. Between the two the ledger and the store
of evidence know what it did, in two statements for all sections together.
"""

from collections.abc import Mapping, Sequence

from pydantic import Field

from elcano.graphs.state.branches import BranchState
from elcano.service.fields import Described
from elcano.storage.ledger import BranchProgress


class SectionsView(Described):
    """Progress of a run's sections so far, by the calls that ended."""

    open: int = Field(examples=[3])
    """Sections that are being researched."""
    ended: int = Field(examples=[2])
    """Sections that have ended."""
    iterations: int = Field(examples=[7])
    """Turns of their research loops, in all of them together. Each has its own limit, `budget.limits.iterations`."""
    steps: int = Field(examples=[61])
    """Nodes that they visited together; each has its own limit, `budget.limits.steps`."""
    evidence: int = Field(examples=[46])
    """Passages that they found, each counted once."""

    @classmethod
    def of(
        cls, branches: Sequence[BranchState], done: Mapping[str, BranchProgress], evidence: int
    ) -> "SectionsView | None":
        """The sum over `branches`, with `done` by their run ids; None if there are none."""
        if not branches:
            return None
        running = sum(branch.status == "running" for branch in branches)
        return cls(
            open=running,
            ended=len(branches) - running,
            iterations=sum(branch.iterations or 0 for branch in branches),
            steps=sum(progress.steps for progress in done.values()),
            evidence=evidence,
        )


def add_progress(branch: BranchState, done: Mapping[str, BranchProgress], evidence: Mapping[str, int]) -> BranchState:
    """An open section with its figures so far, both by run id; of one that has ended its own figures stay.

    A section that was ended from outside handed over no figures: its rounds and tokens are those of its calls.
    """
    inner = (one.tokens for run_id, one in done.items() if run_id.startswith(f"{branch.run_id}."))
    own = done.get(branch.run_id, BranchProgress(iterations=1 if branch.status == "running" else 0))
    figures = {"iterations": own.iterations, "tokens": own.tokens + sum(inner)}
    if branch.status == "gap":
        known = {"iterations": branch.iterations or 0, "tokens": branch.tokens or 0}
        return branch.model_copy(update={name: max(figures[name], known[name]) for name in known})
    if branch.status != "running":
        return branch
    return branch.model_copy(update={**figures, "evidence": evidence.get(branch.run_id, 0)})
