"""The question: typed once and never lost, refused beside what is wrong, and one run however often it is sent."""

import asyncio
import re
import time

from playwright.async_api import FilePayload, Page, Route, expect

from tests.api.again.going_on import until
from tests.page.browsing import find_violations
from tests.page.conftest import OpenPage
from tests.tour.runs import DONE, Tour

QUESTION = "Which of the five ships came home, and who was <b>aboard</b>?"


async def open_options(page: Page) -> None:
    await page.locator("#options > summary").click()


async def test_a_fault_is_shown_beside_its_field_and_nothing_typed_is_lost(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault=question]")).to_have_text("Type a question first.")
        await page.get_by_label("What do you want to know?").fill(QUESTION)
        await open_options(page)
        await page.get_by_label("Tokens", exact=True).fill("200")
        await page.get_by_label("Only these domains").fill("who.int")
        await expect(page.locator("#options > summary .now")).to_have_text("at most 200 tokens, allowed domains")
        assert await find_violations(page) == []
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault='budget.tokens']")).to_contain_text("1000")
        await expect(page.locator("#faults")).to_have_text("Not accepted: see the messages above.")
        await expect(page.get_by_label("Tokens", exact=True)).to_be_focused()
        await page.reload()
        await expect(page.get_by_label("What do you want to know?")).to_have_value(QUESTION)
        await expect(page.locator("#options > summary .now")).to_have_text("at most 200 tokens, allowed domains")


async def test_a_limit_that_is_no_number_is_refused_and_not_left_out(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await page.get_by_label("What do you want to know?").fill(QUESTION)
        await open_options(page)
        await page.get_by_label("Tokens", exact=True).press_sequentially("5e")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault='budget.tokens']")).to_contain_text("Type a number")
        await expect(page).to_have_url(re.compile("/$"))


FILES: list[FilePayload] = [
    {"name": "log of <b>1519</b> #1.md", "mimeType": "", "buffer": b"# A log\n\nThe crew found water on the island."},
    {"name": "noise.pdf", "mimeType": "", "buffer": bytes(range(256)) * 9},
    {"name": "empty.md", "mimeType": "", "buffer": b""},
]
ROWS = "#documents li"


