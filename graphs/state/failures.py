"""Failures of calls and nodes, reasons to wait, and endings of a run.

That is error names, the details that cross from activities to workflows, holds, and calls that wait for approval.

Names and fields here are persisted in histories. New fields get defaults; nothing is renamed.
"""

import json
from typing import Final, Literal, TypeAlias

from pydantic import Field, ValidationError

from elcano.graphs.frozen import Frozen, JsonObject
from elcano.graphs.spec.graph import EndKind
from elcano.graphs.state.budget import Exhausted, Usage
from elcano.graphs.tenants import NAME_CHARACTERS, insert_requester
from elcano.graphs.text import shorten_text


class FailureType:
    """Error names that cross from activities to workflows. Raisers and catchers share these constants."""

    PROVIDER: Final = "ProviderUnavailable"
    """A model's provider is down, overloaded or asks to wait: the run is held."""
    MODEL_REFUSED: Final = "ModelRefused"
    """A key, credit, a name, a setting: nothing can continue until a person fixes it."""
    REQUEST_REFUSED: Final = "RequestRefused"
    """The provider refused this one request for what is in it: another call may be answered."""
    ABANDONED: Final = "Abandoned"
    """The call was given up by its run; the details say what it had used."""
    MODEL_OUTPUT: Final = "ModelOutput"
    """The model answered, but never in the form that was asked for."""
    MODEL_CUT_OFF: Final = "ModelCutOff"
    """The model's answer reached a limit before it was complete, also when a shorter one was asked for."""
    MODEL_DECLINED: Final = "ModelDeclined"
    """The model, or its provider's filter, would not answer this."""
    PROMPT_TOO_LONG: Final = "PromptTooLong"
    """The model does not take the prompt, also when less was put into it."""
    BUDGET: Final = "BudgetExhausted"
    """The call's allowance does not suffice for another request; this is no error."""
    LIMIT_REACHED: Final = "LimitReached"
    """The node's limit does not suffice for another request, although the run has more."""
    SOURCE_REFUSED: Final = "SourceRefused"
    """A source will never answer this: it is unknown, unreadable or forbidden."""
    SOURCE_UNAVAILABLE: Final = "SourceUnavailable"
    """A source could not be searched, however often it was tried."""
    TOOL_UNAVAILABLE: Final = "ToolUnavailable"
    """A server of tools did not answer, however often it was tried."""
    TOOL_REFUSED: Final = "ToolRefused"
    """There is no such tool, its arguments do not fit its schema, or its answer cannot be read."""
    APPROVAL_NEEDED: Final = "ApprovalNeeded"
    """A tool writes, the operator has not allowed that, and the call was not approved, in time or at all."""
    APPROVAL_REFUSED: Final = "ApprovalRefused"
    """A person refused the call of a tool that writes."""
    OUTCOME_UNKNOWN: Final = "OutcomeUnknown"
    """A tool that writes was called, and the outcome is unknown."""
    CIRCUIT_OPEN: Final = "CircuitOpen"
    """A source failed so often in this run that it is not asked again."""
    TIMEOUT: Final = "Timeout"
    """No answer came in time."""
    BRANCHES_FAILED: Final = "BranchesFailed"
    """Fewer branches succeeded than must."""
    INPUT_INVALID: Final = "InputInvalid"
    """The results of expressions, or an answer, do not fit."""
    STORE_DOWN: Final = "StoreDown"
    """The store could not be used, however often it was tried; the run is held until it can."""
    PAYLOADS_TOO_LARGE: Final = "PayloadsTooLarge"
    """Temporal's own name for a result that is over its size limit; retrying cannot help."""


class FailureDetails(Frozen):
    """The details of a failure that leaves an activity: what its workflow has to know besides the reason."""

    attempt: int = Field(ge=1)
    """The number of the failed attempt; attempts whose worker died do not count."""
    usage: Usage = Usage()
    """The usage of this attempt and those before it."""
    retry_after: float | None = None
    """Seconds that the provider asked to wait."""
    progress: JsonObject = {}
    """Progress that the next attempt continues with."""
    exhausted: Exhausted | None = None
    """For a `BudgetExhausted`: what was used up."""


