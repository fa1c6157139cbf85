"""Two runs of one tenant compared, from the same store and workflows that each is read from."""

import asyncio

from elcano.api.http.errors import ReportLost
from elcano.api.runs.stories import RunHistory, read_story
from elcano.api.temporal.client import Temporal
from elcano.graphs.comparison.differences import RunComparison
from elcano.graphs.comparison.run_comparison import Side, build_run_comparison
from elcano.graphs.lifecycle.handover import find_exit_draft
from elcano.graphs.lifecycle.journal import Journal
from elcano.graphs.records import RunLog
from elcano.graphs.report.report import Report, ReportDraft
from elcano.graphs.run_contracts import JournalPages
from elcano.storage.store import TenantStore


async def load_run_comparison(a: str, b: str, temporal: Temporal, store: TenantStore) -> RunComparison:
    """Compare two runs: what differs and what is the same.

    Raises:
        ReportLost: what one of them wrote is not in the store.
        Exception: as `stories.read_story`, for either.
    """
    sides = [await _load_side(await read_story(run_id, temporal, store), store) for run_id in (a, b)]
    return await asyncio.to_thread(build_run_comparison, *sides)


async def _load_side(story: RunHistory, store: TenantStore) -> Side:
    """Read a run with its draft and its published report."""
    report = story.run.report
    written = await _load_written_artifact(_draft_of(story.log), store)
    published = await _load_written_artifact(report.artifact if report else None, store)
    return await asyncio.to_thread(_build_side, story, written, published)


async def _load_written_artifact(artifact: str | None, store: TenantStore) -> str | None:
    """Return the content of an artifact that a run wrote; None if it wrote none.

    Raises:
        ReportLost: it did, and it is not in the store.
    """
    if artifact is None:
        return None
    content = await store.artifacts.get(artifact)
    if content is None:
        raise ReportLost(f"the store does not have {artifact!r}; is this the run's data directory?")
    return content


def _build_side(story: RunHistory, written: str | None, published: str | None) -> Side:
    return Side(
        log=story.log,
        status=story.run.status,
        draft=ReportDraft.model_validate_json(written) if written else None,
        report=Report.model_validate_json(published) if published else None,
    )


def _draft_of(log: RunLog) -> str | None:
    """The artifact that the exit of a run wrote, if it ended in a writer."""
    found = find_exit_draft(Journal(log.asked.graph, JournalPages(run=log.run, entries=(), events=(), started_at=0.0)))
    return found.artifact if found else None
