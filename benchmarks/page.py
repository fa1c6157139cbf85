"""How the page does in a browser: large runs opened and scrolled, and how old an event is when it is on the screen.

(a) Runs of 2,000 steps, and of 200 sections with 50,000 events and a report of a megabyte, are opened in each of their
    views: time until something is painted, and until the page can be used; then scrolled to the end, frame by frame.
    Targets: a large run opens in 1.5 s, a small one is painted in 300 ms and can be used in 500, and no task of a page
    takes over 50 ms while it is scrolled.
(b) A run is followed by one page, then by 20. The age of an event is measured as for `progress`, and to the moment
    after the frame that shows it: a client without a browser hears of the same events. Target: a median of 60 ms. Once
    one page of the 20 is drawn here, and the others are to the server what pages are: a stream, and the page anew every
    two seconds. Then all 20 are drawn, in sight at once, by the processors that run all else.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from functools import partial
from statistics import median
from typing import Final, NamedTuple

import httpx
from playwright.async_api import Browser, Page

from benchmarks.bench import Bench
from benchmarks.large_runs import LargeRuns, Sizes
from benchmarks.progress import follow, work
from benchmarks.server import serving, settings_for, working
from elcano.settings.settings import Settings
from elcano.storage.store import open_store
from tests.page.browsing import open_browser

OPENS_MILLISECONDS: Final = 1_500
PAINTED_MILLISECONDS: Final = 300
USABLE_MILLISECONDS: Final = 500
AGE_MILLISECONDS: Final = 60
REFRESH_SECONDS: Final = 2.0
"""Between two looks of a page at what the server knows (`REFRESH_MS` in `run.js`)."""
LONGEST_MILLISECONDS: Final = 120_000
"""For so long a page may take to open on a machine that is busy."""
WATCHING: Final = """
globalThis.measured = { tasks: [], ages: [] };
new PerformanceObserver((list) => measured.tasks.push(...list.getEntries().map((task) => task.duration)))
  .observe({ type: "longtask", buffered: true });
