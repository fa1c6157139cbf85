"""A run in the page: it is followed as it works, its figures are those of the API, and one can step in."""

import asyncio
import re
from typing import Any

from playwright.async_api import Page, Route, expect

from tests.page.browsing import MAGNIFIED
from tests.page.conftest import OpenPage
from tests.tour.runs import DEEP, DONE, SECTIONS, SPENT, WORKING, Tour

HOSTILE = """<img src=x onerror="document.title='run'">{{ 7 * 7 }}</title><script>document.title='run'</script>"""


async def start(tour: Tour, question: str, **more: Any) -> str:
    answer = await tour.api.post("/v1/runs", json={"question": question, "sources": ["log"], **more})
    assert answer.status_code == 201, answer.text
    run_id: str = answer.json()["run_id"]
    return run_id


async def act(page: Page, summary: str, button: str, **fields: str) -> None:
    """Opens an action, fills its fields by their labels, and sends it."""
    await page.locator(".acts summary", has_text=summary).click()
    for label, value in fields.items():
        await page.locator("details[open]").get_by_label(label).fill(value)
    await page.locator("details[open]").get_by_role("button", name=button).click()


async def test_a_run_that_waits_for_budget_is_topped_up_and_followed_to_its_report(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    run_id = tour.runs[SPENT]
    async with open_tour_page() as page:
        await page.goto(f"/runs/{run_id}")
        await expect(page.locator("#notices")).to_contain_text("Its budget is used up:")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator("form[data-post$=top-up] .fault[role=alert], [data-fault=body]").first).to_have_text(
            re.compile("nothing is added")
        )
        await page.get_by_label("Tokens", exact=True).fill("90000")
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator("#says")).to_contain_text("Added.")
        await page.wait_for_url("**/report")
        await expect(page.locator("#run-head .status")).to_have_text("Completed")
        await page.get_by_role("link", name="Overview").click()
        found = await tour.run(SPENT)
        await expect(page.locator("#now")).to_have_count(0)
        used = f"{found['budget']['used']['tokens'] / 1000:.1f}k of {found['budget']['limits']['tokens'] / 1000:.0f}k"
        await expect(page.locator("#budget")).to_contain_text(used.replace(".0k", "k"))


