"""The counts of the literature review whose search found the documents of a table: the first ones of its flow."""

import asyncio
import json
from typing import Any, Final

from elcano.doors.evidence_tables.screening import ReviewCounts
from elcano.service.errors import FieldFault
from elcano.service.process import Services

ATTACHED: Final = "review"
"""The name under which the plugin `literature` attaches its counts to a report."""


async def load_review_counts(run_id: str, services: Services) -> ReviewCounts | None:
    """Load the counts of a review; None: there is no such run, or it is no review, or its report is gone."""
    run = await services.store.runs.get(run_id) if run_id else None
    stored = None if run is None or run.report is None else await services.store.artifacts.get(run.report.artifact)
    if stored is None:
        return None
    report: dict[str, Any] = await asyncio.to_thread(json.loads, stored)
    total = report.get("attachments", {}).get(ATTACHED, {}).get("total")
    if not isinstance(total, dict):
        return None
    names = set(ReviewCounts.model_fields) - {"run_id"}
    return ReviewCounts(run_id=run_id, **{name: total.get(name, 0) for name in names})


async def find_review_faults(run_id: str, services: Services) -> list[FieldFault]:
    """Find why a run cannot head the flow of a table."""
    if await load_review_counts(run_id, services) is not None:
        return []
    message = "is no literature review with a report: name a run of the mode `literature_review` that has ended"
    return [FieldFault(field="review_run", message=message)]
