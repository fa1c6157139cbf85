"""From files to a doubted sentence on its page, as a newcomer goes: by mouse, by touch, by keyboard, by names alone."""

import base64
import re
from collections.abc import AsyncIterator, Sequence
from itertools import count, pairwise
from typing import Any, Final

import pytest
from playwright.async_api import FilePayload, Page, expect

from tests.page.conftest import OpenPage
from tests.tour.runs import CASKS, CASKS_FILLED, DEEP, DONE, SPENT, WORKING, Tour
from tests.unit.subjects.documents.files import pdf

LOG: Final = pdf([["The log of the second ship."], [f"Day {day}: wind." for day in range(30)] + [CASKS_FILLED]])
PHONE: Final = {"viewport": {"width": 390, "height": 844}, "has_touch": True, "is_mobile": True}
PRESSES: Final = """addEventListener("pointerdown", ({ isTrusted }) => {
  if (isTrusted) sessionStorage.setItem("presses", Number(sessionStorage.getItem("presses")) + 1);
}, true);"""
DROP: Final = """bytes => { const data = new DataTransfer();
  data.items.add(new File([Uint8Array.from(atob(bytes), (one) => one.charCodeAt(0))], "second-ship.pdf"));
  document.body.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true })); }"""
MOST_PRESSES: Final = 6
MOST_TABS: Final = 200


WALKS: Final = count(1)


def choose_file() -> FilePayload:
    """The log; of another size each time, so that each walk uploads its own."""
    return {"name": "second-ship.pdf", "mimeType": "application/pdf", "buffer": LOG + b"%" * next(WALKS)}


@pytest.fixture(autouse=True)
async def delete_uploads(tour: Tour) -> AsyncIterator[None]:
    yield
    for collection in (await tour.api.get("/v1/collections")).json():
        await tour.api.delete(f"/v1/collections/{collection['name']}")


async def open_questions_page(page: Page) -> None:
    """Open where questions are asked, until its field has the focus: `load` comes before that on a busy machine."""
    await page.goto("/")
    await expect(page.get_by_label("What do you want to know?")).to_be_focused()


async def count_presses(page: Page) -> int:
    return int(await page.evaluate("sessionStorage.getItem('presses')"))


async def expect_mark_in_sight(page: Page) -> None:
    shown = page.locator("li.chosen")
    await expect(shown).to_contain_text("Of these 31 were lost.")
    await expect(shown.locator(".reason")).to_contain_text("31")
    await expect(shown.get_by_role("img", name="Page 2 with the quote marked")).to_have_js_property("complete", True)
    await expect(shown.locator(".sheet i").first).to_be_in_viewport()


