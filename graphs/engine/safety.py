"""When research has to end early: a budget is spent, it stalls, a source only fails.

Stalls and failures are read off the state, so they survive a restart and a new history, and hold in memory too.
"""

from typing import Final

from elcano.graphs.rules import Rules
from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.failures import Ending, Failure
from elcano.graphs.state.state import ResearchState

BUDGET_ENDINGS: Final[frozenset[EndKind]] = frozenset({"time", "tokens", "cost", "iterations", "steps"})
"""Endings that more budget can put off."""

DIVIDED_ENDINGS: Final[frozenset[EndKind]] = frozenset({"tokens", "cost"})
"""Those of budgets that branches divide among themselves; the others each branch has for itself."""


def out_of(budget: EndKind, node: str) -> Ending:
    """The ending of a run whose budget does not admit `node`."""
    return Ending(kind=budget, detail=f"the budget of {budget} does not allow another step ({node})")


def find_budget_ending(failure: Failure) -> Ending | None:
    """The ending of a run whose call could not be paid for; None if it failed for another reason."""
    return Ending(kind=failure.exhausted, detail=failure.message) if failure.exhausted else None


def has_stalled(state: ResearchState, figures: Rules) -> bool:
    """Return whether the latest iterations brought nothing new: repeated or empty searches, or known results."""
    latest = state.conversation[-figures.stall_iterations :]
    return len(latest) == figures.stall_iterations and not any(turn.findings for turn in latest)


def broken_sources(state: ResearchState, figures: Rules) -> frozenset[str]:
    """Sources whose latest searches all failed, after all their retries; they are not asked again in this run."""
    failures: dict[str, int] = {}
    for turn in state.conversation:
        for call in turn.tool_calls:
            failures[call.source] = failures.get(call.source, 0) + 1 if call.error else 0
    return frozenset(source for source, count in failures.items() if count >= figures.breaker_failures)
