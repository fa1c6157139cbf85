"""The limits of one node's calls in a graph: timeout, attempts, model and tokens.

What is left out is as it always is: see `workflows/policies.py` for times and tries, `model_names.chosen_model` for the
model, `Budget.allowance` for tokens. A limit only takes away: no node gets more than its run has.
"""

from typing import Final

from pydantic import Field

from elcano.graphs.frozen import Frozen

LONGEST_SECONDS: Final = 7_200.0
"""The longest that one try of a call may take."""
MOST_ATTEMPTS: Final = 20
"""So many tries at the most."""
DATA_PATH: Final = "data_path"
"""The built-in graph whose calls a request limits by `path_seconds`."""
LEAST_PATH_SECONDS: Final = 1.0
MOST_PATH_SECONDS: Final = 3_600.0
LONGEST_MODEL: Final = 500
"""Characters of a model's name, or of a list of them."""


class ToolLimits(Frozen):
    """Limits of each call of a tool node; with `for_each`, of each item."""

    timeout_seconds: float | None = Field(default=None, ge=1, le=LONGEST_SECONDS)
    """How long one try may take. After the last one the node has failed by `Timeout`."""
    attempts: int | None = Field(default=None, ge=1, le=MOST_ATTEMPTS)
    """How often it is tried. A worker that dies in its midst was a try too: with 1 the call has failed then."""

    retry_slow: bool = True
    """Whether a try that took too long is made again. One that a dead worker cut off always is."""


class AgentLimits(ToolLimits):
    """Limits of each call of an agent node."""

    model: str | None = Field(default=None, min_length=1, max_length=LONGEST_MODEL)
    """Who answers here, as `offline`, `provider:name` or several of these; goes before what the run was asked with."""
    tokens: int | None = Field(default=None, ge=1, le=100_000_000)
    """What one visit may use, all its tries together, by at most the one request that is under way too much. With less
    than it takes the node has failed by `LimitReached`; an exit ends as if the budget were spent."""


def in_short(limits: ToolLimits | None) -> str:
    """For drawings and tables: `60 s, 2 tries, openai:gpt-5.1, 8,000 tokens`; empty if there are none."""
    if limits is None:
        return ""
    parts = []
    if limits.timeout_seconds is not None:
        parts.append(f"{limits.timeout_seconds:g} s")
    if limits.attempts is not None:
        parts.append(f"{limits.attempts} {'try' if limits.attempts == 1 else 'tries'}")
    if isinstance(limits, AgentLimits):
        parts += [limits.model] if limits.model else []
        parts += [f"{limits.tokens:,} tokens"] if limits.tokens is not None else []
    return ", ".join(parts)
