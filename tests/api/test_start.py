"""Asking for a run: what is accepted, what is refused, and that one key means one run."""

import asyncio
import json
import re
from typing import Any

import httpx
import pytest
from temporalio.client import Client

from elcano.api.http.body_limit import MAX_BODY
from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.mode_choice import MODES
from elcano.graphs.run_contracts import MODE_ATTRIBUTE, STAGE_ATTRIBUTE, TENANT_ATTRIBUTE
from elcano.storage.store import Store
from tests.api import scripted

JSON = {"content-type": "application/json"}
SCORE = {"name": "s", "meaning": "m"}
QUESTION = "Which packages read PDF files?"


def fields(response: httpx.Response) -> list[str]:
    assert response.headers["content-type"] == "application/problem+json"
    problem = response.json()
    assert problem["status"] == response.status_code
    assert problem["type"].startswith("urn:elcano:")
    assert problem["title"]
    return [fault["field"] for fault in problem.get("errors", [])]


async def test_a_question_becomes_a_workflow(api: httpx.AsyncClient, temporal: Client, store: Store) -> None:
    budget = {"tokens": 50_000, "cost_usd": 0.25, "seconds": 60, "iterations": 2, "steps": 30}
    answer = await api.post(
        "/v1/runs",
        json={
            "question": f"  {QUESTION}\n",
            "mode": "iterative",
            "sources": ["handbook"],
            "background": "Linux only.",
            "instructions": "One page.",
            "budget": budget,
            "model": {"default": "offline", "by_agent": {"writer": "offline"}},
        },
    )
    assert answer.status_code == 201
    run = answer.json()
    assert answer.headers["location"] == f"/v1/runs/{run['run_id']}"
    assert run["question"] == QUESTION
    assert run["status"] == "running"
    assert run["sources"] == ["handbook"]
    described = await temporal.get_workflow_handle(run["run_id"]).describe()
    values = {pair.key.name: pair.value for pair in described.typed_search_attributes}
    assert values[MODE_ATTRIBUTE] == "iterative"
    assert values[STAGE_ATTRIBUTE] == "researching"
    assert values[TENANT_ATTRIBUTE] == "default"
    assert await described.static_summary() == QUESTION
    kept = await store.of("default").runs.get(run["run_id"])
    assert kept is not None
    assert kept.status == "running"


async def test_the_workflow_gets_the_whole_request(api: httpx.AsyncClient, temporal: Client) -> None:
    answer = await api.post(
        "/v1/runs",
        json={"question": QUESTION, "budget": {"cost_usd": 0.1, "iterations": 2}, "model": "offline", "sources": None},
    )
    history = await temporal.get_workflow_handle(answer.json()["run_id"]).fetch_history()
    started = history.events[0].workflow_execution_started_event_attributes
    [asked] = await temporal.data_converter.decode(started.input.payloads)
    assert asked["question"] == QUESTION
    assert asked["limits"]["cost_microusd"] == 100_000
    assert asked["limits"]["iterations"] == 2
    assert asked["limits"]["tokens"] == default_limits(MODES["auto"]).tokens
    assert asked["models"]["default"] == "offline"
    assert asked["sources"] == ["handbook"]
    assert asked["graph"]["name"] == "auto"
    assert asked["domain"] == ""
    assert [one["name"] for one in asked["domains"]] == ["biomedical"]
    assert set(asked["barred"]) == {"data", "literature_review"}


async def test_everything_that_is_wrong_is_told_at_once(api: httpx.AsyncClient, store: Store) -> None:
    body = {
        "question": QUESTION,
        "graph": {"name": "own", "nodes": [], "entry_node": "nowhere"},
        "sources": ["nowhere"],
        "budget": {"tokens": 1},
        "model": "opnai:gpt-5.1",
        "domain": "biomedicine",
        "previous_run": "default-01kb1q3yw5v7c8m2n4p6r8t0vx",
    }
    answer = await api.post("/v1/runs", json=body)
    assert answer.status_code == 422
    assert answer.json()["type"] == "urn:elcano:request-invalid"
    told = {field.partition(".")[0] for field in fields(answer)}
    assert told == {"graph", "sources", "budget", "model", "domain", "previous_run"}
    assert any(fault.get("pointer", "").startswith("/graph") for fault in answer.json()["errors"])
    assert (await store.of("default").runs.page(limit=1)).runs == ()


@pytest.mark.parametrize("budget", [{"tokens": -1}, {"cost_usd": -1}, {"tokens": "many"}])
async def test_a_field_without_its_form_hides_no_other_fault(api: httpx.AsyncClient, budget: dict[str, Any]) -> None:
    body = {"question": " ", "mode": "iteratve", "budget": budget, "sources": ["hanbook"], "answer": 1}
    answer = await api.post("/v1/runs", json=body)
    assert answer.status_code == 422
    told = [field.partition(".")[0] for field in fields(answer)]
    assert sorted(told) == ["answer", "budget", "mode", "question", "sources"]


