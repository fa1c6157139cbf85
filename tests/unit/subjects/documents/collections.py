"""A collection in memory that counts what is read of it."""

from collections import Counter

from elcano.activities.passages.document import Content, Listing, SkippedDocument


class Shelf:
    """Documents by key; a value that is an exception is raised when the document is read."""

    def __init__(self, documents: dict[str, bytes | Exception]) -> None:
        self.documents = documents
        self.versions: Counter[str] = Counter()
        """Raise one to make a document look changed."""
        self.reads: list[str] = []
        self.skipped: tuple[SkippedDocument, ...] = ()
        self.listings = 0

    def listing(self) -> Listing:
        self.listings += 1
        return Listing({key: str(self.versions[key]) for key in self.documents}, self.skipped)

    def content(self, key: str) -> Content:
        self.reads.append(key)
        data = self.documents[key]
        if isinstance(data, Exception):
            raise data
        return Content(key, data)

    def change(self, key: str, data: bytes | Exception) -> None:
        self.documents[key] = data
        self.versions[key] += 1
