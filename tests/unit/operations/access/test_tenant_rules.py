"""What a tenant may use: offered, judged with all faults at once, and checked by the worker once more."""

import json
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI
from temporalio.exceptions import ApplicationError

from elcano.activities.sources.registry import open_sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.api.app import create_app
from elcano.graphs.contracts import ToolCall
from elcano.graphs.errors import InputInvalid
from elcano.graphs.mode_choice import MODES
from elcano.graphs.tenants import Allowance
from elcano.operations.access.access_store import AccessStore
from elcano.operations.access.tenant_rules import check_tenant_rules, read_tenant_rules
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from tests.unit.operations.access.conftest import make_key
from tests.unit.operations.access.runs import connect_to_nothing

RULES = """
[default]
models = ["offline"]

[tenants.acme]
sources = ["handbook", "pubmed"]
databases = ["sales"]
tools = []
models = ["openai:*"]
modes = ["simple", "iterative"]

[tenants.zebra]
plugins = ["research", "documents"]
"""


@pytest.fixture(params=["sqlite"])
async def store(tmp_path: Path) -> Any:
    async with open_store(tmp_path) as opened:
        yield opened


@pytest.fixture
def settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Settings:
    rules = tmp_path / "tenants.toml"
    rules.write_text(RULES, encoding="utf-8")
    monkeypatch.setenv("ELCANO_TENANTS", str(rules))
    return Settings(
        data_dir=tmp_path,
        collections={"handbook": tmp_path, "secrets": tmp_path},
        databases={"sales": "sqlite:///sales.db", "staff": "sqlite:///staff.db"},
        mcp_servers={"time": {"command": "mcp-server-time"}},
        _env_file=None,
    )


@pytest.fixture
def app(store: Store, settings: Settings) -> FastAPI:
    return create_app(settings, store=store, client=connect_to_nothing)


async def names_of(api: httpx.AsyncClient, path: str, key: httpx.Auth) -> set[str]:
    answer = await api.get(path, auth=key)
    assert answer.status_code == 200, answer.text
    return {one["name"] for one in answer.json()}


async def test_a_tenant_sees_what_it_may_use(api: httpx.AsyncClient, access: AccessStore) -> None:
    acme, zebra = await make_key(access), await make_key(access, tenant="zebra")
    other = await make_key(access, tenant="other")
    assert await names_of(api, "/v1/sources", acme) == {"handbook", "pubmed", "sales"}
    assert await names_of(api, "/v1/databases", acme) == {"sales"}
    assert await names_of(api, "/v1/modes", acme) == {"simple", "iterative"}
    assert await names_of(api, "/v1/databases", other) == {"sales", "staff"}
    assert await names_of(api, "/v1/modes", other) == set(MODES)
    of_zebra = await names_of(api, "/v1/sources", zebra)
    assert {"handbook", "secrets"} <= of_zebra
    assert "pubmed" not in of_zebra
    assert "deep" in await names_of(api, "/v1/modes", zebra)
    assert not {"magentic", "data"} & await names_of(api, "/v1/modes", zebra)
    for path in ("/v1/sources/secrets", "/v1/databases/staff"):
        assert (await api.get(path, auth=acme)).status_code == 404, path
    assert (await api.get("/v1/tools/time", auth=acme)).status_code == 404


async def ask(api: httpx.AsyncClient, key: httpx.Auth, **request: Any) -> dict[str, str]:
    """The faults of a request, by field."""
    answer = await api.post("/v1/runs", json={"question": "Why?", **request}, auth=key)
    assert answer.status_code == 422, answer.text
    return {fault["field"]: fault["message"] for fault in answer.json()["errors"]}


async def test_all_that_a_run_may_not_use_is_told_at_once(api: httpx.AsyncClient, access: AccessStore) -> None:
    faults = await ask(
        api, await make_key(access), mode="deep", sources=["handbook", "secrets"],
        model={"default": "anthropic:claude-sonnet-5-5"},
    )  # fmt: skip
    assert faults["mode"] == "your tenant may not use the mode 'deep'; it may use: simple, iterative"
    assert faults["sources"] == "unknown source 'secrets'; known: handbook, pubmed, sales"
    assert faults["model.default"] == (
        "your tenant may not use the model 'anthropic:claude-sonnet-5-5'; it may use: openai:*"
    )


