"""Where the API asks who is there, a browser signs in, comes back to where it was, and is offered what it may do."""

from collections.abc import AsyncIterator
from pathlib import Path
from urllib.parse import urlencode

import pytest
from fastapi import Request, Response
from fastapi.responses import RedirectResponse
from playwright.async_api import Browser, Page, expect
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.graphs.records import ArchivedRun
from elcano.graphs.state.events import AgentEvent
from elcano.operations.access import oidc
from elcano.operations.access.access_store import get_access
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from tests.api.serving import serving
from tests.page.browsing import MAGNIFIED, Watched, find_violations, measure_overflow, open_page
from tests.unit.operations.access.test_login import CLIENT, LoginService

QUESTION = "What is lost when a session ends?"
FAILED = ArchivedRun(
    run_id="acme-01kb1q3yw5v7c8m2n4p6r8t0vx",
    question="What is lost when a run fails?",
    mode="iterative",
    tenant="acme",
    status="failed",
    started_at=1.0,
    finished_at=2.0,
)


@pytest.fixture
async def guarded(
    tmp_path: Path, temporal: Client, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[tuple[str, Store]]:
    """The address of an API that asks who is there, and its store."""
    monkeypatch.setenv("ELCANO_API_KEYS", "true")

    async def client() -> Client:
        return temporal

    async with open_store(tmp_path) as store:
        app = create_app(Settings(data_dir=tmp_path, _env_file=None), store=store, client=client)
        async with serving(app) as address:
            yield address, store


async def test_a_session_begins_ends_and_loses_nothing_that_was_typed(
    guarded: tuple[str, Store], browser: Browser, watched: Watched
) -> None:
    address, store = guarded
    access = get_access(store)
    failed = AgentEvent(seq=1, type="failed", message="", at=2.0, step=1, iteration=1)
    await store.of("acme").runs.archive(FAILED, [failed])
    reader, _ = await access.of("acme").create_key("Rosa", "reader", (), None, "")
    researcher, _ = await access.of("acme").create_key("Juan", "researcher", (), None, "")
    async with open_page(browser, address, watched) as page:
        await page.goto("/runs?status=failed")
        assert page.url.endswith("/login?to=/runs%3Fstatus%3Dfailed")
        assert await find_violations(page) == []
        await page.set_viewport_size(MAGNIFIED)
        await page.get_by_label("API key").fill("elc_mistyped")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("alert")).to_contain_text("mistyped")
        await expect(page.get_by_role("alert")).to_be_in_viewport(ratio=1)
        await expect(page.locator("#says")).to_be_hidden()
        assert await measure_overflow(page) == 0
        await page.get_by_label("API key").fill(reader.text)
        await page.get_by_role("button", name="Sign in").click()
        await expect(page.get_by_text("Rosa")).to_be_visible()
        assert page.url.endswith("/runs?status=failed")
        await page.goto("/")
        await expect(page.get_by_role("button", name="Research")).to_have_count(0)
        await page.get_by_role("button", name="Sign out").click()
        await page.wait_for_url("**/login")  # whose script is there when it is loaded
        await page.get_by_label("API key").fill(researcher.text)
        await page.get_by_role("button", name="Sign in").click()
        await page.wait_for_url(f"{address}/")
        await page.get_by_label("What do you want to know?").fill(QUESTION)
        await page.context.clear_cookies()
        await page.get_by_role("button", name="Research").click()
        await sign_in_again(page, researcher.text)
        await expect(page.get_by_label("What do you want to know?")).to_have_value(QUESTION)
        await page.goto(f"/runs/{FAILED.run_id}")
        await page.get_by_label("Why").fill(QUESTION)
        await page.context.clear_cookies()
        await page.evaluate("document.dispatchEvent(new Event('elcano:done'))")  # it looks at what the server knows
        await sign_in_again(page, researcher.text)
        await page.evaluate("document.dispatchEvent(new Event('elcano:done'))")
        await expect(page.locator("#says")).to_be_hidden()
        await expect(page.get_by_label("Why")).to_have_value(QUESTION)


async def test_a_key_that_is_entered_before_the_script_is_there_stays_out_of_the_address(
    guarded: tuple[str, Store], browser: Browser, watched: Watched
) -> None:
    async with open_page(browser, guarded[0], watched) as page:
        await page.route("**/sign_in.js", lambda route: route.abort())
        await page.goto("/login")
        await page.get_by_label("API key").fill("elc_secret")
        await page.keyboard.press("Enter")
        await page.get_by_role("button", name="Sign in").click()
        assert page.url == f"{guarded[0]}/login"


async def sign_in_again(page: Page, key: str) -> None:
    """Follows the page's invitation to another tab; what was typed stays in this one."""
    async with page.context.expect_page() as opened:
        await page.get_by_role("link", name="sign in again").click()
    tab = await opened.value
    await tab.wait_for_load_state()
    await tab.get_by_label("API key").fill(key)
    await tab.get_by_role("button", name="Sign in").click()
    await tab.wait_for_url(page.url)
    await tab.close()


async def test_a_login_service_leads_back_to_where_one_was(
    guarded: tuple[str, Store], browser: Browser, watched: Watched, monkeypatch: pytest.MonkeyPatch
) -> None:
    service = LoginService()

    async def sign_in(request: Request) -> Response:
        answer = urlencode(service.sign_in(str(request.url)))
        return RedirectResponse(f"{request.query_params['redirect_uri']}?{answer}")

    service.app.get("/login")(sign_in)
    async with serving(service.app) as service.address, open_page(browser, guarded[0], watched) as page:
        monkeypatch.setattr(oidc, "_issuers", {})
        monkeypatch.setenv("ELCANO_OIDC_ISSUER", service.address)
        monkeypatch.setenv("ELCANO_OIDC_AUDIENCE", "elcano")
        monkeypatch.setenv("ELCANO_OIDC_CLIENT_ID", CLIENT)
        await page.goto("/runs?status=failed")
        await page.get_by_role("link", name="Sign in with your organisation").click()
        await expect(page.get_by_text("alice")).to_be_visible()
        assert page.url.endswith("/runs?status=failed")
