"""Evidence tables: a list, one table to read and screen, and one row with the quotes of its cells on their pages."""

import asyncio
import json
from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Final
from urllib.parse import urlencode

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api
from elcano.doors.page.quoted_claims import PagePlace
from elcano.doors.page.rendering import render_page

ROWS: Final = 25
"""Rows of one page: each is read from the report of its run."""
DECISIONS: Final = {"include": "Include", "exclude": "Exclude", "unsure": "Unsure"}
STATES: Final = {
    "running": ("live", "Being filled"),
    "waiting": ("wait", "Waits"),
    "out_of_budget": ("warn", "Out of budget"),
    "cancelling": ("wait", "Stopping"),
    "ended": ("good", "Done"),
    "cancelled": ("quiet", "Stopped"),
    "deleted": ("quiet", "Its batch was deleted"),
}
"""Colour and label of each state of a table."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/tables")
async def show_tables(request: Request, api: Api, before: Annotated[str, Query(max_length=40)] = "") -> Response:
    """All tables, and the form for a new one."""
    found, collections, sources = await asyncio.gather(
        api.get("/v1/evidence-tables", cursor=before or None),
        api.find_readable("/v1/collections"),
        api.find_readable("/v1/sources"),
    )
    uploads = [(one["source"], one["documents"]) for one in collections or ()]
    folders = [(one["name"], None) for one in sources or () if one["kind"] == "documents" and _is_folder(one["name"])]
    return await render_page(
        request, "tables.html", tables=found["tables"], next=found["next"], sources=[*uploads, *folders], states=STATES
    )


@router.get("/tables/{table_id}")
async def show_table(
    request: Request,
    api: Api,
    table_id: str,
    decision: Annotated[str, Query(max_length=20)] = "",
    start: Annotated[str, Query(alias="from", max_length=6)] = "",
) -> Response:
    """One table: its flow, its rows, and what may be done with it."""
    path = f"/v1/evidence-tables/{table_id}"
    table = await api.get(path, limit=ROWS, cursor=start or None, decision=decision or None)
    flow = table["flow"]
    filters = [("", "All", flow["records"]), ("undecided", "Undecided", flow["undecided"] + flow["duplicates"])]
    filters += [(one, DECISIONS[one], flow[name]) for one, name in zip(DECISIONS, _COUNTED, strict=True)]
    return await render_page(
        request,
        "table.html",
        table=table,
        decision=decision,
        start=start,
        filters=filters,
        decisions=DECISIONS,
        states=STATES,
        format_value=format_value,
    )


_COUNTED: Final = ("included", "excluded", "unsure")


@router.get("/tables/{table_id}/rows/{row}")
async def show_row(request: Request, api: Api, table_id: str, row: int) -> Response:
    """One row: every cell with its quotes on their pages, and the forms to write into it."""
    path = f"/v1/evidence-tables/{table_id}"
    table, found = await asyncio.gather(api.get(path, limit=0), api.get(f"{path}/rows/{row}"))
    return await render_page(
        request,
        "table_row.html",
        table=table,
        row=found,
        pages=list_pages,
        decisions=DECISIONS,
        format_value=format_value,
        write_value=write_value,
    )


def format_value(value: Any) -> str:
    """A value as a person reads it: lists of plain values with semicolons, what is nested as JSON."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, list) and not any(isinstance(one, dict | list) for one in value):
        return "; ".join(map(format_value, value))
    return write_value(value)


def write_value(value: Any) -> str:
    """A value as it is typed: a text as it is, anything else as JSON; nothing if there is none."""
    return value if isinstance(value, str) else "" if value is None else json.dumps(value, ensure_ascii=False)


def list_pages(quote: Mapping[str, Any], run_id: str) -> list[PagePlace]:
    """The pages of a quote, those with marks with their pictures."""
    marks: dict[int, list[Sequence[float]]] = {}
    for page, box in quote["marks"]:
        marks.setdefault(page, []).append(box)
    label = quote["page_label"]
    if not marks:
        return [PagePlace(f"page {label or quote['page']}")] if quote["page"] else []
    marked = urlencode({"evidence": quote["evidence"], "start": quote["start"] or 0, "end": quote["end"] or 0})
    return [
        PagePlace(
            f"page {page} ({label})" if label and page == quote["page"] else f"page {page}",
            f"/v1/runs/{run_id}/pages/{page}?{marked}",
            f"/v1/runs/{run_id}/pages/{page}?{urlencode({'evidence': quote['evidence']})}",
            boxes,
        )
        for page, boxes in marks.items()
    ]


def _is_folder(name: str) -> bool:
    """Whether a source of documents is a folder of the operator's: others cannot be listed."""
    return name not in ("packages", "uploads") and ":" not in name
