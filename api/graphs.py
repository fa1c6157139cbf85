"""Graphs: which there are, what they look like, whether one of your own could run, and keeping it."""

import asyncio
from typing import Annotated, Any, Literal, TypeAlias

from fastapi import APIRouter, Body, Header, Path, Query, Response
from pydantic import Field
from starlette.concurrency import run_in_threadpool

from elcano.api.http.errors import NotAcceptable, problem_docs
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.references import explain_unknown_name
from elcano.graphs.dry_run.dry_run import Preview, preview_graph
from elcano.graphs.errors import GraphInvalid, TooManyGraphs
from elcano.graphs.mode_choice import MODES, can_choose_mode, list_aliases
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.drawing import render_mermaid
from elcano.graphs.spec.graph import AgentNode, NodeId, ResearchGraph
from elcano.service.errors import FieldFault, GraphNotFound, RequestInvalid
from elcano.service.fields import Described, Moment, Request, Spoken, VersionCard, datetime_from_seconds
from elcano.service.runs.judgement import read_limits
from elcano.service.runs.mode_checks import find_barred_modes
from elcano.service.runs.named_graphs import (
    find_submitted_graph_faults,
    require_named_graph,
    require_own_graph,
    validate_received_graph,
)
from elcano.service.runs.run_request import MAX_QUESTION, BudgetRequest, _without_default


class GraphCard(Described):
    """A graph in a list."""

    name: NodeId = Field(examples=["iterative"])
    """Pass it as `mode`."""
    version: int | None = Field(default=None, ge=1, examples=[3])
    """For a custom graph the number of its latest version, which `mode` uses unless it names another (`name@2`); null:
    it is built in."""
    at: Moment | None = Field(default=None, examples=["2026-01-01T00:00:00Z"])
    """When that was kept."""
    description: str = Field(examples=["Think, find the gap, search for it, judge."])
    """Its description."""
    nodes: int = Field(examples=[9])
    """Number of nodes."""
    agents: tuple[str, ...] = Field(examples=[["judge", "thinking", "writer"]])
    """The agents that it calls."""

    @classmethod
    def of(cls, graph: ResearchGraph, version: int | None = None, at: float | None = None) -> "GraphCard":
        """A graph, of one's own with its version and when that was kept."""
        agents = {node.agent for node in graph.nodes if isinstance(node, AgentNode)}
        return cls(
            name=graph.name,
            version=version,
            at=datetime_from_seconds(at),
            description=graph.description,
            nodes=len(graph.nodes),
            agents=tuple(sorted(agents)),
        )


class GraphVerdict(Described):
    """Whether a graph can run."""

    valid: bool = Field(examples=[False])
    """True if it has no faults."""
    faults: tuple[str, ...] = Field(default=(), examples=[["node 'judge' cannot be reached from 'thinking'"]])
    """Every fault, each naming its node, edge or field."""
    errors: tuple[FieldFault, ...] = ()
    """The same faults, each with the JSON pointer of its place in the graph that was sent."""


class DryRunRequest(Request):
    """A walk through a graph on which nothing is done."""

    question: Spoken = Field(max_length=MAX_QUESTION, examples=["Why is the sky blue?"])
    """The question of the walk."""
    answers: dict[Annotated[str, Field(max_length=100)], Annotated[list[dict[str, Any]], Field(max_length=100)]] = (
        Field(
            default={},
            max_length=200,
            examples=[{"judge": [{"recommendation": "continue"}, {"recommendation": "synthesize"}]}],
        )
    )
    """By node what its visits answer, one after the other, the last for all that follow; what is left out of an answer
    is invented. A node of a branch answers so in all branches together."""
    sources: list[Annotated[str, Field(max_length=100)]] = Field(
        default=["library"], max_length=50, examples=[["papers"]]
    )
    """Names of sources; they need not exist."""
    budget: BudgetRequest = Field(default=BudgetRequest(), json_schema_extra=_without_default)
    """The limits of such a run."""


_LOCATION = {"Location": {"description": "The path of the version.", "schema": {"type": "string"}}}
JSON = "application/json"
MERMAID = "text/vnd.mermaid"
TEXT = "text/plain"
TAKEN = frozenset({"schema", "validate"})
"""Names that stand for something else in the place of a graph's."""

GraphNamed: TypeAlias = Annotated[
    str, Path(max_length=100, description="A name; of your own also a version: `my_graph@2`.", examples=["iterative"])
]

READ = (requires("read_catalogue"),)
EDIT = (requires("edit_catalogue"),)

router = APIRouter(prefix="/v1/graphs", tags=["graphs"])


@router.get("", dependencies=READ)
async def list_graphs(services: Provided) -> list[GraphCard]:
    """List the graphs that a run can be started with: the built-in modes, then those of your own."""
    own = await services.store.graphs.all()
    return [*map(GraphCard.of, MODES.values()), *(GraphCard.of(one.item, one.version, one.at) for one in own)]


