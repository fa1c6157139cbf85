"""The audit log has who did what, when and from where; it is read by operators, exported, and never changed."""

import csv
import io
import json
import re
from pathlib import Path
from typing import Any

import httpx
import pytest
from fastapi import FastAPI

from elcano.operations.access import audit
from elcano.operations.access.access_store import AccessStore
from elcano.operations.access.audit_log import AuditLog
from tests.unit.operations.access.conftest import EACH_DATABASE, make_key


@EACH_DATABASE
async def test_changes_and_refusals_are_recorded_and_reading_is_not(
    api: httpx.AsyncClient, access: AccessStore
) -> None:
    admin, reader = await make_key(access), await make_key(access, "reader")
    await api.get("/v1/runs", auth=reader)
    made = (await api.post("/v1/keys", json={"name": "new", "role": "reader"}, auth=admin)).json()
    await api.delete(f"/v1/keys/{made['id']}", auth=admin)
    await api.delete("/v1/runs/acme-1", auth=reader)
    await api.get("/v1/audit", auth=reader)
    page = (await api.get("/v1/audit", auth=admin)).json()
    found = [(one["action"], one["user"], one["role"], one["target"], one["outcome"]) for one in page["entries"]]
    assert found[::-1] == [
        ("create_key", "the admin", "admin", f"/v1/keys/{made['id']}", 201),
        ("revoke_key", "the admin", "admin", f"/v1/keys/{made['id']}", 204),
        ("delete_run", "the reader", "reader", "/v1/runs/acme-1", 403),
        ("read_audit_log", "the reader", "reader", "/v1/audit", 403),
    ]
    assert page["entries"][0]["address"] == "127.0.0.1"
    assert page["entries"][0]["key_id"] == reader.token.split("_")[1]
    assert made["key"] not in str(page)


@EACH_DATABASE
async def test_a_tenant_reads_its_own_log(api: httpx.AsyncClient, access: AccessStore) -> None:
    await api.post("/v1/keys", json={"name": "new", "role": "reader"}, auth=await make_key(access))
    other = await make_key(access, "operator", tenant="zebra")
    assert (await api.get("/v1/audit", auth=other)).json() == {"entries": [], "next": None}


async def fill(log: AuditLog, entries: int) -> None:
    for number in range(entries):
        await log.add(
            at=1_700_000_000.0 + number,
            user="=cmd|' /C calc'!A0" if number == 3 else "alice",
            role="admin",
            key_id="",
            action="stop_run",
            target=f"/v1/runs/acme-{number}/stop",
            outcome=202,
            address="192.0.2.7",
        )


@EACH_DATABASE
async def test_it_is_read_page_by_page(api: httpx.AsyncClient, access: AccessStore) -> None:
    await fill(access.of("acme").audit, 25)
    admin = await make_key(access)
    seen, params = list[str](), dict[str, Any](limit=10)
    while True:
        page = (await api.get("/v1/audit", params=params, auth=admin)).json()
        seen += [one["target"] for one in page["entries"]]
        if page["next"] is None:
            break
        params["cursor"] = page["next"]
    assert seen == [f"/v1/runs/acme-{number}/stop" for number in reversed(range(25))]
    window = {"since": "2023-11-14T22:13:30Z", "until": "2023-11-14T22:13:33Z"}
    part = (await api.get("/v1/audit", params=window, auth=admin)).json()["entries"]
    assert [one["target"] for one in part] == [f"/v1/runs/acme-{number}/stop" for number in (12, 11, 10)]


@EACH_DATABASE
async def test_it_is_exported_whole(
    api: httpx.AsyncClient, access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("elcano.operations.access.audit.PAGE", 10)
    admin = await make_key(access)
    empty = await api.get("/v1/audit", headers={"Accept": "text/csv"}, auth=admin)
    assert empty.text == "id,at,user,role,key_id,action,target,outcome,address\r\n"
    await fill(access.of("acme").audit, 25)
    lines = (await api.get("/v1/audit", headers={"Accept": "application/jsonl"}, auth=admin)).text.splitlines()
    assert [json.loads(line)["target"] for line in lines] == [f"/v1/runs/acme-{number}/stop" for number in range(25)]
    table = (await api.get("/v1/audit", headers={"Accept": "text/csv"}, auth=admin)).text
    rows = list(csv.DictReader(io.StringIO(table)))
    assert len(rows) == 25
    assert rows[3]["user"].startswith("'=")
    assert rows[0]["at"] == "2023-11-14T22:13:20.000000Z"


async def test_no_code_changes_or_deletes_an_entry(app: FastAPI) -> None:
    folder = Path(audit.__file__).parent
    for file in folder.glob("*.py"):
        assert not re.search(r"(?:update|delete)\(\s*audit_entries", file.read_text(encoding="utf-8")), file
    assert set(app.openapi()["paths"]["/v1/audit"]) == {"get"}


@EACH_DATABASE
async def test_an_answer_that_cannot_be_recorded_is_none(
    api: httpx.AsyncClient, access: AccessStore, monkeypatch: pytest.MonkeyPatch
) -> None:
    admin = await make_key(access)

    async def fail(*_: object, **__: object) -> None:
        raise OSError("the disk is full")

    monkeypatch.setattr(audit, "STORE_ERRORS", (OSError,))
    monkeypatch.setattr(AuditLog, "add", fail)
    answer = await api.post("/v1/keys", json={"name": "new", "role": "reader"}, auth=admin)
    assert answer.status_code == 503
    assert "the audit log cannot be written" in answer.json()["detail"]
    assert "key" not in answer.json()
    assert (await api.get("/v1/runs", auth=admin)).status_code == 200


@pytest.mark.parametrize("kept", [True, False])
async def test_without_an_identity_nothing_is_recorded_unless_asked_for(
    monkeypatch: pytest.MonkeyPatch, kept: bool
) -> None:
    from elcano.settings import Settings

    monkeypatch.delenv("ELCANO_API_KEYS")
    monkeypatch.setenv("ELCANO_AUDIT", str(kept).lower())
    middleware = audit.AuditMiddleware(lambda *_: None, Settings(_env_file=None))  # type: ignore[arg-type]
    assert middleware._writes is kept
