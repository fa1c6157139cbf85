"""Divides what a run may still use among its branches, so that nothing is given out twice.

What is out, what was used and what is left add up to what there was, however branches end.
"""

from pydantic import Field

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import LEAST_TOKENS, Budget, TopUp, Usage


class Slice(Frozen):
    """The part of a budget that one branch may spend."""

    tokens: int = Field(ge=0)
    cost_microusd: int | None = Field(default=None, ge=0)
    """None: not limited."""

    def carries(self, minimum_tokens: int) -> bool:
        """Whether a branch that needs at least so many tokens can be started with it."""
        return self.tokens >= max(LEAST_TOKENS, minimum_tokens) and self.cost_microusd != 0

    def grown(self, more: TopUp) -> "Slice":
        """The slice with its part of a top-up."""
        cost = None if self.cost_microusd is None else self.cost_microusd + more.cost_microusd
        return Slice(tokens=self.tokens + more.tokens, cost_microusd=cost)


class Allotment(Frozen):
    """The budget that a run can still give its branches while they run side by side.

    What is out, what was used and what is left always add up to what there was; what a branch does not use comes back
    and raises the share of those that have not started.
    """

    tokens: int
    """Below zero once branches used more than there was: nothing is given out until that is made up for."""
    cost_microusd: int | None = None
    """The same of money; None: not limited."""
    waiting: int = Field(ge=0)
    """Branches that have not started."""

    @classmethod
    def of(cls, budget: Budget, branches: int) -> "Allotment":
        """Everything that research may still use of `budget`, for this many branches."""
        left = budget.allowance(at_exit=False)
        return cls(tokens=left.tokens or 0, cost_microusd=left.cost_microusd, waiting=branches)

    def affordable(self, minimum_tokens: int) -> int:
        """How many of the waiting branches can have at least this many tokens."""
        return min(self.waiting, max(0, self.tokens) // max(LEAST_TOKENS, minimum_tokens))

    def joined(self, branches: int) -> "Allotment":
        """Adds waiting branches, or removes them, and shares what is left among them anew."""
        return self.model_copy(update={"waiting": self.waiting + branches})

    def take(self) -> tuple["Allotment", Slice]:
        """An equal share for the next branch."""
        waiting = max(1, self.waiting)
        cost = None if self.cost_microusd is None else max(0, self.cost_microusd) // waiting
        given = Slice(tokens=max(0, self.tokens) // waiting, cost_microusd=cost)
        left = Allotment(
            tokens=self.tokens - given.tokens,
            cost_microusd=None if self.cost_microusd is None or cost is None else self.cost_microusd - cost,
            waiting=waiting - 1,
        )
        return left, given

    def grown(self, tokens: int, cost_microusd: int) -> "Allotment":
        """More to give, or less; money that is not limited stays so."""
        cost = None if self.cost_microusd is None else self.cost_microusd + cost_microusd
        return self.model_copy(update={"tokens": self.tokens + tokens, "cost_microusd": cost})

    def give_back(self, given: Slice, used: Usage) -> "Allotment":
        """Takes back what an ended branch did not use, or takes off what it used beyond its slice."""
        return self.grown(given.tokens - used.tokens, (given.cost_microusd or 0) - used.cost_microusd)
