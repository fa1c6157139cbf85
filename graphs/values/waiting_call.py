"""A tool call that waits for approval, as the run, its users and its log see it."""

import json
from typing import Final, Literal, TypeAlias

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.shortening import shorten_text

ARGUMENTS_CHARACTERS: Final = 2_000
"""Of the arguments as they are shown; the input of the step has them whole."""
CALL_CHARACTERS: Final = 120
"""Of the id of a call: that of an activity, and how often its run was taken back."""
TOLD: Final = 20
TOLD_CHARACTERS: Final = 200
"""Calls of a branch that its run knows of, and how much of the arguments of each; the branch itself has all."""
NAMED: Final = 5
"""Calls that a refusal names."""

Decision: TypeAlias = Literal["", "approved", "refused", "lapsed"]
"""What became of it; empty while it waits, `lapsed` if nobody decided in time."""


class WaitingCall(Frozen):
    """One call: the tool and its arguments, since when it waits, and who decided."""

    id: str
    """Unique within its run: asked about anew, it has another one."""
    run_id: str
    """The run, or the section, that makes it."""
    section: str = ""
    """The title of that section; empty: the run itself makes it."""
    step: int
    node: str
    server: str
    tool: str
    arguments: str
    """As JSON, shortened to 2,000 characters."""
    whole: bool = True
    """Whether these are all; else the input of its step has them."""
    since: float
    """When it was asked about, in seconds since the epoch."""
    until: float
    """When nobody is waited for any more, in seconds since the epoch."""
    decision: Decision = ""
    reason: str = ""
    """Why it was refused."""
    by: str = ""
    """Who decided; empty if nobody was named."""
    decided_at: float | None = None
    """When somebody decided, in seconds since the epoch."""

    @property
    def called(self) -> str:
        """The server and the tool that it calls."""
        return f"{self.server}/{self.tool}"

    def figures(self) -> JsonObject:
        """What events tell of it."""
        return self.model_dump(mode="json", include={"run_id", "server", "tool", "arguments", "whole", "until"}) | {
            "call": self.id
        }


def shorten_arguments(arguments: object) -> tuple[str, bool]:
    """Arguments as they are shown, and whether these are all."""
    text = json.dumps(arguments, ensure_ascii=False)
    return shorten_text(text, ARGUMENTS_CHARACTERS), len(text) <= ARGUMENTS_CHARACTERS


def in_short(calls: tuple[WaitingCall, ...]) -> tuple[WaitingCall, ...]:
    """As much of them as a branch tells its run, again and again: the first ones, and how their arguments begin."""
    told = ((call, shorten_text(call.arguments, TOLD_CHARACTERS)) for call in calls[:TOLD])
    return tuple(
        call.model_copy(update={"arguments": text, "whole": call.whole and text == call.arguments})
        for call, text in told
    )


def list_undecided_calls(calls: tuple[WaitingCall, ...]) -> tuple[WaitingCall, ...]:
    """Return the calls that have not been decided on."""
    return tuple(call for call in calls if not call.decision)
