"""The API's own description: FastAPI's document, and what FastAPI cannot know of it.

That is what answers before any route does, the problems that all routes have in common, and the models that answers
hold without being a route's `response_model`.
"""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from elcano.api.http.errors import (
    CrossOriginRefused,
    HostRefused,
    MediaTypeUnsupported,
    Problem,
    StoreUnavailable,
    Unauthenticated,
    problem_docs,
)
from elcano.api.http.schemas import Welcome
from elcano.api.http.times import declare_moments
from elcano.api.live.feed import Streaming, UnreadableBranch, Waiting
from elcano.graphs.report.report import Report
from elcano.graphs.report.tables import ResultTable
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.events import AgentEvent
from elcano.settings import Settings

TAGS: Final = [
    {"name": "runs", "description": "Ask for a run, follow it, control it while it works, and go on from its end."},
    {"name": "results", "description": "What a run leaves: report, evidence, tables, charts, certificate."},
    {"name": "steps", "description": "What a run did, step by step, and how two runs differ."},
    {"name": "graphs", "description": "The modes, and graphs of your own."},
    {"name": "agents", "description": "The agents that graphs call, and agents of your own."},
    {"name": "sources", "description": "What can be searched."},
    {"name": "databases", "description": "What questions can be put to."},
    {"name": "tools", "description": "Servers of tools (MCP) that graphs can call."},
    {"name": "knowledge", "description": "What all runs found, as a graph."},
    {"name": "health", "description": "Whether the service works. Nobody has to say who they are."},
]
"""The order and the words in which the manual shows the routes."""
REFERRED: Final = (
    AgentEvent,
    Problem,
    Report,
    ResearchGraph,
    ResultTable,
    Streaming,
    UnreadableBranch,
    Waiting,
    Welcome,
)
"""Models that answers have without being a route's `response_model`."""


def build_openapi_document(app: FastAPI, settings: Settings) -> dict[str, Any]:
    """The OpenAPI document of `app`, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            routes=app.routes,
            tags=TAGS,
            servers=[{"url": settings.api_url.rstrip("/") or "/", "description": "This server"}],
        )
        _, named = models_json_schema(
            [(model, "serialization") for model in REFERRED], ref_template="#/components/schemas/{model}"
        )
        made["components"]["schemas"] |= named["$defs"]
        declare_moments(made["components"]["schemas"])
        for path, methods in made["paths"].items():
            for method, operation in methods.items():
                _merge_responses(operation["responses"], _list_common_problems(path, method))
                if not path.startswith("/v1/"):
                    operation["security"] = []
        _drop_defaults(made)
        _declare_identity(made, settings)
        app.openapi_schema = made
    return app.openapi_schema


def _drop_defaults(made: dict[str, Any]) -> None:
    """Drop the defaults of models that are only sent: some generators treat a field with a default as required.

    What is left out has its default all the same, and the description of the field says which.
    """
    schemas: dict[str, Any] = made["components"]["schemas"]
    operations = [operation for methods in made["paths"].values() for operation in methods.values()]
    sent = _named_in([one.get("requestBody") for one in operations], schemas)
    answered = _named_in([one["responses"] for one in operations], schemas)
    only_sent = sent - answered - {model.__name__ for model in REFERRED}
    for name in {*only_sent, Problem.__name__}:  # of a problem what has nothing to say is left out
        for field in schemas[name].get("properties", {}).values():
            field.pop("default", None)


def _named_in(part: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of all schemas that a part of the document refers to, directly or not."""
    found: set[str] = set()
    open_parts = [part]
    while open_parts:
        one = open_parts.pop()
        if isinstance(one, list):
            open_parts += one
        elif isinstance(one, dict):
            open_parts += one.values()
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name in schemas and name not in found:
                found.add(name)
                open_parts.append(schemas[name])
    return found


def _declare_identity(made: dict[str, Any], settings: Settings) -> None:
    """Declare the headers in which an authenticating proxy names tenant and user; without one all clients are alike."""
    said = {"tenant": (settings.tenant_header, "whose a request is"), "user": (settings.user_header, "who asks")}
    named = {name: (header, what) for name, (header, what) in said.items() if header}
    made["components"]["securitySchemes"] = {
        name: {
            "type": "apiKey",
            "in": "header",
            "name": header,
            "description": f"Says {what}. The proxy in front of the API sets it, and takes it away from what clients "
            "send: sign in as the proxy wants it.",
        }
        for name, (header, what) in named.items()
    }
    tenant: dict[str, list[str]] = {name: [] for name in named if name == "tenant"}
    made["security"] = [{name: [] for name in named}, *([tenant] if "user" in named else [])]


def _list_common_problems(path: str, method: str) -> dict[int | str, dict[str, Any]]:
    """The problems that a route has because of where it is."""
    bodied = (MediaTypeUnsupported,) if method == "post" else ()
    changing = (CrossOriginRefused, *bodied) if method in ("post", "delete") else ()
    kept = (Unauthenticated, StoreUnavailable) if path.startswith("/v1/runs") else ()
    return problem_docs(HostRefused, *changing, *kept)


def _merge_responses(responses: dict[str, Any], more: dict[int | str, dict[str, Any]]) -> None:
    for status, added in more.items():
        there = responses.setdefault(str(status), added)
        if there is not added:
            there["description"] += f"; {added['description']}"
            there.setdefault("headers", {}).update(added.get("headers", {}))
