"""The API's own description: its OpenAPI document, the manual at `/docs` and the landing page.

The document adds what answers before any route does, the problems that all routes have in common, and the models that
answers hold without being a route's `response_model`. No page that we serve loads anything from elsewhere.
"""

from collections.abc import Iterator
from html import escape
from importlib.resources import files
from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, FastAPI, Header, Request, Response
from fastapi.openapi.docs import get_swagger_ui_html
from fastapi.openapi.utils import get_openapi
from fastapi.routing import APIRoute
from pydantic import BaseModel, Field
from pydantic.json_schema import models_json_schema
from starlette.responses import HTMLResponse
from starlette.staticfiles import StaticFiles

from elcano.api.events.sse import RUN_MESSAGE
from elcano.api.http.errors import (
    BodyTooLarge,
    BodyUnreadable,
    CrossOriginRefused,
    HostRefused,
    MediaTypeUnsupported,
    NotAcceptable,
    Problem,
    problem_docs,
)
from elcano.api.http.methods import flatten_routes
from elcano.api.http.request_guards import choose_media_type
from elcano.api.http.request_identity import PUBLIC, RoutePermissions
from elcano.graphs.report.report import Report
from elcano.graphs.spec.graph import ResearchGraph
from elcano.graphs.state.events import AgentEvent
from elcano.service.errors import Forbidden, RequestInvalid, StoreUnavailable, Unauthenticated
from elcano.service.events.feed import Streaming, UnreadableBranch, Waiting
from elcano.service.fields import Described, declare_moments
from elcano.service.permissions import Permission
from elcano.settings.settings import Settings


class Welcome(Described):
    """Name of this service, and links to continue with."""

    name: str = Field(examples=["Elcano"])
    """The program."""
    description: str
    """Description of what it does."""
    version: str = Field(examples=["0.1.0"])
    """Its version."""
    links: dict[Literal["manual", "openapi", "runs", "modes", "graphs", "domains", "health", "readiness"], str] = {
        "manual": "/docs",
        "openapi": "/openapi.json",
        "runs": "/v1/runs",
        "modes": "/v1/modes",
        "graphs": "/v1/graphs",
        "domains": "/v1/domains",
        "health": "/healthz",
        "readiness": "/readyz",
    }
    """Places to look at, by what is there."""


TAGS: Final = [
    {"name": "runs", "description": "Start a run, follow it, control it while it works, and resume it after its end."},
    {"name": "results", "description": "What a run leaves: report, evidence, tables, charts, certificate."},
    {"name": "steps", "description": "What a run did, step by step, and how two runs differ."},
    {"name": "graphs", "description": "The modes, and graphs of your own."},
    {"name": "agents", "description": "The agents that graphs call, and agents of your own."},
    {"name": "sources", "description": "What can be searched."},
    {"name": "documents", "description": "Documents of your own: upload them, see how they stand, search them."},
    {"name": "databases", "description": "What questions can be put to."},
    {"name": "tools", "description": "Servers of tools (MCP) that graphs can call."},
    {"name": "knowledge", "description": "What all runs found, as a graph."},
    {"name": "openai", "description": "The API of OpenAI in front of runs, for clients that speak it."},
    {"name": "ag-ui", "description": "AG-UI in front of runs, for front ends of agents that speak it."},
    {"name": "webhooks", "description": "Servers of your own that are notified of runs."},
    {"name": "schedules", "description": "Questions that are asked again and again."},
    {"name": "batches", "description": "Many questions under one budget, and tables of entities."},
    {"name": "evidence tables", "description": "Documents by questions, a quote in each cell, and screening."},
    {"name": "access", "description": "API keys, sessions of browsers, links to runs, and the audit log."},
    {"name": "quotas", "description": "What a tenant used, and what it may still use."},
    {"name": "operations", "description": "For those who run the service."},
    {"name": "health", "description": "Whether the service works. Nobody has to say who they are."},
]
"""The order and the words in which the manual shows the routes."""
REFERRED: Final = (
    AgentEvent,
    Problem,
    Report,
    ResearchGraph,
    Streaming,
    UnreadableBranch,
    Waiting,
    Welcome,
)
"""Models that answers have without being a route's `response_model`."""


