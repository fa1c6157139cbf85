"""A citation opens on the picture of its page, scrolled to its mark; without the file it says why, and keeps the text.

Its own API over a store, without Temporal: nothing here needs a run that works.
"""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from playwright.async_api import Browser, Page, expect

from elcano.api.app import create_app
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.documents.file_formats import FORMATS, Format
from tests.api.serving import serving
from tests.page.browsing import PHONE, Watched, find_violations, measure_overflow, open_page
from tests.unit.operations.access.runs import connect_to_nothing
from tests.unit.subjects.documents.placed import READER
from tests.unit.subjects.documents.reported import FILE, fill_folder, leave_report


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
async def address(store: Store, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[str]:
    """The address of the report's page."""
    monkeypatch.setitem(FORMATS, ".pdf", Format("application/pdf", READER))
    fill_folder(tmp_path / "fish")
    run_id, _ = await leave_report(store, tmp_path / "fish", tmp_path)
    settings = Settings(data_dir=tmp_path / "data", collections={"fish": tmp_path / "fish"}, _env_file=None)
    async with serving(create_app(settings, store=store, client=connect_to_nothing)) as url:
        yield f"{url}/runs/{run_id}/report"


async def open_citation(page: Page, address: str) -> None:
    await page.goto(address)
    await page.locator(".report a.number").first.click()
    await expect(page.get_by_role("heading", name="Statement 1 of 2")).to_be_visible()


async def test_a_citation_opens_on_its_page_scrolled_to_its_mark(
    browser: Browser, watched: Watched, address: str
) -> None:
    async with open_page(browser, address, watched) as page:
        await open_citation(page, address)
        picture = page.get_by_role("img", name="Page 2")
        await expect(picture).to_have_js_property("complete", True)
        view = page.get_by_role("region", name="Picture of page 2")
        await expect(view).not_to_have_js_property("scrollTop", 0)
        boxes = [await one.bounding_box() for one in (view, view.locator("i"), picture)]
        seen, mark, whole = (box for box in boxes if box)
        assert seen["y"] < mark["y"] < seen["y"] + seen["height"]
        assert mark["height"] < whole["height"] / 20
        before = await picture.evaluate("one => one.offsetWidth")
        await page.get_by_role("button", name="Zoom in").click()
        assert await picture.evaluate("one => one.offsetWidth") > 1.3 * before
        await view.press("-")
        assert await picture.evaluate("one => one.offsetWidth") == before
        assert await find_violations(page) == []


async def test_on_a_phone_the_picture_fits_and_without_scripts_it_is_a_link(
    browser: Browser, watched: Watched, address: str
) -> None:
    async with open_page(browser, address, watched, viewport=PHONE) as page:
        await open_citation(page, address)
        await expect(page.get_by_role("img", name="Page 2")).to_have_js_property("complete", True)
        assert await measure_overflow(page) == 0
    async with open_page(browser, address, watched, java_script_enabled=False) as page:
        await page.goto(address)
        await page.locator(".claim-list summary").first.click()
        answer = await page.request.get(str(await page.locator(".page-link").first.get_attribute("href")))
        assert answer.headers["content-type"] == "image/png"


async def test_of_a_file_that_was_replaced_the_text_stays(
    browser: Browser, watched: Watched, address: str, tmp_path: Path
) -> None:
    (tmp_path / "fish" / "cod.pdf").write_bytes(FILE + b"\n%changed")
    async with open_page(browser, address, watched) as page:
        await open_citation(page, address)
        shown = page.locator("li.chosen")
        await expect(shown).to_contain_text("was replaced since the run read it")
        assert "Cod spawn in spring" in await shown.locator("mark").inner_text()
