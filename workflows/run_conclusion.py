"""The start of a follow-up run, and the end of every run.

Its report is published, and it is archived with its one terminal event before any client sees it.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence
from typing import TypeVar

from temporalio import workflow
from temporalio.exceptions import ActivityError, ApplicationError, FailureError, TimeoutError

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import (
        ARCHIVE_RUN,
        CHAIN_WORKFLOW,
        PUBLISH_REPORT,
        REOPEN_RUN,
        Engine,
        ReopenCall,
        Reopened,
        RunStatus,
    )
    from elcano.graphs.lifecycle.finish import (
        build_archived_run,
        build_run_log,
        last_event,
        publish_call,
        report_ready,
    )
    from elcano.graphs.lifecycle.journal import Journal
    from elcano.graphs.records import ArchiveCall
    from elcano.graphs.run_contracts import FollowedRun, ResearchInput
    from elcano.graphs.state.failures import Cancellation, Failure, Hold
    from elcano.graphs.state.state import ReportRef
    from elcano.workflows import retry_policies
    from elcano.workflows.run_display import RunDisplay

Result = TypeVar("Result")


async def take_over(asked: ResearchInput, follows: FollowedRun) -> None:
    """The passages of the run that this one follows become its own, so that its report may cite them.

    Raises:
        ActivityError: they are gone, because that run was deleted meanwhile.
    """
    if not follows.evidence and not follows.artifacts:
        return
    call = ReopenCall(
        run_id=asked.run_id,
        tenant=asked.tenant,
        step=1,
        resumed=True,
        from_run=follows.run_id,
        evidence=tuple(ref.id for ref in follows.evidence),
        artifacts=follows.artifacts,
    )
    await workflow.execute_activity(
        REOPEN_RUN,
        call,
        result_type=Reopened,
        activity_id="take-over",
        summary=f"take over the passages of {follows.run_id}",
        **retry_policies.BOOKS,
    )


async def publish_report(asked: ResearchInput, journal: Journal, shown: RunDisplay) -> ReportRef:
    """Checks the citations and stores the report, also when the writer failed."""
    call = publish_call(asked, journal)

    async def publishing(activity_id: str, policy: retry_policies.Policy) -> ReportRef:
        report: ReportRef = await workflow.execute_activity(
            PUBLISH_REPORT,
            call,
            result_type=ReportRef,
            activity_id=activity_id,
            summary="check the citations, store the report",
            **policy,
        )
        return report

    report = await _retry_in_rounds("publish-report", publishing, retry_policies.PUBLISH, journal, shown)
    journal.tell(report_ready(report), workflow.time())
    return report


async def _retry_in_rounds(
    name: str,
    work: Callable[[str, retry_policies.Policy], Awaitable[Result]],
    rounds: Sequence[retry_policies.Policy],
    journal: Journal,
    shown: RunDisplay,
) -> Result:
    """Return the result of an activity, retried in rounds, each with more time; from the second on the run says why.

    Raises:
        ActivityError: no retry can help, it was cancelled, or the last round failed.
    """
    since = workflow.time()
    for number, policy in enumerate(rounds, 1):
        try:
            result = await work(name if number == 1 else f"{name}.{number}", policy)
        except ActivityError as error:
            if number == len(rounds) or not retry_policies.is_worth_more(error, policy):
                raise
            hold = Hold(reason="store", node=journal.run.node, detail=_in_vain(name, error), since=since)
            shown.hold_end(hold)
        else:
            shown.hold_end(None)
            return result
    raise AssertionError("the last round gives a result or raises")


def _in_vain(name: str, error: ActivityError) -> str:
    """Return the cause of an activity's failure, in a sentence."""
    cause = error.cause
    why = cause.message if isinstance(cause, ApplicationError) else str(cause or error)
    if isinstance(cause, TimeoutError):
        why = "it took longer than it was given, and is given more"
    return f"{name.replace('-', ' ')}: {why}"[:2_000]


async def _archive(call: ArchiveCall, journal: Journal, shown: RunDisplay) -> None:
    """Archive a run within its workflow task, and by an activity if that fails or takes long.

    Most runs are archived in milliseconds. An activity would cost another task, two requests and a copy of the run in
    the history.
    """

    async def archive(activity_id: str, policy: retry_policies.Policy) -> None:
        await workflow.execute_activity(
            ARCHIVE_RUN, call, activity_id=activity_id, summary="keep the run and its events", **policy
        )

    try:
        await workflow.execute_local_activity(ARCHIVE_RUN, call, **retry_policies.ARCHIVE_LOCALLY)
    except FailureError:  # a local activity's own failure, not wrapped into an `ActivityError`
        await _retry_in_rounds("archive-run", archive, retry_policies.ARCHIVE, journal, shown)


async def close_run(
    asked: ResearchInput,
    journal: Journal,
    shown: RunDisplay,
    status: RunStatus,
    failure: Failure | None,
    report: ReportRef | None,
    cancellation: Cancellation | None = None,
) -> None:
    """Archive the run with its terminal event, even if it is cancelled meanwhile, and only then emit the event.

    So a client that has seen the end of a run finds it everywhere: in the store, in lists, in the search attributes.
    """
    now = workflow.time()
    info = workflow.info()
    engine: Engine = "chain" if info.workflow_type == CHAIN_WORKFLOW else "graph"
    last = journal.event(last_event(status, journal.run, failure, report, cancellation), now)
    run = build_archived_run(asked, journal, status, failure, report, now, engine, info.run_id)
    call = ArchiveCall(run=run, events=(*journal.events, last), log=build_run_log(asked, journal))

    archiving = asyncio.create_task(_archive(call, journal, shown))
    try:
        await asyncio.shield(archiving)
    except asyncio.CancelledError:
        await archiving
    journal.events.append(last)
    shown.end(status)
    if failure is not None:
        workflow.logger.warning("%s %s at %s: %s", asked.run_id, status, failure.node, failure.message)
    else:
        workflow.logger.info("%s %s", asked.run_id, status)
