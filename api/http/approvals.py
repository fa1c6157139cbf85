"""Calls of tools that wait for a person: how they are shown, and how one is decided on."""

from pydantic import Field

from elcano.api.http.accepted import Accepted
from elcano.api.http.budgets import WorkflowData
from elcano.api.http.requests import Request, Spoken, Text
from elcano.api.http.times import Moment
from elcano.graphs.engine.approvals import BY_CHARACTERS, REASON_CHARACTERS, ApproveCall, RefuseCall
from elcano.graphs.state.holds import CALL_CHARACTERS, WaitingCall

CALL = "0003-open_ticket"
"""An example."""


class WaitingCallView(WorkflowData):
    """A pending call of a tool that writes, waiting for approval or refusal."""

    call: str = Field(examples=[CALL])
    """Its id, which a decision names."""
    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run, or the section, that makes it: a decision is sent to that one."""
    section: str = Field(default="", examples=[""])
    """The section's title; empty for the run itself."""
    step: int = Field(examples=[3])
    """Its step."""
    node: str = Field(examples=["open_ticket"])
    """Its node."""
    server: str = Field(examples=["tickets"])
    """The server, by the name that the operator gave it."""
    tool: str = Field(examples=["open_ticket"])
    """The tool of that server."""
    arguments: str = Field(examples=['{"title": "The harbour light is out"}'])
    """What it would be called with, as JSON; at most 2,000 characters of it, and 200 where a section asks."""
    whole: bool = Field(default=True, examples=[True])
    """False: there is more of the arguments; `GET /v1/runs/{run_id}/steps/{step}?whole=true` has all as its input."""
    since: Moment = Field(examples=["2026-11-18T08:26:40.250000Z"])
    """When it was asked about. Its arguments fit the tool's schema then."""
    until: Moment = Field(examples=["2026-11-25T08:26:40.250000Z"])
    """When its node, or its item, fails by `ApprovalNeeded` if nobody has decided."""

    @classmethod
    def of(cls, call: WaitingCall) -> "WaitingCallView":
        """A call as its run knows it."""
        shared = call.model_dump(include=cls.model_fields.keys() - {"call"})
        return cls(call=call.id, **shared)


class ApproveCallBody(Request):
    """Which call is to be made."""

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who approved it; told in the events."""

    def action(self) -> ApproveCall:
        """The approval as a run takes it."""
        return ApproveCall(call=self.call, by=self.by)


class CallApproved(Accepted):
    """The call is made, once."""

    call: str = Field(examples=[CALL])
    """Its id."""
    server: str = Field(examples=["tickets"])
    """The server."""
    tool: str = Field(examples=["open_ticket"])
    """The tool."""


class RefuseCallBody(Request):
    """Which call is not to be made, and why."""

    call: Spoken = Field(max_length=CALL_CHARACTERS, examples=[CALL])
    """Its id; the run's `approvals` has those that wait."""
    reason: Spoken = Field(max_length=REASON_CHARACTERS, examples=["There is a ticket for that."])
    """Shown in the events, and in the failure of its node."""
    by: Text = Field(default="", max_length=BY_CHARACTERS, examples=["Elvira"])
    """Who refused it; told in the events."""

    def action(self) -> RefuseCall:
        """The refusal as a run takes it."""
        return RefuseCall(call=self.call, reason=self.reason, by=self.by)


class CallRefused(Accepted):
    """The call is not made; its node, or its item, has failed by `ApprovalRefused`."""

    call: str = Field(examples=[CALL])
    """Its id."""
    server: str = Field(examples=["tickets"])
    """The server."""
    tool: str = Field(examples=["open_ticket"])
    """The tool."""
