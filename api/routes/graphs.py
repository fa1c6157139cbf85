"""Graphs: which there are, what they look like, and whether one of your own could run."""

from typing import Annotated, Any, Literal

from fastapi import APIRouter, Body, Header, Query, Response
from pydantic import ValidationError
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    GraphNotFound,
    NotAcceptable,
    RequestInvalid,
    field_faults,
    problem_docs,
)
from elcano.api.http.negotiation import choose
from elcano.api.http.schemas import GraphCard, GraphVerdict
from elcano.graphs.checks.validation import faults
from elcano.graphs.modes import MODES
from elcano.graphs.spec.drawing import mermaid
from elcano.graphs.spec.graph import AgentNode, ResearchGraph
from elcano.graphs.spec.size import MAX_FAULTS, first_faults, size_faults

JSON = "application/json"
MERMAID = "text/vnd.mermaid"
TEXT = "text/plain"

router = APIRouter(prefix="/v1/graphs", tags=["graphs"], responses=problem_docs(RequestInvalid))


@router.get("")
async def list_graphs() -> list[GraphCard]:
    """List the built-in graphs: the modes that a run can have."""
    return [_card(graph) for graph in MODES.values()]


@router.get("/schema")
async def graph_schema() -> dict[str, Any]:
    """Read the JSON Schema of a graph, for editors and for programs that write graphs."""
    return ResearchGraph.model_json_schema()


@router.post("/validate", responses=problem_docs(BodyUnreadable, BodyTooLarge))
async def validate_graph(
    graph: Annotated[Any, Body(description="A graph as JSON (see `GET /v1/graphs/schema`).")],
) -> GraphVerdict:
    """Check a graph: its faults at once (of many the first), each naming its node, edge or field."""
    found = await run_in_threadpool(_found, graph)
    return GraphVerdict(valid=not found, faults=tuple(found))


@router.get(
    "/{name}",
    response_class=Response,
    responses={
        200: {
            "description": "The graph, in the form that `format` or `Accept` asks for",
            "content": {
                JSON: {"schema": {"$ref": "#/components/schemas/ResearchGraph"}},
                MERMAID: {"schema": {"type": "string"}},
                TEXT: {"schema": {"type": "string"}},
            },
        },
        **problem_docs(GraphNotFound, NotAcceptable),
    },
)
async def get_graph(
    name: str,
    form: Annotated[
        Literal["json", "mermaid"] | None, Query(alias="format", description="Goes before `Accept`.")
    ] = None,
    accept: Annotated[
        str | None, Header(description="`application/json` (default), `text/vnd.mermaid` or `text/plain`.")
    ] = None,
) -> Response:
    """Read a built-in graph, as JSON or drawn as a Mermaid flow chart."""
    graph = MODES.get(name)
    if graph is None:
        raise GraphNotFound(f"there is no graph {name!r}; there are {', '.join(MODES)}")
    media = {"json": JSON, "mermaid": MERMAID}[form] if form else choose(accept, (JSON, MERMAID, TEXT))
    content = graph.model_dump_json() if media == JSON else mermaid(graph)
    return Response(content, media_type=media, headers={"Vary": "Accept"})


def _found(graph: Any) -> list[str]:
    """The faults of what should be a graph's JSON."""
    if too_large := size_faults(graph):
        return too_large
    try:
        return faults(ResearchGraph.model_validate(graph))
    except ValidationError as error:
        wrong = field_faults(error.errors(include_url=False, include_context=False)[: MAX_FAULTS + 1])
        return first_faults(f"{fault.field}: {fault.message}" for fault in wrong)


def _card(graph: ResearchGraph) -> GraphCard:
    agents = {node.agent for node in graph.nodes if isinstance(node, AgentNode)}
    return GraphCard(
        name=graph.name, description=graph.description, nodes=len(graph.nodes), agents=tuple(sorted(agents))
    )
