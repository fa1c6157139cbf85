"""A collection of uploaded documents, as the index knows collections: what was read of them is its content.

Its methods are called by a thread of the index; the store is asked on the event loop.
"""

import asyncio
from collections.abc import Coroutine
from typing import Any, Final, TypeVar

from pydantic import TypeAdapter, ValidationError

from elcano.activities.passages.document import Content, Document, FileSkipped, Listing, SkippedDocument
from elcano.plugins.documents.parser import Parser
from elcano.plugins.uploads.content_kind import PARTED_TYPES
from elcano.plugins.uploads.document_store import UploadedDocument, get_uploads
from elcano.storage.store import TenantStore

T = TypeVar("T")
_DOCUMENT: Final[TypeAdapter[Document]] = TypeAdapter(Document)


class TextReader(Parser):
    """Loads texts that were parsed before: nothing of them can crash or hang."""

    def parse(self, name: str, content: bytes) -> Document:
        """The document that `write_text` made `content` of.

        Raises:
            FileSkipped: it is not understood.
        """
        try:
            return _DOCUMENT.validate_json(content)
        except ValidationError as error:
            raise FileSkipped("what was read of it cannot be understood: index the collection again") from error


def write_text(document: Document) -> bytes:
    """The parsed document, as it is kept."""
    return _DOCUMENT.dump_json(document)


class UploadedCollection:
    """The documents of one collection of a tenant.

    Args:
        store: of the tenant.
        name: the collection's.
        loop: where the store can be asked.
    """

    def __init__(self, store: TenantStore, name: str, loop: asyncio.AbstractEventLoop) -> None:
        self._store = store
        self._name = name
        self._loop = loop
        self._listed: dict[str, UploadedDocument] = {}

    def listing(self) -> Listing:
        """The documents that were read; the others are skipped, each with its reason."""
        uploads = get_uploads(self._store)
        read = self._ask(uploads.list_read(self._name))
        count = self._ask(uploads.count(self._name)).get(self._name)
        self._listed = {one.path: one for one in read if one.media_type and one.media_type not in PARTED_TYPES}
        skipped = [
            SkippedDocument(f"{'' if one.state == 'refused' else 'a part of '}{one.path}", one.reason)
            for one in read
            if one.reason
        ]
        if count is not None and count.uploaded:
            wait = "document is" if count.uploaded == 1 else "documents are"
            skipped.append(SkippedDocument("what is unread", f"{count.uploaded:,} {wait} yet to be read"))
        return Listing(
            {path: f"{one.data_hash}:{one.read_at}" for path, one in sorted(self._listed.items())}, tuple(skipped)
        )

    def content(self, key: str) -> Content:
        """The parsed document.

        Raises:
            FileNotFoundError: it was deleted since it was listed.
            FileSkipped: its text is gone.
        """
        document = self._listed[key]
        text = self._ask(self._store.files.get(document.text_file))
        if text is None:
            if self._ask(get_uploads(self._store).find(self._name, key)) != document:
                raise FileNotFoundError(key)
            raise FileSkipped("its text is not in the store any more: index the collection again")
        return Content(key, text)

    def _ask(self, question: Coroutine[Any, Any, T]) -> T:
        return asyncio.run_coroutine_threadsafe(question, self._loop).result()
