"""Graphs and agents: which there are, each as a picture and as text, its versions, and a walk through it without a run.

A walk is asked of the API as a program would (`POST /v1/graphs/NAME/dry-run`); it does nothing, so a page can show one.
"""

import asyncio
import json
from collections.abc import Mapping
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.graph_drawing import Progress, draw_graph
from elcano.doors.page.public_api import Api, PublicApi
from elcano.doors.page.rendering import render_page
from elcano.graphs.spec.graph import ResearchGraph

MOST_STEPS: Final = 200
"""Steps of a walk that are shown."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@router.get("/graphs")
async def show_graphs(request: Request, api: Api) -> Response:
    """The graphs that runs walk and the agents that graphs call, those of one's own first."""
    graphs, agents = await asyncio.gather(api.get("/v1/graphs"), api.get("/v1/agents"))
    return await render_page(
        request,
        "graphs.html",
        graphs=sorted(graphs, key=lambda graph: graph["version"] is None),
        agents=sorted(agents, key=lambda agent: agent["version"] is None),
    )


@router.get("/graphs/{name}")
async def show_graph(
    request: Request,
    api: Api,
    name: str,
    question: Annotated[str, Query(max_length=10_000, description="A question to walk the graph with.")] = "",
) -> Response:
    """One graph with its branches, its versions and, if there is a question, the way of a walk."""
    path = f"/v1/graphs/{name}"
    found, versions, walk = await asyncio.gather(
        api.get(path),
        _list_versions(api, path),
        api.post(f"{path}/dry-run", {"question": question}) if question.strip() else _walk_nothing(),
    )
    graph = ResearchGraph.model_validate(found)
    return await render_page(
        request,
        "one_graph.html",
        name=name,
        graph=graph,
        written=json.dumps(found, ensure_ascii=False, indent=2),
        drawing=draw_graph(graph, trace_walk(walk) if walk else Progress()),
        branches={title: draw_graph(branch, Progress()) for title, branch in graph.branches.items()},
        versions=versions,
        question=question,
        walk=walk,
        most_steps=MOST_STEPS,
    )


@router.get("/agents/{name}")
async def show_agent(request: Request, api: Api, name: str) -> Response:
    """One agent: its input, instructions and output, and its versions."""
    path = f"/v1/agents/{name}"
    agent, versions = await asyncio.gather(api.get(path), _list_versions(api, path))
    written = json.dumps(agent["definition"], ensure_ascii=False, indent=2) if agent["definition"] else ""
    return await render_page(request, "agent.html", name=name, agent=agent, written=written, versions=versions)


async def _list_versions(api: PublicApi, path: str) -> list[dict[str, Any]]:
    """The versions of something of one's own, the latest first; none of what is built in."""
    base, _, _ = path.partition("@")
    found: list[dict[str, Any]] = await api.find(f"{base}/versions") or []
    return found


async def _walk_nothing() -> None:
    return None


def trace_walk(walk: Mapping[str, Any]) -> Progress:
    """The way of a walk in the graph itself: how often it came to each node, in which step last, and by which edges."""
    visits: dict[str, dict[str, Any]] = {}
    steps = [step for step in walk["steps"] if not step["path"]]
    for step in steps:
        before = visits.get(step["node"], {"count": 0})
        failed = step["outcome"] == "failed"
        visits[step["node"]] = {"count": before["count"] + 1, "last_step": step["number"], "failed": failed}
    return Progress(visits=visits, ways={(step["node"], step["next"]) for step in steps})
