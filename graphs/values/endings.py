"""What makes a run partial."""

from typing import Final, Literal, TypeAlias

EndKind: TypeAlias = Literal[
    "stopped",
    "time",
    "tokens",
    "cost",
    "iterations",
    "steps",
    "stalled",
    "node_failed",
    "provider",
    "sections",
    "sources",
    "parts",
]
"""Why a report is partial. The run ended early: a person, one of the budgets, no new evidence, a node that failed for
good, or a provider that did not answer for as long as the run may be held. Or it went its whole way, but something is
missing: one of its `sections` ended early, failed or is not answered; one of its `sources` failed in every search; or
one of the `parts` that were asked for, such as a forecast."""
MISSING: Final[frozenset[EndKind]] = frozenset({"sections", "sources", "parts"})
"""Those of runs that did not end early."""