@pytest.mark.parametrize("body", [[], "Why?", None, {"question": 1}, {"question": "Why?", "sources": "handbook"}])
async def test_a_request_that_is_only_without_its_form_says_no_more(api: httpx.AsyncClient, body: object) -> None:
    answer = await api.post("/v1/runs", json=body)
    assert answer.status_code == 422
    assert len(fields(answer)) == 1


async def test_what_cannot_work_is_refused_by_name(
    api: httpx.AsyncClient, store: Store, subtests: pytest.Subtests
) -> None:
    cases: list[tuple[dict[str, Any], str]] = [
        ({"question": ""}, "question"),
        ({"question": " \n\t "}, "question"),
        ({"question": "x" * 10_001}, "question"),
        ({"question": "x" * 100_000}, "question"),
        ({"question": "a\u0000b"}, "question"),
        ({"question": "a\u001b[31mb"}, "question"),
        ({"question": 7}, "question"),
        ({"question": None}, "question"),
        ({"background": "a\u0007b"}, "background"),
        ({"instructions": "x" * 5_001}, "instructions"),
        ({"mode": "iterativ"}, "mode"),
        ({"mode": ""}, "mode"),
        ({"domain": "biomedicine"}, "domain"),
        ({"domain": ""}, "domain"),
        ({"domain": 7}, "domain"),
        ({"domain": ["biomedical"]}, "domain"),
        ({"domain": "x" * 10_000}, "domain"),
        ({"domain": "生物医学"}, "domain"),
        ({"domain": {"name": "own"}}, "domain.description"),
        ({"domain": {"name": "general", "description": "d"}}, "domain.name"),
        (
            {"domain": {"name": "own", "description": "d", "scores": [{**SCORE, "least": 11}]}},
            "domain.scores.0.least",
        ),
        (
            {
                "domain": {
                    "name": "own",
                    "description": "d",
                    "scores": [{"name": f"s{n}", "meaning": "m"} for n in range(500)],
                }
            },
            "domain.scores",
        ),
        ({"question": "word " * 10_000}, "question"),
        ({"sources": ["handbok"]}, "sources"),
        ({"sources": []}, "sources"),
        ({"sources": "handbook"}, "sources"),
        ({"sources": [1]}, "sources.0"),
        ({"budget": {"tokens": -1}}, "budget.tokens"),
        ({"budget": {"tokens": 10**12}}, "budget.tokens"),
        ({"budget": {"tokens": "5000"}}, "budget.tokens"),
        ({"budget": {"tokens": True}}, "budget.tokens"),
        ({"budget": {"cost_usd": 0}}, "budget.cost_usd"),
        ({"budget": {"cost_usd": 1e9}}, "budget.cost_usd"),
        ({"budget": {"seconds": 0.5}}, "budget.seconds"),
        ({"budget": {"iterations": 51}}, "budget.iterations"),
        ({"budget": {"steps": 1}}, "budget.steps"),
        ({"budget": {"dollars": 1}}, "budget.dollars"),
        ({"budget": None}, "budget"),
        ({"model": 3}, "model"),
        ({"model": {"by_agent": {"wirter": "offline"}}}, "model.by_agent"),
        ({"model": {"defualt": "offline"}}, "model.defualt"),
        ({"model": "opnai:gpt-5.1"}, "model.default"),
        ({"model": {"by_agent": {"writer": "gpt-5.1"}}}, "model.by_agent.writer"),
        ({"quesiton": "x"}, "quesiton"),
    ]
    for change, field in cases:
        with subtests.test(change=change, field=field):
            body = json.dumps({"question": QUESTION, **change})
            answer = await api.post("/v1/runs", content=body, headers=JSON)
            assert answer.status_code == 422
            assert fields(answer) == [field]
            assert (await store.of("default").runs.page(limit=1)).runs == ()


@pytest.mark.parametrize(
    ("change", "guess"),
    [
        ({"mode": "iterativ"}, "iterative"),
        ({"domain": "biomedicine"}, "biomedical"),
        ({"sources": ["handbok"]}, "handbook"),
        ({"model": {"by_agent": {"wirter": "offline"}}}, "writer"),
        ({"model": "opnai:gpt-5.1"}, "openai"),
    ],
)
async def test_a_near_miss_is_guessed(api: httpx.AsyncClient, change: dict[str, Any], guess: str) -> None:
    answer = await api.post("/v1/runs", json={"question": QUESTION, **change})
    assert re.search(f"did you mean .{guess}.\\?", answer.json()["detail"])


async def test_all_faults_of_form_are_reported_and_all_others(api: httpx.AsyncClient) -> None:
    body: dict[str, Any] = {"question": "", "budget": {"steps": "x"}, "colour": "red", "mode": "telepathy"}
    answer = await api.post("/v1/runs", json=body)
    assert fields(answer) == ["question", "budget.steps", "colour", "mode"]
    body = {"question": QUESTION, "budget": {"tokens": -5}, "mode": "telepathy", "sources": ["nowhere"]}
    answer = await api.post("/v1/runs", json=body)
    assert fields(answer) == ["mode", "sources", "budget.tokens"]


