"""The document as generators of clients read it: what they send by default is accepted, what comes is named."""

from collections.abc import Callable
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.state.budget import Budget, Limits
from elcano.graphs.state.events import EVENT_TYPES
from elcano.service.runs.budget_view import BudgetView, RunLimits
from elcano.service.runs.judgement import read_limits
from elcano.service.runs.run_request import BudgetRequest
from elcano.settings.settings import Settings


@pytest.fixture
def document(app: FastAPI) -> dict[str, Any]:
    return app.openapi()


def generated(document: dict[str, Any], model: str, **given: object) -> dict[str, object]:
    """What a generated class sends if only `given` is set: every default, and those that are no scalars as texts."""
    body = dict(given)
    for name, schema in document["components"]["schemas"][model]["properties"].items():
        if "default" in schema and name not in given:
            default = schema["default"]
            body[name] = str(default) if isinstance(default, dict | list) and "anyOf" in schema else default
    return body


async def test_the_default_request_of_a_generated_client_is_accepted(
    api: httpx.AsyncClient, document: dict[str, Any]
) -> None:
    body = generated(document, "RunRequest", question="Why?", budget=generated(document, "BudgetRequest"))
    answer = await api.post("/v1/runs", json=body)
    assert answer.status_code == 201, answer.text
    assert answer.headers["location"] == f"/v1/runs/{answer.json()['run_id']}"
    assert set(document["components"]["schemas"]["RunView"]["required"]) == set(answer.json())


async def test_no_default_of_a_request_is_an_object_among_several_forms(document: dict[str, Any]) -> None:
    for name, schema in document["components"]["schemas"].items():
        for field, described in schema.get("properties", {}).items():
            assert not ("anyOf" in described and isinstance(described.get("default"), dict)), f"{name}.{field}"


async def test_the_messages_of_a_stream_are_declared(document: dict[str, Any]) -> None:
    answers = document["paths"]["/v1/runs/{run_id}/events"]["get"]["responses"]
    shapes = answers["200"]["content"]["text/event-stream"]["x-itemSchema"]["oneOf"]
    data = [shape["properties"]["data"]["contentSchema"]["$ref"].rpartition("/")[2] for shape in shapes]
    assert data == ["AgentEvent", "Waiting", "UnreadableBranch", "Streaming"]
    assert answers["200"]["content"]["text/event-stream"]["schema"] == {"$ref": "#/components/schemas/RunMessage"}
    names = [name for shape in shapes for name in shape["properties"]["event"]["enum"]]
    assert len(names) == len(set(names))
    assert "id" not in shapes[-1]["properties"]
    assert set(names) == set(EVENT_TYPES) - {"error"} | {"node_error", "waiting", "unreadable"}
    assert set(document["components"]["schemas"]["AgentEvent"]["properties"]["type"]["enum"]) == set(EVENT_TYPES)


async def test_headers_that_answers_have_are_declared(document: dict[str, Any]) -> None:
    started = document["paths"]["/v1/runs"]["post"]["responses"]
    assert all("Location" in started[status]["headers"] for status in ("200", "201"))
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            if (path, method) != ("/readyz", "get"):
                later = operation["responses"].get("503")
                assert later is None or "Retry-After" in later["headers"], (path, method)


def test_the_budget_of_an_answer_has_every_word_of_a_runs_own() -> None:
    view = Budget(limits=Limits(cost_microusd=1_500_000)).view()
    shown = BudgetView.of(view)
    assert shown is not None
    told = shown.model_dump(mode="json")
    assert (told["exceeded"], told["reason"], told["affordable_sections"]) == (False, None, None)  # no plan is to come
    gauges = {name: gauge for name, gauge in view.items() if isinstance(gauge, dict)}
    for part in ("limit", "used", "remaining", "for_research"):
        expected = {name: gauge[part] for name, gauge in gauges.items() if part in gauge}
        said = told["limits" if part == "limit" else part]
        assert {name: value for name, value in said.items() if name in expected} == expected
        assert all(value is None for name, value in said.items() if name not in expected), part
    assert BudgetView.of(Budget().view()) is not None
    assert BudgetView.of({}) is None
    assert BudgetView.of({**view, "word_of_a_newer_worker": 1}) == shown


def test_limits_are_said_in_the_words_of_the_request() -> None:
    shown = RunLimits.of(Limits(cost_microusd=1_500_000, when_exhausted="pause"))
    asked = read_limits(BudgetRequest.model_validate(shown.model_dump()), Limits())
    assert asked == Limits(cost_microusd=1_500_000, when_exhausted="pause")
    assert shown.model_dump().keys() == BudgetRequest.model_fields.keys() - {"path_seconds"}, "that is in the graph"


