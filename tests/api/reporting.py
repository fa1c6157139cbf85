"""A run that has ended with a report, kept as its worker leaves it."""

from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.graphs.state.state import ReportRef
from elcano.storage.store import Store


async def keep_reported(store: Store, report: Report, mode: str) -> str:
    """The id of the run, which is that of the report."""
    own, run_id = store.of("default"), report.run_id
    ref = ReportRef(
        artifact=await own.artifacts.put(run_id, report.model_dump_json(), "application/json"),
        title=report.title,
        answered=True,
        partial=None,
        words=6,
        references=len(report.references),
        verified=0,
        unverified=0,
    )
    run = ArchivedRun(
        run_id=run_id, question=report.question, mode=mode, status="completed", started_at=1.0, report=ref
    )
    await own.runs.archive(run, [])
    return run_id
