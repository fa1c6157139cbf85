"""A run's experience with its models: how many more tokens calls take than their answers should.

A reasoning model thinks before it answers, unseen, and what it thinks is paid for as output. Nothing says before a run
how much that is; its first call does.
"""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.values.budget import Usage


class Experience(Frozen):
    """Calls of models that were answered, and what they took beyond the figures of their agents."""

    calls: int = Field(default=0, ge=0)
    beyond_tokens: int = Field(default=0, ge=0)
    """Output of all of them together beyond what their answers were taken to need, in tokens."""

    @property
    def tokens_a_call(self) -> int:
        """What the next call is taken to need beyond the figures of its agent: the average so far, rounded up."""
        return -(-self.beyond_tokens // self.calls) if self.calls else 0

    def with_call(self, usage: Usage, output_tokens: int) -> "Experience":
        """The same after a call, each request of which was taken to answer in `output_tokens`."""
        if not usage.requests:
            return self
        beyond = max(0, usage.output_tokens // usage.requests - output_tokens)
        return Experience(calls=self.calls + 1, beyond_tokens=self.beyond_tokens + beyond)
