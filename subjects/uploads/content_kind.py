"""Which uploaded files are many documents, by their bytes: archives and reading lists."""

from typing import Final

from elcano.subjects.documents.file_detection import is_package
from elcano.subjects.documents.file_signatures import PACKAGE_MARKS
from elcano.subjects.uploads.reading_lists import LIST_TYPES, find_list_type

ZIP: Final = "application/zip"
PARTED_TYPES: Final = LIST_TYPES | {ZIP}
"""Types of files that are not searched themselves: each of their parts is a document of its own."""


def find_parted_type(path: str, data: bytes) -> str:
    """The type of a file that is many documents, an archive or a reading list; empty: it is none."""
    if data.startswith(PACKAGE_MARKS):
        return "" if is_package(data) else ZIP
    return "" if data.startswith(b"%PDF-") else find_list_type(path, data)
