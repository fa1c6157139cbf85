"""How a team stands that a manager leads, as answers say it."""

from pydantic import Field

from elcano.api.http.budgets import Described
from elcano.graphs.state.team import Ledger, StallReason


class TurnView(Described):
    """One round of a team."""

    round: int = Field(examples=[2])
    """Its number; it is an iteration of the run."""
    speaker: str = Field(examples=["judge"])
    """Who was told to do something; empty: the manager named nobody that there is."""
    instruction: str = Field(examples=["Judge whether the passages on costs suffice."])
    """What."""
    reason: str = Field(default="", examples=["New passages came."])
    """Why it is this one's turn."""
    stall: StallReason = Field(default="", examples=[""])
    """Why the round is a stall; empty: it is none. `nobody`: no participant was named. `repeated`: the same instruction
    on the same evidence, which nobody was sent on. `loop`, `no progress`: the manager says so."""
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
    """What the manager thinks likely; it is no evidence."""
    plan: tuple[str, ...] = Field(default=(), examples=[("searcher: find the prices", "reporter: write")])
    """The steps."""
    next_speaker: str = Field(default="", examples=["searcher"])
    """Whose turn it is, or was last."""
    instruction: str = Field(default="", examples=["Find the price of each plan."])
    """What that participant is to do."""
    satisfied: bool = Field(default=False, examples=[False])
    """Whether the manager says that the request is."""
    stalls: int = Field(default=0, examples=[1])
    """Rounds without progress, of at most `budget.stalls.limit`."""
    resets: int = Field(default=0, examples=[0])
    """How often it planned anew, of at most `budget.resets.limit`."""
    turns: tuple[TurnView, ...] = ()
    """All rounds so far."""

    @classmethod
    def of(cls, ledger: Ledger | None) -> "LedgerView | None":
        """Builds the view of a run's ledger; None if the run has no manager."""
        if ledger is None:
            return None
        turns = tuple(
            TurnView.model_validate(turn.model_dump(exclude={"guidance", "sources"})) for turn in ledger.turns
        )
        counted = ledger.model_dump(include={"next_speaker", "instruction", "satisfied", "stalls", "resets"})
        return cls.model_validate({**ledger.task.model_dump(), **counted, "turns": turns})
