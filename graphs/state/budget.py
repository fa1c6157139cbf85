"""The limits of a run and its usage: arithmetic without a clock.

Before a call its estimate must be admitted; after it the real usage is charged. A reserve of tokens, money and time is
kept for the exit node, so that a run that ends early can still write its report. Every call, including the exit's own,
gets an allowance from the rest. The defaults of each graph are in `checks/budget_limits.py`.
"""

from collections.abc import Iterable
from decimal import ROUND_CEILING, Decimal
from typing import Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.spec.graph import EndKind

LEAST_TOKENS: Final = 1_000
"""The fewest tokens with which a run or a branch is started."""
MOST_TOKENS: Final = 100_000_000
MOST_COST: Final = 10_000_000_000
"""Millionths of a US dollar."""
MOST_SECONDS: Final = 30 * 86_400.0
"""The longest that a run may work."""

Exhausted: TypeAlias = Literal["tokens", "cost"]
"""Limits that calls can exhaust."""


class Usage(Frozen):
    """The cost of model calls, as the providers reported it."""

    requests: int = Field(default=0, ge=0)
    """Calls made."""
    input_tokens: int = Field(default=0, ge=0)
    output_tokens: int = Field(default=0, ge=0)
    cost_microusd: int = Field(default=0, ge=0)
    """Millionths of a US dollar, by the price list of genai-prices; 0 for models that cost nothing."""
    unpriced_requests: int = Field(default=0, ge=0)
    """Calls whose model has no known price: `cost_microusd` is then too low."""
    estimated: bool = False
    """True if a provider reported no usage and characters / 4 was taken."""

    @property
    def tokens(self) -> int:
        """Input and output together."""
        return self.input_tokens + self.output_tokens

    def __add__(self, other: "Usage") -> "Usage":
        return Usage(
            requests=self.requests + other.requests,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cost_microusd=self.cost_microusd + other.cost_microusd,
            unpriced_requests=self.unpriced_requests + other.unpriced_requests,
            estimated=self.estimated or other.estimated,
        )


class Limits(Frozen):
    """The limits of a run. The defaults are those of the DeepCritical project for one research loop."""

    tokens: int = Field(default=100_000, ge=LEAST_TOKENS, le=MOST_TOKENS)
    cost_microusd: int | None = Field(default=None, ge=1, le=MOST_COST)
    """Millionths of a US dollar; None: not limited."""
    seconds: float = Field(default=600.0, ge=5.0, le=MOST_SECONDS)
    iterations: int = Field(default=5, ge=1, le=50)
    """Maximum turns of the research loop."""
    steps: int = Field(default=200, ge=2, le=2_000)
    """Nodes visited, decisions included."""
    stalls: int = Field(default=3, ge=1, le=20)
    """Number of rounds without progress after which the manager of a team plans anew."""
    resets: int = Field(default=2, ge=0, le=10)
    """Maximum number of new plans; after that the report is written from the findings so far."""
    sections: int = Field(default=8, ge=1, le=200)
    """Maximum number of sections of a plan; each is a research loop of its own."""
    reserve: float = Field(default=0.15, ge=0.0, le=0.5)
    """The share of tokens, money and time that only the exit node may use, at the least: see `Budget.exit_needs`."""
    when_exhausted: Literal["finish", "pause"] = "finish"
    """`finish`: the run writes its report from what it has. `pause`: it waits for a top-up, for days if need be, and
    its time stops while a provider does not answer."""
    hold_seconds: float = Field(default=7 * 86_400.0, ge=60.0, le=30 * 86_400.0)
    """With `pause`: how long one call is held for a provider or for a person before the run ends early."""


class TopUp(Frozen):
    """An addition to the limits of a run."""

    tokens: int = Field(default=0, ge=0, le=MOST_TOKENS)
    cost_microusd: int = Field(default=0, ge=0, le=MOST_COST)
    seconds: float = Field(default=0.0, ge=0, le=30 * 86_400)
    iterations: int = Field(default=0, ge=0, le=50)
    steps: int = Field(default=0, ge=0, le=2_000)

    def __add__(self, other: "TopUp") -> "TopUp":
        return TopUp.model_validate({name: added + getattr(other, name) for name, added in self.model_dump().items()})

    def added_to(self, limits: Limits) -> Limits:
        """The raised limits; a limit that is not set stays so.

        Raises:
            InputInvalid: nothing is added, or only to what is not limited, or a limit would be higher than it may be.
        """
        named = {name: added for name, added in self.model_dump().items() if added}
        if not named:
            raise InputInvalid("budget", "nothing is added: name at least one limit and by how much to raise it")
        limited = {name: getattr(limits, name) for name in named if getattr(limits, name) is not None}
        if not limited:  # of a run only its cost can be so
            raise InputInvalid("budget", "the run's cost is not limited: name another limit to raise")
        raised = {name: limit + named[name] for name, limit in limited.items()}
        try:
            return Limits.model_validate({**limits.model_dump(), **raised})
        except ValidationError as error:
            fault = error.errors()[0]
            field = str(fault["loc"][0])
            raise InputInvalid(field, f"{field} would be {raised[field]}: {fault['msg']}") from error


