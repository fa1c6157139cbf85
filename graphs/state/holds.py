"""The reasons for which a run waits: a hold, and tool calls that wait for approval."""

import json
from typing import Final, Literal, TypeAlias

from pydantic import Field

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.state.failures import Ending
from elcano.graphs.text import shorten_text

HoldReason: TypeAlias = Literal["budget", "provider", "person", "pause", "approval", "store"]
"""What a run waits for. `budget`: a top-up. `provider`: one that is down, overloaded or out of quota. `person`: a
person to fix a key, a name or a setting. `pause`: to be unpaused. `approval`: approval of its plan, or of a tool call
that writes."""


class Hold(Frozen):
    """Why a run does nothing now. It continues by itself, or once the cause is resolved."""

    reason: HoldReason
    node: str
    agent: str = ""
    source: str = ""
    """The source of a search."""
    type: str = ""
    """The name of the error, for programs; of a budget the limit that is used up."""
    detail: str = Field(default="", max_length=2_000)
    """The provider's message, the limit that is used up, or the reason of a pause."""
    by: str = ""
    """The user who paused it; empty if none was named."""
    tries: int = Field(default=0, ge=0)
    """How often the call was tried in vain; 0 if it waits for its first try."""
    since: float | None = None
    """When it began, in seconds since the epoch."""
    until: float | None = None
    """When the call is retried, in seconds since the epoch; None: after a person has acted."""
    seconds: float = Field(default=0.0, ge=0)
    """How long that was from the moment in which the last try failed."""
    ending: Ending | None = None
    """For a run that waits for budget: how it ends if it is stopped."""


ARGUMENTS_CHARACTERS: Final = 2_000
"""Maximum length of the arguments shown; the input of the step has them whole."""
CALL_CHARACTERS: Final = 120
"""Maximum length of the id of a call: the id of an activity, and how often its run was rolled back."""
TOLD: Final = 20
TOLD_CHARACTERS: Final = 200
"""Calls of a branch that its run knows of, and how much of the arguments of each; the branch itself has all."""
NAMED: Final = 5
"""Calls that a refusal names."""

Decision: TypeAlias = Literal["", "approved", "refused", "lapsed"]
"""The decision; empty while it waits, `lapsed` if none was made in time."""


class WaitingCall(Frozen):
    """One call: the tool and its arguments, since when it waits, and the decision."""

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
    """When the wait ends, in seconds since the epoch."""
    decision: Decision = ""
    reason: str = ""
    """Why it was refused."""
    by: str = ""
    """The user who decided; empty if none was named."""
    decided_at: float | None = None
    """When the decision was made, in seconds since the epoch."""

    @property
    def called(self) -> str:
        """The server and the tool that it calls."""
        return f"{self.server}/{self.tool}"

    def figures(self) -> JsonObject:
        """The call's data in events."""
        return self.model_dump(mode="json", include={"run_id", "server", "tool", "arguments", "whole", "until"}) | {
            "call": self.id
        }


def shorten_arguments(arguments: object) -> tuple[str, bool]:
    """Arguments as they are shown, and whether these are all."""
    text = json.dumps(arguments, ensure_ascii=False)
    return shorten_text(text, ARGUMENTS_CHARACTERS), len(text) <= ARGUMENTS_CHARACTERS


def in_short(calls: tuple[WaitingCall, ...]) -> tuple[WaitingCall, ...]:
    """Return the part that a branch repeatedly sends its run: the first calls, and the beginning of their arguments."""
    told = ((call, shorten_text(call.arguments, TOLD_CHARACTERS)) for call in calls[:TOLD])
    return tuple(
        call.model_copy(update={"arguments": text, "whole": call.whole and text == call.arguments})
        for call, text in told
    )


def list_undecided_calls(calls: tuple[WaitingCall, ...]) -> tuple[WaitingCall, ...]:
    """Return the calls that have not been decided on."""
    return tuple(call for call in calls if not call.decision)
