"""Usage by day, mode, model, source, key or tenant: the figures of `GET /v1/usage`."""

import asyncio
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api, name_keys
from elcano.doors.page.rendering import render_page

GROUPS: Final[Mapping[str, str]] = {
    "day": "Day",
    "mode": "Mode",
    "model": "Model",
    "source": "Source",
    "key": "API key",
    "tenant": "Tenant",
}
"""Groupings of usage, with their labels."""
UNNAMED: Final[Mapping[str, str]] = {
    "model": "Without a model",
    "source": "Everything but searches",
    "key": "Without a key",
    "mode": "Outside runs",
}
"""Labels of groups whose name is empty."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/usage")
async def show_usage(
    request: Request,
    api: Api,
    by: Annotated[str, Query(max_length=20, description="What the usage is grouped by.")] = "day",
    first: Annotated[str, Query(alias="from", max_length=20, description="The first day.")] = "",
    last: Annotated[str, Query(alias="to", max_length=20, description="The last day.")] = "",
    all_tenants: Annotated[bool, Query(description="Whether all tenants are counted, for operators.")] = False,
) -> Response:
    """Usage in some days, by one of the groups, as a table with a bar for the share of each row."""
    asked = {"from": first or None, "to": last or None, "all_tenants": all_tenants or None}
    usage, keys = await asyncio.gather(
        api.get("/v1/usage", group_by=by, **asked), name_keys(api) if by == "key" else _name_nothing()
    )
    rows = usage["rows"]
    measure = "cost_usd" if usage["total"]["cost_usd"] else "tokens" if usage["total"]["tokens"] else "calls"
    return await render_page(
        request,
        "usage.html",
        usage=usage,
        rows=[(name_group(row, by, keys), row) for row in rows],
        groups=GROUPS,
        by=by,
        all_tenants=all_tenants,
        measure=measure,
        most=max((row[measure] for row in rows), default=0),
    )


async def _name_nothing() -> dict[str, str]:
    return {}


def name_group(row: Mapping[str, Any], by: str, keys: Mapping[str, str]) -> str:
    """The name of a row's group; of a key the one that it is for, if that is known."""
    name = str(row.get(by, ""))
    return keys.get(name, name) or UNNAMED.get(by, "Unknown")