class Estimate(Frozen):
    """The maximum cost of one call, as far as it can be estimated beforehand."""

    tokens: int = Field(default=0, ge=0)
    cost_microusd: int = Field(default=0, ge=0)

    def __add__(self, other: "Estimate") -> "Estimate":
        return Estimate(tokens=self.tokens + other.tokens, cost_microusd=self.cost_microusd + other.cost_microusd)


class Allowance(Frozen):
    """The most that one call may use, in all its attempts and all their requests together. None: not limited."""

    tokens: int | None = Field(default=None, ge=0)
    cost_microusd: int | None = Field(default=None, ge=0)

    def less(self, used: Usage) -> "Allowance":
        """Return the rest after `used`, never below zero."""
        return Allowance(
            tokens=None if self.tokens is None else max(0, self.tokens - used.tokens),
            cost_microusd=None if self.cost_microusd is None else max(0, self.cost_microusd - used.cost_microusd),
        )

    def refuses(self, least: Estimate) -> Exhausted | None:
        """Return the first limit that a further request of at least `least` would exceed; None if it may be made.

        Without any allowance no request is made, however small.
        """
        if self.tokens is not None and (self.tokens == 0 or least.tokens > self.tokens):
            return "tokens"
        if self.cost_microusd is not None and (self.cost_microusd == 0 or least.cost_microusd > self.cost_microusd):
            return "cost"
        return None


class SectionsAfforded(Frozen):
    """Number of sections of a plan that a budget can research, each with the searches that the rules want."""

    sections: int = Field(ge=0)
    """The number of sections; one is researched in any case."""
    tokens_each: int = Field(ge=0)
    """The tokens that one more needs, including its share of the joining."""


