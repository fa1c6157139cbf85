"""The reason and author of a cancellation, as carried in the reason of Temporal's own cancellation.

Whoever cancels in the Temporal UI, or with its command line, writes plain words there, and is not named.
"""

from pydantic import Field, ValidationError

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.asker import NAME_CHARACTERS, insert_requester

REASON_CHARACTERS = 500


class Cancellation(Frozen):
    """The cancellation of a run, or of a section with its run."""

    by: str = Field(default="", max_length=NAME_CHARACTERS)
    """Who asked; empty if nobody was named."""
    reason: str = Field(default="", max_length=REASON_CHARACTERS)

    @property
    def written(self) -> str:
        """As it travels."""
        return self.model_dump_json()

    @classmethod
    def read(cls, text: str) -> "Cancellation":
        """What travelled; of a text that is not ours, its words."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return cls(reason=text[:REASON_CHARACTERS])

    @property
    def told(self) -> str:
        """What the terminal event says."""
        said = insert_requester(f"Cancelled: {self.reason}" if self.reason else "Cancelled", self.by)
        return f"{said}; what it found is kept, and there is no report"