async def test_files_are_asked_about_once_each_is_read_or_the_reader_knows_why_not(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        yours, rows = page.locator(".group").first, page.locator(ROWS)
        await expect(yours.locator(".now")).to_have_text("log")
        await page.get_by_label("choose files").set_input_files(FILES)
        await expect(rows).to_have_text(  # those that cannot be read come first
            [re.compile("may be damaged"), re.compile("is empty"), re.compile("read: A log")]
        )
        await expect(page.locator("#documents [role=status]")).to_have_text("1 of 3 read, 2 cannot be read.")
        await expect(yours.locator(".now")).to_have_text("log of <b>1519< and 2 more")  # a path, which begins so
        assert await find_violations(page) == []
        await page.get_by_label("What do you want to know?").fill("Where did the crew find water?")
        ask = page.get_by_role("button", name="Research")
        await ask.click()
        fault, more = page.locator("[data-fault=files]"), "on top of the list. Press again to go on with the others."
        await expect(fault).to_have_text(f"Cannot be read: 2 of 3, {more}")
        await page.get_by_role("button", name="Remove empty.md").press("Enter")
        await expect(page.get_by_role("button", name="Remove log")).to_be_focused()
        source = await page.locator("[name=sources]:checked").input_value()
        assert re.fullmatch("uploads:log-of-b-1519-[a-z0-9-]+", source)
        await page.reload()
        await expect(page.locator(f"[name=sources][value='{source}']")).to_be_checked()
        await ask.dblclick()
        await page.wait_for_url("**/report")
        await expect(page.locator("article")).to_contain_text("found water on the island")
        found = (await tour.api.get("/v1/runs", params={"question": "Where did the crew"})).json()["runs"]
        assert [run["sources"] for run in found] == [[source]]
        await page.goto(f"/?follow={found[0]['run_id']}")
        await expect(yours.locator(".now")).to_have_text(source)
        await tour.api.delete(f"/v1/collections/{source.partition(':')[2]}")
        await page.reload()
        await expect(page.locator("[data-fault=sources]")).to_have_text(f"{source}: no longer there.")


async def test_a_name_that_no_collection_can_have_is_refused_beside_its_file(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        await open_options(page)
        await page.get_by_label("Collection to keep them in").fill("My logs")
        await page.get_by_label("choose files").set_input_files(FILES[:1])
        await expect(page.locator(ROWS)).to_contain_text(
            re.compile("The collection.s name must be 1 to 64 small letters")
        )


async def test_an_upload_that_is_cut_off_is_sent_again_and_nothing_is_asked_before(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        await page.goto("/?question=Where%20was%20water%20found%3F")
        await page.context.set_offline(True)
        await page.get_by_label("choose files").set_input_files(FILES[:1])
        await expect(page.locator(ROWS)).to_contain_text("The upload was cut off.")
        await page.context.set_offline(False)
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault=files]")).to_contain_text("Not uploaded: 1 of 1.")
        await page.get_by_role("button", name="Try again").click()
        await expect(page.locator(ROWS)).to_contain_text("read: A log")
        await page.get_by_role("button", name="Remove log").click()
        await expect(page.locator(ROWS)).to_have_count(0)
        await expect(page.locator(".group").first.locator(".now")).to_have_text("log")

    async def is_gone() -> bool:
        return bool((await tour.api.get("/v1/collections")).json() == [])

    await until(is_gone)


async def test_what_was_refused_is_removed_without_what_is_stored_under_its_name(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    status = 413
    methods = set[str]()

    async def refuse(route: Route) -> None:
        methods.add(route.request.method)
        if route.request.method == "PUT":
            await route.fulfill(status=status, json={"title": "Refused", "detail": "Not this one."})
        else:
            await route.continue_()

    file: FilePayload = {"name": "kept.md", "mimeType": "", "buffer": b"# A log\n\nThe crew found water."}
    empty: FilePayload = {**file, "buffer": b""}
    async with open_tour_page() as page:
        await page.goto("/")
        await open_options(page)
        await page.get_by_label("Collection to keep them in").fill("logbook")
        choose, rows = page.get_by_label("choose files"), page.locator(ROWS)
        await choose.set_input_files(file)
        await expect(rows).to_have_text([re.compile("read: A log")])
        await page.route("**/documents/**", refuse)
        for one, said in ((file, "Not this one."), (empty, "It is empty.")):
            await choose.set_input_files(one)
            await expect(rows).to_have_text([re.compile(re.escape(said))])
            await expect(page.get_by_role("button", name="Try again")).to_be_hidden()
            await page.get_by_role("button", name="Remove kept.md").click()
            await expect(rows).to_have_count(0)
        status = 429
        await choose.set_input_files(file)
        await expect(page.get_by_role("button", name="Try again")).to_be_visible()
        await page.unroute("**/documents/**")
        await page.get_by_role("button", name="Try again").click()
        await expect(rows).to_have_text([re.compile("read: A log")])
        assert "DELETE" not in methods
    await tour.api.delete("/v1/collections/logbook")


async def test_files_that_are_removed_while_they_are_sent_keep_no_other_from_being_sent(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async def never_answer(route: Route) -> None:
        """The upload stays under way."""

    slow: list[FilePayload] = [{"name": f"slow-{one}.md", "mimeType": "", "buffer": b"# Slow"} for one in range(4)]
    async with open_tour_page() as page:
        await page.goto("/")
        await page.route("**/slow-*.md", never_answer)
        await page.get_by_label("choose files").set_input_files(slow)
        await expect(page.locator("#documents [role=status]")).to_have_text("0 of 4 read, 4 to upload.")
        for number in range(4):
            await page.get_by_role("button", name=f"Remove slow-{number}.md").click()
        await page.get_by_label("choose files").set_input_files(FILES[:1])
        await expect(page.locator(ROWS)).to_have_text([re.compile("read: A log")])
    (collection,) = (await tour.api.get("/v1/collections")).json()
    await tour.api.delete(f"/v1/collections/{collection['name']}")


async def test_a_collection_that_is_deleted_meanwhile_is_not_asked_in_silence(
    open_tour_page: OpenPage, tour: Tour
) -> None:
    async with open_tour_page() as page:
        await page.goto("/?question=Where%20was%20water%20found%3F")
        await page.get_by_label("choose files").set_input_files(FILES[:1])
        await expect(page.locator(ROWS)).to_contain_text("read: A log")
        (collection,) = (await tour.api.get("/v1/collections")).json()
        await tour.api.delete(f"/v1/collections/{collection['name']}")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault=sources]")).to_contain_text(collection["source"])
        await page.reload()
        await expect(page.locator("[data-fault=sources]")).to_contain_text("no longer there")


COUNT_SAID = """() => { globalThis.said = 0;
  const said = new MutationObserver(() => { globalThis.said += 1; });
  said.observe(document.querySelector("#documents [role=status]"), { childList: true }); }"""
HEIGHT = "document.documentElement.scrollHeight"


async def test_three_hundred_files_are_uploaded_and_read(open_tour_page: OpenPage, tour: Tour) -> None:
    many: list[FilePayload] = [
        {"name": f"{number}.md", "mimeType": "", "buffer": f"# Log {number}\n\nDay {number}: wind.".encode()}
        for number in range(300)
    ]
    async with open_tour_page() as page:
        await page.goto("/")
        await page.evaluate(COUNT_SAID)
        before = await page.evaluate(HEIGHT)
        await page.get_by_label("choose files").set_input_files(many)
        started = time.monotonic()
        await expect(page.locator("#documents [role=status]")).to_have_text("300 of 300 read.", timeout=600_000)
        said = await page.evaluate("globalThis.said")
        assert 1 < said <= 2 + (time.monotonic() - started) / 2  # a listener hears one in two seconds at most
        assert await page.evaluate(HEIGHT) < before + 400
    (collection,) = (await tour.api.get("/v1/collections")).json()
    assert (collection["documents"], collection["indexed"]) == (300, 300)
    await tour.api.delete(f"/v1/collections/{collection['name']}")


DROP = """() => { const data = new DataTransfer();
  data.items.add(new File(["# A log\\n\\nIt rained."], "rain.md"));
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector("h1").dispatchEvent(drop); }"""


async def delay(route: Route) -> None:
    """The page looks for a collection before its first file is there."""
    await asyncio.sleep(1.5)
    await route.continue_()


async def test_what_is_dropped_anywhere_and_what_is_pasted_becomes_a_file(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.route("**/documents/*.txt", delay)
        await page.goto("/")
        await page.evaluate(DROP)
        await page.locator("summary", has_text="Paste references").click()
        await page.get_by_label("References (BibTeX").fill(
            "@book{a, title={The voyage}, author={Roe, Ann}, year={1999}}"
        )
        await page.get_by_role("button", name="Add", exact=True).click()
        await expect(page.locator(ROWS)).to_have_text(
            [re.compile("rain.md.*read: A log", re.DOTALL), re.compile("read: 1 document")]
        )
        await expect(page.locator(".group").first.locator(".now")).to_have_text(
            re.compile(r"rain\.md.*,.*\.txt|\.txt.*,.*rain\.md")
        )
    for collection in (await tour.api.get("/v1/collections")).json():
        await tour.api.delete(f"/v1/collections/{collection['name']}")


async def test_a_group_of_sources_is_turned_on_and_off_at_once(open_tour_page: OpenPage) -> None:
    async with open_tour_page() as page:
        await page.goto("/")
        literature = page.locator(".group", has_text="Literature")
        await literature.get_by_label("Literature").first.check()
        await expect(literature.locator(".now")).to_contain_text("pubmed, europe-pmc")
        await literature.get_by_label("Literature").first.uncheck()
        await expect(literature.locator(".now")).to_have_text("off (7 sources)")
        await page.locator(".group").first.get_by_label("Yours").first.uncheck()
        await page.get_by_label("What do you want to know?").fill("What is new?")
        await page.locator("summary", has_text="Paste references").click()
        await page.get_by_label("References (BibTeX").fill("https://example.org/a\nhttps://example.org/b ")
        await page.get_by_role("button", name="Add", exact=True).click()
        question = page.get_by_label("What do you want to know?")
        await expect(question).to_have_value("What is new?\nhttps://example.org/a\nhttps://example.org/b")
        await expect(page.locator("#addresses")).to_contain_text("this server reads no pages")
        await page.get_by_role("button", name="Research").click()
        await expect(page.locator("[data-fault=sources]")).to_have_text("Choose what to search, or add files.")


async def test_a_question_asked_by_keyboard_alone_is_one_run(open_tour_page: OpenPage, tour: Tour) -> None:
    async with open_tour_page() as page:
        await page.goto(f"/?follow={tour.runs[DONE]}")
        await expect(page.get_by_label("What else do you want to know?")).to_be_focused()
        await page.keyboard.type(QUESTION)
        await open_options(page)
        await page.get_by_role("radio", name="iterative").press("Space")
        await expect(page.locator("#estimate")).to_contain_text(re.compile(r"at most \$.* \(150k tokens\) and 10 min"))
        await page.get_by_label("What else do you want to know?").focus()
        await page.evaluate(
            "document.getElementById('ask').requestSubmit(); document.getElementById('ask').requestSubmit()"
        )
        await page.keyboard.press("Control+Enter")  # wherever that is by now
        await page.wait_for_url("**/runs/default-*")
        await expect(page.get_by_role("heading", level=1)).to_have_text(QUESTION)
        found = (await tour.api.get("/v1/runs", params={"question": "aboard"})).json()["runs"]
        assert [(run["previous_run"], run["mode"]) for run in found] == [(tour.runs[DONE], "iterative")]
        await page.goto("/")
        await expect(page.get_by_label("What do you want to know?")).to_have_value("")
