"""The passages that a run found, as rows: CSV for spreadsheets, JSON Lines for programs."""

import json
from collections.abc import AsyncIterator
from typing import Final

from elcano.api.http.fields import with_moments
from elcano.api.reports.results import render_csv
from elcano.graphs.report.works import find_citation_mark
from elcano.storage.evidence import Evidence
from elcano.storage.store import TenantStore

PAGE: Final = 200
"""Passages that are read at once."""
COLUMNS: Final = (
    "id",
    "source",
    "title",
    "authors",
    "year",
    "identifiers",
    "locator",
    "heading",
    "text",
    "document",
    "content_hash",
    "start",
    "end",
    "kind",
    "journal",
    "standing",
)


async def write_csv(store: TenantStore, run_id: str) -> AsyncIterator[bytes]:
    """All passages as CSV in UTF-8 (RFC 4180), in the order of finding; no text is taken for a formula."""
    yield render_csv([COLUMNS]).encode()
    async for passages in _read_passages(store, run_id):
        yield render_csv(map(_list_values, passages)).encode()


async def write_json_lines(store: TenantStore, run_id: str) -> AsyncIterator[bytes]:
    """All passages, each as one line of JSON, as `GET /v1/runs/{run_id}/evidence` has them."""
    async for passages in _read_passages(store, run_id):
        lines = (json.dumps(with_moments(one.model_dump(mode="json")), ensure_ascii=False) for one in passages)
        yield "".join(f"{line}\n" for line in lines).encode()


async def _read_passages(store: TenantStore, run_id: str) -> AsyncIterator[list[Evidence]]:
    offset = 0
    while passages := list(await store.evidence.of_run(run_id, limit=PAGE, offset=offset)):
        yield passages
        offset += len(passages)


def _list_values(passage: Evidence) -> list[object]:
    work = passage.work
    return [
        passage.id,
        passage.source,
        passage.title,
        "" if work is None else "; ".join(work.authors),
        "" if work is None or work.year is None else work.year,
        "" if work is None else " ".join(work.identifiers.names),
        passage.locator,
        passage.heading,
        passage.text,
        passage.document,
        passage.content_hash,
        passage.start,
        passage.end,
        "" if work is None else work.kind,
        "" if work is None else work.venue,
        find_citation_mark(work),
    ]
