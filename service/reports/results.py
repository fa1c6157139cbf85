"""Helpers shared by the routes of results: a run's report, its pictures and other artifacts, and rows as CSV."""

import asyncio
import csv
import io
import unicodedata
from collections.abc import Iterable
from typing import Annotated, Final

from pydantic import Field, WrapSerializer

from elcano.graphs.report.report import Report
from elcano.service.errors import ReportLost, ReportNotReady
from elcano.service.fields import Described, with_moments
from elcano.service.process import Services
from elcano.service.runs.run_status import read_run
from elcano.storage.evidence import Evidence
from elcano.storage.store import TenantStore


class EvidencePage(Described):
    """One page of what a run found, in the order of finding."""

    run_id: str = Field(examples=["default-01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """The run."""
    total: int = Field(examples=[12])
    """Passages found so far."""
    next: str | None = Field(default=None, examples=["50"])
    """Pass it as `cursor` for the next page; null on the last one."""
    evidence: tuple[Annotated[Evidence, WrapSerializer(lambda one, write: with_moments(write(one)))], ...]
    """Passages, each with its offsets in the stored text."""


_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\n")


async def load_artifact(key: str, store: TenantStore) -> str:
    """Return the artifact stored under a hash that a run names.

    Raises:
        ReportLost: the store does not have it.
    """
    stored = await store.artifacts.get(key)
    if stored is None:
        raise ReportLost(f"the store does not have {key!r}; is this the run's data directory?")
    return stored


async def load_stored_report(run_id: str, services: Services) -> str:
    """Return the report of a run as it is stored, JSON.

    Raises:
        RunNotFound: there is no such run.
        ReportNotReady: it has no report.
        ReportLost: the store does not have it.
    """
    run = await read_run(run_id, services.temporal, services.store)
    if run.report is None:
        raise ReportNotReady(run_id, run.status)
    return await load_artifact(run.report.artifact, services.store)


def escape_formula(text: str) -> str:
    """`text` with an apostrophe before it if a spreadsheet would take it for a formula."""
    begins = unicodedata.normalize("NFKC", text[:1])
    return f"'{text}" if begins.startswith(_FORMULA) or text.lstrip().startswith(_FORMULA) else text


def render_csv(rows: Iterable[Iterable[object]]) -> str:
    """Rows as CSV (RFC 4180); a text that a spreadsheet would take for a formula begins with an apostrophe."""
    file = io.StringIO(newline="")
    csv.writer(file).writerows([escape_formula(one) if isinstance(one, str) else one for one in row] for row in rows)
    return file.getvalue()


async def load_pictures(stored: str, store: TenantStore) -> dict[str, str | None]:
    """Return the pictures of a report as SVG, by the paths at which it shows them; None: the store does not have it.

    Args:
        stored: the report as it is kept.
        store: where its pictures are.
    """
    if '"pictures":' not in stored:  # most reports have none, and a long one takes a while to read
        return {}
    pictures = (await asyncio.to_thread(Report.model_validate_json, stored)).pictures
    return {path: await store.artifacts.get(key) for path, key in pictures.items()}


SVG_HEADERS: Final = {
    "Content-Security-Policy": "default-src 'none'; frame-ancestors 'none'; sandbox",
    "X-Content-Type-Options": "nosniff",
}
