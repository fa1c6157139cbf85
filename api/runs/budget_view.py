"""Response models for budgets: limits and usage. Costs are in US dollars; runs count in millionths of a dollar."""

from typing import Literal, TypeVar

from pydantic import Field

from elcano.api.http.fields import Described, WorkflowData
from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.budget import Limits, Usage, usd_from_microusd


class CountedLimit(WorkflowData):
    """One limit that is counted in whole numbers."""

    limit: int = Field(examples=[100_000])
    """The limit."""
    used: int = Field(examples=[31_000])
    """The usage."""
    remaining: int = Field(examples=[69_000])
    """What remains; 0 also if more was used than there was."""


class MeasuredLimit(WorkflowData):
    """One limit that is measured."""

    limit: float | None = Field(examples=[600.0])
    """The limit; null: none."""
    used: float = Field(examples=[12.5])
    """The usage."""
    remaining: float | None = Field(examples=[587.5])
    """What remains; null: not limited."""


class TokenLimit(CountedLimit):
    """The limit of tokens."""

    for_research: int | None = Field(default=None, examples=[54_000])
    """The part that is not reserved for the report."""


class CostLimit(MeasuredLimit):
    """The limit of money."""

    for_research: float | None = Field(default=None, examples=[None])
    """The part that is not reserved for the report; null: no limit."""


class SectionLimit(WorkflowData):
    """How many sections a plan may have."""

    limit: int = Field(examples=[8])
    """So many."""
    affordable: int | None = Field(default=None, examples=[6])
    """The number of sections that the budget can research, each with at least two searches; null if there is no plan to
    come, or the run waits for more budget rather than do less."""


class PlainLimit(WorkflowData):
    """A limit whose use is counted elsewhere."""

    limit: int = Field(examples=[3])
    """So many."""


class BudgetView(WorkflowData):
    """The limit, usage and remainder of each budget item."""

    exceeded: bool = Field(examples=[False])
    """Nothing more can be researched with it."""
    reason: EndKind | None = Field(default=None, examples=[None])
    """The limit that is used up; null if none is."""
    tokens: TokenLimit
    """Input and output tokens of all model calls together."""
    cost_usd: CostLimit
    """US dollars."""
    seconds: MeasuredLimit
    """Seconds since the start, pauses not counted."""
    iterations: CountedLimit
    """Turns of the research loop."""
    steps: CountedLimit
    """Nodes visited."""
    sections: SectionLimit
    """Sections that a plan may have."""
    stalls: PlainLimit | None = None
    """Rounds without progress after which a manager plans anew; the run's `ledger` counts them."""
    resets: PlainLimit | None = None
    """How often it may; the run's `ledger` counts that too."""

    @classmethod
    def of(cls, view: JsonObject) -> "BudgetView | None":
        """Parses the output of `graphs.state.budget.Budget.view`; None while there is none."""
        return cls.model_validate(view) if view else None

    def spent(self, usage: Usage) -> "BudgetView":
        """The same with what the ledger says was spent, sections and calls under way included."""
        tokens = max(0, usage.tokens - self.tokens.used)
        dollars = max(0.0, usd_from_microusd(usage.cost_microusd) - self.cost_usd.used)
        return self.model_copy(
            update={"tokens": _charge_limit(self.tokens, tokens), "cost_usd": _charge_limit(self.cost_usd, dollars)}
        )


Limit = TypeVar("Limit", TokenLimit, CostLimit)


def _charge_limit(limit: Limit, more: float) -> Limit:
    """The limit after more of it was used."""
    left = {
        name: None if rest is None else round(max(0, rest - more), 6)
        for name, rest in (("remaining", limit.remaining), ("for_research", limit.for_research))
    }
    used = round(limit.used + more, 6)  # a dollar has no digits beyond the millionth
    return limit.model_copy(update={"used": used, **left})


class LimitsView(Described):
    """The limits of a run, under the names that a request uses."""

    tokens: int = Field(examples=[150_000])
    """Input and output tokens of all model calls together."""
    cost_usd: float | None = Field(examples=[None])
    """US dollars; null: not limited."""
    seconds: float = Field(examples=[600.0])
    """Seconds from the start to the end of the report, pauses not counted."""
    iterations: int = Field(examples=[5])
    """How often the research loop may run."""
    steps: int = Field(examples=[200])
    """Nodes of the graph visited."""
    sections: int = Field(examples=[8])
    """Sections that a plan may have."""
    stalls: int = Field(default=3, examples=[3])
    """Rounds without progress after which a manager plans anew."""
    resets: int = Field(default=2, examples=[2])
    """How often it may."""
    when_exhausted: Literal["finish", "pause"] = Field(examples=["finish"])
    """What the run does when it has used up its budget."""
    hold_seconds: float = Field(examples=[604_800.0])
    """With `pause`: how long one call is held for a provider or a person."""

    @classmethod
    def of(cls, limits: Limits) -> "LimitsView":
        """A run's limits."""
        cost = None if limits.cost_microusd is None else usd_from_microusd(limits.cost_microusd)
        return cls.from_record(limits, cost_usd=cost)
