"""What a branch of a parallel node starts with and what it hands back to the run that it belongs to."""

from pydantic import Field

from graphs.frozen import Frozen, JsonObject
from graphs.state import EvidenceRef


class BranchInput(Frozen):
    """What a branch of a parallel node starts with."""

    question: str = Field(min_length=1)
    title: str = ""
    """The section's title; the question if there is none."""
    background: str = ""


class BranchOutcome(Frozen):
    """What became of one branch: its draft and evidence, or why it failed."""

    index: int = Field(ge=0)
    """Place in the plan; drafts are joined in this order, whenever they came."""
    parallel_path_id: str
    """Unique in the run: `{step:04d}.{branch}` or `{step:04d}.{branch}-{index}`."""
    title: str
    question: str
    draft: JsonObject | None = None
    """The output of the branch's exit node."""
    evidence: tuple[EvidenceRef, ...] = ()
    ending: str = ""
    """Why the branch ended early, in words; empty if it did not."""
    error: str | None = None
    error_type: str | None = None
    attempts: int = Field(default=1, ge=0)
    warnings: tuple[str, ...] = ()
    usage: JsonObject = {}


class BranchOutcomes(Frozen):
    """The output of a parallel node, in the order of the plan."""

    branches: tuple[BranchOutcome, ...] = ()
