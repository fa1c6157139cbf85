"""The first page: a question, what to research it with, and what was asked last."""

import asyncio
from collections import defaultdict
from collections.abc import Collection, Mapping, Sequence
from statistics import median
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response
from starlette.datastructures import Headers
from starlette.routing import Match
from starlette.types import Scope

from elcano.api.http.errors import NotAcceptable
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import PUBLIC
from elcano.api.openapi import HTML, JSON
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api, list_single_runs
from elcano.doors.page.rendering import render_page

RECENT: Final = 6
"""Runs on the first page."""
TIMED: Final = 30
"""Runs whose times say how long the next one may take."""
EXAMPLES: Final = ("What is Temporal?", "How does Jinja prevent XSS?", "Does HTTPX support HTTP/2?")
"""Questions that the readmes of packages answer, which every installation has."""
FEW: Final = 3
"""Sources of a group that is off that are named; more are counted."""
LITERATURE: Final = frozenset({"articles", "preprints", "trials"})
WEB: Final = frozenset({"pages", "encyclopedia"})

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


async def show_first_page(
    request: Request,
    api: Api,
    question: Annotated[str, Query(max_length=10_000, description="A question to begin with.")] = "",
    follow: Annotated[str, Query(max_length=200, description="The run that the question follows.")] = "",
) -> Response:
    """The first page: a question, and what to research it with."""
    (runs, _), modes, graphs, sources, domains, models, followed = await asyncio.gather(
        list_single_runs(api, TIMED),
        api.get("/v1/modes"),
        api.get("/v1/graphs"),
        api.get("/v1/sources"),
        api.get("/v1/domains"),
        api.get("/v1/models"),
        api.find(f"/v1/runs/{follow}", pending=False) if follow else _find_nothing(),
    )
    chosen = followed["sources"] if followed else [source["name"] for source in sources if source["default"]]
    return await render_page(
        request,
        "ask.html",
        question=question,
        followed=followed,
        runs=runs[:RECENT],
        times=measure_usual_seconds(runs),
        modes=modes,
        graphs=[graph for graph in graphs if graph["version"]],
        groups=group_sources(sources, chosen),
        gone=sorted(set(chosen) - {source["name"] for source in sources}),
        has_uploads=any(source["name"] == "uploads" for source in sources),
        examples=EXAMPLES if any(source["name"] == "packages" and source["default"] for source in sources) else (),
        domains=domains,
        models=models,
        price=choose_price(models),
        only_quotes=all(model["name"] == "offline" for model in models),
    )


def group_sources(sources: Sequence[Mapping[str, Any]], chosen: Collection[str]) -> list[dict[str, Any]]:
    """The sources in the three groups that a reader knows, those that can be searched first; `chosen` ones are on."""
    groups: dict[str, list[dict[str, Any]]] = {"Yours": [], "Literature": [], "Web": []}
    for source in sorted(sources, key=lambda source: not source["ready"]):
        name = "Literature" if source["kind"] in LITERATURE else "Web" if source["kind"] in WEB else "Yours"
        groups[name].append({**source, "on": source["name"] in chosen and source["ready"]})
    return [_describe_group(name, found) for name, found in groups.items() if found]


def _describe_group(name: str, sources: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    ready = [source["name"] for source in sources if source["ready"]]
    few = ", ".join(ready) if len(ready) <= FEW else f"{len(ready)} sources"
    return {
        "name": name,
        "sources": sources,
        "ready": ready,
        "on": ", ".join(source["name"] for source in sources if source["on"]),
        "off": f"off ({few})" if ready else "not set up",
    }


def measure_usual_seconds(runs: Sequence[Mapping[str, Any]]) -> defaultdict[str, float]:
    """The median time of completed runs, by the mode that they were asked for; 0 where there are none."""
    times = defaultdict[str, list[float]](list)
    for run in runs:
        if run["status"] == "completed" and run["budget"]:
            times[run["mode"]].append(run["budget"]["used"]["seconds"])
    return defaultdict(float, {mode: median(seconds) for mode, seconds in times.items()})


async def _find_nothing() -> None:
    return None


def choose_price(models: Sequence[Mapping[str, Any]]) -> dict[str, float] | None:
    """The price of the model that answers first; None if it is unknown."""
    found: dict[str, float] | None = next(
        (model["price"] for model in models if not model["agents"] and not model["fallback"]), None
    )
    return found


class FirstPageRoute(PageRoute):
    """The route of the first page, which is there for browsers; programs get the API's description."""

    def matches(self, scope: Scope) -> tuple[Match, Scope]:
        """Matches requests that would rather have HTML than JSON."""
        accept = Headers(scope=scope).get("accept")
        return super().matches(scope) if _prefers_html(accept) else (Match.NONE, {})


def _prefers_html(accept: str | None) -> bool:
    try:
        return choose_media_type(accept, (JSON, HTML)) == HTML
    except NotAcceptable:
        return False


router.add_api_route("/", show_first_page, route_class_override=FirstPageRoute)
