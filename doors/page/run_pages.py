"""The pages of runs: their list; one run with its graph and sections; its steps; what it searched."""

import asyncio
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Query, Request, Response
from fastapi.responses import RedirectResponse
from starlette.background import BackgroundTask

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.formats import STATUS_WORDS
from elcano.doors.page.graph_drawing import Drawing, Progress, draw_graph
from elcano.doors.page.public_api import Api, PublicApi, list_single_runs, name_keys
from elcano.doors.page.rendering import build_address, render_page, share_page
from elcano.doors.page.report_page import prepare_report_page
from elcano.graphs.spec.graph import ParallelNode, ResearchGraph
from elcano.graphs.state.events import EVENT_TYPES
from elcano.service.events.feed import get_event_name

RUNS_A_PAGE: Final = 30
STEPS_A_PAGE: Final = 50
LATEST_WORKS: Final = 12
"""Works on the page of a run; all are on the page of its sources."""
PASSAGES_LOOKED_AT: Final = 50
"""Among these are the latest works."""
PASSAGES_A_PAGE: Final = 50
SECTIONS_A_PAGE: Final = 8
"""Sections whose searches are shown on one page; the steps of each are walked again, 0.2 s for the longest."""
SECTIONS_READ_AT_ONCE: Final = 4
EVENT_NAMES: Final = " ".join(get_event_name(one) for one in EVENT_TYPES if one != "streaming")
"""The events that a script listens to, as they are named in a stream."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/runs")
async def show_runs(
    request: Request,
    api: Api,
    question: Annotated[str, Query(max_length=200)] = "",
    status: Annotated[str, Query(max_length=20)] = "",
    mode: Annotated[str, Query(max_length=100)] = "",
    api_key: Annotated[str, Query(max_length=100)] = "",
    order: Annotated[str, Query(max_length=20)] = "",
    batches: Annotated[str, Query(max_length=3)] = "",
    before: Annotated[str | None, Query(max_length=200)] = None,
) -> Response:
    """The list of runs, filtered and sorted by the parameters of its address; with `batches`, also those of batches."""
    given = {"question": question, "status": status, "mode": mode, "api_key": api_key, "order": order}
    wanted = {name: value for name, value in given.items() if value}
    (runs, following), modes, keys = await asyncio.gather(
        _list_all_runs(api, before, wanted) if batches else list_single_runs(api, RUNS_A_PAGE, before=before, **wanted),
        api.get("/v1/modes"),
        name_keys(api),
    )
    return await render_page(
        request,
        "runs.html",
        runs=runs,
        next=following,
        before=before,
        wanted=wanted | ({"batches": batches} if batches else {}),
        keys=keys,
        words=STATUS_WORDS,
        modes=[one["name"] for one in modes],
    )


async def _list_all_runs(
    api: PublicApi, before: str | None, wanted: Mapping[str, str]
) -> tuple[list[dict[str, Any]], str | None]:
    page = await api.get("/v1/runs", limit=RUNS_A_PAGE, cursor=before, **wanted)
    return page["runs"], page["next"]


@router.get("/runs/{run_id}")
async def show_run(request: Request, api: Api, run_id: str, view: Literal["", "overview"] = "") -> Response:
    """One run: what it does, what it has found and spent, and where one may step in; of one that has ended, its report.

    After an event every browser that shows it asks for it anew, at the same moment. Scripts are not led to the report:
    they look at what their page shows.
    """
    is_opened = not view and request.headers.get("sec-fetch-dest", "document") == "document"
    page = await share_page(request, api, partial(_render_run, request, api, run_id, prefers_report=is_opened))
    page.background = BackgroundTask(prepare_report_page)  # a run that is watched leads to its report by itself
    return page


async def _render_run(request: Request, api: PublicApi, run_id: str, *, prefers_report: bool) -> Response:
    run = await api.get(f"/v1/runs/{run_id}")
    if prefers_report and run["report"] and run["status"] != "running":
        return RedirectResponse(build_address(request, f"/runs/{run_id}/report"), status_code=303)
    found, sources = await asyncio.gather(_find_works(api, run), api.get("/v1/sources"))
    return await render_page(
        request,
        "run.html",
        run=run,
        event_names=EVENT_NAMES,
        found=found,
        sources=[source["name"] for source in sources if source["ready"] and source["name"] not in run["sources"]],
    )


async def _find_works(api: PublicApi, run: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """The works that the run found last, each once, and how many passages it found; None if it found nothing."""
    known = max(run["evidence"] or 0, run["sections"]["evidence"] if run["sections"] else 0)
    after = max(known - PASSAGES_LOOKED_AT, 0)
    page = await api.find_readable(f"/v1/runs/{run['run_id']}/evidence", cursor=after or None, limit=PASSAGES_LOOKED_AT)
    if not page or not page["total"]:
        return None
    works = {one["title"] or one["locator"]: one for one in page["evidence"]}
    return {"total": page["total"], "works": list(reversed(works.values()))[:LATEST_WORKS]}


def draw_run(graph: ResearchGraph, run: Mapping[str, Any], steps: Mapping[str, Any]) -> Drawing:
    """The graph of a run with how far it has come."""
    running = run["status"] == "running"
    branching = [node.id for node in graph.nodes if isinstance(node, ParallelNode)]
    visits = steps.get("visits", {})
    at_branches = next((node for node in branching if node == run["node"] or node in visits), "")
    progress = Progress(
        here=run["node"] if running else "",
        held=bool(run["hold"]) and run["stage"] in ("held", "paused", "approval", "answers"),
        failed=run["failure"]["node"] if run["failure"] else "",
        visits=visits,
        branches=run["branches"],
        branches_node=at_branches,
    )
    return draw_graph(graph, progress)


@router.get("/runs/{run_id}/steps")
async def show_steps(
    request: Request, api: Api, run_id: str, after: Annotated[int, Query(ge=0, le=1_000_000)] = 0
) -> Response:
    """The steps of a run or of a section, a page at a time."""
    run, steps, graph = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}"),
        api.get(f"/v1/runs/{run_id}/steps", cursor=after, limit=STEPS_A_PAGE),
        api.find_readable(f"/v1/runs/{run_id}/graph"),
    )
    longest = max((row["seconds"] or 0 for row in steps["rows"] if row["row"] == "step"), default=0)
    return await render_page(
        request,
        "steps.html",
        run=run,
        event_names=EVENT_NAMES,
        drawing=draw_run(ResearchGraph.model_validate(graph), run, steps) if graph else None,
        steps=steps,
        after=after,
        page_size=STEPS_A_PAGE,
        longest=longest,
    )


@router.get("/runs/{run_id}/steps/{step}")
async def show_step(
    request: Request, api: Api, run_id: str, step: int, state: Literal["", "before", "after"] = ""
) -> Response:
    """One step: what went in and came out, and the ways to go on from here.

    What the run knew before or after it is shown if asked for: a state may have more parts than all else together.
    """
    run, detail = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}", pending=False), api.get(f"/v1/runs/{run_id}/steps/{step}")
    )
    return await render_page(request, "step.html", run=run, detail=detail, step=detail["step"], state=state)


@router.get("/runs/{run_id}/sources")
async def show_sources(
    request: Request,
    api: Api,
    run_id: str,
    offset: Annotated[int, Query(ge=0, le=1_000_000)] = 0,
    section: Annotated[int, Query(ge=0, le=1_000)] = 0,
) -> Response:
    """The searches of a run and of its sections, with the passages they found and those the run kept.

    `section` is the first one whose searches are shown: those of 200 would be thousands.
    """
    run = await api.get(f"/v1/runs/{run_id}", pending=False)
    shown = run["branches"][section : section + SECTIONS_A_PAGE]
    at_once = asyncio.Semaphore(SECTIONS_READ_AT_ONCE)
    evidence, state, *of_sections = await asyncio.gather(
        api.get(f"/v1/runs/{run_id}/evidence", cursor=offset, limit=PASSAGES_A_PAGE),
        _find_state(api, run),
        *(_read_section_searches(api, branch, at_once) for branch in shown),
    )
    return await render_page(
        request,
        "sources.html",
        run=run,
        evidence=evidence,
        offset=offset,
        searches=[one for part in [list_searches(state), *of_sections] for one in part or ()],
        unread=[branch["section"] for branch, found in zip(shown, of_sections, strict=True) if found is None],
        section=section,
        sections_a_page=SECTIONS_A_PAGE,
        kept=state.get("evidence", ()),
    )


async def _read_section_searches(
    api: PublicApi, branch: Mapping[str, Any], at_once: asyncio.Semaphore
) -> Sequence[Mapping[str, Any]] | None:
    """The searches of a section, each with the section's title; None if they cannot be read at the moment."""
    async with at_once:
        section = await api.find_readable(f"/v1/runs/{branch['run_id']}", pending=False)
        if section is None or (section["steps"] is None and section["stale"]):
            return None
        found = list_searches(await _find_state(api, section))
    return [{**search, "section": branch["section"]} for search in found]


async def _find_state(api: PublicApi, run: Mapping[str, Any]) -> Mapping[str, Any]:
    """State of the run after its latest step; empty if no one can tell."""
    if not run["steps"]:
        return {}
    detail = await api.find_readable(f"/v1/runs/{run['run_id']}/steps/{run['steps']}")
    return (detail and (detail["after"] or detail["before"])) or {}


def list_searches(state: Mapping[str, Any]) -> Sequence[Mapping[str, Any]]:
    """Every search of a run, in its order, with the round that it belongs to."""
    return [
        {**call, "round": round_["number"], "section": ""}
        for round_ in state.get("conversation", ())
        for call in round_.get("tool_calls", ())
    ]
