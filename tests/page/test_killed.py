"""Processes are killed while a page follows a run: it says so, goes on by itself, and ends with the API's figures."""

import pytest
from playwright.async_api import Browser, Page, expect

from elcano.doors.page.formats import format_dollars, format_tokens
from tests.forked_programs import forked_programs
from tests.page.browsing import Watched, open_page
from tests.tour.runs import ASKED, DEEP, Tour, touring


@pytest.mark.long
@pytest.mark.timeout(900)
async def test_whatever_is_killed_the_page_tells_it_and_ends_with_the_figures_of_the_api(
    tmp_path_factory: pytest.TempPathFactory, browser: Browser, watched: Watched
) -> None:
    """One killing after the other, of the API, of Temporal and of the worker, each away until the page says so."""
    folder = tmp_path_factory.mktemp("killed")
    with forked_programs():
        async with touring(folder, {DEEP: ASKED[DEEP]}) as tour:
            stack = tour.stack
            assert stack.temporal is not None
            async with open_page(browser, stack.settings.base_url, watched) as page:
                await page.goto(f"/runs/{tour.runs[DEEP]}")
                banners = page.locator("#connection, [data-waits]").filter(visible=True)
                for child in (stack.api, stack.temporal, stack.worker):
                    await child.stop(0)
                    await expect(banners).to_have_count(1)
                    await child.start()
                    await expect(banners).to_have_count(0)
                tour.desk.mended.set()
                await page.wait_for_url("**/report", timeout=600_000)
                await page.get_by_role("link", name="Overview").click()
                await compare_figures(page, tour)


async def compare_figures(page: Page, tour: Tour) -> None:
    """What the page shows at the end is what the API says."""
    found = await tour.run(DEEP)
    budget = page.locator("#budget")
    used = found["budget"]["used"]
    for shown in (format_tokens(used["tokens"]), format_dollars(used["cost_usd"])):
        await expect(budget).to_contain_text(shown)
    report = (await tour.api.get(f"/v1/runs/{tour.runs[DEEP]}/report", headers={"Accept": "application/json"})).json()
    blocks = [block for part in report["parts"] for block in part["blocks"]]
    claims = [one for block in blocks for one in block["statements"] if one["citations"]]
    await page.get_by_role("link", name="Read the report").click()
    await expect(page.locator(".claim-list > li")).to_have_count(len(claims))
    verdicts = [quote["verdict"] for claim in claims for quote in claim["citations"]]
    await expect(page.locator(".claim-list .quote")).to_have_count(len(verdicts))
    failed = len(verdicts) - verdicts.count("verified")
    await expect(page.locator(".claim-list .quote .warn-text")).to_have_count(failed)