class NodeFailure(Frozen):
    """The failure of a node that was left by an `on_error` edge, until the node succeeds."""

    node: str
    type: str
    """The name of the error."""
    message: str = Field(max_length=2_000)
    attempts: int = Field(ge=0)
    """Number of attempts of the call."""
    times: int = Field(ge=1)
    """Consecutive failures of the node."""


class Ending(Frozen):
    """Why a run left its graph before the research was complete. Its report is labelled partial."""

    kind: EndKind
    detail: str = ""
    """One sentence for the report's head and the event."""
    type: str = Field(default="", exclude_if=lambda type: not type)
    """For a failed node: the name of the error."""


class FailedTries(Frozen):
    """The results of a call's failed attempts; the call is retried."""

    tries: int = Field(ge=0)
    """Failed attempts since the run was last resumed or unpaused, after which delays restart."""
    since: float
    """When the first of these tries failed, in seconds since the epoch."""
    before: int = Field(default=0, ge=0)
    """Failed attempts before these."""
    progress: JsonObject = {}
    """Progress of the call: it is not repeated."""

    @property
    def all_tries(self) -> int:
        """Failed attempts altogether, by which its activities are numbered."""
        return self.before + self.tries

    def begin_anew(self) -> "FailedTries":
        """Return these as tries of before: the next one to fail counts as the first."""
        return self.model_copy(update={"tries": 0, "before": self.all_tries})


class Failure(Frozen):
    """A node that failed for good."""

    node: str
    type: str
    """The name of the error, for programs."""
    message: str = Field(max_length=2_000)
    attempts: int = Field(default=1, ge=0)
    exhausted: Literal["tokens", "cost"] | None = None
    """Set if nothing is broken: what its call was allowed to use did not suffice."""
    fatal: bool = False
    """Nothing can continue until a person has fixed something (a refused key): the run fails at once."""


REASON_CHARACTERS = 500


class Cancellation(Frozen):
    """The cancellation of a run, or of a section with its run."""

    by: str = Field(default="", max_length=NAME_CHARACTERS)
    """The user; empty if none was named."""
    reason: str = Field(default="", max_length=REASON_CHARACTERS)

    @property
    def written(self) -> str:
        """The cancellation in its transport form."""
        return self.model_dump_json()

    @classmethod
    def read(cls, text: str) -> "Cancellation":
        """Parse the transport form; any other text is taken for the reason."""
        try:
            return cls.model_validate_json(text)
        except ValidationError:
            return cls(reason=text[:REASON_CHARACTERS])

    @property
    def final_text(self) -> str:
        """The text of the terminal event."""
        said = insert_requester(f"Cancelled: {self.reason}" if self.reason else "Cancelled", self.by)
        return f"{said}; what it found is kept, and there is no report"


HoldReason: TypeAlias = Literal["budget", "provider", "person", "pause", "approval", "answers", "store"]
"""Reason for which a run waits. `budget`: a top-up. `provider`: one that is down, overloaded or out of quota. `person`:
a person to fix a key, a name or a setting. `pause`: to be unpaused. `approval`: approval of its plan, or of a tool call
that writes. `answers`: answers to what it asked back. `store`: the store, which cannot be used."""


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
    """Failed attempts of the call since the run was last resumed or unpaused; 0 if it waits for its first attempt."""
    since: float | None = None
    """When it began, in seconds since the epoch."""
    until: float | None = None
    """When the call is retried, in seconds since the epoch; None: after a person has acted."""
    seconds: float = Field(default=0.0, ge=0)
    """Seconds between the failure of the last attempt and that moment."""
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
    shortened = ((call, shorten_text(call.arguments, TOLD_CHARACTERS)) for call in calls[:TOLD])
    return tuple(
        call.model_copy(update={"arguments": text, "whole": call.whole and text == call.arguments})
        for call, text in shortened
    )


def list_undecided_calls(calls: tuple[WaitingCall, ...]) -> tuple[WaitingCall, ...]:
    """Return the calls that have not been decided on."""
    return tuple(call for call in calls if not call.decision)
