"""Two runs side by side: what `GET /v1/runs/{run_id}/diff/{other_id}` tells of them."""

from typing import Annotated, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.plugins.page.error_pages import PageRoute
from elcano.plugins.page.public_api import Api, ApiProblem
from elcano.plugins.page.rendering import render_page
from elcano.plugins.page.report_page import SUPPORT_WORDS

SHOWN: Final = 50
"""Passages or references of a list that are shown; the API has all."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/compare")
async def show_comparison(
    request: Request,
    api: Api,
    run: Annotated[list[str], Query(max_length=200)] = [],  # noqa: B006  # FastAPI copies it
) -> Response:
    """The differences of two runs, the one asked for first being the older one of what was gained and lost.

    Raises:
        ApiProblem: not two were chosen, or the API refused.
    """
    if len(run) != 2:
        chosen = "one run was" if len(run) == 1 else f"{len(run)} runs were" if run else "no run was"
        detail = f"two runs are compared, and {chosen} chosen: go back to the list of runs and choose two"
        raise ApiProblem({"status": 422, "title": "Choose two runs", "detail": detail})
    first, second = sorted(run)
    found = await api.get(f"/v1/runs/{first}/diff/{second}")
    return await render_page(request, "comparison.html", found=found, words=SUPPORT_WORDS, shown=SHOWN)
