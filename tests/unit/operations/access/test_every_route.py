"""Every route, for every role and for two tenants: what is allowed and refused is as the table of roles says."""

from collections.abc import Mapping
from pathlib import Path

import httpx
import pytest
from fastapi import FastAPI

from elcano.api.app import create_app
from elcano.api.http.request_identity import map_route_permissions
from elcano.operations.access.access_store import AccessStore
from elcano.service.permissions import ROLES, Permission, Role
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.every_route import Route, routes
from tests.unit.operations.access.conftest import Bearer, make_key
from tests.unit.operations.access.runs import connect_to_nothing, leave_run

FORBIDDEN = "urn:elcano:forbidden"


@pytest.fixture
def app(store: Store, tmp_path: Path) -> FastAPI:
    settings = Settings(data_dir=tmp_path, collections={"handbook": tmp_path}, _env_file=None)
    return create_app(settings, store=store, client=connect_to_nothing)


@pytest.fixture
def taken(app: FastAPI) -> Mapping[str, Permission | None]:
    """What each route takes."""
    return {f"{method.upper()} {path}": taken for (method, path), taken in map_route_permissions(app.routes).items()}


async def ask(api: httpx.AsyncClient, route: Route, run_id: str, key: Bearer | None) -> httpx.Response:
    return await api.request(route.method, route.fill_path(run_id), json=route.body, auth=key)


async def test_the_table_is_looked_up_for_every_route(app: FastAPI, taken: Mapping[str, Permission | None]) -> None:
    known = {str(route) for route in routes(app.openapi())}
    assert known <= set(taken)
    assert {permission for permission in taken.values() if permission} >= {"approve", "administer", "operate"}


async def test_every_route_but_public_ones_asks_for_a_key(
    api: httpx.AsyncClient, app: FastAPI, store: Store, taken: Mapping[str, Permission | None]
) -> None:
    run_id = await leave_run(store.of("acme"))
    for route in routes(app.openapi()):
        answer = await ask(api, route, run_id, None)
        if taken[str(route)] is None:
            assert answer.status_code != 403, route
        else:
            assert answer.status_code == 401, route
            assert answer.headers["www-authenticate"] == 'Bearer realm="elcano"'


@pytest.mark.parametrize("role", ROLES)
async def test_every_route_for_two_tenants(
    role: Role,
    api: httpx.AsyncClient,
    app: FastAPI,
    access: AccessStore,
    store: Store,
    taken: Mapping[str, Permission | None],
) -> None:
    run_id = await leave_run(store.of("acme"))
    keys = {tenant: await make_key(access, role, tenant=tenant) for tenant in ("zebra", "acme")}
    for route in routes(app.openapi()):
        permission = taken[str(route)]
        if permission is None:
            continue
        for tenant, key in keys.items():
            answer = await ask(api, route, run_id, key)
            if permission not in ROLES[role]:
                assert answer.status_code == 403, (route, tenant)
                assert answer.json()["type"] == FORBIDDEN
                assert repr(role) in answer.json()["detail"]
                continue
            assert answer.status_code not in (401, 403), (route, tenant, answer.text)
            if tenant == "zebra" and route.about_a_run:
                hint = "bodies are made of the `examples` of fields: does one that is required have none?"
                assert answer.status_code == 404, (route, answer.text, hint)


async def test_the_owner_reads_what_the_stranger_does_not_find(
    api: httpx.AsyncClient, access: AccessStore, store: Store
) -> None:
    run_id = await leave_run(store.of("acme"))
    own, other = await make_key(access, "reader"), await make_key(access, "reader", tenant="zebra")
    for path in ("", "/evidence", "/events"):
        assert (await api.get(f"/v1/runs/{run_id}{path}", auth=own)).status_code == 200, path
        assert (await api.get(f"/v1/runs/{run_id}{path}", auth=other)).status_code == 404, path