async def test_agents_of_a_plugin_stay_barred_in_a_graph_of_ones_own(
    api: httpx.AsyncClient, access: AccessStore
) -> None:
    graph = MODES["magentic"].model_copy(update={"name": "copied"}).model_dump(mode="json")
    faults = await ask(api, await make_key(access, tenant="zebra"), graph=graph)
    assert faults["graph"] == "your tenant may not use the plugin 'teams'; it may use: research, documents"


def call(tenant: str, tool: str, **given: Any) -> ToolCall:
    return ToolCall(run_id=f"{tenant}-1", tenant=tenant, node="n", step=1, tool=tool, input=given)


async def test_a_worker_refuses_what_a_model_named(store: Store, settings: Settings) -> None:
    from elcano.activities.services import Services

    async with open_sources(settings) as sources:
        work = ToolActivities(store, sources, services=Services(settings))
        for refused in (
            call("acme", "search", source="secrets", query="x"),
            call("zebra", "search", source="pubmed", query="x"),
        ):
            with pytest.raises(InputInvalid, match="your tenant may not use the"):
                await work._run(refused, store.of(refused.tenant))
        found = await work._run(call("acme", "noop"), store.of("acme"))
    assert found is not None
    assert ApplicationError is not None


@pytest.mark.parametrize(
    ("allowance", "tool", "given", "said"),
    [
        (Allowance(databases=("sales",)), "query", {"query": {"database": "staff"}}, "database 'staff'"),
        (Allowance(databases=("sales",)), "query", {"query": {"database": "sales"}}, ""),
        (Allowance(sources=("handbook",), databases=("sales",)), "search", {"source": "sales"}, ""),
        (Allowance(sources=("handbook",)), "search", {"source": "pubmed"}, "source 'pubmed'"),
        (Allowance(tools=("time",)), "call_tool", {"server": "files"}, "tool server 'files'"),
        (Allowance(tools=("time",)), "list_tools", {"servers": ["time"]}, ""),
        (Allowance(tools=("time",)), "list_tools", {"servers": []}, "tool server '\\*'"),
        (Allowance(plugins=("research",)), "run_sql", {}, ""),
        (Allowance(), "query", {"database": "staff", "server": "files", "source": "x"}, ""),
    ],
)
def test_the_names_in_a_tools_input_are_checked(
    allowance: Allowance, tool: str, given: dict[str, Any], said: str
) -> None:
    if not said:
        allowance.require_tool_call(tool, given)
        return
    with pytest.raises(InputInvalid, match=said):
        allowance.require_tool_call(tool, given)


@pytest.mark.parametrize(
    ("name", "text", "said"),
    [
        ("a.toml", "[tenants.acme]\nsource = []", "tenants.acme.source: Extra inputs are not permitted"),
        ("a.toml", "[tenants.'A B']\nsources = []", "String should match pattern"),
        ("a.toml", "[tenants.acme]\nsources = 'all'", "tenants.acme.sources"),
        ("a.toml", "tenants = [", "cannot be read"),
        ("a.json", "{", "cannot be read"),
        ("a.json", json.dumps([]), "cannot be used"),
    ],
)
def test_a_file_with_faults_is_refused(tmp_path: Path, name: str, text: str, said: str) -> None:
    file = tmp_path / name
    file.write_text(text, encoding="utf-8")
    with pytest.raises(InputInvalid, match="ELCANO_TENANTS") as refused:
        read_tenant_rules(file)
    assert said in str(refused.value)


def test_a_file_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputInvalid, match="cannot be read"):
        read_tenant_rules(tmp_path / "none.toml")


def test_json_says_the_same(tmp_path: Path) -> None:
    file = tmp_path / "rules.json"
    file.write_text(json.dumps({"tenants": {"acme": {"models": ["openai:*"]}}}), encoding="utf-8")
    rules = read_tenant_rules(file)
    assert rules.allowance_of("acme") == Allowance(models=("openai:*",))
    assert rules.allowance_of("other") == Allowance()


def test_doctor_names_what_is_not_there(settings: Settings, tmp_path: Path) -> None:
    (good,) = check_tenant_rules(settings)
    assert good.grade == "good"
    (tmp_path / "tenants.toml").write_text('[tenants.acme]\nmodes = ["deeep"]\ndatabases = ["sale*"]', encoding="utf-8")
    (note,) = check_tenant_rules(settings)
    assert (note.grade, note.text) == ("note", "ELCANO_TENANTS names what is not there: acme.modes: 'deeep'")
