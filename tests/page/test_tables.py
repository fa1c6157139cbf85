"""An evidence table in the page: made, filled live, screened with the keyboard, a cell opened on its page, edited."""

import re
from collections.abc import AsyncIterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple
from uuid import uuid4

import httpx
import pytest
from playwright.async_api import Browser, expect
from temporalio.client import Client

from elcano.api.app import create_app
from elcano.graphs.agents.envelope import TaskEnvelope
from elcano.storage.store import Store, open_store
from tests.api.again.going_on import Provider, put_background_on, until
from tests.api.again.test_evidence_tables import DOCUMENTS, TABLES, filling
from tests.api.handbook import handbook_settings
from tests.api.serving import connecting, serving
from tests.page.browsing import PHONE, Watched, find_violations, measure_overflow, open_page
from tests.unit.subjects.documents.files import pdf

NAMES = ("cod", "eel", "hake", "ling")
COLUMNS = [
    {"name": "Season", "question": "In which season do they spawn?", "type": "text"},
    {"name": "Depth", "question": "How deep do they live, in metres?", "type": "integer"},
]


class Filled(NamedTuple):
    """A table with four rows; of the last one the document has no text."""

    address: str
    path: str
    provider: Provider


def fill_form(task: TaskEnvelope) -> Mapping[str, object]:
    """The season with its quote; that the depth is not stated."""
    passage = next(one for one in task.evidence if "spawn in" in one.text)
    quote = next(line for line in passage.text.split("\n") if "spawn in" in line)
    season = quote.partition("spawn in ")[2].split()[0]
    found = {"value": season, "citations": [{"evidence": passage.key, "quote": quote}]}
    schema = task.given["output_schema"]
    asked = schema["properties"] if isinstance(schema, dict) else {}
    assert isinstance(asked, dict)
    return {"answer": {name: found if name == "Season" else {"reason": "it is not given"} for name in asked}}


class FishProvider(Provider):
    """Fills in the form."""

    def _output(self, task: TaskEnvelope) -> Mapping[str, object]:
        return fill_form(task) if task.kind == "form_filler" else super()._output(task)


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[Store]:
    async with open_store(tmp_path / "data") as opened:
        yield opened


@pytest.fixture
async def filled(
    store: Store, temporal: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> AsyncIterator[Filled]:
    queue = f"tables-{uuid4().hex}"
    monkeypatch.setattr("elcano.worker.TASK_QUEUE", queue)
    put_background_on(f"{queue}-background", monkeypatch)
    monkeypatch.setattr("elcano.subjects.uploads.background.TASK_QUEUE", f"{queue}-uploads")
    monkeypatch.setenv("OPENAI_API_KEY", "none is asked")
    monkeypatch.setenv("ELCANO_MODEL", "openai:gpt-5.1")
    settings = handbook_settings(tmp_path).model_copy(update={"model": "openai:gpt-5.1"})
    provider = FishProvider()
    app = create_app(settings, store=store, client=connecting(temporal), task_queue=queue)
    async with serving(app) as address, httpx.AsyncClient(base_url=address, timeout=60) as api:
        for name in NAMES:
            lines = [*(f"Line {number} of {name}." for number in range(30)), f"All {name} spawn in spring here."]
            await api.put(f"{DOCUMENTS}/{name}.pdf", content=pdf([["A preface."], [] if name == "ling" else lines]))
        await api.put(f"{DOCUMENTS}/ling.pdf", content=pdf([[], []]))
        async with filling(temporal, store, settings, queue, provider):

            async def is_read() -> bool:
                return bool((await api.get("/v1/collections/safety")).json()["unread"] == 0)

            await until(is_read)
            body: dict[str, Any] = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "name": "Fish"}
            made = (await api.post(TABLES, json=body)).json()

            async def is_filled() -> bool:
                return bool((await api.get(f"{TABLES}/{made['id']}")).json()["state"] == "ended")

            await until(is_filled)
            yield Filled(address, f"/tables/{made['id']}", provider)