async def test_budgets_and_limits_are_not_just_any_object(document: dict[str, Any]) -> None:
    schemas = document["components"]["schemas"]
    assert {"$ref": "#/components/schemas/BudgetView"} in schemas["RunView"]["properties"]["budget"]["anyOf"]
    assert "RunLimits" in str(schemas["TopUpAccepted"]["properties"]["limits"])
    for name in ("BudgetView", "Amounts", "ResearchBudget", "RunLimits"):
        assert all(field.get("description") for field in schemas[name]["properties"].values()), name


async def test_every_tag_is_described_and_the_server_is_named(document: dict[str, Any]) -> None:
    described = {tag["name"] for tag in document["tags"] if tag["description"]}
    used = {tag for methods in document["paths"].values() for one in methods.values() for tag in one.get("tags", ())}
    assert used == described
    assert document["servers"] == [{"url": "/", "description": "This server"}]


async def test_who_asks_is_declared_as_the_settings_have_it(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, document: dict[str, Any]
) -> None:
    assert (document["components"]["securitySchemes"], document["security"]) == ({}, [{}])
    named = {"tenant_header": "X-Tenant", "user_header": "X-User", "api_url": "https://research.example.org/"}
    signed = make_app(api_settings.model_copy(update=named)).openapi()
    schemes = signed["components"]["securitySchemes"]
    assert {name: (one["type"], one["in"], one["name"]) for name, one in schemes.items()} == {
        "tenant": ("apiKey", "header", "X-Tenant"),
        "user": ("apiKey", "header", "X-User"),
    }
    assert signed["security"] == [{"tenant": [], "user": []}, {"tenant": []}]
    assert signed["paths"]["/healthz"]["get"]["security"] == []
    assert "security" not in signed["paths"]["/v1/runs"]["get"]
    assert signed["servers"][0]["url"] == "https://research.example.org"


async def test_what_is_always_sent_is_required_and_what_an_older_release_stored_is_not(
    document: dict[str, Any],
) -> None:
    schemas = document["components"]["schemas"]
    for name in ("RunView", "AgentEvent", "StepView", "EvidencePage"):
        assert list(schemas[name]["required"]) == list(schemas[name]["properties"]), name
    for name in ("Report", "ResearchGraph", "UsageLine", "Problem"):
        assert set(schemas[name]["required"]) < set(schemas[name]["properties"]), name


async def test_schemas_have_names_that_a_program_can_use(document: dict[str, Any]) -> None:
    assert [name for name in document["components"]["schemas"] if not name.isalnum()] == []


async def test_every_success_with_a_body_says_what_it_is(document: dict[str, Any]) -> None:
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            for status, answer in operation["responses"].items():
                assert not status.startswith("2") or status == "204" or answer["content"], (path, method)


async def test_nothing_that_may_be_left_out_looks_required(document: dict[str, Any]) -> None:
    for name in ("RunRequest", "BudgetRequest", "ForkBody", "ResumeBody", "TopUpBody", "DryRunRequest", "Problem"):
        schema = document["components"]["schemas"][name]
        assert not [field for field, one in schema["properties"].items() if "default" in one], name
    assert document["components"]["schemas"]["RunRequest"]["required"] == ["question"]
    for name, schema in document["components"]["schemas"].items():
        for field in schema.get("required", ()):
            assert "default" not in schema["properties"][field], f"{name}.{field}"


async def test_it_is_valid_by_openapi_3_1_as_generators_read_it(document: dict[str, Any]) -> None:
    """What redocly, orval and openapi-python-client warned of."""
    schemas = document["components"]["schemas"]
    assert document["info"]["license"]["identifier"] == "Apache-2.0"
    for node in schemas["ResearchGraph"]["properties"]["nodes"]["items"]["oneOf"]:
        assert "kind" in schemas[node["$ref"].rpartition("/")[2]]["required"]
    assert "type" not in schemas["Ending"]["required"], "it is left out of JSON where it says nothing"
    for path, methods in document["paths"].items():
        for operation in methods.values():
            names = [one["name"] for one in operation.get("parameters", ())]
            words = [name.strip("[]") for name in names]
            assert len(words) == len(set(words)), f"{path}: parameters that a program cannot tell apart: {names}"
            assert [code for code in operation["responses"] if code[0] == "2" or code == "default"], path
