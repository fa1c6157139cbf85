"""The knowledge graph, walked from one thing to the next: by words, by neighbours, and by the ways between two."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any, Final

from fastapi import APIRouter, Query, Request, Response

from elcano.api.http.request_identity import PUBLIC
from elcano.doors.page.error_pages import PageRoute
from elcano.doors.page.public_api import Api
from elcano.doors.page.rendering import render_page

NEIGHBOURS: Final = 100
"""Edges of a node on one page."""
DRAWN: Final = 8
"""Neighbours on each side of the picture; all are in the list."""
ROW: Final = 46
RELATIONS: Final[Mapping[str, tuple[str, str]]] = {
    "found": ("found", "found by"),
    "stated": ("stated", "stated by"),
    "cites": ("cites", "cited by"),
    "written_by": ("written by", "wrote"),
    "mentions": ("mentions", "mentioned by"),
    "reports": ("reports", "reported by"),
    "read": ("read", "read by"),
    "has": ("has", "part of"),
}
"""An edge in words, from the node that it leads from and from the one that it leads to."""

router = APIRouter(include_in_schema=False, dependencies=[PUBLIC], route_class=PageRoute)


@dataclass
class Relation:
    """A node next to another, with every run in which they were found together."""

    words: str
    outward: bool
    """Whether the edge leads away from the node that is looked at."""
    node: Mapping[str, Any]
    support: str
    runs: list[str] = field(default_factory=list)


@router.get("/knowledge")
async def show_knowledge(
    request: Request,
    api: Api,
    q: Annotated[str, Query(max_length=1_000, description="Words.")] = "",
    kind: Annotated[str, Query(max_length=20)] = "",
    start: Annotated[str, Query(alias="from", max_length=100, description="A node to find the ways from.")] = "",
) -> Response:
    """Show the size of the knowledge graph, and what it knows by some words."""
    counts, hits, origin = await asyncio.gather(
        api.get("/v1/knowledge"),
        api.get("/v1/knowledge/search", q=q, kind=kind or None, limit=50) if q.strip() else _find_nothing(),
        api.get(f"/v1/knowledge/nodes/{start}") if start else _find_nothing(),
    )
    return await render_page(request, "knowledge.html", counts=counts, hits=hits, q=q, kind=kind, origin=origin)


@router.get("/knowledge/paths")
async def show_paths(
    request: Request,
    api: Api,
    start: Annotated[str, Query(alias="from", max_length=100)],
    end: Annotated[str, Query(alias="to", max_length=100)],
) -> Response:
    """The shortest ways from one thing to another."""
    ends = [api.get(f"/v1/knowledge/nodes/{node}") for node in (start, end)]
    found, first, last = await asyncio.gather(
        api.get("/v1/knowledge/paths", **{"from": start, "to": end, "longest": 6}), *ends
    )
    return await render_page(
        request, "knowledge_paths.html", found=found, first=first, last=last, relate=describe_relation
    )


@router.get("/knowledge/{node_id}")
async def show_node(
    request: Request, api: Api, node_id: str, after: Annotated[str, Query(max_length=40)] = ""
) -> Response:
    """One thing with its neighbours, as a picture and as a list."""
    path = f"/v1/knowledge/nodes/{node_id}"
    node, page = await asyncio.gather(
        api.get(path), api.get(f"{path}/neighbours", limit=NEIGHBOURS, cursor=after or None)
    )
    relations = gather_relations(node_id, page["neighbours"])
    return await render_page(
        request,
        "node.html",
        node=node,
        relations=relations,
        sides=[[one for one in relations if one.outward is outward][:DRAWN] for outward in (False, True)],
        row=ROW,
        next=page["next"],
        after=after,
    )


async def _find_nothing() -> None:
    return None


def describe_relation(edge: Mapping[str, Any], node_id: str) -> str:
    """An edge in words, as it reads from one of its two nodes."""
    return RELATIONS[edge["kind"]][edge["start"] != node_id]


def gather_relations(node_id: str, neighbours: Sequence[Mapping[str, Any]]) -> list[Relation]:
    """The neighbours of a node, each once for each relation, in the order in which they came."""
    found: dict[tuple[str, str], Relation] = {}
    for one in neighbours:
        edge, node, words = one["edge"], one["node"], describe_relation(one["edge"], node_id)
        new = Relation(words, edge["start"] == node_id, node, edge["support"])
        relation = found.setdefault((words, node["id"]), new)
        if edge["run"] not in relation.runs:
            relation.runs.append(edge["run"])
    return list(found.values())
