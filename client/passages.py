"""Passages that a run found, and what they show: the picture of their page, or their text, with a quote marked."""

from dataclasses import dataclass
from html import escape
from pathlib import Path
from typing import Any

from pydantic import PrivateAttr

from elcano.client.blocking import EventLoopThread
from elcano.client.connection import Connection
from elcano.client.report_models import CheckedCitation, Evidence


@dataclass(frozen=True)
class PagePicture:
    """The picture of a page, with a quote marked; a notebook shows it."""

    content: bytes
    """A PNG file."""
    page: int
    """Counted from 1."""

    def save(self, file: Path | str) -> Path:
        """Write it to a file, and return that."""
        path = Path(file)
        path.write_bytes(self.content)
        return path

    def _repr_png_(self) -> bytes:
        return self.content


@dataclass(frozen=True)
class MarkedText:
    """A passage of a document without pages, with a quote marked; a notebook shows it."""

    before: str
    quote: str
    after: str

    def _repr_html_(self) -> str:
        mark = f"<mark>{escape(self.quote)}</mark>" if self.quote else ""
        return f'<blockquote style="white-space: pre-wrap">{escape(self.before)}{mark}{escape(self.after)}</blockquote>'


class AsyncPassage(Evidence):
    """A passage that a run found, with the connection that can show it."""

    _connection: Connection = PrivateAttr()
    _pages: str = PrivateAttr()

    @classmethod
    def of(cls, passage: Evidence, connection: Connection, run_path: str) -> "AsyncPassage":
        """The passage of the run at `run_path`."""
        made = cls.model_construct(**{name: getattr(passage, name) for name in Evidence.model_fields})
        made._connection = connection
        made._pages = f"{run_path}/pages"
        return made

    async def show(
        self, quote: str | CheckedCitation = "", *, width: int = 1_200, part: str = "page"
    ) -> PagePicture | MarkedText:
        """The picture of the page that it is on; its text, where its document has no pages or no file is kept.

        Args:
            quote: what is marked: words of the passage, or a citation of it from the run's report.
            width: of the picture in pixels.
            part: `page`, or `quote` for only what is around the marked words.

        Raises:
            ValueError: the passage does not have these words.
            NotFound: there is no picture of this page.
            Problem: with status 410, that the file was replaced or deleted since.
        """
        start, end = self._find(quote)
        page = self._find_page(start, end)
        if not page:
            text, first, last = self.text, start - self.start, end - self.start
            return MarkedText(text[:first], text[first:last], text[last:])
        asked: dict[str, Any] = {"evidence": self.id, "width": width, "part": part}
        if start < end:
            asked |= {"start": start, "end": end}
        return PagePicture(await self._connection.get_bytes(f"{self._pages}/{page}", "image/png", **asked), page)

    def _find(self, quote: str | CheckedCitation) -> tuple[int, int]:
        """Find the quote in the stored text; without a quote, an empty range at the beginning of the passage."""
        if isinstance(quote, CheckedCitation):
            if quote.start is None or quote.end is None or quote.evidence != self.id:
                raise ValueError(f"this citation does not hold, or is of another passage than {self.id!r}")
            return quote.start, quote.end
        at = self.text.find(quote)
        if at < 0:
            raise ValueError(f"the passage {self.id!r} does not have the words {quote!r}")
        return self.start + at, self.start + at + len(quote)

    def _find_page(self, start: int, end: int) -> int:
        """The page of the quote, if the passage is from a file that may be kept; 0: its text is all there is."""
        if "path" not in self.metadata:
            return 0
        if not self.places.lines:
            known = self.metadata.get("page")
            return known if isinstance(known, int) else 0
        last = max(end, start + 1)
        return next((line.page for line in self.places.lines if line.start < last and line.end > start), 0)


class Passage(Evidence):
    """A passage that a run found, for programs that wait."""

    _asynchronous: AsyncPassage = PrivateAttr()
    _loop: EventLoopThread = PrivateAttr()

    @classmethod
    def of(cls, passage: AsyncPassage, loop: EventLoopThread) -> "Passage":
        """The same passage, waited for."""
        made = cls.model_construct(**{name: getattr(passage, name) for name in Evidence.model_fields})
        made._asynchronous = passage
        made._loop = loop
        return made

    def show(
        self, quote: str | CheckedCitation = "", *, width: int = 1_200, part: str = "page"
    ) -> PagePicture | MarkedText:
        """The picture of the page that it is on, or its text; see `AsyncPassage.show`."""
        return self._loop.call(self._asynchronous.show, quote, width=width, part=part)
