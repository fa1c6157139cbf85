"""Questions are scheduled, run at once, paused, continued and deleted in the page."""

from playwright.async_api import expect

from tests.page.conftest import OpenPage


async def test_a_question_is_scheduled_run_paused_continued_and_deleted(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/schedules")
        form = page.locator("form[data-post='/v1/schedules']")
        await form.get_by_label("Question").fill("What is new of the island?")
        await form.get_by_label("Name").fill("Island News")
        await form.get_by_role("button", name="Schedule it").click()
        await expect(form.locator("[data-fault=name]")).to_contain_text("small letters")
        await form.get_by_label("Name").fill("island-news")
        await form.get_by_label("When").fill("0 7 30 2 *")
        await form.get_by_label("Time zone").fill("Europe/Seville")
        await form.get_by_role("button", name="Schedule it").click()
        await expect(form.locator("[data-fault=cron]")).to_contain_text("never comes")
        await expect(form.locator("[data-fault=time_zone]")).to_contain_text("Europe/Seville")
        await form.get_by_label("When").fill("0 7 * * MON")
        await form.get_by_label("Time zone").fill("Europe/Madrid")
        await form.get_by_label("Or every").fill("12")
        await form.get_by_label("Keep one report up to date").check()
        await form.get_by_label("Tokens of all its runs").fill("200000")
        await form.get_by_role("button", name="Schedule it").click()
        await page.wait_for_url("**/schedules/island-news")
        told = page.get_by_role("region", name="When")
        await expect(told).to_contain_text("Runs at 0 7 * * MON (Europe/Madrid), and every 12 h")
        await expect(told).to_contain_text("200,000 tokens in any 30 days")

        await page.locator("summary", has_text="Run it now").click()
        await page.get_by_role("button", name="Run it now").click()
        await expect(page.get_by_role("status").filter(has_text="among the runs").first).to_be_visible()

        async def started() -> int:
            await page.reload()
            return await page.get_by_role("region", name="Its runs").get_by_role("link").count()

        while not await started():
            await page.wait_for_timeout(500)

        await page.locator("summary", has_text="Pause").click()
        await page.get_by_label("Why").fill("Over the holidays")
        await page.get_by_role("button", name="Pause").click()
        await expect(page.get_by_role("region", name="Paused")).to_contain_text("Over the holidays")
        await page.locator("summary", has_text="Continue").click()
        await page.get_by_role("button", name="Continue").click()
        await expect(page.get_by_role("region", name="When")).to_be_visible()
        await page.locator("summary", has_text="Delete").click()
        await page.get_by_role("button", name="Delete the schedule").click()
        await page.wait_for_url("**/schedules")
        await page.goto("/schedules/island-news")
        await expect(page.get_by_role("main")).to_contain_text("island-news")
        await expect(page.locator("form[data-post]")).to_have_count(0)
