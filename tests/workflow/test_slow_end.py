"""A store that is slow or away: the end of a run is given more time, and the run says what it waits for."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from temporalio import activity
from temporalio.client import Client
from temporalio.exceptions import ApplicationError, ApplicationErrorCategory
from temporalio.testing import WorkflowEnvironment

from elcano.graphs.contracts import ARCHIVE_RUN, PUBLISH_REPORT, PublishCall
from elcano.graphs.records import ArchiveCall, RunSnapshot
from elcano.graphs.state.budget import Limits
from elcano.graphs.state.state import ReportRef
from elcano.testing.script import Script
from elcano.testing.temporal import scripted_activities
from elcano.workflows import retry_policies
from elcano.workflows.research import ResearchWorkflow
from tests.workflow.test_holds import running

ROUND = retry_policies.count_allowed_attempts(retry_policies.ARCHIVE[0])
LOCAL = {ARCHIVE_RUN: 1, PUBLISH_REPORT: 0}
"""Attempts within the workflow task, before the first round."""


def away(client: Client, script: Script, name: str, tries: int, seen: list[RunSnapshot]) -> list[Callable[..., Any]]:
    """The script's activities, but `name` fails so many times; then it looks at its run."""
    failed = 0

    async def attempted() -> None:
        nonlocal failed
        if failed < tries:
            failed += 1
            raise ApplicationError("the disk is full", type="OSError", category=ApplicationErrorCategory.BENIGN)
        handle = client.get_workflow_handle(activity.info().workflow_id or "")
        seen.append(await handle.query(ResearchWorkflow.snapshot))

    @activity.defn(name=ARCHIVE_RUN)
    async def archive_run(call: ArchiveCall) -> None:
        await attempted()
        script.archived.append(call)

    @activity.defn(name=PUBLISH_REPORT)
    async def publish_report(call: PublishCall) -> ReportRef:
        await attempted()
        script.published.append(call)
        figures = {"words": 100, "references": 2, "verified": 2, "unverified": 0}
        return ReportRef(artifact="report", title="A report", answered=True, partial=None, **figures)

    own = archive_run if name == ARCHIVE_RUN else publish_report
    others = [one for one in scripted_activities(script) if activity._Definition.must_from_callable(one).name != name]
    return [*others, own]


@pytest.mark.parametrize("name", [ARCHIVE_RUN, PUBLISH_REPORT])
async def test_a_run_whose_end_cannot_be_kept_says_what_it_waits_for(
    name: str, skipping: WorkflowEnvironment, script: Script
) -> None:
    seen: list[RunSnapshot] = []
    activities = away(skipping.client, script, name, ROUND + LOCAL[name], seen)
    async with running(skipping.client, activities, Limits()) as handle:
        await handle.result()
    (snapshot,) = seen
    assert snapshot.hold is not None
    assert (snapshot.stage, snapshot.status, snapshot.hold.reason) == ("held", "running", "store")
    assert snapshot.hold.detail == f"{name.replace('_', ' ')}: the disk is full"
    (kept,) = script.archived
    assert kept.run.status == "completed"


async def test_later_attempts_have_more_time(skipping: WorkflowEnvironment, script: Script) -> None:
    times: list[timedelta | None] = []

    @activity.defn(name=ARCHIVE_RUN)
    async def archive_run(call: ArchiveCall) -> None:
        info = activity.info()
        times.append(info.start_to_close_timeout)
        if len(times) <= 1 + 2 * ROUND:
            raise ApplicationError("too slow", type="TimeoutError", category=ApplicationErrorCategory.BENIGN)
        script.archived.append(call)

    others = [
        one for one in scripted_activities(script) if activity._Definition.must_from_callable(one).name != ARCHIVE_RUN
    ]
    async with running(skipping.client, [*others, archive_run], Limits()) as handle:
        await handle.result()
    minute = timedelta(minutes=1)
    assert times == [timedelta(seconds=5), *[minute] * ROUND, *[10 * minute] * ROUND, 120 * minute]
    assert script.archived[0].run.status == "completed"
