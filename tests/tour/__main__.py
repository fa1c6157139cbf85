"""Takes the pictures of `docs/temporal.md`: `python -m tests.tour [CHROMIUM]`.

It needs a Chromium (Debian: `apt-get install chromium`), which it looks for on the path.
"""

import asyncio
import json
import os
import shutil
import signal
import sys
import tempfile
from pathlib import Path
from typing import Any, Final
from urllib.parse import quote

from playwright.async_api import Page, async_playwright

from tests.tour.runs import DEEP, DOWN, REFUSED, SECTIONS, SPENT, WORKING, Tour, touring

PICTURES: Final = Path(__file__).parents[2] / "docs" / "pictures"
VIEW: Final = {"width": 1560, "height": 900}
LIST_HEIGHT: Final = 540
"""The first rows of a list; below them is nothing."""
TIMELINE_HEIGHT: Final = 480
EDGE: Final = 60
"""Pixels on the left where the UI has its menu."""
COLUMNS: Final = (
    "Status",
    "ElcanoQuestion",
    "ElcanoSection",
    "ElcanoStage",
    "ElcanoWaiting",
    "ElcanoOutcome",
    "ElcanoTokens",
    "ElcanoCostUsd",
    "Workflow ID",
)
RUNS_ALONE: Final = "`ElcanoSection` is null"
FOR_TOP_UP: Final = '`ElcanoWaiting`="budget" AND `ElcanoSection` is null'
CALM_MS: Final = 1_500
"""Milliseconds that a page gets to draw what it has loaded."""
SLOW_MS: Final = 180_000


class Camera:
    """Looks at the Temporal UI of a tour."""

    def __init__(self, page: Page, tour: Tour) -> None:
        self._page = page
        self._tour = tour
        settings = tour.stack.settings
        self._workflows = f"http://127.0.0.1:{settings.temporal_ui_port}/namespaces/default/workflows"

    async def list(self, name: str, query: str, *, save_as: str = "") -> None:
        """The list of workflows under a filter, which is saved if it has a name."""
        await self._page.goto(f"{self._workflows}?query={quote(query)}")
        await self._page.locator("td a[href*='/workflows/default-']").first.wait_for(timeout=SLOW_MS)
        if save_as:
            await self._page.get_by_role("button", name="Save as New").click()
            await self._page.get_by_role("textbox").last.fill(save_as)
            await self._page.get_by_role("button", name="Save", exact=True).click()
            await self._page.get_by_text(save_as).first.wait_for(timeout=SLOW_MS)
        await self._take(name, LIST_HEIGHT)

    async def timeline(self, name: str, run_id: str, *, shows: str) -> None:
        """The timeline of a workflow once it shows something."""
        await self._page.goto(f"{self._workflows}/{run_id}")
        await self._page.get_by_text(shows).first.wait_for(timeout=SLOW_MS)
        await self._page.get_by_role("heading", name="Timeline").scroll_into_view_if_needed()
        heading = self._page.get_by_role("heading", name="Timeline")
        await heading.hover()
        await self._page.mouse.wheel(0, 2_000)
        await self._page.wait_for_timeout(CALM_MS)
        place = await heading.bounding_box()
        assert place is not None, "it was hovered"
        await self._take(name, TIMELINE_HEIGHT, top=place["y"] - 12)

    async def tab(self, name: str, run_id: str, tab: str, *, shows: str) -> None:
        """Another tab of a workflow's page, once it shows something, in a frame or not."""
        await self._page.goto(f"{self._workflows}/{run_id}")
        await self._page.get_by_role("link", name=tab).or_(self._page.get_by_role("tab", name=tab)).first.click()
        async with asyncio.timeout(SLOW_MS / 1_000):
            while not await self._shows(shows):
                await self._page.wait_for_timeout(200)
        await self._take(name)

    async def _shows(self, text: str) -> bool:
        counts = [await frame.get_by_text(text).count() for frame in self._page.frames]
        return any(counts)

    async def _take(self, name: str, height: int = VIEW["height"], *, top: float = 0.0) -> None:
        await self._page.wait_for_timeout(CALM_MS)
        clip = {"x": EDGE, "y": top, "width": VIEW["width"] - EDGE, "height": min(height, VIEW["height"] - top)}
        await self._page.screenshot(path=PICTURES / f"{name}.png", clip=clip)  # type: ignore[arg-type]


async def main(chromium: str) -> None:
    """Makes the runs and takes the pictures."""
    PICTURES.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        async with touring(Path(folder)) as tour, async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox"])
            page = await browser.new_page(viewport=VIEW, timezone_id="UTC")  # type: ignore[arg-type]
            page.set_default_timeout(SLOW_MS)
            await page.add_init_script(_stored({"namespace-workflow-table-columns": _columns(), "navOpen": False}))
            await _pictures(Camera(page, tour), tour)
            await browser.close()


async def _pictures(camera: Camera, tour: Tour) -> None:
    deep = tour.runs[DEEP]
    await camera.list("runs", RUNS_ALONE)
    await camera.list("waiting-for-a-top-up", FOR_TOP_UP, save_as="Waiting for a top-up")
    await camera.list("sections-of-a-run", f'`ElcanoRun`="{deep}"')
    await camera.tab("a-run-that-waits", tour.runs[SPENT], "User Metadata", shows="waits for a top-up")
    await camera.timeline("a-provider-that-is-down", tour.runs[DOWN], shows="try 2")
    await camera.timeline("a-run-that-failed", tour.runs[REFUSED], shows="thinking")
    await camera.timeline("a-deep-run", deep, shows=f"Section: {next(iter(SECTIONS))}")
    await camera.tab("a-deep-run-in-words", deep, "User Metadata", shows="Sections:")
    await camera.timeline("a-section", f"{deep}.0004.loop-3", shows="try 2")
    await camera.timeline("a-run-in-work", tour.runs[WORKING], shows="judge")
    _kill_worker(tour)
    await _tried_again(tour)
    await camera.tab("after-a-worker-was-killed", tour.runs[WORKING], "Pending Activities", shows="Heartbeat timeout")


def _kill_worker(tour: Tour) -> None:
    os.kill(tour.stack.worker.pid, signal.SIGKILL)


async def _tried_again(tour: Tour) -> None:
    """Returns once Temporal has noticed that nobody works on the call any more."""
    async with asyncio.timeout(SLOW_MS / 1_000):
        while not any("eartbeat" in one["last_failure"] for one in (await tour.run(WORKING))["pending"]):  # noqa: ASYNC110
            await asyncio.sleep(0.5)


def _columns() -> dict[str, Any]:
    return {"default": [{"label": label} for label in COLUMNS]}


def _stored(values: dict[str, Any]) -> str:
    """Settings of the UI, which it keeps in the browser."""
    lines = (f"localStorage.setItem({json.dumps(name)}, {json.dumps(json.dumps(values[name]))});" for name in values)
    return "\n".join(lines)


if __name__ == "__main__":
    found = sys.argv[1] if len(sys.argv) > 1 else shutil.which("chromium")
    if found is None:
        sys.exit("tests.tour: there is no chromium on the path: install one, or name it as the argument")
    asyncio.run(main(found))
