"""Databases as sources: listed as others are, taken by the mode that asks them, refused where there are none."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.graph_traits import asks_databases, may_ask_databases, read_graph_traits
from elcano.graphs.mode_choice import MODES, list_ways
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.state.rubric import DOMAINS
from elcano.service.errors import RequestInvalid
from elcano.service.runs.judgement import Refusals, RequestFacts, judge_request
from elcano.service.runs.run_request import RunRequest
from elcano.service.source_survey import SourceCatalogue, SourceSurvey, choose_sources, find_choice_faults
from elcano.settings.settings import Settings
from tests.api.serving import speaking


@pytest.fixture
def with_databases(api_settings: Settings, tmp_path: Path) -> Settings:
    named = {"sales": f"sqlite:///{tmp_path / 'sales.db'}", "staff": "postgresql://reader:hunter22@127.0.0.1:1/staff"}
    return api_settings.model_copy(update={"databases": named})


def asked(settings: Settings, mode: str, sources: list[str] | None) -> ResearchInput:
    request = RunRequest.model_validate({"question": "How many?", "mode": mode, "sources": sources})
    known, traits = SourceCatalogue.of(settings), read_graph_traits(MODES[mode])
    ready: dict[str, str] = {name: "" for name in ("packages", "sales", "staff") if name in known.specs}
    survey = SourceSurvey(known.specs, {**dict.fromkeys(known.specs, "not here"), **ready})
    chosen = choose_sources(sources, traits, survey, settings)
    facts = RequestFacts(
        tenant="default",
        settings=settings,
        graph=traits,
        survey=survey,
        sources=chosen,
        domains=DOMAINS,
        follows=None,
        refused=Refusals(find_choice_faults(sources, chosen, traits, survey, settings)),
    )
    return judge_request(request, facts, "default-1").asked


async def test_databases_are_listed_among_the_sources_without_their_addresses(
    make_app: Callable[[Settings], FastAPI], with_databases: Settings
) -> None:
    async with speaking(make_app(with_databases)) as api:
        listed = await api.get("/v1/sources")
        one = await api.get("/v1/sources/sales")
    kinds: dict[str, Any] = {source["name"]: source["kind"] for source in listed.json()}
    assert (kinds["sales"], kinds["staff"]) == ("database", "database")
    assert one.json()["state"] == "ready"
    for secret in ("hunter22", "reader", "sales.db", "127.0.0.1"):
        assert secret not in listed.text + one.text


@pytest.mark.parametrize(
    ("named", "sources"),
    [
        (None, ("sales", "staff")),
        (["staff"], ("staff",)),
        (["packages"], ("packages", "sales", "staff")),
        (["packages", "sales", "sales"], ("packages", "sales")),
    ],
)
def test_a_question_goes_to_the_databases_that_are_named_or_to_all(
    with_databases: Settings, named: list[str] | None, sources: tuple[str, ...]
) -> None:
    made = asked(with_databases, "data", named)
    assert (made.sources, made.databases) == (sources, ("sales", "staff"))


def test_other_modes_search_a_database_that_is_named_and_no_other(with_databases: Settings) -> None:
    assert asked(with_databases, "iterative", None).sources == ("packages",)
    named = asked(with_databases, "iterative", ["packages", "sales"])
    assert (named.sources, named.databases) == (("packages", "sales"), ())


@pytest.mark.parametrize(
    ("named", "sources", "open_ways"),
    [
        (["sales"], ("sales",), {"data"}),
        (["packages", "sales"], ("packages", "sales"), {*list_ways()} - {"literature_review"}),
        (["packages"], ("packages",), {*list_ways()} - {"literature_review", "data"}),
        (None, ("packages",), {*list_ways()} - {"literature_review", "data"}),
    ],
)
def test_auto_can_ask_the_databases_that_are_named(
    with_databases: Settings, named: list[str] | None, sources: tuple[str, ...], open_ways: set[str]
) -> None:
    made = asked(with_databases, "auto", named)
    assert (made.sources, made.databases) == (sources, ("sales", "staff"))
    assert list_ways().keys() - made.barred.keys() == open_ways


def test_auto_takes_all_databases_where_the_operator_named_nothing_else(with_databases: Settings) -> None:
    alone = with_databases.model_copy(update={"collections": {}})
    made = asked(alone, "auto", None)
    assert (made.sources, list_ways().keys() - made.barred.keys()) == (("sales", "staff"), {"data"})
    assert asked(alone, "iterative", None).sources == ("packages",)
    assert asked(alone.model_copy(update={"default_sources": ["packages"]}), "auto", None).sources == ("packages",)


def test_only_a_graph_that_can_do_nothing_else_needs_a_database() -> None:
    assert asks_databases(MODES["data"])
    assert may_ask_databases(MODES["auto"])
    assert not asks_databases(MODES["auto"])
    assert not may_ask_databases(MODES["deep"])


@pytest.mark.parametrize("sources", [None, ["packages"]])
def test_a_question_to_databases_is_refused_where_there_are_none(
    api_settings: Settings, sources: list[str] | None
) -> None:
    with pytest.raises(RequestInvalid) as refused:
        asked(api_settings, "data", sources)
    (fault,) = refused.value.faults
    assert fault.field == "sources"
    assert "name one in ELCANO_DATABASES" in fault.message


async def test_the_refusal_is_a_problem_of_http(api: httpx.AsyncClient) -> None:
    response = await api.post("/v1/runs", json={"question": "How many?", "mode": "data"})
    assert response.status_code == 422
    assert "name one in ELCANO_DATABASES" in response.text


async def test_a_database_that_nobody_registered_is_refused_by_its_name(
    make_app: Callable[[Settings], FastAPI], with_databases: Settings
) -> None:
    async with speaking(make_app(with_databases)) as api:
        response = await api.post("/v1/runs", json={"question": "How many?", "mode": "data", "sources": ["slaes"]})
    assert response.status_code == 422
    assert "did you mean 'sales'?" in response.text