class Budget(Frozen):
    """Limits and the counters against them. `elapsed` is seconds since the start, set by a caller with a clock."""

    limits: Limits = Limits()
    used: Usage = Usage()
    elapsed: float = 0.0
    iterations: int = 0
    """Iterations begun."""
    steps: int = 0
    """Nodes finished."""
    exit_needs: Estimate = Estimate()
    """Estimate of what the exit needs for the current state (`graphs.engine.budget_check`): more tokens and money than
    the reserve are kept if this is more, as long as half of the limit is left for research."""
    affords: "SectionsAfforded | None" = None
    """Maximum size of a plan (`engine.budget_check`); None: no plan is to come, or plans are not measured."""

    def charge(self, usage: Usage) -> "Budget":
        """The budget after a call that really used `usage`."""
        return self.model_copy(update={"used": self.used + usage})

    def at(self, elapsed: float) -> "Budget":
        """The budget `elapsed` seconds after the start; a clock that jumps back is not believed."""
        return self.model_copy(update={"elapsed": max(self.elapsed, elapsed)})

    def research_seconds(self) -> float:
        """Seconds after the start at which research stops and the exit node begins."""
        return self.limits.seconds * (1 - self.limits.reserve)

    @property
    def research_tokens(self) -> int:
        """Return the tokens that research may use; the others are kept for the exit."""
        return _for_research(self.limits.tokens, self.limits.reserve, self.exit_needs.tokens)

    @property
    def research_cost(self) -> int | None:
        """The same of money, in millionths of a dollar; None: not limited."""
        limit = self.limits.cost_microusd
        return None if limit is None else _for_research(limit, self.limits.reserve, self.exit_needs.cost_microusd)

    def compute_gain(self, more: TopUp) -> Allowance:
        """Returns how much of a top-up, already among the limits, went to research; the rest went to the reserve."""
        before = self.limits.tokens - more.tokens
        tokens = self.research_tokens - _for_research(before, self.limits.reserve, self.exit_needs.tokens)
        limit = self.limits.cost_microusd
        if limit is None or self.research_cost is None:
            return Allowance(tokens=tokens)
        earlier = _for_research(limit - more.cost_microusd, self.limits.reserve, self.exit_needs.cost_microusd)
        return Allowance(tokens=tokens, cost_microusd=self.research_cost - earlier)

    def allowance(self, *, at_exit: bool) -> Allowance:
        """Return the allowance of a call now: at the exit the whole rest, before it the rest without the reserve."""
        tokens = self.limits.tokens if at_exit else self.research_tokens
        cost = self.limits.cost_microusd if at_exit else self.research_cost
        return Allowance(tokens=tokens, cost_microusd=cost).less(self.used)

    def refuses(self, estimate: Estimate) -> EndKind | None:
        """Return the limit that a further research call of this size would exceed; None if it may be made."""
        if self.elapsed >= self.research_seconds():
            return "time"
        if self.used.tokens + estimate.tokens > self.research_tokens:
            return "tokens"
        cost_limit = self.research_cost
        if cost_limit is not None and self.used.cost_microusd + estimate.cost_microusd > cost_limit:
            return "cost"
        return "steps" if self.out_of_steps else None

    @property
    def out_of_steps(self) -> bool:
        """Only the last step is left, and it belongs to the exit node."""
        return self.steps >= self.limits.steps - 1

    def view(self) -> JsonObject:
        """Returns the budget as expressions see it: `limit`, `used` and `remaining` per limit, and what is exceeded.

        Of tokens and money also `for_research`: the part of `remaining` that is not kept for the exit.
        """
        refused = self.refuses(Estimate(tokens=1))
        research = self.allowance(at_exit=False)
        return {
            "exceeded": refused is not None,
            "reason": refused,
            "tokens": {**_build_gauge(self.limits.tokens, self.used.tokens), "for_research": research.tokens},
            "cost_usd": {
                **_build_gauge(
                    None if self.limits.cost_microusd is None else usd_from_microusd(self.limits.cost_microusd),
                    usd_from_microusd(self.used.cost_microusd),
                ),
                "for_research": None if research.cost_microusd is None else usd_from_microusd(research.cost_microusd),
            },
            "seconds": _build_gauge(self.limits.seconds, self.elapsed),
            "iterations": _build_gauge(self.limits.iterations, self.iterations),
            "steps": _build_gauge(self.limits.steps, self.steps),
            "stalls": {"limit": self.limits.stalls},
            "resets": {"limit": self.limits.resets},
            "sections": self._sections(),
        }

    def _sections(self) -> JsonObject:
        if self.affords is None:
            return {"limit": self.limits.sections}
        few = max(1, min(self.limits.sections, self.affords.sections))
        return {"limit": self.limits.sections, "affordable": few, "tokens_each": self.affords.tokens_each}


def _for_research(limit: int, reserve: float, exit_needs: int) -> int:
    """Return `limit` minus the reserve, or minus what the exit needs if that is more, but then at most half."""
    return min(int(limit * (1 - reserve)), max(limit - exit_needs, limit - limit // 2))


def _build_gauge(limit: float | None, used: float) -> JsonObject:
    return {"limit": limit, "used": used, "remaining": None if limit is None else max(0, limit - used)}


def usd_from_microusd(microusd: int) -> float:
    """Millionths of a dollar as dollars, for people and JSON."""
    return microusd / 1_000_000


def microusd_from_usd(dollars: float | Decimal) -> int:
    """Dollars as millionths, rounded up: a cost is never counted as less than it was."""
    return int((Decimal(str(dollars)) * 1_000_000).to_integral_value(rounding=ROUND_CEILING))


def sum_usages(usages: Iterable[Usage]) -> Usage:
    """The sum of several usages."""
    return sum(usages, Usage())


class Experience(Frozen):
    """Calls of models that were answered, and what they took beyond the figures of their agents."""

    calls: int = Field(default=0, ge=0)
    beyond_tokens: int = Field(default=0, ge=0)
    """Output of all of them together beyond what their answers were taken to need, in tokens."""

    @property
    def tokens_a_call(self) -> int:
        """Return the assumed needs of the next call beyond its agent's figures: the average so far, rounded up."""
        return -(-self.beyond_tokens // self.calls) if self.calls else 0

    def with_call(self, usage: Usage, output_tokens: int) -> "Experience":
        """The same after a call, each request of which was taken to answer in `output_tokens`."""
        if not usage.requests:
            return self
        beyond = max(0, usage.output_tokens // usage.requests - output_tokens)
        return Experience(calls=self.calls + 1, beyond_tokens=self.beyond_tokens + beyond)
