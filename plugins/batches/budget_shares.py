"""How the budget of a batch is shared out among its runs: arithmetic without a clock.

A run that starts is granted its own limits, or what is left of the shared ones if that is less; of a shared limit that
it has none of its own for, an equal part for each place that is free. What is granted to open runs is not left, so the
shared budget is passed at most by what a run passes its own by. A run that is granted less than runs of the batch used
on average is not started: it would spend the rest on half an answer.
"""

from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.graphs.state.budget import LEAST_TOKENS, Limits

LEAST_SECONDS: Final = 5.0
"""The shortest time that a run may have."""


class BatchSpending(Frozen):
    """What the runs of a batch use. Money in millionths of a US dollar."""

    tokens: int = 0
    """Of those that ended, what they used."""
    cost_microusd: int = 0
    ended: int = 0
    """How many these are."""
    granted_tokens: int = 0
    """Of those that go on, what they may use."""
    granted_microusd: int = 0
    open: int = 0
    """How many these are."""


class SharedLimits(Frozen):
    """The limits of a batch; None: not limited."""

    tokens: int | None = None
    cost_microusd: int | None = None
    seconds_left: float | None = None
    """Until its time is over."""


def share_out(own: Limits, shared: SharedLimits, spent: BatchSpending, places: int) -> Limits | str:
    """The limits of the next run, or why it cannot be started: half a sentence that names the limit.

    Args:
        own: the limits that the run would have by itself.
        shared: those of the batch.
        spent: what is used up and granted already.
        places: how many runs may be started now, this one among them.
    """
    changes: dict[str, int | float] = {}
    if shared.tokens is not None:
        left = shared.tokens - spent.tokens - spent.granted_tokens
        if left < min(own.tokens, max(LEAST_TOKENS, spent.tokens // max(1, spent.ended))):
            used = f"{spent.tokens:,} of {shared.tokens:,} tokens are used"
            return f"{used}, and {max(0, left):,} are too few for another run"
        changes["tokens"] = min(own.tokens, left)
    if shared.cost_microusd is not None:
        left = shared.cost_microusd - spent.cost_microusd - spent.granted_microusd
        mean = spent.cost_microusd // max(1, spent.ended)
        if left < max(1, min(own.cost_microusd or mean, mean)):
            used = f"US$ {spent.cost_microusd / 1e6:.4f} of {shared.cost_microusd / 1e6:.4f} are used"
            return f"{used}, and {max(0, left) / 1e6:.4f} are too little for another run"
        changes["cost_microusd"] = min(own.cost_microusd or max(1, mean, left // max(1, places)), left)
    if shared.seconds_left is not None:
        if shared.seconds_left < LEAST_SECONDS:
            return "its time is over"
        changes["seconds"] = min(own.seconds, shared.seconds_left)
    return own.model_copy(update=changes)
