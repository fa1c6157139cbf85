"""What a branch of a parallel node starts with and what it hands back to the run that it belongs to."""

from pydantic import Field

from graphs.budget import Usage
from graphs.frozen import Frozen
from graphs.state import EvidenceRef, SectionGap


class BranchInput(Frozen):
    """What a branch of a parallel node starts with."""

    question: str = Field(min_length=1)
    title: str = ""
    """The section's title; the question if there is none."""
    background: str = ""


class BranchOutcome(Frozen):
    """What became of one branch: its draft and the evidence that it cites, or why it failed."""

    index: int = Field(ge=0)
    """Place in the plan; drafts are joined in this order, whenever they came."""
    parallel_path_id: str
    """Unique in the run: `{step:04d}.{branch}` or `{step:04d}.{branch}-{number}`."""
    title: str
    question: str
    draft: str | None = None
    """Artifact hash of its `ReportDraft`."""
    evidence: tuple[EvidenceRef, ...] = ()
    """What the draft cites; everything else that the branch found stays with the branch."""
    ending: str = ""
    """Why it ended early, in words; empty if it did not."""
    gap: SectionGap | None = None
    """Set if there is no draft."""
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


class BranchOutcomes(Frozen):
    """The output of a parallel node, in the order of the plan."""

    branches: tuple[BranchOutcome, ...] = ()
