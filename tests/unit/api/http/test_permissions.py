"""Each role may do what its row says, scopes and links only narrow it, and every route declares one permission."""

import pytest
from fastapi import APIRouter, FastAPI

from elcano.api.app import create_app
from elcano.api.http.request_identity import PUBLIC, map_route_permissions, requires
from elcano.graphs.errors import InputInvalid
from elcano.service.permissions import PERMISSIONS, ROLES, Permission, Principal, Role
from elcano.settings.settings import Settings

READS: frozenset[Permission] = frozenset({"read_run", "inspect_run", "list_runs", "read_catalogue", "read_knowledge"})


def test_every_permission_is_described_and_some_role_has_it() -> None:
    granted = {permission for permissions in ROLES.values() for permission in permissions}
    assert granted == set(PERMISSIONS)


@pytest.mark.parametrize("role", ROLES)
def test_every_role_reads_what_its_tenant_has(role: Role) -> None:
    assert ROLES[role] >= READS


def test_who_starts_runs_does_not_decide_on_their_tool_calls() -> None:
    assert "approve" not in ROLES["researcher"]
    assert "start_run" not in ROLES["approver"]
    assert "administer" not in ROLES["operator"]


def test_without_an_identity_everything_is_allowed() -> None:
    assert Principal().permissions == set(PERMISSIONS)


def test_scopes_never_widen_a_role() -> None:
    principal = Principal(role="reader", scopes=frozenset({"read_run", "administer"}))
    assert principal.permissions == {"read_run"}


def test_a_refusal_names_who_may() -> None:
    refused = Principal(role="reader").explain_refusal("start_run")
    assert refused == "the role 'reader' may not start and fork runs; that takes one of: researcher, admin"
    narrowed = Principal(role="researcher", scopes=frozenset({"read_run"})).explain_refusal("start_run")
    assert narrowed == "this credential is limited to read_run: it may not start and fork runs"


def test_every_route_declares_what_it_takes() -> None:
    declared = map_route_permissions(create_app(Settings(_env_file=None)).routes)
    public = {path for (_, path), permission in declared.items() if permission is None}
    of_its_own = ("/v1/session", "/v1/shared/")  # a login, and a link that says itself what it opens
    assert {path for path in public if path.startswith("/v1/") and not path.startswith(of_its_own)} == set()
    assert declared["post", "/v1/runs"] == "start_run"
    assert declared["post", "/v1/runs/{run_id}/approve-call"] == "approve"
    assert declared["get", "/v1/runs/{run_id}/events"] == "read_run"


def answer_nothing() -> None:
    """Stands for a route."""


def test_a_route_that_declares_nothing_or_two_things_is_refused() -> None:
    silent, twice, nested = APIRouter(), APIRouter(dependencies=[PUBLIC]), APIRouter(dependencies=[PUBLIC])
    inner = APIRouter()
    silent.get("/silent")(answer_nothing)
    twice.get("/twice", dependencies=[requires("operate")])(answer_nothing)
    inner.get("/inner")(answer_nothing)
    nested.include_router(inner, prefix="/outer")
    app = FastAPI()
    app.include_router(nested)
    assert map_route_permissions(app.routes) == {("get", "/outer/inner"): None}
    for router, path in ((silent, "/silent"), (twice, "/twice")):
        app = FastAPI()
        app.include_router(router)
        with pytest.raises(InputInvalid, match=f"{path}.*declares [02] permissions"):
            map_route_permissions(app.routes)
