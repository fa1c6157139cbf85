"""What ends a run early."""

from typing import Literal, TypeAlias

EndKind: TypeAlias = Literal[
    "stopped", "time", "tokens", "cost", "iterations", "steps", "stalled", "node_failed", "provider", "sections"
]
"""What ends a run early: a person, one of the budgets, no new evidence, a node that failed for good, or a provider that
did not answer for as long as the run may be held. `sections`: it went its whole way, but one of its sections ended
early or is missing."""
