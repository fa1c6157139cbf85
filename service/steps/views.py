"""Steps in responses: the list, and one step in detail.

`began` and `ended` count the run's own time, in which it neither paused nor waited for a worker, as its budget does;
`began_at` and `ended_at` are times by the calendar.
"""

from collections.abc import Iterable
from typing import Annotated, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.contracts import RunStatus
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.lifecycle.inspection import Change
from elcano.graphs.lifecycle.step_rows import Between, BetweenRow, HeldTry, Step, StepRow, TryInVain
from elcano.graphs.state.budget import Usage, usd_from_microusd
from elcano.service.fields import EXAMPLE_RUN, Described, Moment
from elcano.service.runs.budget_view import BudgetView
from elcano.storage.ledger import LedgerEntry


class CallUsage(Described):
    """Usage of model calls, as their providers reported it."""

    requests: int = Field(examples=[1])
    """Requests to models."""
    input_tokens: int = Field(examples=[1_850])
    """Tokens that were sent."""
    output_tokens: int = Field(examples=[240])
    """Tokens that came back."""
    cost_usd: float = Field(examples=[0.0031])
    """US dollars."""
    unpriced_requests: int = Field(default=0, examples=[0])
    """Requests whose model has no known price: the cost is then too low."""
    estimated: bool = Field(default=False, examples=[False])
    """A provider did not say what it used, and characters / 4 was taken."""

    @classmethod
    def of(cls, usage: Usage) -> "CallUsage":
        """A usage in dollars."""
        return cls.from_record(usage, cost_usd=usd_from_microusd(usage.cost_microusd))


class AttemptView(Described):
    """One attempt of one activity of a step, as the ledger has it."""

    activity: str = Field(examples=["0005-execute_tools-2"])
    """Temporal's id of the activity."""
    attempt: int = Field(examples=[1])
    """Which attempt of it, from 1."""
    item: int = Field(default=0, examples=[1])
    """The item of a step that runs once for each of a list, from 0."""
    outcome: Literal["completed", "failed", "abandoned"] = Field(examples=["completed"])
    """`abandoned`: its run gave it up."""
    model: str = Field(default="", examples=["gpt-5.1"])
    """The model that answered; empty for a tool."""
    usage: CallUsage
    """Its usage."""
    at: Moment = Field(examples=["2026-11-18T08:26:43.500000Z"])
    """When it ended."""

    @classmethod
    def of(cls, line: LedgerEntry) -> "AttemptView":
        """A line of the ledger."""
        return cls.from_record(line, usage=CallUsage.of(line.usage))


class HeldTryView(Described, TryInVain):
    """A try of a step's call that could not be answered; the same call was made again."""

    usage: CallUsage
    """Usage of the failed attempt."""

    @classmethod
    def of(cls, held: HeldTry) -> "HeldTryView":
        """A failed try."""
        return cls.from_record(held, usage=CallUsage.of(held.usage))


class StepView(Described, Step):
    """One step of a run."""

    row: Literal["step"] = "step"
    """Distinguishes steps and what came between them."""
    seconds: float | None = Field(default=None, examples=[1.25])
    """Its wall-clock duration, waiting included; null while it is in progress."""
    began_at: Moment | None = Field(default=None, examples=["2026-11-18T08:26:44.500000Z"])
    """When it began; null if unknown."""
    ended_at: Moment | None = Field(default=None, examples=["2026-11-18T08:26:46Z"])
    """When it ended; null while it is in progress."""
    usage: CallUsage
    """Its usage, failed attempts included; for a parallel node the usage of its branches, once all have ended."""
    attempts: tuple[AttemptView, ...] = ()
    """Each attempt of each of its activities, those that failed too; those of branches are among their own steps."""
    held: tuple[HeldTryView, ...] = ()
    """Tries of its call that could not be answered."""

    @classmethod
    def of(cls, row: StepRow, attempts: Iterable[LedgerEntry]) -> "StepView":
        """A step, with the ledger's lines of it."""
        return cls.from_record(
            row,
            seconds=row.took,
            usage=CallUsage.of(row.usage),
            attempts=tuple(AttemptView.of(line) for line in attempts),
            held=tuple(HeldTryView.of(held) for held in row.held),
            branches=row.branches,
        )