@router.post(
    "",
    dependencies=EDIT,
    status_code=201,
    responses={
        200: {"model": GraphCard, "description": "It is the latest version already"},
        201: {"description": "A new version", "headers": _LOCATION},
        **problem_docs(GraphInvalid, TooManyGraphs),
    },
)
async def keep_graph(
    graph: Annotated[dict[str, Any], Body(description="A graph as JSON (see `GET /v1/graphs/schema`).")],
    services: Provided,
    response: Response,
) -> GraphCard:
    """Keep a graph of your own under its name, as a new version if there is one of that name.

    Runs name it as their `mode`. In place of a branch the name of a graph may stand: the graph that has this name now
    is kept in its place.
    """
    read = await validate_received_graph(graph, services.store)
    if read.name in (*MODES, *list_aliases()):
        built_in = f"{read.name!r} is a built-in graph: give yours another name"
        raise RequestInvalid([FieldFault(field="graph.name", message=built_in, pointer="/name")])
    if read.name in TAKEN:
        taken = f"{read.name!r} is a path of this API: a graph of that name could not be read; give yours another one"
        raise RequestInvalid([FieldFault(field="graph.name", message=taken, pointer="/name")])
    kept, new = await services.store.graphs.keep(read)
    response.status_code = 201 if new else 200
    response.headers["Location"] = f"/v1/graphs/{kept.key}"
    return GraphCard.of(kept.item, kept.version, kept.at)


@router.get("/schema", dependencies=READ)
async def graph_schema() -> dict[str, Any]:
    """Read the JSON Schema of a graph, for editors and for programs that write graphs."""
    return ResearchGraph.model_json_schema()


@router.post("/validate", dependencies=READ)
async def validate_graph(
    graph: Annotated[Any, Body(description="A graph as JSON (see `GET /v1/graphs/schema`).")],
    services: Provided,
) -> GraphVerdict:
    """Check a graph: its faults at once (of many the first), each naming its node, edge or field."""
    found = await find_submitted_graph_faults(graph, services.store)
    texts = (f"{one.field}: {one.message}" if one.field else one.message for one in found)
    return GraphVerdict(valid=not found, faults=tuple(texts), errors=tuple(found))


@router.get(
    "/{name}",
    dependencies=READ,
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
    name: GraphNamed,
    services: Provided,
    form: Annotated[
        Literal["json", "mermaid"] | None, Query(alias="format", description="Goes before `Accept`.")
    ] = None,
    accept: Annotated[
        str | None, Header(description="`application/json` (default), `text/vnd.mermaid` or `text/plain`.")
    ] = None,
) -> Response:
    """Read a graph, as JSON or drawn as a Mermaid flow chart."""
    graph = await require_named_graph(name, services.store.graphs)
    media = {"json": JSON, "mermaid": MERMAID}[form] if form else choose_media_type(accept, (JSON, MERMAID, TEXT))
    content = graph.model_dump_json() if media == JSON else render_mermaid(graph)
    return Response(content, media_type=media, headers={"Vary": "Accept"})


@router.get("/{name}/versions", dependencies=READ, responses=problem_docs(GraphNotFound))
async def list_versions(name: GraphNamed, services: Provided) -> list[VersionCard]:
    """List the versions of a graph of your own, the latest first."""
    versions = await services.store.graphs.versions(name)
    if not versions:
        await require_own_graph(name, services.store.graphs)
    return [VersionCard(version=version, at=datetime_from_seconds(at)) for version, at in versions]


@router.post("/{name}/dry-run", dependencies=READ, responses=problem_docs(GraphNotFound))
async def dry_run(name: GraphNamed, body: DryRunRequest, services: Provided) -> Preview:
    """Walk a graph with invented answers, or with yours: which way it goes, step by step and branch by branch.

    Nothing is searched, asked or paid for, and nothing is kept. What agents answer is made up, so what it shows is what
    the graph does: its ways, loops and limits, and which of its expressions found nothing.
    """
    graph = await require_named_graph(name, services.store.graphs)
    nodes = {node.id for each in graph.all_graphs() for node in each.nodes}
    strange = [(node, text) for node in body.answers for text in explain_unknown_name("node", node, nodes)]
    if strange:
        raise RequestInvalid([FieldFault(field=f"answers.{node}", message=text) for node, text in strange])
    limits, sources = read_limits(body.budget, default_limits(graph)), tuple(dict.fromkeys(body.sources))
    asked = ResearchInput(
        run_id=f"{services.tenant}-dry-run",
        question=body.question,
        mode=graph.name,
        graph=graph,
        limits=limits,
        sources=sources,
        databases=tuple(services.settings.databases),
        barred=find_barred_modes(limits, sources, services.settings) if can_choose_mode(graph) else {},
    )
    return await run_in_threadpool(asyncio.run, preview_graph(asked, body.answers))


@router.delete("/{name}", dependencies=EDIT, status_code=204, responses=problem_docs(GraphNotFound))
async def delete_graph(name: GraphNamed, services: Provided) -> None:
    """Delete your own graph with all its versions. Runs that walk it continue; they carry it with them."""
    if name in MODES:
        raise RequestInvalid([FieldFault(field="name", message=f"{name!r} is a built-in graph, which stays")])
    if not await services.store.graphs.delete(name):
        await require_own_graph(name, services.store.graphs)
        raise RequestInvalid([FieldFault(field="name", message="name the graph, not a version: all of them go")])
