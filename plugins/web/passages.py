"""Finds evidence in the pages that were read: their best passages for a query, with their whole texts.

They are ranked like those of a collection, by an index that lives as long as the search.
"""

import hashlib
import sqlite3
from collections.abc import Sequence
from contextlib import closing
from itertools import islice
from typing import Final

from elcano.activities.passages import search
from elcano.activities.passages.document import Passage
from elcano.graphs.report.works import Work
from elcano.plugins.documents.passage_index import Entry, add_document, create_tables
from elcano.plugins.web.addresses import extract_host, identify_page
from elcano.plugins.web.page_reader import ReadPage
from elcano.storage.evidence import Evidence, StoredText

DOCUMENT_CHARACTERS: Final = 200
"""A longer address is shortened in ids, which may have 300 characters in all; its hash keeps it unique."""
_FIRST_YEAR: Final = 1990
"""The web is no older; an earlier date of a page is a mistake."""


class StoredPage:
    """One page as it is stored."""

    def __init__(self, source: str, read: ReadPage) -> None:
        self.page = page = read.page
        self._read = read
        self._source = source
        names = identify_page(read.url, page.canonical, read.asked)
        self.document = names.document
        self.locator = names.url or read.url
        self.text = StoredText(
            content_hash=hashlib.sha256(page.document.text.encode()).hexdigest(),
            document=self.document,
            title=page.document.title,
            media_type=page.document.media_type,
            text=page.document.text,
        )
        published = page.published if page.published[:4].isdecimal() and int(page.published[:4]) >= _FIRST_YEAR else ""
        self.work = Work(
            title=page.document.title,
            authors=page.authors,
            year=int(published[:4]) if published else None,
            published=published,
            venue=page.site or extract_host(read.url),
            kind="page",
            identifiers=names,
            url=self.locator,
            language=page.language,
            licence=page.licence,
            source=source,
            retrieved_at=read.at,
        )

    def evidence(self, passage: Passage, score: float) -> Evidence:
        """Return a passage of the page."""
        document = self.page.document
        last = passage.heading.rpartition(" > ")[2]
        named = f"{_shorten_document_id(self.document)}@{self.text.content_hash[:8]}"
        return Evidence(
            id=f"{named}:{passage.start}-{passage.end}",
            source=self._source,
            document=self.document,
            content_hash=self.text.content_hash,
            title=document.title if last in ("", document.title) else f"{document.title} > {last}",
            locator=f"{self.locator}#page={passage.page}" if passage.page else self.locator,
            heading=passage.heading,
            text=document.text[passage.start : passage.end],
            start=passage.start,
            end=passage.end,
            score=score,
            retrieved_at=self._read.at,
            metadata={"page": passage.page} if passage.page else {},
            work=self.work,
        )


def rank_page_passages(
    source: str, query: str, pages: Sequence[ReadPage], limit: int
) -> tuple[tuple[Evidence, ...], list[StoredText]]:
    """Return the best `limit` passages of the pages for `query`, and the texts of the pages.

    A page that was read at two addresses counts once. Without a query these are the first passages of the pages, in
    their order.
    """
    readings: dict[str, StoredPage] = {}
    for reading in (StoredPage(source, read) for read in pages):
        readings.setdefault(reading.document, reading)
    kept = list(readings.values())
    texts = [reading.text for reading in kept]
    if not query:
        every = (reading.evidence(passage, 0.0) for reading in kept for passage in reading.page.document.passages)
        return tuple(islice(every, limit)), texts
    with closing(sqlite3.connect(":memory:")) as database:
        create_tables(database)
        for reading in kept:
            add_document(database, Entry(reading.document, "", document=reading.page.document))
        hits = search.best_passages(database, query, limit)
    return tuple(kept[hit.document - 1].evidence(hit.passage, hit.score) for hit in hits), texts


def _shorten_document_id(document: str) -> str:
    if len(document) <= DOCUMENT_CHARACTERS:
        return document
    digest = hashlib.sha256(document.encode()).hexdigest()[:16]
    return f"{document[: DOCUMENT_CHARACTERS - len(digest) - 3]}...{digest}"