addEventListener("DOMContentLoaded", () => {
  const feed = document.getElementById("feed");
  if (!feed) return;
  const { port1, port2 } = new MessageChannel(); // answers after the frame in which it was asked
  port1.onmessage = (message) => {
    const now = Date.now();
    for (const at of message.data) if (at > measured.from) measured.ages.push(now - at);
  };
  measured.from = Date.now();
  new MutationObserver((changes) => {
    const times = changes.flatMap((change) => [...change.addedNodes]).map((line) => line.querySelector("time"));
    port2.postMessage(times.filter(Boolean).map((time) => Date.parse(time.dateTime)));
  }).observe(feed, { childList: true });
});
"""
OPENED: Final = """
async () => {
  const seen = () => performance.getEntriesByName("first-contentful-paint")[0];
  while (!seen()) await new Promise((resolve) => setTimeout(resolve, 20));
  const { responseStart, domContentLoadedEventEnd, decodedBodySize } = performance.getEntriesByType("navigation")[0];
  return {
    answered: responseStart, painted: seen().startTime, usable: domContentLoadedEventEnd, size: decodedBodySize,
    elements: document.getElementsByTagName("*").length, tasks: measured.tasks.splice(0),
  };
}
"""
SCROLLED: Final = """
async () => {
  const frame = () => new Promise(requestAnimationFrame);
  measured.tasks.splice(0);
  for (let before = -1; before !== scrollY; await frame()) {
    before = scrollY;
    scrollBy(0, innerHeight);
    await frame();
  }
  await new Promise((resolve) => setTimeout(resolve, 100));
  return measured.tasks.splice(0);
}
"""


@asynccontextmanager
async def open_tab(browser: Browser, address: str) -> AsyncIterator[Page]:
    """A tab of its own, which measures itself."""
    context = await browser.new_context(base_url=address)
    await context.add_init_script(WATCHING)
    try:
        yield await context.new_page()
    finally:
        await context.close()


class Opened(NamedTuple):
    """How a view did. Times are milliseconds since the browser was told to open it."""

    answered: float
    painted: float
    usable: float
    size: int
    """Bytes of its HTML."""
    elements: int
    opening: Sequence[float]
    """The tasks of over 50 ms while it was opened, and how long each took."""
    scrolling: Sequence[float]

    def __str__(self) -> str:
        return (
            f"answered {self.answered:.0f}, painted {self.painted:.0f}, usable {self.usable:.0f} ms; "
            f"{self.size / 1000:.0f} kB, {self.elements:,} elements; "
            f"long tasks: {_list_tasks(self.opening)} opening, {_list_tasks(self.scrolling)} scrolling"
        )


def _list_tasks(tasks: Sequence[float]) -> str:
    return f"{len(tasks)} (at most {max(tasks):.0f} ms)" if tasks else "none"


async def open_view(page: Page, path: str) -> Opened:
    """Open a view, and scroll through it."""
    await page.goto(path, timeout=LONGEST_MILLISECONDS)
    found = await page.evaluate(OPENED)
    return Opened(opening=found.pop("tasks"), scrolling=await page.evaluate(SCROLLED), **found)


async def measure_views(bench: Bench, browser: Browser, address: str, paths: Sequence[str]) -> list[Opened]:
    """Open each view; of three tries the median one, as a calm machine would give it."""
    chosen = []
    async with open_tab(browser, address) as page:
        for path in paths:
            tries = sorted([await open_view(page, path) for _ in range(bench.choose(3, 1))], key=lambda one: one.usable)
            chosen.append(tries[len(tries) // 2])
            bench.say(f"{path}: {chosen[-1]}")
    return chosen


async def read_elsewhere(api: httpx.AsyncClient, run_id: str) -> None:
    """What a page asks of the server when another machine draws it, until the run has ended."""
    async with api.stream("GET", f"/v1/runs/{run_id}/events", timeout=None) as stream:
        due = time.monotonic()
        async for line in stream.aiter_lines():
            if line.startswith("data: ") and time.monotonic() > due:
                (await api.get(f"/runs/{run_id}?view=overview")).raise_for_status()
                due = time.monotonic() + REFRESH_SECONDS


async def measure_ages(
    browser: Browser, settings: Settings, api: httpx.AsyncClient, iterations: int, *, pages: int = 1, elsewhere: int = 0
) -> tuple[list[float], list[float]]:
    """The ages of a run's events in milliseconds: at a client without a browser, and on the screens of `pages`.

    As many more as `elsewhere` says are open, and not drawn here.
    """
    body = {"question": "How do its parts belong together?", "mode": "iterative", "budget": {"iterations": iterations}}
    run_id = (await api.post("/v1/runs", json=body)).raise_for_status().json()["run_id"]
    (await api.post(f"/v1/runs/{run_id}/pause")).raise_for_status()  # until all are there
    async with AsyncExitStack() as opened:
        tabs = [await opened.enter_async_context(open_tab(browser, settings.base_url)) for _ in range(pages)]
        for tab in tabs:
            await tab.goto(f"/runs/{run_id}", timeout=LONGEST_MILLISECONDS)
        await asyncio.gather(*(tab.evaluate("measured.ages.splice(0)") for tab in tabs))
        async with asyncio.TaskGroup() as readers:
            for _ in range(elsewhere):
                readers.create_task(read_elsewhere(api, run_id))
            begun = time.time()
            (await api.post(f"/v1/runs/{run_id}/unpause")).raise_for_status()
            heard = await follow(settings.api_port, f"/v1/runs/{run_id}", asyncio.Event())
        seen = await asyncio.gather(*(tab.evaluate("measured.ages") for tab in tabs))
    return [1_000 * (at - event.at) for at, event in heard if event.at > begun], [age for ages in seen for age in ages]


async def main(bench: Bench) -> None:
    """Everything in one stack."""
    sizes = Sizes(
        steps=bench.choose(2_000, 20),
        sections=bench.choose(200, 2),
        iterations=bench.choose(16, 1),
        claims=bench.choose(1_000, 5),
    )
    many, iterations = bench.choose(20, 2), bench.choose(20, 8)
    async with bench.temporal() as server:
        settings = settings_for(server, bench.folder)
        async with open_store(settings.data_dir, settings=settings) as store:
            writer = LargeRuns(store, sizes)
            steps, sections = await writer.write_steps(), await writer.write_sections()
        async with (
            working(partial(work, iterations=iterations), settings, here=bench.small),
            serving(settings) as api,
            open_browser() as browser,
        ):
            small = await measure_views(bench, browser, settings.base_url, ("/", "/runs"))
            large = await measure_views(bench, browser, settings.base_url, list_views(steps, sections, sizes.steps))
            measure = partial(measure_ages, browser, settings, api, iterations)
            _, alone = await measure()
            heard, among = await measure(elsewhere=many - 1)
            _, together = await measure(pages=many)
    for name, ages in (
        ("one page", alone),
        (f"one of {many} pages", among),
        (f"without a browser, beside {many} pages", heard),
        (f"{many} pages drawn here", together),
    ):
        bench.say(f"{name}, {len(ages)} events: p50 {median(ages):.0f} ms, at most {max(ages):.0f} ms")
    bench.tell("first paint / 300 ms", max(one.painted for one in small) / PAINTED_MILLISECONDS)
    bench.tell("usable / 500 ms", max(one.usable for one in small) / USABLE_MILLISECONDS)
    bench.tell("large run opens / 1.5 s", max(one.usable for one in large) / OPENS_MILLISECONDS)
    bench.tell("long tasks while it is scrolled", sum(len(one.scrolling) for one in large))
    bench.tell("event to pixel / 60 ms", median(among) / AGE_MILLISECONDS)
    bench.tell("event to pixel, all pages drawn here / 60 ms", median(together) / AGE_MILLISECONDS)


def list_views(steps: str, sections: str, last: int) -> list[str]:
    """The paths of the views of both large runs."""
    run, deep = f"/runs/{steps}", f"/runs/{sections}"
    return [
        *(f"{run}?view=overview", f"{run}/steps", f"{run}/steps?after={max(last - 50, 0)}", f"{run}/steps/{last}"),
        *(f"{deep}?view=overview", f"{deep}/steps", f"{deep}/sources", f"{deep}/report"),
        f"/compare?run={steps}&run={sections}",
    ]
