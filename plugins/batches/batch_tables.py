"""The tables of the plugin, and a row of each: a batch, and one of its questions.

How a run stands is not among it: that is read from the run, so a run that was resumed or deleted is shown as it is.
"""

from typing import Final, Literal, TypeAlias

from sqlalchemy import BigInteger, Column, Double, Index, Integer, Table

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.plugins.batches.budget_shares import SharedLimits
from elcano.plugins.batches.workflows import BatchState
from elcano.storage.sql.columns import Id, LongText, SealedJson, SealedText
from elcano.storage.sql.tables import metadata

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
    Column("changed_at", Double, nullable=True),
)
"""`since` is when its state began; `changed_at` when its workflow was to be begun or told, null once that is done."""

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
    Index("batch_questions_by_state", "tenant", "batch_id", "state"),
)
"""By their place in the request: `granted_...` is what its run may use, `tokens` and `cost_microusd` what it used when
it ended."""

QuestionState: TypeAlias = Literal["waiting", "skipped", "starting", "running", "ended", "refused", "cancelled"]
"""`starting`: it has a part of the budget, and perhaps a run; `skipped`: it had faults when the batch was asked for;
`refused`: no run can be started for it any more."""
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
    changed_at: float | None = None

    @property
    def budget(self) -> tuple[float | None, ...]:
        """Its limits: tokens, money, the end of its time."""
        return (self.tokens, self.cost_microusd, self.deadline)

    def limits_at(self, now: float) -> SharedLimits:
        """What its runs may use together, at a time."""
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
    status: str = ""
