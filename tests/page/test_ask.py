"""The question: typed once and never lost, refused beside what is wrong, and one run however often it is sent."""

import re

from playwright.async_api import FilePayload, Page, expect

from tests.page.browsing import find_violations
from tests.page.conftest import OpenPage
from tests.tour.runs import DONE, Tour

QUESTION = "Which of the five ships came home, and who was <b>aboard</b>?"


async def open_choice(page: Page, name: str) -> None:
    await page.locator("summary", has_text=name).first.click()


async def test_a_fault_is_shown_beside_its_field_and_nothing_typed_is_lost(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault=question]")).to_have_text("Type a question first.")
        await page.get_by_label("What do you want to know?").fill(QUESTION)
        await open_choice(page, "Budget")
        await page.get_by_label("Tokens", exact=True).fill("200")
        await open_choice(page, "Trust")
        await page.get_by_label("Only these domains").fill("who.int")
        await expect(page.locator("[data-now=trust]")).to_have_text("allowed domains")
        assert await find_violations(page) == []
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault='budget.tokens']")).to_contain_text("1000")
        await expect(page.locator("#faults")).to_have_text("Not accepted: see the messages above.")
        await expect(page.get_by_label("Tokens", exact=True)).to_be_focused()
        await page.reload()
        await expect(page.get_by_label("What do you want to know?")).to_have_value(QUESTION)
        await expect(page.locator("[data-now=budget]")).to_have_text("200 tokens")


async def test_a_limit_that_is_no_number_is_refused_and_not_left_out(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await page.get_by_label("What do you want to know?").fill(QUESTION)
        await open_choice(page, "Budget")
        await page.get_by_label("Tokens", exact=True).press_sequentially("5e")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault='budget.tokens']")).to_contain_text("Type a number")
        await expect(page).to_have_url(re.compile("/$"))


async def test_documents_are_uploaded_and_searched_by_the_question(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await open_choice(page, "Documents")
        await page.get_by_label("Collection").fill("My logs")
        name = "log of <b>1519</b> #1.md"
        files: list[FilePayload] = [
            {"name": name, "mimeType": "text/markdown", "buffer": b"# A log\n\nThe crew found water."},
            {"name": "empty.md", "mimeType": "text/markdown", "buffer": b""},
        ]
        await page.get_by_label("Files").set_input_files(files)
        refused = "The collection.s name must be 1 to 64 small letters"
        await expect(page.locator("#documents li")).to_have_text([re.compile(refused)])
        await page.get_by_label("Collection").fill("logs")
        await page.get_by_label("Files").set_input_files(files)
        await expect(page.locator("#documents li")).to_have_text(
            [re.compile(refused), re.compile(f"{re.escape(name)}: (uploaded|read)"), re.compile("is empty")]
        )
        await expect(page.locator("[data-now=documents]")).to_have_text("searched as uploads:logs")
        await expect(page.locator("[data-now=sources]")).to_have_text("uploads:logs")
        assert await find_violations(page) == []
        await page.reload()
        await expect(page.locator("[name=sources][value='uploads:logs']")).to_be_checked()
    found = (await tour.api.get("/v1/collections/logs/documents")).json()["documents"]
    assert [one["path"] for one in found] == [name]


async def test_a_question_asked_by_keyboard_alone_is_one_run(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/?follow={tour.runs[DONE]}")
        await expect(page.get_by_label("What else do you want to know?")).to_be_focused()
        await page.keyboard.type(QUESTION)
        await open_choice(page, "Mode")
        await page.get_by_role("radio", name="iterative").press("Space")
        await expect(page.locator("#estimate")).to_contain_text("never more than 150K")
        await page.evaluate(
            "document.getElementById('ask').requestSubmit(); document.getElementById('ask').requestSubmit()"
        )
        await page.get_by_label("What else do you want to know?").press("Control+Enter")
        await page.wait_for_url("**/runs/default-*")
        await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
        found = (await tour.api.get("/v1/runs", params={"question": "aboard"})).json()["runs"]
        assert [(run["previous_run"], run["mode"]) for run in found] == [(tour.runs[DONE], "iterative")]
        await page.goto("/")
        await expect(page.get_by_label("What do you want to know?")).to_have_value("")