async def test_rows_are_screened_with_the_keyboard_and_filtered(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    async with open_page(browser, filled.address, watched) as page:
        await page.goto(filled.path)
        await page.keyboard.press("j")
        for row, (key, decision) in enumerate((("i", "include"), ("u", "unsure"))):
            await page.keyboard.press(key)
            pressed = page.locator(f"#row-{row} [value={decision}]")
            await expect(pressed).to_have_attribute("aria-pressed", "true")
            await expect(page.locator(f"#row-{row + 1}")).to_be_focused()
        await page.keyboard.press("e")
        await expect(page.locator("#row-2 [name=reason]")).to_be_focused()
        await page.keyboard.type("not a fish, i u j")
        await page.keyboard.press("Enter")
        await expect(page.locator("#row-3")).to_be_focused()
        await page.keyboard.press("k")
        await expect(page.locator("#row-2")).to_be_focused()
        await expect(page.locator("#flow")).to_contain_text("not a fish, i u j (1)")
        await page.get_by_role("link", name="Undecided 1").click()
        await expect(page.locator("[data-row]")).to_have_count(1)
        await page.get_by_role("link", name="Exclude 1").click()
        button = page.locator("#row-2").get_by_role("button", name="Exclude")
        await expect(button).to_have_attribute("aria-pressed", "true")
        await button.click()  # takes it back
        await expect(button).to_have_attribute("aria-pressed", "false")
        await page.goto(f"{filled.path}/rows/2")
        await expect(page.get_by_role("region", name="Decisions").get_by_role("listitem")).to_have_count(2)


async def test_of_two_who_screen_at_once_each_is_told_what_the_other_decided(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    async with open_page(browser, filled.address, watched) as one, open_page(browser, filled.address, watched) as other:
        for page in (one, other):
            await page.goto(filled.path)
        await one.locator("#row-0").get_by_role("button", name="Include").click()
        await expect(one.locator("#says")).to_have_text("Row 1: include")
        await other.locator("#row-0").focus()
        await other.keyboard.press("e")
        await other.keyboard.type("wrong sea")
        await other.keyboard.press("Enter")
        await expect(other.locator("#says")).to_have_text("Row 1: exclude; meanwhile it had become include")
        await expect(other.locator("#row-0")).to_contain_text("2 decisions")
        await one.locator("#row-1").get_by_role("button", name="Unsure").click()
        await expect(one.locator("#row-0 [value=exclude]")).to_have_attribute("aria-pressed", "true")


async def test_a_cell_opens_on_its_page_and_is_edited(browser: Browser, watched: Watched, filled: Filled) -> None:
    async with open_page(browser, filled.address, watched) as page:
        await page.goto(filled.path)
        await page.locator("#row-0 a.cell").first.click()
        dialog = page.get_by_role("dialog")
        await expect(dialog.locator("blockquote")).to_have_text("All cod spawn in spring here.")
        picture = dialog.get_by_role("img", name="Page 2 with the quote marked")
        await expect(picture).to_have_js_property("complete", True)
        await expect(dialog.locator(".sheet i")).to_be_in_viewport()
        await dialog.get_by_role("button", name="Zoom in").click()
        await expect(dialog.locator(".sheet i")).to_be_in_viewport()
        assert await find_violations(page) == []
        await dialog.get_by_role("button", name="Close").click()
        await page.locator("#row-0 a.cell").nth(1).click()
        await dialog.locator("summary", has_text="Edit").click()
        await dialog.get_by_label("Value").fill("deep")
        await dialog.get_by_role("button", name="Write it").click()
        await expect(dialog.locator("[data-fault=value]")).to_contain_text("does not fit the column 'Depth'")
        await dialog.get_by_label("Value").fill("600")
        await dialog.get_by_role("button", name="Write it").click()
        await expect(page.locator("#row-0 td.edited")).to_contain_text("600")
        await expect(page.locator("#row-0 td.edited")).to_contain_text("written by a person")
        await expect(dialog).to_be_hidden()
        await expect(page.locator("#row-0 a.cell").nth(1)).to_be_focused()


async def test_a_table_is_made_fills_by_itself_and_says_what_is_wrong(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    filled.provider.slow[("form_filler", "")] = 2.0
    async with open_page(browser, filled.address, watched) as page:
        await page.goto("/tables")
        await page.get_by_label("Columns").fill("Season: In which season do they spawn?\nDepth")
        await page.get_by_role("button", name="Make the table").click()
        await expect(page.locator("[data-fault=columns]")).to_contain_text("is empty; write something")
        await page.get_by_label("Columns").fill("Season: In which season do they spawn?\nDepth: How deep: in metres?")
        await page.get_by_label("Name").fill("More fish")
        await page.get_by_role("button", name="Make the table").dblclick()
        await page.wait_for_url("**/tables/0*")
        await expect(page.get_by_role("heading", level=1)).to_have_text("More fish")
        await expect(page.locator("td.found")).to_have_count(3)
        await expect(page.locator("#head")).to_contain_text("Done")
        await page.goto("/tables")
        await expect(page.get_by_role("region", name="All tables").get_by_role("listitem")).to_have_count(2)


DROP = """() => { const data = new DataTransfer();
  for (const name of ["carp", "tench"]) data.items.add(new File([`All ${name} spawn in summer here.`], `${name}.md`));
  const drop = new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true });
  document.querySelector("h1").dispatchEvent(drop); }"""


async def test_files_that_are_dropped_on_the_tables_are_the_rows_of_a_new_one(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    async with open_page(browser, filled.address, watched) as page:
        await page.goto("/tables")
        await page.evaluate(DROP)
        await expect(page.locator("#documents li")).to_have_count(2)
        await page.get_by_label("Columns").fill("Season: In which season do they spawn?")
        await page.get_by_role("button", name="Make the table").click()
        await page.wait_for_url("**/tables/0*")
        await expect(page.locator("td.found")).to_have_text([re.compile("summer"), re.compile("summer")])
        await page.goto("/tables")
        await page.evaluate(DROP)
        await expect(page.get_by_label("Documents").locator("option").first).to_have_text("carp.md and 1 more")
        await expect(page.locator("#documents [role=status]")).to_have_text("2 of 2 read.")
        for name in ("carp.md", "tench.md"):
            await page.get_by_role("button", name=f"Remove {name}").click()
        kept = [re.compile(one) for one in ("uploads:carp-and-1-more", "uploads:safety", "handbook")]
        await expect(page.get_by_label("Documents").locator("option")).to_have_text(kept)


async def test_columns_are_added_and_missing_cells_are_filled_from_the_page(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    async with open_page(browser, filled.address, watched) as page:
        await page.goto(filled.path)
        await page.locator("summary", has_text="Add columns").click()
        await page.get_by_label("Columns").fill("Season: When?\nSize: How long do they get?")
        await page.get_by_role("button", name="Add columns").click()
        await expect(page.locator("[data-fault=columns]")).to_contain_text("is the name of a column that the table has")
        await page.get_by_label("Columns").fill("Size: How long: in centimetres?")
        filled.provider.off.add(("form_filler", ""))
        await page.get_by_role("button", name="Add columns").click()
        await page.wait_for_url(f"**{filled.path}")
        await expect(page.get_by_role("columnheader", name="Size")).to_be_visible()
        await expect(page.locator("#head")).to_contain_text("3 partial")
        await expect(page.locator("td.found")).to_have_count(3)
        filled.provider.off.clear()
        await page.locator("summary", has_text="Fill in what is missing").click()
        assert await find_violations(page) == []
        await page.get_by_role("button", name="Fill in what is missing").click()
        await expect(page.locator("#head")).to_contain_text("3 completed")
        await expect(page.locator("summary", has_text="Fill in what is missing")).to_have_count(0)
        await expect(page.locator("#row-0 td.not_stated")).to_have_count(2)


async def test_a_table_out_of_budget_says_which_rows_wait_and_what_for(
    browser: Browser, watched: Watched, filled: Filled
) -> None:
    async with httpx.AsyncClient(base_url=filled.address, timeout=60) as api:
        body = {"documents": [{"source": "uploads:safety"}], "columns": COLUMNS, "budget": {"tokens": 6_000}}
        made = (await api.post(TABLES, json={**body, "at_once": 1})).json()

        async def is_out() -> bool:
            return bool((await api.get(f"{TABLES}/{made['id']}")).json()["state"] == "out_of_budget")

        await until(is_out)
    async with open_page(browser, filled.address, watched) as page:
        await page.goto(f"/tables/{made['id']}")
        await expect(page.locator("#head .banner")).to_contain_text("Rows wait for a top-up.")
        await expect(page.locator("td.pending").last).to_have_text("waits for a top-up")
        await page.get_by_role("link", name="top-up", exact=True).click()
        await page.locator("summary", has_text="Top up").click()
        await page.get_by_label("Tokens to add").fill("200000")
        await page.get_by_role("button", name="Top up").click()
        await expect(page.locator("td.found")).to_have_count(3)
        await expect(page.locator("#head")).to_contain_text("Done")


async def test_tables_are_for_everybody(browser: Browser, watched: Watched, filled: Filled) -> None:
    async with open_page(browser, filled.address, watched, viewport=PHONE) as page:
        for place in ("/tables", filled.path, f"{filled.path}?decision=include", f"{filled.path}/rows/0"):
            await page.goto(place)
            assert await find_violations(page) == [], place
            assert await measure_overflow(page) == 0, place
            await page.emulate_media(color_scheme="dark")
            assert await find_violations(page, "color-contrast") == [], f"{place} in the dark"
            await page.emulate_media(color_scheme="light")
    async with open_page(browser, filled.address, watched) as page:
        await page.goto(filled.path)
        assert await find_violations(page) == []
    async with open_page(browser, filled.address, watched, java_script_enabled=False) as page:
        await page.goto(filled.path)
        await page.locator("#row-1 a.cell").first.click()
        await expect(page.locator("#c0 blockquote")).to_have_text("All eel spawn in spring here.")
        answer = await page.request.get(str(await page.locator("#c0 .page-link").get_attribute("href")))
        assert answer.headers["content-type"] == "image/png"
