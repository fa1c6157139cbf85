"""Applies to the run the part of an entry that is independent of routing: budget, holds and control requests."""

from collections.abc import Mapping
from typing import Final

from elcano.graphs.engine.approvals import (
    add_waiting_call,
    record_call_decision,
    release_waiting_calls,
    sign_latest_decision,
)
from elcano.graphs.engine.entries import (
    ApprovalExpired,
    ApprovalRequested,
    Controlled,
    Diverted,
    Entry,
    Held,
    HoldCleared,
    NodeChosen,
    PlanProposed,
    RolledBack,
    RunResumed,
    StepAbandoned,
    StepCompleted,
    StepFailed,
    WarningAdded,
)
from elcano.graphs.engine.run import Run
from elcano.graphs.state.budget import Usage
from elcano.graphs.state.failures import Ending, FailedTries
from elcano.graphs.state.holds import Hold

RELEASED: Final[Mapping[str, object]] = {"hold": None, "trying": False, "tried": None}
"""The fields of a run that waits for nobody."""


def account_for_entry(run: Run, entry: Entry) -> Run:
    """The run with what `entry` costs and settles, wherever it leads: the books of every engine."""
    budget = run.budget.at(entry.at)
    match entry:
        case StepCompleted() | StepFailed() | StepAbandoned():  # what it paused or was held in has ended
            budget = budget.charge(entry.usage)
            budget = budget.model_copy(update={"steps": budget.steps + 1})
            changes: dict[str, object] = {"routing": False, **release_waiting_calls(run), **RELEASED}
            if isinstance(entry, StepAbandoned) and entry.ending is not None:
                changes |= _clear_stop_request(entry.ending)
        case Held():
            budget = budget.charge(entry.usage)
            changes = _build_hold_changes(run, entry)
        case HoldCleared():
            changes = dict(RELEASED) if entry.over else {"trying": True}
        case Controlled():
            return _apply_control_action(run, run.model_copy(update={"budget": budget}), entry)
        case Diverted():
            changes = _clear_stop_request(entry.ending)
        case PlanProposed():
            hold = Hold(reason="approval", node=run.node, detail="somebody has to approve or refuse the plan")
            changes = {"hold": hold, "approval": "asked"}
        case ApprovalRequested() | ApprovalExpired():
            return _apply_call_approval(run.model_copy(update={"budget": budget}), entry)
        case RolledBack():
            changes = {"undone_to": entry.told}
        case RunResumed():
            return _apply_resumed_run(run, entry)
        case WarningAdded() | NodeChosen():
            changes = {}
    return run.model_copy(update={**changes, "budget": budget})


def _build_hold_changes(run: Run, entry: Held) -> dict[str, object]:
    """Return the changes for a failed attempt; a call that waits for approval was not attempted."""
    if entry.hold.reason == "approval":
        return {"hold": entry.hold, "trying": False}
    since = run.tried.since if run.tried else entry.hold.since or 0.0
    tried = FailedTries(tries=entry.hold.tries, since=since, progress=entry.progress)
    return {"hold": entry.hold, "trying": False, "tried": tried}


def _apply_call_approval(run: Run, entry: ApprovalRequested | ApprovalExpired) -> Run:
    return (
        add_waiting_call(run, entry.call)
        if isinstance(entry, ApprovalRequested)
        else record_call_decision(run, entry.call, "lapsed")
    )


def _apply_resumed_run(run: Run, entry: RunResumed) -> Run:
    """Apply a resume. A fork has its own budget: the steps that it begins with were paid for by another run."""
    if entry.plan is not None:
        run = run.knowing(run.state.model_copy(update={"plan": entry.plan}))
    budget = run.budget.model_copy(update={"limits": entry.limits or run.budget.limits})
    goes_on = {"pause": None, "going_back": None, **release_waiting_calls(run)}
    if entry.why == "forked":
        budget = budget.model_copy(update={"used": Usage(), "elapsed": 0.0})
        return run.model_copy(update={"budget": budget, "undone_to": 0, **goes_on})
    return run.model_copy(update={"budget": budget, "undone_to": entry.told, **goes_on})


def _apply_control_action(earlier: Run, run: Run, entry: Controlled) -> Run:
    """Apply an action. A pause gets its date and author; its duration does not count as waiting in vain."""
    run = sign_latest_decision(earlier, entry.action.applied(run), entry.by, entry.when)
    if run.pause is not None and earlier.pause is None:
        return run.model_copy(update={"pause": run.pause.model_copy(update={"since": entry.when, "by": entry.by})})
    began = earlier.pause.since if earlier.pause is not None and run.pause is None else None
    if began is None or entry.when is None or run.tried is None:
        return run
    since = run.tried.since + max(0.0, entry.when - max(began, run.tried.since))
    return run.model_copy(update={"tried": run.tried.model_copy(update={"since": since})})


def _clear_stop_request(ending: Ending) -> dict[str, object]:
    """A run that was asked to stop, and does, need not be asked any more."""
    return {"stopping": None} if ending.kind == "stopped" else {}


def short_of(run: Run, ending: Ending) -> Hold:
    """Return the hold of a run whose budget is used up."""
    detail = ending.detail or ending.kind
    return Hold(reason="budget", node=run.node, type=ending.kind, detail=detail[:2_000], ending=ending)