def build_openapi_document(app: FastAPI, settings: Settings, permissions: RoutePermissions) -> dict[str, Any]:
    """The OpenAPI document of `app`, made once; `permissions` are those of its routes."""
    if app.openapi_schema is None:
        made = get_openapi(
            title=app.title,
            version=app.version,
            description=app.description,
            license_info=app.license_info,
            routes=app.routes,
            tags=TAGS,
            servers=[{"url": settings.api_url.rstrip("/") or "/", "description": "This server"}],
        )
        _, named = models_json_schema(
            [(model, "serialization") for model in REFERRED], ref_template="#/components/schemas/{model}"
        )
        made["components"]["schemas"] |= named["$defs"] | {"RunMessage": RUN_MESSAGE}
        declare_moments(made["components"]["schemas"])
        for path, methods in made["paths"].items():
            for method, operation in methods.items():
                permission = permissions[method, path]
                common = _list_common_problems(path, method, permission, sends_body="requestBody" in operation)
                _merge_responses(operation["responses"], common)
                if permission is None:
                    operation["security"] = []
        _drop_defaults(made)
        _require_sent_fields(made, app)
        _require_discriminators(made["components"]["schemas"])
        made["components"]["securitySchemes"] = app.state.identity.security_schemes
        made["security"] = app.state.identity.security
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


def _require_sent_fields(made: dict[str, Any], app: FastAPI) -> None:
    """Require every field of what FastAPI writes, and of events: they are always sent, if only with their defaults.

    What routes write themselves may lack some, such as a report that an older release stored.
    """
    schemas: dict[str, Any] = made["components"]["schemas"]
    routes = [route for route in flatten_routes(app.routes) if isinstance(route, APIRoute)]
    by_hand = {route.name for route in routes if route.response_field is None}
    operations = [operation for methods in made["paths"].values() for operation in methods.values()]
    written = _named_in([one["responses"] for one in operations if one["operationId"] not in by_hand], schemas)
    others = [[one.get("requestBody"), one["operationId"] in by_hand and one["responses"]] for one in operations]
    whole = written - _named_in(others, schemas) | {AgentEvent.__name__}
    omitted = _list_omitted_fields(BaseModel)
    for name in whole:
        fields = {
            field: described
            for field, described in schemas[name].get("properties", {}).items()
            if (name, field) not in omitted
        }
        if fields:
            schemas[name]["required"] = list(fields)
        for field in fields.values():
            field.pop("default", None)


def _list_omitted_fields(model: type[BaseModel]) -> set[tuple[str, str]]:
    """The fields, by the names of their models, that are left out of JSON where they say nothing (`exclude_if`)."""
    found = {(model.__name__, name) for name, field in model.model_fields.items() if field.exclude_if is not None}
    return found.union(*map(_list_omitted_fields, model.__subclasses__()))


def _iter_objects(part: Any) -> Iterator[dict[str, Any]]:
    """Yield each JSON object within a part of the document, itself included."""
    open_parts = [part]
    while open_parts:
        one = open_parts.pop()
        if isinstance(one, list):
            open_parts += one
        elif isinstance(one, dict):
            open_parts += one.values()
            yield one


def _require_discriminators(schemas: dict[str, Any]) -> None:
    """Require the field that distinguishes the forms of a value: one that lacks it has no form."""
    for one in _iter_objects(schemas):
        if isinstance(chosen := one.get("discriminator"), dict) and "mapping" in chosen:
            for reference in chosen["mapping"].values():
                form = schemas[reference.rpartition("/")[2]]
                form["properties"][chosen["propertyName"]].pop("default", None)
                form["required"] = [*dict.fromkeys((*form.get("required", ()), chosen["propertyName"]))]


def _named_in(part: Any, schemas: dict[str, Any]) -> set[str]:
    """The names of all schemas that a part of the document refers to, directly or not."""
    found: set[str] = set()
    open_parts = [part]
    while open_parts:
        for one in _iter_objects(open_parts.pop()):
            name = str(one.get("$ref", "")).rpartition("/")[2]
            if name in schemas and name not in found:
                found.add(name)
                open_parts.append(schemas[name])
    return found


