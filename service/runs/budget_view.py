"""Response models for budgets: limits and usage. Costs are in US dollars; runs count in millionths of a dollar."""

from typing import Literal, TypeVar

from pydantic import Field

from elcano.graphs.frozen import JsonObject
from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.budget import Limits, Usage, usd_from_microusd
from elcano.service.fields import WorkflowData


class Amounts(WorkflowData):
    """An amount of each thing that a run may use up."""

    tokens: int = Field(examples=[31_000])
    """Input and output tokens of all model calls together."""
    cost_usd: float | None = Field(examples=[0.042])
    """US dollars; null: not limited."""
    seconds: float = Field(examples=[600.0])
    """Seconds from the start to the end of the report, pauses not counted."""
    iterations: int = Field(examples=[5])
    """Turns of the research loop; those of sections are in the run's `sections`."""
    steps: int = Field(examples=[200])
    """Nodes of the graph visited; likewise."""


class RunLimits(Amounts):
    """The limits of a run, under the names that a request uses."""

    sections: int = Field(examples=[8])
    """Sections that a plan may have."""
    stalls: int = Field(default=3, examples=[3])
    """Rounds without progress after which a manager plans anew; the run's `ledger` counts them."""
    resets: int = Field(default=2, examples=[2])
    """Maximum number of new plans; the run's `ledger` counts them too."""
    when_exhausted: Literal["finish", "pause"] | None = Field(default=None, examples=["finish"])
    """Behaviour when the budget is used up; null in a run's `budget`."""
    hold_seconds: float | None = Field(default=None, examples=[604_800.0])
    """With `pause`: how long one call is held for a provider or a person; null in a run's `budget`."""

    @classmethod
    def of(cls, limits: Limits) -> "RunLimits":
        """A run's limits."""
        cost = None if limits.cost_microusd is None else usd_from_microusd(limits.cost_microusd)
        return cls.model_validate({**limits.model_dump(), "cost_usd": cost})


class ResearchBudget(WorkflowData):
    """The part of what remains that is not reserved for the report."""

    tokens: int | None = Field(default=None, examples=[54_000])
    """Tokens."""
    cost_usd: float | None = Field(default=None, examples=[None])
    """US dollars; null: not limited."""


class BudgetView(WorkflowData):
    """The budget of a run: its limits, and under the same names what was used of each and what remains."""

    exceeded: bool = Field(examples=[False])
    """Nothing more can be researched with it."""
    reason: EndKind | None = Field(default=None, examples=[None])
    """The limit that is used up; null if none is."""
    limits: RunLimits
    """The limits, top-ups included."""
    used: Amounts
    """Usage so far."""
    remaining: Amounts
    """Remaining amounts; 0 also if more was used than allowed."""
    for_research: ResearchBudget
    """Remaining amounts for research."""
    affordable_sections: int | None = Field(default=None, examples=[6])
    """The number of sections that the budget can research, each with at least two searches; null if there is no plan to
    come, or the run waits for more budget rather than do less."""

    @classmethod
    def of(cls, view: JsonObject) -> "BudgetView | None":
        """Parses the output of `graphs.state.budget.Budget.view`, which has one gauge a limit; None without one."""
        if not view:
            return None
        gauges = {name: gauge for name, gauge in view.items() if isinstance(gauge, dict)}

        def collect(part: str) -> JsonObject:
            return {name: gauge[part] for name, gauge in gauges.items() if part in gauge}

        affordable = collect("affordable").get("sections")
        parts = {part: collect(part) for part in ("used", "remaining", "for_research")}
        return cls.model_validate({**view, **parts, "limits": collect("limit"), "affordable_sections": affordable})

    def spent(self, usage: Usage) -> "BudgetView":
        """The same with what the ledger says was spent, sections and calls under way included."""
        tokens = max(0, usage.tokens - self.used.tokens)
        known = self.used.cost_usd or 0.0
        dollars = max(0.0, usd_from_microusd(usage.cost_microusd) - known)
        used = {"tokens": self.used.tokens + tokens, "cost_usd": round(known + dollars, 6)}
        return self.model_copy(
            update={
                "used": self.used.model_copy(update=used),
                "remaining": _charge(self.remaining, tokens, dollars),
                "for_research": _charge(self.for_research, tokens, dollars),
            }
        )

    def until(self, counting_since: float | None, now: float) -> "BudgetView":
        """The same at `now`, if its seconds were counted up to `counting_since`; of None they do not grow."""
        seconds = self.used.seconds + max(0.0, now - (now if counting_since is None else counting_since))
        return self.model_copy(
            update={
                "used": self.used.model_copy(update={"seconds": seconds}),
                "remaining": self.remaining.model_copy(update={"seconds": max(0.0, self.limits.seconds - seconds)}),
            }
        )


Rest = TypeVar("Rest", Amounts, ResearchBudget)


def _charge(rest: Rest, tokens: int, dollars: float) -> Rest:
    """Return `rest` after more was used; a dollar has no digits beyond the millionth."""
    left = {
        "tokens": None if rest.tokens is None else max(0, rest.tokens - tokens),
        "cost_usd": None if rest.cost_usd is None else round(max(0.0, rest.cost_usd - dollars), 6),
    }
    return rest.model_copy(update=left)
