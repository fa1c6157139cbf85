"""The ledger of a run with a manager in responses; these descriptions and examples are the API's manual."""

from pydantic import Field

from elcano.graphs.state.team import Ledger, StallReason
from elcano.service.fields import Described


class TurnView(Described):
    """One round of a team."""

    round: int = Field(examples=[2])
    """Its number; it is an iteration of the run."""
    speaker: str = Field(examples=["judge"])
    """The participant that got the instruction; empty: the manager named no existing one."""
    instruction: str = Field(examples=["Judge whether the passages on costs suffice."])
    """What."""
    reason: str = Field(default="", examples=["New passages came."])
    """Why it is this one's turn."""
    stall: StallReason = Field(default="", examples=[""])
    """Why the round is a stall; empty: it is none. `nobody`: no participant was named. `repeated`: the same instruction
    on the same evidence, which was not sent. `loop`, `no progress`: the manager says so."""
    evidence: int = Field(examples=[8])
    """Passages that had been found by then."""


class LedgerView(Described):
    """The ledger that a manager leads its team by, with its counters."""

    given: tuple[str, ...] = Field(default=(), examples=[("Asked is what it costs.",)])
    """Facts that are given."""
    to_look_up: tuple[str, ...] = Field(default=(), examples=[("The price of each plan",)])
    """Facts that have to be found."""
    to_derive: tuple[str, ...] = Field(default=(), examples=[("Which plan is cheapest",)])
    """Facts that have to be concluded from others."""
    guesses: tuple[str, ...] = Field(default=(), examples=[("It is probably billed by use.",)])
    """Facts that the manager considers likely; they are no evidence."""
    plan: tuple[str, ...] = Field(default=(), examples=[("searcher: find the prices", "reporter: write")])
    """The steps."""
    next_speaker: str = Field(default="", examples=["searcher"])
    """Participant whose turn it is, or was last."""
    instruction: str = Field(default="", examples=["Find the price of each plan."])
    """Instruction to that participant."""
    satisfied: bool = Field(default=False, examples=[False])
    """Whether the manager says that the request is."""
    stalls: int = Field(default=0, examples=[1])
    """Rounds without progress, of at most `budget.limits.stalls`."""
    resets: int = Field(default=0, examples=[0])
    """Number of new plans, of at most `budget.limits.resets`."""
    turns: tuple[TurnView, ...] = ()
    """All rounds so far."""

    @classmethod
    def of(cls, ledger: Ledger | None) -> "LedgerView | None":
        """Builds the view of a run's ledger; None if the run has no manager."""
        if ledger is None:
            return None
        turns = tuple(map(TurnView.from_record, ledger.turns))
        return cls.from_record(ledger, turns=turns, **ledger.task.model_dump())