async def test_by_mouse_two_presses_lead_from_a_dropped_file_to_a_doubt_on_its_page(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.add_init_script(PRESSES)
        await open_questions_page(page)
        await page.evaluate(DROP, base64.b64encode(choose_file()["buffer"]).decode())
        await page.keyboard.type(CASKS)
        await page.get_by_role("button", name="Research").click()
        await page.wait_for_url("**/report")
        await page.locator(".report .doubt").click()
        await expect_mark_in_sight(page)
        assert await count_presses(page) == 2 <= MOST_PRESSES


async def test_by_touch_a_doubt_opens_on_its_page_and_the_pane_goes_down_again(open_tour_page: OpenPage) -> None:
    async with open_tour_page(**PHONE) as page:
        await page.add_init_script(PRESSES)
        async with page.expect_file_chooser() as chooser:
            await open_questions_page(page)
            await page.get_by_text("choose files").tap()
        await (await chooser.value).set_files([choose_file()])
        await page.get_by_label("What do you want to know?").tap()
        await page.keyboard.type(CASKS)
        await page.get_by_role("button", name="Research").tap()
        await page.wait_for_url("**/report")
        await page.locator(".report .doubt").tap()
        await expect_mark_in_sight(page)
        assert await count_presses(page) <= MOST_PRESSES
        await expect(page.locator(".report .chosen")).to_be_in_viewport()
        await page.get_by_role("button", name="Close").tap()
        await expect(page.locator(".pane")).not_to_have_class(re.compile(r"\bup\b"))
        await expect(page.locator(".report .doubt")).to_be_in_viewport()


FOCUS: Final = """() => {
  const one = document.activeElement;
  if (!one || one === document.body) return null;
  const shows = one.closest(".pick, .question-card:has(#question:focus-visible)") ?? one;
  const { outlineStyle, outlineWidth, boxShadow } = getComputedStyle(shows);
  const { top, bottom, left, right } = one.getBoundingClientRect();
  return {
    stop: (one.tabStop ??= globalThis.tabStops = (globalThis.tabStops ?? 0) + 1), html: one.outerHTML.slice(0, 120),
    words: one.textContent.trim(),
    visible: (outlineStyle !== "none" && parseFloat(outlineWidth) >= 2) || (shows !== one && boxShadow !== "none"),
    seen: bottom > 0 && top < innerHeight && right > 0 && left < innerWidth,
  };
}"""
REACHABLE: Final = """() => [...document.querySelectorAll(
    "a[href], button, input, select, textarea, summary, [tabindex='0']")]
  .filter((one) => !one.disabled && one.checkVisibility({ visibilityProperty: true, contentVisibilityAuto: false })
    && !(one.type === "radio" && !one.checked) && one.type !== "hidden" && !one.closest("dialog:not([open])"))
  .map((one) => [
    (one.tabStop ??= globalThis.tabStops = (globalThis.tabStops ?? 0) + 1), one.outerHTML.slice(0, 120)])"""


async def tab_to(page: Page, words: str) -> None:
    """Press Tab until what has the focus says these words."""
    for _ in range(MOST_TABS):
        found = await page.evaluate(FOCUS)
        if found and words in (found["words"] or found["html"]):
            assert found["visible"], found["html"]
            return
        await page.keyboard.press("Tab")
    raise AssertionError(f"no Tab leads to {words!r}")


async def test_by_keyboard_alone_a_doubt_is_found_seen_and_left_again(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        async with page.expect_file_chooser() as chooser:  # before the page: Playwright does not wait until it listens
            await open_questions_page(page)
            await page.keyboard.type(CASKS)
            await page.keyboard.press("Tab")
            await page.keyboard.press("Enter")
        await (await chooser.value).set_files([choose_file()])
        await tab_to(page, "Research")
        await page.keyboard.press("Enter")
        await page.wait_for_url("**/report")
        await tab_to(page, "Contents")
        await page.keyboard.press("Enter")
        await page.keyboard.press("Tab")
        await page.keyboard.press("Escape")
        await expect(page.locator(":focus")).to_have_text("Contents")
        await expect(page.get_by_role("navigation", name="Contents")).to_be_hidden()
        doubt = page.locator(".report .doubt")
        await tab_to(page, await doubt.inner_text())
        await page.keyboard.press("Enter")
        await expect_mark_in_sight(page)
        view = page.locator("li.chosen .page-view")
        for _ in range(MOST_TABS):
            if await view.evaluate("view => view === document.activeElement"):
                break
            await page.keyboard.press("Tab")
        await page.wait_for_function("view => view.scrollTop > 0", arg=await view.element_handle())
        before = await view.evaluate("view => view.scrollTop")
        for _ in range(MOST_TABS):  # it may still be scrolling to the mark
            await page.keyboard.press("ArrowUp")
            if await view.evaluate("view => view.scrollTop") != before:
                break
        assert await view.evaluate("view => view.scrollTop") != before
        await page.keyboard.press("Escape")
        await expect(page.locator(".statement.doubted").locator(":focus")).to_have_count(1)


def list_places(tour: Tour) -> Sequence[str]:
    done = f"/runs/{tour.runs[DONE]}"
    return (
        *("/", "/runs", "/tables", "/schedules", "/usage", "/set-up", "/graphs", "/knowledge?q=island"),
        *(f"{done}?view=overview", f"{done}/report", f"{done}/sources", f"{done}/steps"),
        *(f"/runs/{tour.runs[SPENT]}", f"/runs/{tour.runs[DEEP]}", f"/compare?run={tour.runs[DONE]}"),
    )


async def test_tab_reaches_everything_shows_where_it_is_and_is_trapped_nowhere(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        for place in list_places(tour):
            await page.goto(place)
            await expect(page.locator("[autofocus]:not(:focus)")).to_have_count(0)
            reachable = dict(await page.evaluate(REACHABLE))
            reached, last = set[int](), -1
            for _ in range(len(reachable) + MOST_TABS):
                await page.keyboard.press("Tab")
                found = await page.evaluate(FOCUS)
                if found is None:
                    continue  # behind the last one, in the browser's own bar
                if found["stop"] in reached and found["stop"] != last:  # a date has several stops
                    break  # once around
                last = found["stop"]
                reached.add(found["stop"])
                assert found["visible"], (place, found["html"])
                assert found["seen"], (place, found["html"])
            missed = {stop: html for stop, html in reachable.items() if stop not in reached}
            assert missed == {}, place


NAMED: Final = frozenset(
    (
        *("button", "link", "textbox", "searchbox", "combobox", "checkbox", "radio", "spinbutton"),
        *("image", "meter", "dialog", "region", "navigation"),
    )
)


async def read_tree(page: Page) -> list[dict[str, Any]]:
    """What a screen reader is told: role, name and properties of everything that is not ignored."""
    session = await page.context.new_cdp_session(page)
    found = await session.send("Accessibility.getFullAXTree")
    return [
        {
            "role": node["role"]["value"],
            "name": node.get("name", {}).get("value", ""),
            "properties": {one["name"]: one["value"].get("value") for one in node.get("properties", ())},
        }
        for node in found["nodes"]
        if not node["ignored"]
    ]


async def test_everything_has_a_name_and_headings_go_down_step_by_step(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        for place in list_places(tour):
            await page.goto(place)
            tree = await read_tree(page)
            assert [one["role"] for one in tree if one["role"] in NAMED and not one["name"].strip()] == [], place
            levels = [int(one["properties"]["level"]) for one in tree if one["role"] == "heading"]
            assert levels.count(1) == 1, place
            assert all(after <= before + 1 for before, after in pairwise(levels)), (place, levels)
            roles = [one["role"] for one in tree]
            assert roles.count("columnheader") >= roles.count("table"), place
            assert roles.count("main") == roles.count("banner") == roles.count("contentinfo") == 1, place


async def test_a_run_that_works_speaks_of_what_it_does(open_tour_page: OpenPage, tour: Tour) -> None:
    """What it does is a status, which is read aloud when it changes; the list of what has happened is not."""
    async with open_tour_page() as page:
        await page.goto(f"/runs/{tour.runs[WORKING]}")
        doing = page.get_by_role("region", name="Now").get_by_role("status")
        await expect(doing).to_contain_text("Judging whether 1 passage")
        live = [one for one in await read_tree(page) if one["role"] == "status"]
        assert all(one["properties"]["live"] == "polite" for one in live)
        await expect(page.locator("#feed")).not_to_have_attribute("aria-live", re.compile("."))
