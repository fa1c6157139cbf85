"""A browser signs in at a login service of others: npm's `oidc-provider`, with all that it does by default.

The secret goes in the header, roles are at UserInfo alone, and it asks to sign in and to consent on pages of its own.
"""

import asyncio
import re
import shutil
from asyncio.subprocess import DEVNULL, PIPE
from pathlib import Path

import httpx
import pytest

from elcano.api.app import create_app
from elcano.dev.claims import free_ports
from elcano.operations.access import oidc
from elcano.settings import Settings
from elcano.storage.store import Store
from tests.api.serving import serving
from tests.unit.operations.access.runs import connect_to_nothing
from tests.unit.operations.access.test_login import CLIENT, SECRET

PROVIDER = "oidc-provider@9.13.3"


async def call(*command: str, folder: Path) -> None:
    process = await asyncio.create_subprocess_exec(*command, cwd=folder, stdout=DEVNULL, stderr=PIPE)
    _, said = await process.communicate()
    assert process.returncode == 0, said.decode()


@pytest.mark.long
@pytest.mark.timeout(300)
async def test_a_person_signs_in_at_a_login_service_of_others(
    store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await call("npm", "install", "--silent", "--no-audit", "--no-fund", PROVIDER, folder=tmp_path)
    program = shutil.copy(Path(__file__).with_name("login_service.mjs"), tmp_path)
    (port,) = free_ports(1)
    monkeypatch.setattr(oidc, "_issuers", {})
    for name, value in (("ISSUER", f"http://127.0.0.1:{port}"), ("AUDIENCE", "elcano"), ("CLIENT_ID", CLIENT)):
        monkeypatch.setenv(f"ELCANO_OIDC_{name}", value)
    monkeypatch.setenv("ELCANO_OIDC_CLIENT_SECRET", SECRET)
    app = create_app(Settings(data_dir=tmp_path, _env_file=None), store=store, client=connect_to_nothing)
    async with serving(app) as served, httpx.AsyncClient(timeout=60, follow_redirects=True) as browser:
        callback = f"{served}/v1/session/oidc/callback"
        service = await asyncio.create_subprocess_exec(
            "node", str(program), str(port), callback, SECRET, stdout=PIPE, stderr=DEVNULL
        )
        try:
            assert service.stdout is not None
            while b"ready" not in (line := await service.stdout.readline()):
                assert line, "it has ended"
            page = await browser.get(f"{served}/v1/session/oidc", params={"to": "/docs"})
            for prompt in ("login", "consent"):
                (action,) = re.findall(r'<form[^>]*action="([^"]+)"', page.text)
                page = await browser.post(action, data={"prompt": prompt, "login": "alice", "password": "any"})
            assert (page.status_code, str(page.url)) == (200, f"{served}/docs")
            who = (await browser.get(f"{served}/v1/session")).json()
            assert (who["user"], who["role"]) == ("alice", "researcher")
        finally:
            service.kill()
            await service.wait()