class BetweenView(Described, Between):
    """An event between two steps, or during one: a request, a limit, a warning."""

    row: Literal["between"] = "between"
    """Distinguishes steps and what came between them."""
    happened_at: Moment | None = Field(default=None, examples=["2026-11-18T08:26:47Z"])
    """When, by the calendar; null if unknown."""

    @classmethod
    def of(cls, row: BetweenRow) -> "BetweenView":
        """A row without a number."""
        return cls.from_record(row, happened_at=row.at_epoch)


RowView: TypeAlias = Annotated[StepView | BetweenView, Field(discriminator="row")]


class NodeVisits(Described):
    """The visits of a run to one node."""

    count: int = Field(examples=[2])
    """Number that have ended."""
    last_step: int = Field(examples=[9])
    """The step of the last one."""
    failed: bool = Field(default=False, examples=[False])
    """Whether the last one failed."""


class StepList(Described):
    """One page of a run's steps, in their order."""

    run_id: str = Field(examples=[EXAMPLE_RUN])
    """The run, or section."""
    status: RunStatus = Field(examples=["completed"])
    """Status of the run."""
    total: int = Field(examples=[12])
    """Number of steps, including the one in progress."""
    next: str | None = Field(default=None, examples=["100"])
    """Pass it as `cursor` for the next page; null on the last one."""
    visits: dict[str, NodeVisits] = Field(
        default={}, examples=[{"judge": {"count": 2, "last_step": 9, "failed": False}}]
    )
    """The nodes that were visited, in the order of their first visits: of the whole run, not of the page."""
    rows: tuple[RowView, ...]
    """The steps, and between them what happened there. The last row of a running run is the step that is under way."""
    missing: str = Field(default="", examples=[""])
    """Ended runs whose log cannot be read: why, and what the list lacks. Empty: it is complete."""


class OmittedPart(Described):
    """A part of an answer that is too large for it."""

    where: str = Field(examples=["before.outputs.search"])
    """Its place."""
    size: int = Field(examples=[3_400_000])
    """Its bytes as JSON."""


class StepDetail(Described):
    """One step, looked into."""

    run_id: str = Field(examples=[EXAMPLE_RUN])
    """The run, or section."""
    steps: int = Field(examples=[12])
    """Number of steps."""
    step: StepView
    """The step, as in the list."""
    between: tuple[BetweenView, ...] = ()
    """Events before it and while it was in progress."""
    input: Json = Field(examples=[[{"source": "packages", "query": "tables", "limit": 8}]])
    """Input as the engine built it: an object for agent and state nodes, a list with one input per item for tools and
    per branch for parallel nodes, null for decisions."""
    no_input: str = Field(default="", examples=[""])
    """Why there is no input: what its expressions gave did not fit."""
    output: Json = Field(examples=[{"items": []}])
    """Output; null if there is none: `step.outcome` and `step.reason` say why."""
    before: JsonObject = Field(examples=[{"question": "What is Rich?", "iteration": 1}])
    """Everything the run knew before it. Evidence is there by id and title; `/evidence` has its texts."""
    after: JsonObject | None = Field(default=None, examples=[{"question": "What is Rich?", "iteration": 1}])
    """Everything the run knew after it; null while it is in progress."""
    changed: tuple[Change, ...] = ()
    """Summary of what changed between the two."""
    changed_more: bool = Field(default=False, examples=[False])
    """There are more differences than are listed."""
    budget_before: BudgetView
    """The usage before it."""
    budget_after: BudgetView | None = None
    """The usage after it; null while it is in progress."""
    left_out: tuple[OmittedPart, ...] = ()
    """Parts of `input`, `output`, `before` and `after` that are too large; `whole=true` has them all."""
