"""A run as its reader sees it: what it does in plain words, then its report, which opens by itself and is shared."""

import re

from playwright.async_api import Route, expect

from tests.page.conftest import OpenPage
from tests.page.test_run import KEPT, start
from tests.tour.runs import DEEP, DONE, WORKING, Tour


async def test_a_run_that_works_says_what_it_does_in_words_for_readers(open_tour_page: OpenPage, tour: Tour) -> None:
    """Names of nodes, agents and reducers are on the page of its steps alone."""
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[DEEP]}")
        await expect(page.locator("#now .doing")).to_have_text("Researching 4 sections side by side")
        await expect(page.locator(".lane", has_text="The return")).to_contain_text("Judging whether 2 passages will do")
        await expect(page.locator("#found li")).to_contain_text(["The island", "The harbour"], use_inner_text=True)
        shown = await page.locator("main").inner_text()
        for inner in (
            "Store plan",
            "Hand over",
            "Parallel loops",
            "Knowledge gap",
            "Tool selector",
            "Judge:",
            "iteration",
        ):
            assert inner not in shown
        await page.get_by_role("link", name="Steps").click()
        await expect(page.locator("main")).to_contain_text("Outline: 4 sections to research")


OPEN = """data => stream.dispatchEvent(new MessageEvent('judge_complete', { data: JSON.stringify(data) }))"""


async def test_open_questions_are_counted_and_named(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.add_init_script(KEPT)
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        doing = page.locator("#now .doing")
        await expect(doing).to_contain_text("Judging whether")
        judged = {"seq": 1, "type": "judge_complete", "path": "", "section": "", "node": "knowledge_gap", "message": ""}
        for gaps, said in (
            (["the cost", "the crew"], "Two questions are open: the cost · the crew"),
            (["the cost"], "One question is open: the cost"),
            ([], "No question is open any more"),
        ):
            await page.evaluate(OPEN, {**judged, "data": {"gaps": gaps}})
            await expect(doing).to_have_text(said)
            await expect(page.locator("#feed li", has_text=said)).to_be_hidden()  # it stands above the list


async def test_the_report_of_a_run_that_was_watched_opens_though_its_page_cannot_be_had_anew(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    run_id = await start(tour, "What became of the anchors?", mode="deep", approve_plan=True)

    async def answer_never(route: Route) -> None:
        if route.request.resource_type != "fetch":
            await route.continue_()

    async with open_tour_page() as page:
        await page.goto(f"/runs/{run_id}")
        await expect(page.get_by_role("heading", name="Approve the plan")).to_be_visible()
        await page.route(f"**/runs/{run_id}", answer_never)
        await tour.api.post(f"/v1/runs/{run_id}/refuse", json={"reason": "We know enough."})
        await page.wait_for_url("**/report")


async def test_a_run_that_has_ended_opens_on_its_report_and_is_shared_by_one_click(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page, open_tour_page() as other:
        await page.goto(f"/runs/{tour.runs[DONE]}")
        await expect(page).to_have_url(re.compile("/report$"))
        await page.get_by_role("button", name="Share").click()
        link = page.locator("#says").get_by_role("link")
        await other.goto(await link.get_attribute("href") or "")
        await expect(other.locator("h1")).to_contain_text(DONE)
        await page.get_by_role("link", name="Overview").click()
        await expect(page.get_by_role("heading", name="Used")).to_be_visible()
        assert await page.evaluate("fetch(location.pathname).then((one) => one.redirected)") is False
