"""Pictures of pages as PNG, with marks where quoted words stand. Rendered in processes of their own: see `parser`.

PDFium draws the page, zlib packs it; no imaging library is needed.
"""

import asyncio
from collections.abc import Sequence
from typing import Final

from pydantic import ConfigDict

from elcano.activities.child_processes import ChildProcesses, Stop
from elcano.graphs.frozen import Frozen
from elcano.graphs.report.places import Box
from elcano.subjects.documents.file_processes import FileAnswer, FileRequest, ask_process

MEDIA_TYPE: Final = "image/png"
RENDER_SECONDS: Final = 20.0
"""Timeout of one page, in seconds. Ordinary pages take .02 s, maps with a million paths some seconds."""
RENDER_MEMORY_BYTES: Final = 1_500_000_000
"""Address space of the process: its libraries take .5 GB of it, and embedded images are unpacked in it."""
RENDERED_AT_ONCE: Final = 3
"""Further requests wait, so that fifty of them take the memory and processors of three."""
MINIMUM_WIDTH: Final = 50
MAXIMUM_WIDTH: Final = 2400
"""A page of A4 at 290 dots per inch."""
MAXIMUM_PIXELS: Final = 8_000_000
"""A page that is ten metres long becomes a narrower picture instead of a larger one."""

WHOLE_PAGE: Final = (0.0, 1.0)
"""The rows of a picture that shows its page from top to bottom."""


class PagePicture(Frozen):
    """A picture of a page."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    content: bytes
    """A PNG file."""
    width: int
    height: int
    """Both in pixels."""


class PictureRequest(FileRequest):
    """A request to render a page."""

    page: int
    width: int
    marks: tuple[Box, ...] = ()
    rows: tuple[float, float] = WHOLE_PAGE


RENDERERS: Final[ChildProcesses[PictureRequest, FileAnswer[PagePicture]]] = ChildProcesses(
    f"{__package__}.page_drawing:answer_request", FileAnswer[PagePicture], idle_seconds=None
)


def start_renderers(program: str, settings: object) -> None:
    """Load what draws pages when the API starts: its libraries take longer than a page, and a reader waits for it."""
    if program == "api":
        RENDERERS.start()


class PageRenderer:
    """Renders pages in processes of their own, a few at once.

    A picture depends on the arguments of `render` alone, so it can be cached under them for good.

    Args:
        seconds: how long one page may take.
        at_once: how many pages are rendered at the same time; further calls wait.
        processes: what renders them; tests put broken ones here.
    """

    def __init__(
        self,
        seconds: float = RENDER_SECONDS,
        at_once: int = RENDERED_AT_ONCE,
        processes: ChildProcesses[PictureRequest, FileAnswer[PagePicture]] = RENDERERS,
    ) -> None:
        self._seconds = seconds
        self._room = asyncio.Semaphore(at_once)
        self._processes = processes

    async def render(
        self,
        content: bytes,
        page: int,
        width: int,
        marks: Sequence[Box] = (),
        rows: tuple[float, float] = WHOLE_PAGE,
    ) -> PagePicture:
        """Render a page of the PDF or picture in `content`; a call that is cancelled ends its process.

        Args:
            content: the file.
            page: counted from 1.
            width: of the picture in pixels; a very long page gets a narrower one.
            marks: rectangles that are marked in yellow.
            rows: where the picture begins and ends, as shares of the page's height from its top.

        Raises:
            FileSkipped: the page does not exist, cannot be rendered, or takes too long.
        """
        request = PictureRequest(
            seconds=self._seconds, content=content, page=page, width=width, marks=tuple(marks), rows=rows
        )
        stop = Stop()
        async with self._room:
            try:
                return await asyncio.to_thread(ask_process, self._processes, request, stop)
            except asyncio.CancelledError:
                stop.now()
                raise
