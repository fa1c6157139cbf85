"""Pictures of pages for the passages of a tenant: of the very file that was read, a few at once, kept for a while.

A file that was replaced or deleted since a run read it is refused: a picture of other words than those that were quoted
proves nothing. The text that was quoted is kept with the run.
"""

import asyncio
from collections import OrderedDict
from collections.abc import Sequence
from typing import Final, NamedTuple

from elcano.activities.passages.document import FileSkipped
from elcano.graphs.plugin import load_objects
from elcano.graphs.report.places import Box
from elcano.service.errors import Refusal
from elcano.settings.settings import Settings
from elcano.storage.evidence import DATA_HASH, Evidence, SourceFile
from elcano.storage.store import TenantStore
from elcano.subjects.documents.pdf.pictures import WHOLE_PAGE, PagePicture, PageRenderer

CACHED_BYTES: Final = 64_000_000
"""Pictures that one process keeps: some 250 pages. Readers of one report look at the same pages."""
AT_ONCE: Final = 4
"""Files that are in memory at the same time, each up to the limit of a file; other requests wait."""
WAITING: Final = 100
"""Requests that wait; further ones are refused. A page with fifty citations asks for no more than fifty."""
CONTEXT: Final = 0.05
"""Share of the page's height that is shown above and below a quote where only its part of the page is wanted."""
_PDF_MARK: Final = b"%PDF-"
_PDF_MARK_WITHIN: Final = 1_024
"""Bytes: what readers of PDF allow before the mark."""


class PageNotFound(Refusal, kind="missing", title="There is no picture of this page"):
    """The passage was read from no file that has pages, or its document has no such page."""


class DocumentChanged(Refusal, kind="gone", title="The document is no longer the one that was read"):
    """The document was replaced or deleted since the run read it; its text is kept."""


class PicturesBusy(Refusal, kind="unavailable", title="Too many pictures are asked for at once", retry_after=2):
    """Too many requests are waiting: another one would wait too long."""


class PictureWish(NamedTuple):
    """Content of a picture."""

    page: int
    """Counted from 1."""
    width: int
    """In pixels."""
    marks: tuple[Box, ...] = ()
    rows: tuple[float, float] = WHOLE_PAGE


def frame_marks(marks: Sequence[Box]) -> tuple[float, float]:
    """The rows of a page that its marks are in, with what is around them; without marks the whole page."""
    if not marks:
        return WHOLE_PAGE
    top, bottom = min(mark.top for mark in marks), max(mark.bottom for mark in marks)
    return max(top - CONTEXT, 0.0), min(bottom + CONTEXT, 1.0)


class PagePictures:
    """Draws pages, and keeps what it drew.

    Args:
        renderer: what draws them.
        cached_bytes: how much of it is kept.
    """

    def __init__(self, renderer: PageRenderer | None = None, cached_bytes: int = CACHED_BYTES) -> None:
        self._renderer = renderer or PageRenderer()
        self._room = asyncio.Semaphore(AT_ONCE)
        self._waiting = 0
        self._limit = cached_bytes
        self._cached: OrderedDict[tuple[str, PictureWish], PagePicture] = OrderedDict()
        self._size = 0

    async def draw(self, settings: Settings, store: TenantStore, passage: Evidence, wish: PictureWish) -> PagePicture:
        """The picture of a page of the document that a passage is from.

        Args:
            settings: of the tenant, which say what collections it may search.
            store: of the tenant.
            passage: found by a run that the caller may read.
            wish: what it shows.

        Raises:
            PageNotFound: the passage is from no file with pages, or the file has no such page.
            DocumentChanged: the file is not the one that was read.
            PicturesBusy: too many pictures are being asked for.
        """
        data_hash = passage.metadata.get(DATA_HASH)
        if not isinstance(data_hash, str):
            raise PageNotFound("no file is known of this passage: its text is all that there is of it")
        if self._waiting >= WAITING:
            raise PicturesBusy(f"{WAITING} requests for pictures wait already: try again in some seconds")
        self._waiting += 1
        try:
            async with self._room:
                file = await find_source_file(settings, store, passage)
                if file.data_hash != data_hash:
                    raise DocumentChanged(
                        f"{passage.title!r} was replaced since the run read it; the text that it read is kept"
                    )
                return await self._draw_file(file, passage, wish)
        finally:
            self._waiting -= 1

    async def _draw_file(self, file: SourceFile, passage: Evidence, wish: PictureWish) -> PagePicture:
        key = file.data_hash, wish
        if (known := self._cached.get(key)) is not None:
            self._cached.move_to_end(key)
            return known
        data = await file.load()
        if data is None:
            raise DocumentChanged(f"{passage.title!r} was deleted since the run read it; the text that it read is kept")
        from elcano.subjects.documents.pdf.picture_files import is_picture  # it loads PDFium

        if _PDF_MARK not in data[:_PDF_MARK_WITHIN] and not is_picture(data):
            raise PageNotFound(f"{passage.title!r} has no pages: its text is shown with the quote marked in it")
        try:
            drawn = await self._renderer.render(data, *wish)
        except FileSkipped as error:
            raise PageNotFound(f"page {wish.page} of {passage.title!r} cannot be drawn: {error}") from error
        self._keep(key, drawn)
        return drawn

    def _keep(self, key: tuple[str, PictureWish], drawn: PagePicture) -> None:
        if key not in self._cached:
            self._size += len(drawn.content)
        self._cached[key] = drawn
        while self._size > self._limit:
            _, dropped = self._cached.popitem(last=False)
            self._size -= len(dropped.content)


async def find_source_file(settings: Settings, store: TenantStore, passage: Evidence) -> SourceFile:
    """The file that a passage was read from, as it is now.

    Raises:
        PageNotFound: it was read from no file that is kept.
        DocumentChanged: the file is gone, or no longer offered to the tenant.
    """
    for find in load_objects("document_files"):
        found: SourceFile | None = await find(settings, store, passage)
        if found is not None:
            return found
    if passage.locator.startswith(("https://", "http://")) and "path" not in passage.metadata:
        raise PageNotFound(f"{passage.title!r} was read from the web, whose files are not kept: see {passage.locator}")
    raise DocumentChanged(f"{passage.title!r} was deleted since the run read it; the text that it read is kept")


PICTURES: Final = PagePictures()
"""Page pictures of this process."""
