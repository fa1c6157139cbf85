"""How long a reader of a report waits: until it is there after its run, from a sentence to its page, while scrolling.

(a) Somebody watches a run to its end. From the moment that the run told its end to the first paint of its report, into
    which the page goes by itself. Target: 300 ms.
(b) A report cites 200 sentences on 40 pages. One sentence of each page is clicked: from the press of the button to the
    frame after the picture of its page is there with its mark. None was drawn, asked for or pointed at before, as on a
    touch screen. Then again, as readers do who come back. Target: 250 ms.
(c) That report is scrolled through, frame by frame. Target: no task over 50 ms. One whose 80 sentences are all on one
    page is read sentence by sentence: it asks for one picture.
"""

import asyncio
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from statistics import median
from typing import Final

from playwright.async_api import Browser, Page

from benchmarks.bench import Bench
from benchmarks.page import LONGEST_MILLISECONDS, OPENED, SCROLLED, open_tab
from benchmarks.progress import follow
from elcano.api.app import create_app
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.api.serving import serving
from tests.page import harbour, long_report
from tests.page.browsing import open_browser
from tests.tour.runs import ASKED, WORKING, touring
from tests.unit.operations.access.runs import connect_to_nothing

IN_SIGHT_MILLISECONDS: Final = 300
MARKED_MILLISECONDS: Final = 250
PRESSED: Final = """
(words) => {
  const isOf = (one) => one.textContent.includes(words.slice(0, -1));
  const sentence = [...document.querySelectorAll(".report .statement")].find(isOf);
  sentence.scrollIntoView({ block: "center", behavior: "instant" });
  const isMarked = () => {
    const shown = document.querySelector("li.chosen");
    const image = shown?.querySelector(".sheet img");
    return shown && isOf(shown) && image?.complete && image.naturalWidth && shown.querySelector(".sheet i");
  };
  globalThis.marked = new Promise((resolve) => addEventListener("pointerdown", ({ timeStamp }) => {
    const look = () => requestAnimationFrame(() => {
      if (isMarked()) setTimeout(() => resolve(performance.now() - timeStamp));
      else look();
    });
    look();
  }, { once: true, capture: true }));
  const { x, y, height } = sentence.getClientRects()[0];
  return [x + 20, y + height / 2];
}
"""


async def measure_end(folder: Path) -> float:
    """Milliseconds from the end of a run that somebody watches until its report is painted."""
    async with touring(folder, {WORKING: ASKED[WORKING]}) as tour, open_browser() as browser:
        run_id = tour.runs[WORKING]
        async with open_tab(browser, tour.stack.settings.base_url) as page:
            await page.goto(f"/runs/{run_id}")
            await page.locator("#feed li").first.wait_for(state="attached")
            tour.desk.mended.set()
            await page.wait_for_url("**/report", timeout=LONGEST_MILLISECONDS)
            painted = (await page.evaluate(OPENED))["painted"] + await page.evaluate("performance.timeOrigin")
        heard = await follow(tour.stack.settings.api_port, f"/v1/runs/{run_id}", asyncio.Event())
        return float(painted) - 1_000 * heard[-1].event.at


async def measure_marks(page: Page, entries: Sequence[int]) -> list[float]:
    """Milliseconds from a press on each of these sentences to its marked page."""
    taken = []
    for number in entries:
        x, y = await page.evaluate(PRESSED, long_report.name_entry(number))
        await page.mouse.click(x, y)
        taken.append(float(await page.evaluate("marked")))
        await page.keyboard.press("Escape")
    return taken


async def count_pictures(page: Page, entries: int) -> int:
    """The pictures that are asked for while a report is read sentence by sentence."""
    await page.locator(".report .statement").first.click()
    for _ in range(entries - 1):
        await page.get_by_role("button", name="Next").click()
    await page.get_by_role("heading", name=f"Statement {entries} of {entries}").wait_for()
    asked = await page.evaluate("performance.getEntriesByType('resource').map(({ name }) => name)")
    return len({url for url in asked if "/pages/" in url})  # also what was asked for before the first sentence


@asynccontextmanager
async def open_report(browser: Browser, folder: Path, entries: int, pages: int) -> AsyncIterator[Page]:
    """A report on so many entries of a log of so many pages, served and opened."""
    async with open_store(folder / "data") as store:
        long_report.write_log(folder / "log", entries, pages)
        run_id = await long_report.leave_long_report(store, folder / "log", folder / "index.sqlite", entries)
        settings = Settings(data_dir=folder / "data", collections={harbour.COLLECTION: folder / "log"}, _env_file=None)
        async with (
            serving(create_app(settings, store=store, client=connect_to_nothing)) as address,
            open_tab(browser, address) as page,
        ):
            await page.goto(f"/runs/{run_id}/report")
            await page.wait_for_load_state("networkidle")
            yield page


async def main(bench: Bench) -> None:
    """The end of a run in a stack of its own, then the reports."""
    entries, pages = bench.choose(200, 4), bench.choose(40, 2)
    # In a loop of its own: a stack puts its processes in groups, which uvloop cannot.
    ended = await asyncio.to_thread(asyncio.run, measure_end(bench.folder / "tour"))
    async with open_browser() as browser:
        async with open_report(browser, bench.folder / "many", entries, pages) as page:
            opened = await page.evaluate(OPENED)
            scrolled = await page.evaluate(SCROLLED)
            first = await measure_marks(page, range(pages))
            again = await measure_marks(page, range(pages))
        async with open_report(browser, bench.folder / "one", beside := bench.choose(80, 4), 1) as page:
            pictures = await count_pictures(page, beside)
    bench.say(f"from the end of a run to its report: {ended:.0f} ms")
    bench.say(
        f"a report with {entries} citations: painted {opened['painted']:.0f} ms, usable {opened['usable']:.0f} ms"
    )
    for name, taken in (("for the first time", first), ("again", again)):
        bench.say(f"from a sentence to its page, {name}: p50 {median(taken):.0f} ms, at most {max(taken):.0f} ms")
    bench.tell("report in sight / 300 ms", ended / IN_SIGHT_MILLISECONDS)
    bench.tell("marked page, first / 250 ms", max(first) / MARKED_MILLISECONDS)
    bench.tell("marked page, again / 250 ms", max(again) / MARKED_MILLISECONDS)
    bench.tell("long tasks while it is scrolled", len(scrolled))
    bench.tell("pictures of one page", pictures)