@pytest.mark.parametrize(
    ("body", "wrong"),
    [
        ('{"question": 1, "a.b": 2}', {"question", "a.b"}),
        ('{"question": 1, "budget.tokens": 5}', {"question", "budget.tokens"}),
        ('{"question": 1, "graph": ' + '{"x":' * 250 + "1" + "}" * 251, {"question"}),
    ],
)
async def test_what_is_wrong_beside_a_fault_of_form_is_no_error(
    api: httpx.AsyncClient, body: str, wrong: set[str]
) -> None:
    answer = await api.post("/v1/runs", content=body, headers=JSON)
    assert answer.status_code == 422
    assert wrong <= set(fields(answer))


@pytest.mark.parametrize("number", ["NaN", "Infinity", "-Infinity"])
async def test_numbers_that_are_none_are_refused(api: httpx.AsyncClient, number: str) -> None:
    body = f'{{"question": "{QUESTION}", "budget": {{"seconds": {number}}}}}'
    answer = await api.post("/v1/runs", content=body, headers=JSON)
    assert answer.status_code == 422
    assert fields(answer) == ["budget.seconds"]


@pytest.mark.parametrize("body", [b"{", b'{"question": }', b"\xff", b"[" * 100_000])
async def test_a_body_that_is_no_json_is_refused(api: httpx.AsyncClient, body: bytes) -> None:
    answer = await api.post("/v1/runs", content=body, headers=JSON)
    assert answer.status_code == 400
    assert answer.headers["content-type"] == "application/problem+json"


@pytest.mark.parametrize(("body", "headers"), [(b"", JSON), (b"[]", JSON), (b"", {})])
async def test_a_body_that_is_no_json_object_is_refused(
    api: httpx.AsyncClient, body: bytes, headers: dict[str, str]
) -> None:
    answer = await api.post("/v1/runs", content=body, headers=headers)
    assert answer.status_code == 422
    assert fields(answer) == ["body"]


@pytest.mark.parametrize("chunked", [False, True])
async def test_a_body_over_the_limit_is_refused(api: httpx.AsyncClient, chunked: bool) -> None:
    async def chunks() -> Any:
        for _ in range(MAX_BODY // 65_536 + 1):
            yield b" " * 65_536

    content = chunks() if chunked else b" " * (MAX_BODY + 1)
    answer = await api.post("/v1/runs", content=content, headers=JSON)
    assert answer.status_code == 413
    assert answer.json()["type"] == "urn:elcano:body-too-large"


@pytest.mark.usefixtures("worker")
async def test_fifty_posts_with_one_key_start_one_run(api: httpx.AsyncClient, store: Store) -> None:
    question = "What happens fifty times at once?"
    headers = {"Idempotency-Key": "fifty"}
    answers = await asyncio.gather(
        *(api.post("/v1/runs", json={"question": question}, headers=headers) for _ in range(50))
    )
    assert sorted(answer.status_code for answer in answers) == [200] * 49 + [201]
    assert len({answer.json()["run_id"] for answer in answers}) == 1
    assert len((await store.of("default").runs.page(limit=10)).runs) == 1
    assert scripted.starts[question] == 1


async def test_a_key_for_another_request_is_refused(api: httpx.AsyncClient) -> None:
    headers = {"Idempotency-Key": "k"}
    first = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    same = await api.post("/v1/runs", content=f'{{ "question":  "{QUESTION}" }}', headers={**headers, **JSON})
    other = await api.post(
        "/v1/runs", json={"question": QUESTION, "mode": "iterative", "budget": {"steps": 9}}, headers=headers
    )
    assert first.status_code == 201
    assert same.status_code == 200
    assert same.json()["run_id"] == first.json()["run_id"]
    assert other.status_code == 422
    assert other.json()["type"] == "urn:elcano:key-reused"


async def test_a_key_of_an_ended_run_returns_it(api: httpx.AsyncClient, store: Store, temporal: Client) -> None:
    headers = {"Idempotency-Key": "done"}
    run_id = (await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)).json()["run_id"]
    kept = await store.of("default").runs.get(run_id)
    assert kept is not None
    await store.of("default").runs.archive(kept.model_copy(update={"status": "completed"}), [])
    again = await api.post("/v1/runs", json={"question": QUESTION}, headers=headers)
    assert again.status_code == 200
    assert again.json()["status"] == "completed"


async def test_without_temporal_nothing_is_half_done(
    away: httpx.AsyncClient, api: httpx.AsyncClient, store: Store
) -> None:
    request = {"question": QUESTION}
    headers = {"Idempotency-Key": "later"}
    refused = await away.post("/v1/runs", json=request, headers=headers)
    assert refused.status_code == 503
    assert refused.headers["retry-after"].isdigit()
    assert refused.json()["type"] == "urn:elcano:temporal-unavailable"
    assert (await store.of("default").runs.page(limit=1)).runs == ()
    accepted = await api.post("/v1/runs", json=request, headers=headers)
    assert accepted.status_code == 201
