"""The run that another one follows, and what that takes over from it."""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.history import MOST_ENTRIES, MOST_EVIDENCE, HistoryEntry
from elcano.graphs.values.state import EvidenceRef


class FollowedRun(Frozen):
    """The run that another one follows, as that one knows it."""

    run_id: str
    question: str
    """As it was asked."""
    in_context: str = ""
    """The new question with what it lacks alone; empty: it lacks nothing."""
    history: tuple[HistoryEntry, ...] = Field(default=(), max_length=MOST_ENTRIES)
    """What was asked and answered before, the oldest first."""
    evidence: tuple[EvidenceRef, ...] = Field(default=(), max_length=MOST_EVIDENCE)
    """What its report cites goes before what it does not. A branch gets none."""
    left_out: int = Field(default=0, ge=0)
    """How many more passages it had."""

    def for_branch(self) -> "FollowedRun":
        """Returns the part for a branch: earlier questions and answers, since its question may refer to them."""
        return self.model_copy(update={"evidence": (), "in_context": ""})
