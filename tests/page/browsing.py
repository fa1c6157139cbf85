"""A real browser, and pages in it that tell what went wrong: errors of scripts, and what the policy refused."""

import shutil
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any, Final

from axe_playwright_python.async_playwright import Axe
from playwright.async_api import Browser, Page, ViewportSize, async_playwright

CHROMIUM: Final = ("chromium", "chromium-browser", "google-chrome")
"""Names under which systems have it."""
FLAGS: Final = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-sync"),
    *("--disable-background-networking", "--disable-component-update"),
)
PHONE: Final = {"width": 320, "height": 640}
"""The narrowest screen, which is also as wide as a desk's at 400 %."""
MAGNIFIED: Final = ViewportSize(width=320, height=256)
"""A screen of 1280 by 1024 pixels at 400 %."""


@asynccontextmanager
async def open_browser() -> AsyncIterator[Browser]:
    """The browser of this machine; a missing one is a failure, never a skip."""
    found = next(filter(None, map(shutil.which, CHROMIUM)), None)
    assert found, "the tests of the page need Chromium (Debian: apt-get install chromium)"
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=found, args=FLAGS)
        try:
            yield browser
        finally:
            await browser.close()


class Watched:
    """What pages said that none should say."""

    def __init__(self) -> None:
        self.complaints: list[str] = []

    def watch(self, page: Page) -> None:
        """Listen to a page: errors of its scripts, and what its policy refuses."""
        page.on("pageerror", lambda error: self.complaints.append(f"{page.url}: {error}"))
        page.on("console", lambda said: self._note(page.url, said.type, said.text))

    def _note(self, url: str, kind: str, text: str) -> None:
        refused = "Content Security Policy" in text or "Content-Security-Policy" in text
        if refused or (kind == "error" and "Failed to load resource" not in text):
            self.complaints.append(f"{url}: {text}")


@asynccontextmanager
async def open_page(browser: Browser, address: str, watched: Watched, **context: Any) -> AsyncIterator[Page]:
    """A page in a context of its own, for paths below `address`."""
    made = await browser.new_context(base_url=address, **context)
    made.set_default_timeout(60_000)  # as `expect` waits in conftest.py
    try:
        page = await made.new_page()
        watched.watch(page)
        yield page
    finally:
        await made.close()


async def find_violations(page: Page, *rules: str) -> list[str]:
    """What axe says is in the way of somebody, with the place; by these rules of it, or all."""
    chosen = {"runOnly": [*rules]} if rules else {}
    found = await Axe().run(page, options={"resultTypes": ["violations"], **chosen})
    return [f"{one['id']}: {node['html'][:200]}" for one in found.response["violations"] for node in one["nodes"]]


async def measure_overflow(page: Page) -> int:
    """How many pixels a page is wider than its window."""
    width: int = await page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
    return width
