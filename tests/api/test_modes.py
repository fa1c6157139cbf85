"""Modes and domains as the API explains them, and what a run that chooses its mode may choose."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.graphs.checks.budget_limits import default_limits
from elcano.graphs.checks.callees import find_unanswerable_offline, list_callees
from elcano.graphs.errors import InputInvalid
from elcano.graphs.mode_choice import MODES, auto_graph, can_choose_mode, list_ways
from elcano.graphs.state.budget import Limits
from elcano.service.runs.mode_checks import find_barred_modes, list_least_faults
from elcano.settings.settings import Settings
from elcano.storage.rubric_files import MOST_BYTES, known_domains
from elcano.subjects.research.loops import ITERATIVE
from tests.api.serving import speaking

OWN = {"name": "law", "description": "What the law says.", "scores": [{"name": "authority", "meaning": "Which court."}]}


async def test_every_mode_is_explained(api: httpx.AsyncClient) -> None:
    listed = (await api.get("/v1/modes")).json()
    assert [mode["name"] for mode in listed] == [*MODES]
    assert [mode["name"] for mode in listed if mode["default"]] == ["auto"]
    for mode in listed:
        assert mode["purpose"]
        assert mode["least"]["tokens"] < mode["usual"]["tokens"] < mode["limits"]["tokens"]
        assert (await api.get(mode["graph"])).json()["name"] == mode["name"]
        assert (await api.get(mode["drawing"])).text.startswith("flowchart")
    ways = next(mode["ways"] for mode in listed if mode["name"] == "auto")
    assert set(ways) == set(list_ways()) - {"data"}
    assert "database" in next(mode["sources"] for mode in listed if mode["name"] == "data")


@pytest.mark.parametrize(
    ("sources", "wanted", "node"),
    [
        (["library"], "data", "first_search"),
        (["sales"], "data", "schema_context"),
        (["sales"], "deep", "schema_context"),
        (["library", "sales"], "magentic", "magentic_task_ledger"),
        (["library"], "literature_review", "first_search"),
    ],
)
async def test_a_dry_run_goes_the_way_that_a_run_would(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, sources: list[str], wanted: str, node: str
) -> None:
    parsed = {"original_query": "q", "improved_query": "q", "research_mode": wanted}
    body = {"question": "How many?", "sources": sources, "answers": {"input_parser": [parsed]}}
    async with speaking(make_app(api_settings.model_copy(update={"databases": SALES}))) as api:
        walked = (await api.post("/v1/graphs/auto/dry-run", json=body)).raise_for_status().json()
    assert walked["visited"][:4] == ["input_parser", "choose", "mode", node]


async def test_databases_are_a_way_where_there_are_some(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    async with speaking(make_app(api_settings.model_copy(update={"databases": SALES}))) as api:
        listed = (await api.get("/v1/modes")).json()
    assert set(next(mode["ways"] for mode in listed if mode["name"] == "auto")) == set(list_ways())


@pytest.mark.parametrize("mode", MODES)
def test_the_rules_of_tests_play_every_agent_of_every_mode(mode: str) -> None:
    assert find_unanswerable_offline(list_callees(MODES[mode])) == []


async def test_domains_are_listed_with_those_of_the_folder(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings, tmp_path: Path
) -> None:
    folder = tmp_path / "rubrics"
    folder.mkdir()
    (folder / "law.json").write_text(json.dumps(OWN), encoding="utf-8")
    async with speaking(make_app(api_settings.model_copy(update={"domains": str(folder)}))) as api:
        listed = (await api.get("/v1/domains")).json()
        accepted = await api.post("/v1/runs", json={"question": "Why?", "domain": "law", "mode": "iterative"})
    assert [one["name"] for one in listed] == ["biomedical", "law"]
    assert accepted.status_code == 201
    assert accepted.json()["domain"] == "law"


async def test_a_rubric_may_come_with_the_request(api: httpx.AsyncClient) -> None:
    accepted = await api.post("/v1/runs", json={"question": "Why?", "domain": OWN})
    assert accepted.status_code == 201, accepted.text
    assert accepted.json()["domain"] == "law"
    assert accepted.json()["choice"] is None


@pytest.mark.parametrize(
    ("files", "said"),
    [
        ({"a.json": "{"}, "a.json: /: Invalid JSON"),
        ({"a.json": json.dumps({**OWN, "name": "biomedical"})}, "there is a domain 'biomedical' already"),
        ({"a.json": json.dumps(OWN), "b.json": json.dumps(OWN)}, "b.json: there is a domain 'law' already"),
        ({"a.json": json.dumps({**OWN, "least_total": 99})}, "least_total is 99, and 1 scores make at most 10"),
        ({"a.json": json.dumps({**OWN, "scores": [{"name": "s"}]})}, "a.json: /scores/0/meaning: Field required"),
        ({"a.json": " " * (MOST_BYTES + 1)}, "are the most"),
        ({f"{number}.json": "{}" for number in range(51)}, "51 files, and 50 are the most"),
    ],
)
def test_a_folder_with_faults_is_refused_with_all_of_them(tmp_path: Path, files: dict[str, str], said: str) -> None:
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    with pytest.raises(InputInvalid) as refused:
        known_domains(Settings(_env_file=None, domains=str(tmp_path)))
    assert said in str(refused.value)
    with pytest.raises(InputInvalid, match="cannot be read"):
        known_domains(Settings(_env_file=None, domains=str(tmp_path / "nosuch")))


SALES = {"sales": "sqlite:////srv/sales.db"}
OFFLINE = Settings(_env_file=None, model="offline", databases=SALES)
SECTIONS = ["hierarchical", "deep"]
ALL = [*list_ways()]
BUT_DATA = [name for name in ALL if name != "data"]
BY_DEFAULT = default_limits(auto_graph())


@pytest.mark.parametrize(
    ("limits", "sources", "closed"),
    [
        (BY_DEFAULT, ("handbook",), ["data", "literature_review"]),
        (BY_DEFAULT, ("handbook", "pubmed"), ["data"]),
        (BY_DEFAULT, ("web",), ["data", "literature_review"]),
        (BY_DEFAULT, ("handbook", "sales"), ["literature_review"]),
        (BY_DEFAULT, ("pubmed", "sales"), []),
        (BY_DEFAULT, ("sales",), BUT_DATA),
        (BY_DEFAULT.model_copy(update={"seconds": 8.0}), ("pubmed", "sales"), SECTIONS),
        (
            Limits(tokens=15_000),
            ("pubmed", "sales"),
            ["data", "analysis", "magentic", "hierarchical", "deep"],
        ),
        (Limits(tokens=5_000), ("pubmed", "sales"), ALL),
        (Limits(tokens=5_000), ("sales",), ALL),
    ],
)
def test_sources_and_budget_bar_modes(limits: Limits, sources: tuple[str, ...], closed: list[str]) -> None:
    assert set(find_barred_modes(limits, sources, OFFLINE)) == set(closed)
    assert bool(list_least_faults(limits)) is (len(closed) == len(ALL))


def test_as_a_chain_goes_what_is_written_out_as_one() -> None:
    assert set(find_barred_modes(BY_DEFAULT, ("pubmed", "sales"), OFFLINE, "chain")) == {"data", "analysis"}


def test_only_auto_chooses() -> None:
    assert can_choose_mode(auto_graph())
    assert not can_choose_mode(ITERATIVE)
    assert not can_choose_mode(ITERATIVE.model_copy(update={"name": "auto"}))


@pytest.mark.parametrize(("budget", "field"), [({"tokens": 5_000}, "budget"), ({"steps": 2, "sections": 1}, "budget")])
async def test_limits_within_which_no_mode_works_are_refused(
    api: httpx.AsyncClient, budget: dict[str, Any], field: str
) -> None:
    answer = await api.post("/v1/runs", json={"question": "Why?", "budget": budget})
    assert answer.status_code == 422
    assert {fault["field"] for fault in answer.json()["errors"]} == {field}


@pytest.mark.parametrize("question", ["猫为什么会发出呼噜声?", "purring", "word " * 1_999])
async def test_any_question_may_be_left_to_it(api: httpx.AsyncClient, question: str) -> None:
    answer = await api.post("/v1/runs", json={"question": question, "budget": {"tokens": 20_000}})
    assert answer.status_code == 201, answer.text
    assert answer.json()["mode"] == "auto"


async def test_the_models_that_answer_are_listed_with_their_prices(
    make_app: Callable[[Settings], FastAPI], api_settings: Settings
) -> None:
    chosen = {"model": "openai:gpt-4o, vllm:qwen, offline", "agent_models": {"writer": "anthropic:no-such-model"}}
    local = {"model_urls": {"vllm": "http://gpu:8000/v1"}}
    async with speaking(make_app(api_settings.model_copy(update=chosen | local))) as api:
        found = (await api.get("/v1/models")).json()
    assert [(one["name"], one["agents"], one["fallback"]) for one in found] == [
        ("openai:gpt-4o", [], 0),
        ("vllm:qwen", [], 1),
        ("offline", [], 2),
        ("anthropic:no-such-model", ["writer"], 0),
    ]
    assert found[0]["price"] == {"input_usd": 2.5, "output_usd": 10.0}
    nothing = {"input_usd": 0.0, "output_usd": 0.0}
    assert (found[1]["address"], found[1]["price"], found[3]["price"]) == ("http://gpu:8000/v1", nothing, None)