def _list_common_problems(
    path: str, method: str, permission: Permission | None, *, sends_body: bool
) -> dict[int | str, dict[str, Any]]:
    """The problems that a route has because of where it is and what it takes; no parameter that it lacks is ignored."""
    kinds: list[type[Exception]] = [HostRefused, RequestInvalid]
    if sends_body:
        kinds += [BodyUnreadable, BodyTooLarge]
    if method in ("post", "put", "delete"):
        kinds += [CrossOriginRefused]
    if method == "post":
        kinds += [MediaTypeUnsupported]
    if permission is not None:
        kinds += [Unauthenticated, Forbidden]
    if path.startswith("/v1/runs"):
        kinds += [StoreUnavailable]
    return problem_docs(*kinds)


def _merge_responses(responses: dict[str, Any], more: dict[int | str, dict[str, Any]]) -> None:
    for status, added in more.items():
        there = responses.setdefault(str(status), added)
        if there is not added and added["description"] not in there["description"]:
            there["description"] += f"; {added['description']}"
            if "headers" in added:
                there.setdefault("headers", {}).update(added["headers"])


ASSETS: Final = "/docs/assets"
CONTENT_POLICY: Final = (
    "default-src 'none'; connect-src 'self'; img-src 'self' data:; script-src 'self' 'unsafe-inline'; "
    "style-src 'self' 'unsafe-inline'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Content Security Policy of our pages: only content from this server. Swagger UI is started by a script in its page.
"""


def add_manual(app: FastAPI) -> None:
    """Serve the API manual of `app` and its static assets."""
    app.mount(ASSETS, StaticFiles(directory=str(files("fastapi_offline") / "static")), name="manual")

    @app.get("/docs", include_in_schema=False, dependencies=[PUBLIC])
    async def manual(request: Request) -> HTMLResponse:
        root = request.scope.get("root_path", "")
        page = get_swagger_ui_html(
            openapi_url=f"{root}{app.openapi_url}",
            title=f"{app.title}: the API",
            swagger_js_url=f"{root}{ASSETS}/swagger-ui-bundle.js",
            swagger_css_url=f"{root}{ASSETS}/swagger-ui.css",
            swagger_favicon_url=f"{root}{ASSETS}/favicon.png",
            swagger_ui_parameters={"validatorUrl": None},  # it would send the document to a service of Swagger's
        )
        return HTMLResponse(bytes(page.body), headers={"Content-Security-Policy": CONTENT_POLICY})


JSON = "application/json"
HTML = "text/html"

router = APIRouter(tags=["health"], dependencies=[PUBLIC])


@router.get(
    "/",
    response_class=Response,
    responses={
        200: {
            "description": "The entry points, in the form that `Accept` requests",
            "content": {
                JSON: {"schema": {"$ref": "#/components/schemas/Welcome"}},
                HTML: {"schema": {"type": "string"}},
            },
        },
        **problem_docs(NotAcceptable),
    },
)
async def describe_service(
    request: Request,
    accept: Annotated[str | None, Header(description="`application/json` (default) or `text/html`.")] = None,
) -> Response:
    """Return a description of this service and the address of its manual."""
    form = choose_media_type(accept, (JSON, HTML))
    found = Welcome(name=request.app.title, description=request.app.description, version=request.app.version)
    headers = {"Vary": "Accept", "Content-Security-Policy": CONTENT_POLICY}
    return Response(
        found.model_dump_json() if form == JSON else _render_welcome_page(found), media_type=form, headers=headers
    )


def _render_welcome_page(found: Welcome) -> str:
    places = "\n".join(f'<li><a href="{escape(place)}">{escape(name)}</a></li>' for name, place in found.links.items())
    return f"""<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>{escape(found.name)}</title>
<h1>{escape(found.name)} {escape(found.version)}</h1>
<p>{escape(found.description)}</p>
<ul>
{places}
</ul>
</html>
"""
