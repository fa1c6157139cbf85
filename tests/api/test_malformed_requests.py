"""A request whose form is wrong is told everything that is wrong with it, and nothing that cannot be known."""

from typing import Any

import httpx
import pytest

TOO_FEW: dict[str, Any] = {"tokens": -5}


async def refuse(api: httpx.AsyncClient, **body: Any) -> dict[str, str]:
    """What a request is refused for, by field."""
    answer = await api.post("/v1/runs", json=body)
    assert answer.status_code == 422, answer.text
    assert answer.json()["type"] == "urn:elcano:request-invalid"
    faults = answer.json()["errors"]
    told = {fault["field"]: fault["message"] for fault in faults}
    assert len(told) == len(faults), "no field is told twice"
    return told


@pytest.mark.parametrize("question", ["", "  ", None, 5])
async def test_a_wrong_question_does_not_hide_the_rest(api: httpx.AsyncClient, question: object) -> None:
    told = await refuse(
        api, question=question, budget=TOO_FEW, mode="itertive", sources=["nowhere"], model="nobody:gpt"
    )
    assert list(told) == ["question", "mode", "sources", "budget.tokens", "model.default"]
    assert told["budget.tokens"] == "must be greater than or equal to 1000"
    assert told["mode"] == "unknown mode 'itertive'; did you mean 'iterative'?"


async def test_a_question_that_is_missing_does_not_hide_the_rest(api: httpx.AsyncClient) -> None:
    assert list(await refuse(api, budget=TOO_FEW, domain="no field")) == ["question", "domain", "budget.tokens"]


async def test_of_a_budget_the_limits_that_can_be_read_are_judged(api: httpx.AsyncClient) -> None:
    told = await refuse(api, question="Why?", budget={"tokens": "many", "seconds": -1})
    assert list(told) == ["budget.tokens", "budget.seconds"]


async def test_of_a_graph_the_names_are_judged_beside_a_wrong_question(api: httpx.AsyncClient) -> None:
    told = await refuse(api, question="", graph={"name": "own", "nodes": []})
    assert next(iter(told)) == "question"
    assert any(field.startswith("graph") for field in told)


@pytest.mark.parametrize("mode", [{"mode": 5}, {"mod": "analysis"}, {"graph": 5}])
async def test_without_a_mode_nothing_is_said_of_plans_or_models(
    api: httpx.AsyncClient, mode: dict[str, object]
) -> None:
    told = await refuse(api, question="Why?", approve_plan=True, budget=TOO_FEW, **mode)
    assert list(told) == [*mode, "budget.tokens"]


@pytest.mark.parametrize("model", [{"model": 5}, {"modle": "openai:gpt-5.1"}, {"model": {"by_agent": {"writer": 5}}}])
async def test_without_a_model_no_mode_is_refused_for_lack_of_one(
    api: httpx.AsyncClient, model: dict[str, object]
) -> None:
    told = await refuse(api, question="Why?", mode="analysis", sources=["nowhere"], **model)
    assert "sources" in told
    assert not any("model" in message for field, message in told.items() if not field.startswith("mod"))
    assert "mode" not in told


@pytest.mark.parametrize("sources", [{"sources": "handbook"}, {"sources": [5]}, {"sorces": ["handbook"]}])
async def test_without_sources_none_is_missed(api: httpx.AsyncClient, sources: dict[str, object]) -> None:
    told = await refuse(api, question="Why?", mode="data", budget=TOO_FEW, **sources)
    assert list(told) == [next(iter(told)), "budget.tokens"]
    assert next(iter(told)).partition(".")[0] in sources


async def test_without_a_budget_none_is_too_small(api: httpx.AsyncClient) -> None:
    assert list(await refuse(api, question="Why?", mode="deep", budget="large")) == ["budget"]
    assert list(await refuse(api, question="Why?", mode="deep", bugdet={"tokens": 50})) == ["bugdet"]


async def test_a_header_that_is_wrong_does_not_hide_the_body(api: httpx.AsyncClient) -> None:
    answer = await api.post(
        "/v1/runs", json={"question": "Why?", "budget": TOO_FEW}, headers={"Idempotency-Key": "x" * 300}
    )
    assert [fault["field"] for fault in answer.json()["errors"]] == ["idempotency-key", "budget.tokens"]


async def test_what_is_wrong_starts_nothing(api: httpx.AsyncClient) -> None:
    await refuse(api, question="")
    assert (await api.get("/v1/runs")).json()["runs"] == []
