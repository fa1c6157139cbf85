"""The list of runs and the set-up: filtered by their addresses, followed while runs work, a word for each state."""

from playwright.async_api import expect

from tests.page.conftest import OpenPage
from tests.tour.runs import DONE, REFUSED, Tour


async def test_runs_are_filtered_and_an_empty_list_leads_on(open_tour_page: OpenPage) -> None:
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto("/runs")
        await page.get_by_label("Status").select_option("failed")
        await page.get_by_role("button", name="Filter").click()
        await expect(page.get_by_role("link", name=REFUSED)).to_be_visible()
        await expect(page.get_by_role("link", name=DONE)).to_have_count(0)
        await page.get_by_label("Question").fill("nobody asked this")
        await page.get_by_role("button", name="Filter").click()
        await expect(page.get_by_role("heading", name="No matching runs")).to_be_visible()
        await page.get_by_role("link", name="see all runs").click()
        await expect(page.locator(".runs > li")).not_to_have_count(0)
        await page.goto("/runs?before=nonsense")
        await expect(page.get_by_role("main")).to_contain_text("is no run's id")


async def test_runs_are_chosen_to_be_compared_and_deleted(open_tour_page: OpenPage, tour: Tour) -> None:
    made = (await tour.api.post(f"/v1/runs/{tour.runs[DONE]}/fork", json={"step": 13})).json()
    async with open_tour_page() as page:
        await page.goto("/runs")
        rows = page.locator(".runs > li")
        fork, refused = (rows.and_(page.locator(f"[data-run='{run}']")) for run in (made["run_id"], tour.runs[REFUSED]))
        await expect(fork.locator(".status")).to_have_text("Completed")
        compare = page.get_by_role("button", name="Compare")
        await expect(compare).to_be_disabled()
        await fork.get_by_role("checkbox").check()
        await refused.get_by_role("checkbox").check()
        await compare.click()
        await expect(page.get_by_role("heading", name="Two runs compared")).to_be_visible()
        await expect(page.get_by_text("A wrote no report: its status is failed")).to_be_visible()
        await page.goto("/runs")
        await fork.get_by_role("checkbox").check()
        await page.get_by_role("button", name="Delete").click()
        await page.get_by_role("button", name="Delete 1 for good").click()
        await expect(page.locator("#says")).to_have_text("1 deleted.")
        await expect(fork).to_have_count(0)
    async with open_tour_page(java_script_enabled=False) as page:
        await page.goto("/runs")
        await page.get_by_role("button", name="Compare").click()
        await expect(page.get_by_role("main")).to_contain_text("no run was chosen")


async def test_a_list_follows_the_runs_that_work(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        question = "Does the list know that this was cancelled?"
        plan = {"mode": "deep", "approve_plan": True, "sources": ["log"]}
        made = (await tour.api.post("/v1/runs", json={"question": question, **plan})).json()
        await page.goto("/")
        row = page.locator(".runs > li", has_text=question)
        await expect(row.locator(".status")).to_have_text("Waiting for approval")
        await tour.api.post(f"/v1/runs/{made['run_id']}/cancel")
        await expect(row.locator(".status")).to_have_text("Cancelled")


async def test_the_set_up_says_what_is_there_and_tries_a_source(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/set-up")
        await expect(page.get_by_text("Everything a run needs is working.")).to_be_visible()
        await expect(page.get_by_role("region", name="Models")).to_contain_text("$2.50 as input")
        await page.locator("li", has_text="The documents of 'log'.").locator("summary").click()
        await page.get_by_label("Search for").first.fill("water on the island")
        await page.get_by_role("button", name="Search").first.click()
        await expect(page.locator(".found").first).to_contain_text("The island")
