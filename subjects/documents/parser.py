"""Documents are read in processes of their own if a C library does it or the file is large."""

import gc
from dataclasses import replace
from pathlib import PurePosixPath
from typing import Final

from elcano.activities.child_processes import ChildProcesses, Stop
from elcano.activities.passages.document import Document
from elcano.subjects.documents.file_detection import name_by_content
from elcano.subjects.documents.file_formats import FORMATS, HTML_TYPE, READER, parse_document
from elcano.subjects.documents.file_processes import (
    FileAnswer,
    FileRequest,
    answer_or_report_skip,
    ask_process,
    limit_html_seconds,
    limit_reading,
    require_found,
)
from elcano.subjects.documents.ocr_languages import can_read

PARSE_SECONDS: Final = 60.0
"""Processor time for one file."""
PATIENCE: Final = 5
"""Factor by which limits are extended on a busy machine: reasons for unread documents are stored, and the machine's
other work must not refuse a document for good."""
PICTURE_TYPES: Final = ("application/pdf", "image/")
"""Prefixes of media types that may be pictures of pages."""
OCR_SECONDS: Final = 1_500.0
"""Extra seconds to read the pictures of a document: 600 s of processor time on a busy machine."""
IN_PROCESS_BYTES: Final = 100_000
"""Smaller files of our own formats are read in the caller's thread: that is pure Python with bounded patterns and takes
milliseconds, or half a second for rows of a table without end."""


class ParseRequest(FileRequest):
    """A request to parse a document."""

    name: str


class DocumentAnswer(FileAnswer[Document]):
    """A document whose text and places travel beside it."""

    raw = ("text", "places")

    text: bytes = b""
    places: bytes = b""

    def restore(self) -> Document | None:
        """The document."""
        return self.found and replace(self.found, text=self.text.decode(), places=self.places)


def answer_request(request: ParseRequest) -> DocumentAnswer:
    """The answer to one request, by this process."""
    gc.freeze()  # else what was loaded before the fork is searched for garbage while a long document is read
    kind = FORMATS.get(PurePosixPath(request.name).suffix.lower())
    limit_reading(len(request.content) if kind is not None and kind.media_type == HTML_TYPE else None)
    answer = answer_or_report_skip(lambda: parse_document(request.name, request.content))
    if (found := answer.found) is None:
        return DocumentAnswer(skipped=answer.skipped, needs=answer.needs)
    bare = replace(found, text="", places=b"")
    return DocumentAnswer(found=bare, text=found.text.encode(), places=found.places)


PROCESSES: Final[ChildProcesses[ParseRequest, FileAnswer[Document]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}",
    DocumentAnswer,
    [
        f"elcano.subjects.documents.{name}"
        for name in (
            "books",
            "html",
            "jats",
            "mails",
            "markdown",
            "office.odf_documents",
            "office.word_documents",
            "open_slides",
            "pdf.reader",
            "slides",
            "workbooks",
        )
    ],
)


class Parser:
    """Reads documents. `stop` may be called from any thread, and is for good.

    Attributes:
        version: of what it makes of a file; what an older one made is made anew.

    Args:
        parse_seconds: the processor time that one file may take.
        processes: what reads them; tests put broken ones here.
    """

    version: int = READER

    def __init__(
        self,
        parse_seconds: float = PARSE_SECONDS,
        processes: ChildProcesses[ParseRequest, FileAnswer[Document]] = PROCESSES,
    ) -> None:
        self._seconds = parse_seconds
        self._processes = processes
        self._stop = Stop()

    def can_read_now(self, needs: str) -> bool:
        """Return whether the component that a gap needs is installed by now."""
        return can_read(needs)

    def stop(self) -> None:
        """End the process that reads now, if there is one; a `parse` that waits for it raises `FileSkipped`."""
        self._stop.now()

    def parse(self, name: str, content: bytes) -> Document:
        """Parse the document in `content`, whatever its name says, as what its bytes are.

        Raises:
            FileSkipped: it cannot be read, or took too long, or took its parser down.
        """
        name = name_by_content(name, content)
        kind = FORMATS.get(PurePosixPath(name).suffix.lower())
        if kind is None or (not kind.foreign and len(content) <= IN_PROCESS_BYTES):
            return require_found(answer_or_report_skip(lambda: parse_document(name, content)))
        extension = OCR_SECONDS if kind.media_type.startswith(PICTURE_TYPES) else 0.0
        seconds = self._seconds
        if kind.media_type == HTML_TYPE:
            seconds = min(seconds, limit_html_seconds(len(content)))
        request = ParseRequest(
            seconds=PATIENCE * self._seconds,
            processor_seconds=seconds,
            extension=extension,
            name=name,
            content=content,
        )
        return ask_process(self._processes, request, self._stop)
