"""The API's own description: FastAPI's document, and what FastAPI cannot know of it.

That is what answers before any route does, the problems that all routes have in common, and the models that answers
hold without being a route's `response_model`.
"""

from typing import Any, Final

from fastapi import FastAPI
from fastapi.openapi.utils import get_openapi
from pydantic.json_schema import models_json_schema

from elcano.api.http.errors import (
    HostUntrusted,
    MediaTypeUnsupported,
    OriginForeign,
    Problem,
    StoreUnavailable,
    Unidentified,
    problem_docs,
)
from elcano.api.http.schemas import Welcome
from elcano.api.http.times import declare_moments
from elcano.api.live.feed import Streaming, Unreadable, Waiting
from elcano.graphs.data.table import ResultTable
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.values.events import AgentEvent
from elcano.graphs.values.report import Report

REFERRED: Final = (AgentEvent, Problem, Report, ResearchGraph, ResultTable, Streaming, Unreadable, Waiting, Welcome)
"""Models that answers have without being a route's `response_model`."""


def document(app: FastAPI) -> dict[str, Any]:
    """The OpenAPI document of `app`, made once."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title, version=app.version, description=app.description, routes=app.routes, tags=app.openapi_tags
        )
        _, named = models_json_schema(
            [(model, "serialization") for model in REFERRED], ref_template="#/components/schemas/{model}"
        )
        made["components"]["schemas"] |= named["$defs"]
        declare_moments(made["components"]["schemas"])
        for path, methods in made["paths"].items():
            for method, operation in methods.items():
                _add(operation["responses"], _common(path, method))
        app.openapi_schema = made
    return app.openapi_schema


def _common(path: str, method: str) -> dict[int | str, dict[str, Any]]:
    """The problems that a route has because of where it is."""
    bodied = (MediaTypeUnsupported,) if method == "post" else ()
    changing = (OriginForeign, *bodied) if method in ("post", "delete") else ()
    kept = (Unidentified, StoreUnavailable) if path.startswith("/v1/runs") else ()
    return problem_docs(HostUntrusted, *changing, *kept)


def _add(responses: dict[str, Any], more: dict[int | str, dict[str, Any]]) -> None:
    for status, added in more.items():
        there = responses.setdefault(str(status), added)
        if there is not added:
            there["description"] += f"; {added['description']}"
            there.setdefault("headers", {}).update(added.get("headers", {}))
