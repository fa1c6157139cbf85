"""The report beside its sources: from a sentence to its quotes and back, by whatever one has."""

import os
import re
from collections.abc import AsyncIterator
from pathlib import Path
from unittest.mock import patch

import pytest
from playwright.async_api import Browser, Locator, Page, expect

from elcano.api.app import create_app
from elcano.graphs.report.report import ReportDraft
from elcano.operations.access.access_store import get_access
from elcano.settings import Settings
from elcano.storage.store import open_store
from tests.api.serving import serving
from tests.page import harbour, long_report
from tests.page.browsing import PHONE, Watched, find_violations, measure_overflow, open_page
from tests.page.harbour import Reading
from tests.unit.operations.access.conftest import make_key
from tests.unit.operations.access.runs import connect_to_nothing


@pytest.fixture(scope="module")
async def reading(tmp_path_factory: pytest.TempPathFactory) -> AsyncIterator[Reading]:
    async with harbour.serve_harbour_report(tmp_path_factory.mktemp("reading")) as served:
        yield served


def sentence(page: Page, words: str) -> Locator:
    return page.locator(".report .statement", has_text=words)


async def test_by_keyboard_a_citation_opens_its_page_and_escape_leads_back(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        number = sentence(page, "harbour open all winter").get_by_role("link", name="[1]")
        await number.press("Enter")
        await expect(page.get_by_role("heading", name="Statement 3 of 22")).to_be_focused()
        shown = page.locator("li.chosen")
        await expect(shown).to_contain_text("Not supported")
        await expect(shown).to_contain_text("until the end of January, not all winter")
        await expect(shown.get_by_role("img", name="Page 2 with the quote marked")).to_be_visible()
        await expect(shown.locator(".sheet i")).to_be_in_viewport()
        assert await find_violations(page) == []
        await page.emulate_media(color_scheme="dark")
        assert await find_violations(page, "color-contrast") == []
        await page.keyboard.press("Tab")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Enter")
        await expect(page.get_by_role("heading", name="Statement 4 of 22")).to_be_focused()
        await expect(page.locator(".report .chosen")).to_contain_text("6,250 crowns")
        await page.keyboard.press("Escape")
        await expect(page.get_by_role("heading", name="Sources", exact=True)).to_be_visible()
        await expect(sentence(page, "6,250 crowns in wages").get_by_role("link", name="[1]")).to_be_focused()


@pytest.mark.parametrize(
    ("words", "quoted"),
    [
        ("a market was held", harbour.MARKET),
        ("one crew shared", harbour.FLOUR),
        ("what lay at the outer pier", harbour.LESSON),
        ("a bow of double plates", harbour.PLATES),
        ("those at the outer pier were not", harbour.SWELL),
        ("58", "58"),
    ],
)
async def test_quotes_of_every_kind_of_source_are_shown_marked(
    browser: Browser, watched: Watched, reading: Reading, words: str, quoted: str
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        await sentence(page, words).first.dispatch_event("click")
        await expect(page.locator("li.chosen mark", has_text=quoted).first).to_be_visible()


async def test_doubted_only_leaves_what_is_doubted_also_without_scripts(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    for scripts in (True, False):
        async with open_page(browser, reading.url, watched, java_script_enabled=scripts) as page:
            await page.goto(reading.report)
            await expect(sentence(page, "a market was held")).to_be_visible()
            await page.get_by_label("Doubted only: 5").check()
            await expect(sentence(page, "a market was held")).to_be_hidden()
            await expect(page.locator(".report .statement.doubted")).to_have_count(5)
            for place in range(5):
                await expect(page.locator(".report .statement.doubted").nth(place)).to_be_visible()
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        await page.get_by_label("Doubted only").check()
        await sentence(page, "kept the harbour open").click()
        await page.get_by_role("button", name="Next").click()
        await expect(page.locator("li.chosen")).to_contain_text("-24")


async def test_a_doubt_is_in_the_margin_and_that_of_a_cell_is_a_mark_with_its_reason(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        doubts = page.locator(".report .doubt:not(td .doubt)")
        text = await page.locator(".report > section > p").first.bounding_box()
        assert text
        for place in range(await doubts.count()):
            box = await doubts.nth(place).bounding_box()
            assert box
            assert box["x"] >= text["x"] + text["width"]
        link = page.locator(".report td .doubt")
        await expect(link).to_have_accessible_name(re.compile(r"^\? Not supported: .+"))
        await link.press("Enter")
        await expect(page.locator("li.chosen")).to_contain_text("-24")
        await page.keyboard.press("Escape")
        await expect(link).to_be_focused()
    async with open_page(browser, reading.url, watched, viewport=PHONE, has_touch=True) as page:
        await page.goto(reading.report)
        await page.locator(".report td .doubt").tap()
        await expect(page.locator("li.chosen .reason")).to_be_in_viewport()


async def test_a_source_shows_what_rests_on_it_and_what_is_missing_stands_above(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        missing = page.get_by_role("region", name="Not found, or not read")
        await expect(missing).to_contain_text("what the boats were worth")
        await expect(missing).to_contain_text("customs.pdf was skipped")
        await page.locator("#source-3 summary").click()
        await expect(page.locator(".report .resting")).to_have_count(2)
        await page.locator("#source-3 .rests a").last.click()
        await expect(page.locator(".report .chosen")).to_contain_text("the price of bread doubled")
        await page.locator("li.chosen").get_by_role("link", name="[3] Chronicle").click()
        await expect(page.locator("#source-3 summary")).to_be_focused()
        await expect(page.locator("#source-3 .rests a").last).to_be_visible()


async def test_the_number_of_a_table_lists_its_cells_and_a_link_leads_to_a_sentence(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        await page.locator(".report p", has_text="week by week").get_by_role("link", name="[4]").click()
        await expect(page.get_by_role("heading", name="6 statements")).to_be_visible()
        await page.locator("li.chosen", has_text="-24").locator("summary").click()
        await expect(page.locator("li.chosen[class*=doubted] mark").first).to_be_visible()
        await page.goto("/runs")
        await page.goto(f"{reading.report}#statement-3")
        await expect(page.get_by_role("heading", name="Statement 3 of 22")).to_be_visible()


async def test_on_a_phone_the_sources_come_up_from_below(browser: Browser, watched: Watched, reading: Reading) -> None:
    for width in (PHONE["width"], 390):
        async with open_page(browser, reading.url, watched, viewport={"width": width, "height": 740}) as page:
            await page.goto(reading.report)
            await sentence(page, "kept the harbour open").get_by_role("link", name="[1]").click()
            pane = page.get_by_role("complementary")
            await expect(pane.get_by_role("img", name="Page 2")).to_be_visible()
            box = await pane.bounding_box()
            assert box
            assert box["y"] + box["height"] == 740
            await expect(sentence(page, "kept the harbour open")).to_be_in_viewport(ratio=1)
            assert await measure_overflow(page) == 0
            assert await find_violations(page) == []
            await page.get_by_role("button", name="Close").click()
            await page.get_by_role("link", name="Sources: 7").click()
            await expect(page.locator("#source-1 summary")).to_be_in_viewport()


async def test_without_scripts_every_doubt_leads_to_its_reason(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched, java_script_enabled=False) as page:
        await page.goto(reading.report)
        await page.get_by_role("link", name="partly supported").click()
        await expect(page.locator(".claim-list li:target")).to_contain_text("Most of the boats were old")
        await page.locator(".claim-list li:target summary").click()
        await expect(page.locator(".claim-list li:target .reason")).to_contain_text("not that they were old for boats")
        await expect(page.locator("#source-7")).to_contain_text("The tug")


async def test_of_a_source_that_was_deleted_it_is_said_in_its_place(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    kept = (reading.folder / harbour.PDF).rename(reading.folder.parent / "kept.pdf")
    try:
        async with open_page(browser, reading.url, watched) as page:
            await page.goto(reading.report)
            await sentence(page, "kept the harbour open").click()
            await expect(page.locator("li.chosen")).to_contain_text("There is no picture of page 2")
            await expect(page.locator("li.chosen")).to_contain_text("was deleted since the run read it")
            await expect(page.locator("li.chosen mark")).to_have_text(harbour.TUG)
    finally:
        kept.rename(reading.folder / harbour.PDF)


async def test_who_may_not_read_what_was_quoted_is_told_so_and_keeps_the_quotes(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    key = await make_key(get_access(reading.store), "reader", tenant="default", scopes=("read_run",))
    with patch.dict(os.environ, {"ELCANO_API_KEYS": "true"}):
        app = create_app(reading.settings, store=reading.store, client=connect_to_nothing)
    sent = {"Authorization": f"Bearer {key.token}"}
    async with serving(app) as url, open_page(browser, url, watched, extra_http_headers=sent) as page:
        await page.goto(reading.report)
        await expect(page.get_by_role("region", name="Not found, or not read")).to_contain_text("may not read what")
        await sentence(page, "kept the harbour open").click()
        await expect(page.locator("li.chosen mark")).to_have_text(harbour.TUG)
        await expect(page.locator("li.chosen img")).to_have_count(0)


async def test_a_report_without_any_sentence_and_one_of_doubts_alone_can_be_read(
    browser: Browser, watched: Watched, reading: Reading, tmp_path: Path
) -> None:
    passages, texts, _ = await harbour.find_passages(reading.folder, tmp_path / "index.sqlite", [harbour.TUG])
    doubted = harbour.write_claim((harbour.UNFOUND, {}), passages)
    drafts = (ReportDraft(title="Nothing"), ReportDraft(title="Doubts", introduction=(doubted,) * 2))
    for number, draft in enumerate(drafts):
        async with open_store(tmp_path / str(number)) as store:
            run_id = await harbour.leave(store, draft, passages, texts)
            settings = Settings(data_dir=tmp_path / str(number), _env_file=None)
            async with (
                serving(create_app(settings, store=store, client=connect_to_nothing)) as url,
                open_page(browser, url, watched) as page,
            ):
                await page.goto(f"/runs/{run_id}/report")
                await expect(
                    page.get_by_text("This report cites nothing, so nothing in it could be checked.")
                ).to_be_visible()
                await expect(page.get_by_label("Doubted only: 2")).to_have_count(number)
                assert await find_violations(page) == []
                if number:
                    await page.locator(".report .doubt").last.click()
                    await expect(page.get_by_role("heading", name="Statement 2 of 2")).to_be_visible()
                    await expect(page.locator("li.chosen")).to_contain_text("it cites nothing")


async def test_one_run_is_compared_with_another_in_one_click(
    browser: Browser, watched: Watched, reading: Reading
) -> None:
    async with open_page(browser, reading.url, watched) as page:
        await page.goto(reading.report)
        await page.get_by_role("link", name="Compare").click()
        await expect(page.get_by_text("There is no other run yet.")).to_be_visible()


async def test_eighty_sentences_on_one_page_ask_for_one_picture(
    browser: Browser, watched: Watched, tmp_path: Path
) -> None:
    long_report.write_log(tmp_path / "log", 80, 1)
    async with open_store(tmp_path / "data") as store:
        run_id = await long_report.leave_long_report(store, tmp_path / "log", tmp_path / "index.sqlite", 80)
        settings = Settings(data_dir=tmp_path / "data", collections={"norvik": tmp_path / "log"}, _env_file=None)
        async with (
            serving(create_app(settings, store=store, client=connect_to_nothing)) as url,
            open_page(browser, url, watched) as page,
        ):
            asked = set[str]()
            page.on("request", lambda request: asked.add(request.url) if "/pages/" in request.url else None)
            await page.goto(f"/runs/{run_id}/report")
            for place in (0, 40, 79):
                await page.locator(".report .statement").nth(place).click()
                await expect(page.locator("li.chosen .sheet i")).to_be_in_viewport()
            await expect(page.get_by_role("heading", name="Statement 80 of 80")).to_be_visible()
            assert len(asked) == 1
