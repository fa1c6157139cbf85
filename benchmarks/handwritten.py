"""The twin that the engine is measured against: the same activities, called by the plainest workflow there is.

It labels its activities as a graph's run does, because a label is a payload, and payloads are what the SDK's time goes
into: without labels the twin is about 10 % faster.
"""

from datetime import timedelta

from temporalio import workflow

with workflow.unsafe.imports_passed_through():
    from elcano.graphs.contracts import ARCHIVE_RUN, PUBLISH_REPORT, PublishCall, ToolCall, ToolResult
    from elcano.graphs.frozen import JsonObject
    from elcano.graphs.records import ArchiveCall, ArchivedRun
    from elcano.graphs.state.state import ReportRef

_TIMEOUT = timedelta(minutes=1)


@workflow.defn(name="handwritten")
class Handwritten:
    """Calls the no-op tool `length` times, one after the other, then publishes and archives as a graph's run does."""

    @workflow.run
    async def run(self, length: int, handing_on: bool = False) -> int:
        """How many calls were made; `handing_on` gives each what the one before it answered."""
        run_id = workflow.info().workflow_id
        given: JsonObject = {}
        for step in range(length):
            found: ToolResult = await workflow.execute_activity(
                "noop",
                ToolCall(run_id=run_id, step=step, node=f"n{step:03d}", tool="noop", input=given),
                result_type=ToolResult,
                activity_id=f"{step:04d}-n{step:03d}",
                summary="noop",
                start_to_close_timeout=_TIMEOUT,
            )
            if handing_on:
                given = found.output
        await workflow.execute_activity(
            PUBLISH_REPORT,
            PublishCall(run_id=run_id, question="nothing", mode="noops", draft=None, evidence=()),
            result_type=ReportRef,
            summary="publish",
            start_to_close_timeout=_TIMEOUT,
        )
        run = ArchivedRun(run_id=run_id, question="nothing", mode="noops", status="completed", started_at=0)
        await workflow.execute_local_activity(
            ARCHIVE_RUN, ArchiveCall(run=run, events=()), summary="archive", start_to_close_timeout=_TIMEOUT
        )
        return length