async def test_what_happened_last_stands_on_top(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        times = page.locator("#feed time")
        await expect(times.nth(3)).to_be_attached()
        told = await times.evaluate_all("times => times.map((time) => Date.parse(time.dateTime))")
        assert told == sorted(told, reverse=True)
        assert told[0] > told[-1]


KEPT = "globalThis.EventSource = class extends EventSource { constructor(to) { super(to); window.stream = this; } }"
BEGUN = """data => stream.dispatchEvent(new MessageEvent('branch_started', { data: JSON.stringify(data) }))"""


async def test_a_line_names_its_section_once_and_moves_nothing_below(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.add_init_script(KEPT)
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        feed = page.locator("#feed")
        await expect(feed.locator("li")).not_to_have_count(0)
        height = await feed.evaluate("feed => { feed.replaceChildren(); return feed.offsetHeight; }")
        told = {"seq": 1, "type": "branch_started", "path": "0004.1", "section": "Costs", "at": "2026-11-28T11:00:00Z"}
        for _ in range(12):
            await page.evaluate(BEGUN, {**told, "message": "Costs: research begins"})
        await expect(feed.locator("li").first).to_have_text(re.compile("^Costs Research begins"))
        await expect(feed.locator("li")).to_have_count(12)
        assert await feed.evaluate("feed => feed.offsetHeight") == height


async def test_a_wait_that_is_over_is_told_no_longer(open_tour_page: OpenPage, tour: Tour) -> None:
    told = "new MessageEvent('waiting', { data: JSON.stringify({ message: 'no worker answers' }) })"
    async with open_tour_page() as page:
        await page.add_init_script(KEPT)
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        connection = page.locator("#connection")
        assert await page.evaluate(f"stream.dispatchEvent({told}) && document.getElementById('connection').innerText")
        await expect(connection).to_be_hidden()


async def test_a_break_of_the_stream_is_told_and_ends(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[DEEP]}")
        await expect(page.locator(".lanes > li")).to_have_count(len(SECTIONS))
        await page.get_by_role("link", name="Steps").click()
        await expect(page.locator(".node[data-node=parallel_loops] .lane")).to_have_count(len(SECTIONS))
        await page.context.set_offline(True)
        await page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
        await page.evaluate("document.dispatchEvent(new Event('elcano:done'))")
        await expect(page.locator("#connection")).to_contain_text("by itself")
        await page.context.set_offline(False)
        await expect(page.locator("#connection")).to_be_hidden()


async def test_a_step_shows_what_it_did_and_a_fork_begins_there(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[DONE]}/steps")
        await page.get_by_role("link", name="Judge, step 8").click()
        await expect(page.get_by_role("heading", name="Step 8: Judge")).to_be_visible()
        await expect(page.get_by_role("region", name="What came out")).to_contain_text("recommendation")
        knew = page.get_by_role("region", name="State of the run")
        await expect(knew.locator(".tree")).to_have_count(0)
        await knew.get_by_role("link", name="After this step").click()
        await expect(knew.locator(".tree")).not_to_have_count(0)
        await expect(knew.get_by_role("link")).to_have_text("Before this step")
        await page.get_by_role("link", name="Previous", exact=True).click()
        await page.get_by_role("link", name="Next", exact=True).click()
        await page.get_by_text("Roll back to here").click()
        await expect(page.get_by_text("its state and its budget before this step")).to_be_visible()
        await act(page, "Fork from here", "Fork", **{"Another question": HOSTILE})
        await page.wait_for_url("**/runs/default-*")
        await expect(page.get_by_role("heading", level=1)).to_have_text(HOSTILE)
        await expect(page.get_by_role("link", name="step 8 of another run")).to_be_visible()
        assert await page.title() != "run"
        run = page.url
        await page.wait_for_url("**/report")  # the page opens it when the run ends, and would leave any other
        for place in ("/", "/runs", run, f"{run}/steps", f"{run}/steps/1", f"{run}/sources"):
            await page.goto(place)
            assert await page.title() != "run", place


async def test_of_two_who_approve_a_plan_at_once_one_is_told_that_it_was_done(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    run_id = await start(tour, "What became of them?", mode="deep", approve_plan=True)
    async with open_tour_page() as first, open_tour_page() as second:
        for page in (first, second):
            await page.goto(f"/runs/{run_id}")
            await expect(page.get_by_role("heading", name="Approve the plan")).to_be_visible()
        plan = first.locator("#plan")
        await plan.get_by_role("button", name="Leave out").first.click()
        await plan.get_by_label("Section 2").fill("The island again")
        await plan.get_by_role("button", name="Add a section").click()
        await expect(plan.locator("[data-section]")).to_have_count(len(SECTIONS))
        added = plan.locator("[data-section]").last
        await added.get_by_label("New section").evaluate("field => { field.value = 'x'.repeat(201); }")
        await plan.get_by_role("button", name="Approve and research").click()
        await expect(added.locator("[data-fault=title]")).to_contain_text("at most 200, not 201")
        await added.get_by_label("New section").fill("The crew")
        await plan.get_by_role("button", name="Approve and research").click()
        await expect(first.locator("#says")).to_contain_text("Approved")
        late = second.locator("#plan").get_by_role("button", name="Approve and research")
        if await late.count():
            await late.click()
            told = second.locator("form[data-post$=approve] .fault[role=alert]")
            await expect(told.or_(second.locator("#sections .lanes")).first).to_be_visible()
        await expect(first.locator(".lanes")).to_contain_text("The crew")
        await expect(first.locator(".lanes")).not_to_contain_text("The harbour")
    await tour.api.post(f"/v1/runs/{run_id}/cancel")


async def test_a_run_that_is_paused_while_its_plan_is_edited_can_be_continued_and_approved(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    run_id = await start(tour, "What became of the crews?", mode="deep", approve_plan=True)
    async with open_tour_page() as page:
        await page.goto(f"/runs/{run_id}")
        plan = page.locator("#plan")
        await plan.get_by_label("Section 2").fill("The island again")
        await page.locator(".acts summary", has_text="Pause it").click()
        await page.get_by_label("Why (shown to others)").press("Enter")
        await expect(page.get_by_role("button", name="Continue", exact=True)).to_be_visible()
        await expect(page.locator("#act-pause")).to_have_count(0)
        await expect(plan.get_by_label("Section 2")).to_have_value("The island again")
        await page.reload()
        await expect(plan).to_contain_text("It is paused: it goes on once you continue it.")
        await plan.get_by_label("Section 2").fill("The island again")
        await plan.get_by_label("Section 2").press("Enter")
        await expect(plan).to_have_count(0)
        await page.get_by_role("button", name="Continue", exact=True).click()
        await expect(page.locator(".lanes")).to_contain_text("The island again")
    await tour.api.post(f"/v1/runs/{run_id}/cancel")


async def test_a_run_is_paused_continued_and_stopped_by_keyboard(open_tour_page: OpenPage, tour: Tour) -> None:
    """On a screen that is magnified four times; what is focused is in sight, and never lost with what goes."""
    run_id = await start(tour, WORKING, mode="iterative")
    async with open_tour_page(viewport=MAGNIFIED) as page:
        await page.goto(f"/runs/{run_id}")
        acts, status = page.get_by_role("region", name="Step in"), page.locator("#run-head .status")
        await press_at(page, "Steer it")
        await page.keyboard.press("Tab")
        await page.keyboard.type("Be brief.")
        await press_at(page, "Steer")
        await expect(page.locator("summary:focus")).to_be_in_viewport(ratio=1)
        await press_at(page, "Pause it")
        await press_at(page, "Pause")
        await expect(status).to_have_text("Paused")
        await expect(acts).to_be_focused()
        await press_at(page, "Continue")
        await expect(acts).to_be_focused()
        await expect(status).to_have_text("Researching")
        await press_at(page, "Stop it and write the report")
        await press_at(page, "Stop")
        await page.wait_for_url("**/report")
        await expect(status).to_have_text("Stopped")


async def press_at(page: Page, text: str) -> None:
    """Goes on by Tab to what has a text, and presses Enter there."""
    for _ in range(100):
        await page.keyboard.press("Tab")
        if await page.evaluate("document.activeElement.textContent.trim()") == text:
            break
    await expect(page.locator(":focus")).to_have_text(text)
    await expect(page.locator(":focus")).to_be_in_viewport(ratio=1)
    await page.keyboard.press("Enter")


async def test_a_run_that_has_ended_is_followed_no_more(open_tour_page: OpenPage, tour: Tour) -> None:
    """Also where the server, asked at once, does not know of the end yet."""
    run_id = await start(tour, "What became of the sails?", mode="deep", approve_plan=True)
    async with open_tour_page() as page:
        opened = await page.goto(f"/runs/{run_id}")
        await expect(page.get_by_role("heading", name="Approve the plan")).to_be_visible()
        before = await page.evaluate(
            "fetch(location.href, { headers: { Accept: 'text/html' } }).then((one) => one.text())"
        )
        assert opened is not None
        asked = list[str]()
        page.on("request", lambda request: asked.append(request.url))
        await page.route(opened.url, lambda route: route.fulfill(body=before, content_type="text/html"), times=1)
        await tour.api.post(f"/v1/runs/{run_id}/cancel")
        await expect(page.locator("#run-head .status")).to_have_text("Cancelled")
        await expect(page.locator("#connection")).to_be_hidden()
        assert asked.count(opened.url) > 1
        others = [url for url in asked if url != opened.url]
        assert others == [f"{opened.url.replace('/runs/', '/v1/runs/')}?pending=false"] * len(others)


MARKED = "for (const one of document.querySelectorAll('#run *')) one.marked = true"
SPOILED = "document.querySelector('#budget h2').textContent = 'spoiled'; document.querySelector('#found li').remove()"
UNMARKED = """[...document.querySelectorAll('#run *')]
  .filter((one) => !one.marked && !one.closest('#found li, noscript')).length"""
LOOKED = "document.dispatchEvent(new Event('elcano:done'))"


async def test_a_look_at_the_server_changes_what_differs_and_leaves_what_somebody_works_in(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        budget, works = page.locator("#budget h2"), page.locator("#found li")
        await expect(page.locator("#feed li")).not_to_have_count(0)
        there = await works.count()
        assert there
        await page.locator(".acts summary", has_text="Pause it").click()
        why = page.get_by_label("Why (shown to others)")
        await why.fill("lunch")
        await page.evaluate(f"{MARKED}; {SPOILED}; document.getElementById('act-pause').id = 'act-gone'")
        await page.evaluate(LOOKED)
        await expect(budget).to_have_text("So far")
        await page.evaluate("document.querySelector('#budget h2').textContent = 'spoiled'")
        await expect(budget).to_have_text("So far")  # it looks twice, as not all that an action leads to is told
        await expect(works).to_have_count(there)
        await expect(page.locator("#act-gone input")).to_have_value("lunch")
        await page.evaluate("document.getElementById('act-pause').remove()")
        assert await page.evaluate(UNMARKED) == 0
        await page.locator("#act-gone input").fill("")
        await budget.click()
        await page.evaluate(LOOKED)
        await expect(page.locator("#act-pause")).to_have_count(1)
        await expect(page.locator("#act-gone")).to_have_count(0)


SEEN_AGAIN = "document.dispatchEvent(new Event('visibilitychange'))"


async def test_after_an_action_the_server_is_asked_at_once_however_slow_it_was(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    asked, answered = asyncio.Queue[None](), asyncio.Event()

    async def answer_late(route: Route) -> None:
        if route.request.resource_type == "fetch":
            asked.put_nowait(None)
            await answered.wait()
        await route.continue_()

    async with open_tour_page() as page:
        await page.clock.install(time=0)
        await page.route("**/runs/*", answer_late)
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        await page.clock.pause_at(60_000)
        await page.evaluate(SEEN_AGAIN)
        await page.clock.run_for(500)
        await asked.get()
        await page.clock.run_for(10_000)
        answered.set()
        await page.wait_for_load_state("networkidle")
        await page.evaluate(LOOKED)
        await page.clock.run_for(500)
        await asyncio.wait_for(asked.get(), 60)
