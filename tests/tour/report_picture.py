"""Takes the picture of a report beside its sources for the README: `python -m tests.tour.report_picture`."""

import asyncio
import tempfile
from pathlib import Path
from typing import Final

from tests.page.browsing import Watched, open_browser, open_page
from tests.page.harbour import serve_harbour_report

PICTURE: Final = Path(__file__).parents[2] / "docs" / "pictures" / "report.png"
VIEW: Final = {"width": 1280, "height": 760}


async def main() -> None:
    """Opens a doubted sentence on its page, and takes the picture."""
    with tempfile.TemporaryDirectory() as folder:
        async with (
            serve_harbour_report(Path(folder)) as reading,
            open_browser() as browser,
            open_page(browser, reading.url, Watched(), viewport=VIEW, color_scheme="light") as page,
        ):
            await page.goto(reading.report)
            await page.locator(".report .doubt").first.click()
            await page.locator(".chosen .sheet i").wait_for()
            await page.mouse.move(0, 0)
            await page.evaluate("document.activeElement.blur()")
            await page.screenshot(path=PICTURE)


if __name__ == "__main__":
    asyncio.run(main())
