"""The tables of the plugin, a row of each (a batch, one of its questions), and how the budget of a batch is shared.

The status of a run is not among it: that is read from the run, so a run that was resumed or deleted is shown as it is.

A run that starts is granted its own limits, or what is left of the shared ones if that is less; of a shared limit that
it has none of its own for, an equal part for each place that is free. What is granted to open runs is not left, so the
shared budget is passed at most by what a run passes its own by. A run that is granted less than runs of the batch used
on average is not started: it would spend the rest on half an answer.
"""

from typing import Final, Literal, TypeAlias

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table

from elcano.doors.batches.contracts import BatchState
from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.budget import LEAST_TOKENS, Limits
from elcano.storage.sql.columns import Id, LongText, SealedJson, SealedText
from elcano.storage.sql.tables import metadata

LEAST_SECONDS: Final = 5.0
"""The shortest time that a run may have."""


class BatchSpending(Frozen):
    """Usage of the runs of a batch. Money in millionths of a US dollar."""

    tokens: int = 0
    """Tokens used by runs that ended."""
    cost_microusd: int = 0
    ended: int = 0
    """Number of runs that ended."""
    granted_tokens: int = 0
    """Tokens that open runs may use."""
    granted_microusd: int = 0
    open: int = 0
    """Number of open runs."""


class SharedLimits(Frozen):
    """The limits of a batch; None: not limited."""

    tokens: int | None = None
    cost_microusd: int | None = None
    seconds_left: float | None = None
    """Until its time is over."""


def share_out(
    own: Limits, shared: SharedLimits, spent: BatchSpending, places: int, least: int = LEAST_TOKENS
) -> Limits | str:
    """The limits of the next run, or why it cannot be started: half a sentence that names the limit.

    Args:
        own: the limits that the run would have by itself.
        shared: those of the batch.
        spent: what is used up and granted already.
        places: how many runs may be started now, this one among them.
        least: the tokens without which the run could do nothing.
    """
    changes: dict[str, int | float] = {}
    if shared.tokens is not None:
        left = shared.tokens - spent.tokens - spent.granted_tokens
        if left < min(own.tokens, max(LEAST_TOKENS, least, spent.tokens // max(1, spent.ended))):
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


batches = Table(
    "batches",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("name", SealedText, nullable=False),
    Column("at_once", Integer, nullable=False),
    Column("tokens", BigInteger, nullable=True),
    Column("cost_microusd", BigInteger, nullable=True),
    Column("deadline", Double, nullable=True),
    Column("created_at", Double, nullable=False),
    Column("created_by", LongText, nullable=False),
    Column("api_key", Id, nullable=False),
    Column("state", Id, nullable=False),
    Column("reason", LongText, nullable=False),
    Column("since", Double, nullable=False),
    Column("cancelled_by", LongText, nullable=False),
)
"""`since` is when its state began."""

batch_questions = Table(
    "batch_questions",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("batch_id", Id, primary_key=True),
    Column("number", Integer, primary_key=True),
    Column("request", SealedJson, nullable=False),
    Column("cells", SealedJson, nullable=False),
    Column("state", Id, nullable=False),
    Column("reason", SealedText, nullable=False),
    Column("run_id", Id, nullable=False),
    Column("granted_tokens", BigInteger, nullable=False),
    Column("granted_microusd", BigInteger, nullable=False),
    Column("granted_seconds", Double, nullable=False),
    Column("tokens", BigInteger, nullable=False),
    Column("cost_microusd", BigInteger, nullable=False),
    Column("least_tokens", BigInteger, nullable=False, default=0, server_default="0"),
    Index("batch_questions_by_state", "tenant", "batch_id", "state"),
)
"""By their place in the request: `granted_...` is what its run may use, `tokens` and `cost_microusd` what it used when
it ended."""

QuestionState: TypeAlias = Literal[
    "waiting", "skipped", "starting", "running", "ended", "refused", "cancelled", "replaced"
]
"""`starting`: it has a part of the budget, and perhaps a run; `skipped`: it had faults when the batch was asked for;
`refused`: no run can be started for it any more; `replaced`: a later question is asked in its place."""
ROUND: Final = 1_000
"""Questions added to a batch are numbered from the next multiple of this; it is the most that a batch begins with."""
MOST_ROUNDS: Final = 900
"""Maximum number of additions of questions: cursors have six digits."""
OPEN: Final = ("starting", "running")
DONE: Final[tuple[BatchState, ...]] = ("ended", "cancelled")


class Batch(Frozen):
    """A batch as it is stored."""

    id: str
    name: str
    at_once: int
    tokens: int | None = None
    cost_microusd: int | None = None
    deadline: float | None = None
    created_at: float
    created_by: str = ""
    api_key: str = ""
    state: BatchState = "running"
    reason: str = ""
    since: float
    cancelled_by: str = ""

    @property
    def budget(self) -> tuple[float | None, ...]:
        """Its limits: tokens, money, the end of its time."""
        return (self.tokens, self.cost_microusd, self.deadline)

    def limits_at(self, now: float) -> SharedLimits:
        """Compute the limits that its runs share at a time."""
        left = None if self.deadline is None else self.deadline - now
        return SharedLimits(tokens=self.tokens, cost_microusd=self.cost_microusd, seconds_left=left)


class BatchQuestion(Frozen):
    """A question as it is stored; `status` is that of its run, or `deleted`, if it has one, else its own state."""

    number: int
    request: JsonObject
    cells: dict[str, str] = {}
    state: QuestionState = "waiting"
    reason: str = ""
    run_id: str = ""
    granted_tokens: int = 0
    granted_microusd: int = 0
    granted_seconds: float = 0.0
    tokens: int = 0
    cost_microusd: int = 0
    least_tokens: int = 0
    """Minimum tokens to start its run."""
    status: str = ""
