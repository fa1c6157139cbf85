"""The state of a team with a manager: its assumptions and plan, whose turn comes next, and its hypotheses.

Pure arithmetic of rounds, stalls and resets. The manager alone does not decide whether a turn makes progress: the same
participant with the same instruction, if none of its inputs has changed since, is a stall whatever the manager says.
"""

import re
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen

REPORTER: Final = "reporter"
"""The participant whose turn ends the research."""
NO_RESET_LEFT: Final = "the rounds brought nothing new, and no reset is left"
"""Why a team gives up."""
MOST_FACTS: Final = 12
"""Facts of one kind, and steps of a plan."""
FACT_CHARACTERS: Final = 300
INSTRUCTION_CHARACTERS: Final = 1_000
REASON_CHARACTERS: Final = 300

StallReason: TypeAlias = Literal["", "nobody", "repeated", "loop", "no progress"]
"""Why a round is a stall; empty: it is none. `nobody`: the manager named no participant. `repeated`: the same
instruction to the same participant on the same evidence. `loop`, `no progress`: the manager says so."""


class TaskLedger(Frozen):
    """A manager's facts and assumptions, and its plan."""

    given: tuple[str, ...] = Field(
        default=(), description="Facts that the request or a passage gives, with the key of the passage."
    )
    to_look_up: tuple[str, ...] = Field(default=(), description="Facts to look up, each with where it may stand.")
    to_derive: tuple[str, ...] = Field(default=(), description="Facts to derive or to calculate from others.")
    guesses: tuple[str, ...] = Field(default=(), description="Educated guesses, each said to be one.")
    plan: tuple[str, ...] = Field(
        default=(), description="The steps, in their order, each with the name of the participant who takes it."
    )


class Turn(Frozen):
    """One round: the participant that the manager chose, its instruction, and the basis it had."""

    round: int = Field(ge=1)
    speaker: str
    """Empty: no existing participant was named."""
    instruction: str
    reason: str = ""
    """Why it is this one's turn, as the manager says."""
    stall: StallReason = ""
    evidence: int = Field(ge=0)
    """Passages that had been found."""
    guidance: int = Field(default=0, ge=0)
    """Instructions that the person who asked had given meanwhile."""
    sources: tuple[str, ...] = ()
    """The sources that could be searched."""

    @property
    def basis(self) -> tuple[object, ...]:
        """Key by which turns count as the same."""
        return (self.speaker, _normalize_instruction(self.instruction), self.evidence, self.guidance, self.sources)


class Ledger(Frozen):
    """State of research led by a manager."""

    task: TaskLedger = TaskLedger()
    """The latest assumptions and plan."""
    next_speaker: str = ""
    """The next participant; `reporter` ends the research. Empty: none, and the manager has to name one again."""
    instruction: str = ""
    """The instruction for that participant."""
    satisfied: bool = False
    """Whether the manager said that the request is."""
    stalls: int = Field(default=0, ge=0)
    """Rounds since the plan was made that brought nothing, less those that did; never below zero."""
    resets: int = Field(default=0, ge=0)
    """Number of restarts with new facts and a new plan."""
    turns: tuple[Turn, ...] = ()
    """All rounds so far."""
    planned_at: int = Field(default=0, ge=0)
    """Number of turns before the current plan."""

    @property
    def since_plan(self) -> tuple[Turn, ...]:
        """The turns by this plan."""
        return self.turns[self.planned_at :]

    def repeats(self, turn: Turn) -> bool:
        """Whether `turn` repeats an earlier one with nothing new to go by."""
        return any(turn.basis == earlier.basis for earlier in self.turns)

    def add_turn(self, turn: Turn, *, satisfied: bool, in_loop: bool, progress: bool) -> "Ledger":
        """Returns the ledger after `turn`; what the manager says of the round before counts from the second on."""
        if satisfied or turn.speaker == REPORTER:
            reported = turn.model_copy(update={"speaker": REPORTER, "stall": ""})
            return self._with(reported, stalls=self.stalls, satisfied=satisfied)
        stall = self._stall(turn, in_loop=in_loop, progress=progress)
        stalls = self.stalls + 1 if stall else max(0, self.stalls - 1)
        return self._with(turn.model_copy(update={"stall": stall}), stalls=stalls, satisfied=False)

    def reset(self) -> "Ledger":
        """Returns the ledger before a new plan: facts stay, counters start again."""
        return self.model_copy(
            update={
                "next_speaker": "",
                "instruction": "",
                "stalls": 0,
                "resets": self.resets + 1,
                "planned_at": len(self.turns),
            }
        )

    def _stall(self, turn: Turn, *, in_loop: bool, progress: bool) -> StallReason:
        if not turn.speaker:
            return "nobody"
        if self.repeats(turn):
            return "repeated"
        if not self.since_plan:
            return ""
        return "loop" if in_loop else "" if progress else "no progress"

    def _with(self, turn: Turn, *, stalls: int, satisfied: bool) -> "Ledger":
        speaks = turn.speaker if turn.stall not in ("nobody", "repeated") else ""
        return self.model_copy(
            update={
                "next_speaker": speaks,
                "instruction": turn.instruction,
                "satisfied": satisfied,
                "stalls": stalls,
                "turns": (*self.turns, turn),
            }
        )


def _normalize_instruction(text: str) -> str:
    """An instruction as it is compared: without case, punctuation and white space."""
    return " ".join(re.findall(r"\w+", text.casefold()))


MOST_HYPOTHESES: Final = 4
MOST_SEARCHES: Final = 3
"""Searches of one hypothesis."""
MOST_PASSAGES: Final = 8
"""Passages that are named for one hypothesis, and as many against it."""
STATEMENT_CHARACTERS: Final = 500


class Hypothesis(Frozen):
    """One statement that evidence can support or contradict."""

    statement: str = Field(description="What would be so, in one sentence that evidence can contradict.")
    reasoning: str = Field(default="", description="Why it may be so, and what would be seen if it were not.")
    supports: tuple[str, ...] = Field(default=(), description="Keys of the passages that support it.")
    contradicts: tuple[str, ...] = Field(default=(), description="Keys of the passages that contradict it.")
    searches: tuple[str, ...] = Field(default=(), description="One to three searches whose results would decide it.")
