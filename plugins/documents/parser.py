"""Parsing in a process of its own if a C library does it or the file is large; see `untrusted_files`."""

from pathlib import PurePosixPath
from typing import Final

from elcano.activities.child_processes import ChildProcesses, Stop
from elcano.activities.passages.document import Document
from elcano.plugins.documents.file_formats import FORMATS, HTML_TYPE, parse_document
from elcano.plugins.documents.untrusted_files import (
    FileAnswer,
    FileRequest,
    answer_or_report_skip,
    ask_process,
    limit_reading,
)

PARSE_SECONDS: Final = 60.0
IN_PROCESS_BYTES: Final = 1_000_000
"""Smaller files of our own formats are read in the caller's thread: that is pure Python with bounded patterns and takes
milliseconds."""


class ParseRequest(FileRequest):
    """A request to parse a document."""

    name: str


def answer_request(request: ParseRequest) -> FileAnswer[Document]:
    """The answer to one request, by this process."""
    kind = FORMATS.get(PurePosixPath(request.name).suffix.lower())
    limit_reading(len(request.content) if kind is not None and kind.media_type == HTML_TYPE else None)
    return answer_or_report_skip(lambda: parse_document(request.name, request.content))


PROCESSES: Final[ChildProcesses[ParseRequest, FileAnswer[Document]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}",
    FileAnswer[Document],
    [f"elcano.plugins.documents.{name}" for name in ("html", "markdown", "pdf_files", "word_files")],
)


class Parser:
    """Reads documents. `stop` may be called from any thread, and is for good.

    Args:
        parse_seconds: how long one file may take.
        processes: what reads them; tests put broken ones here.
    """

    def __init__(
        self,
        parse_seconds: float = PARSE_SECONDS,
        processes: ChildProcesses[ParseRequest, FileAnswer[Document]] = PROCESSES,
    ) -> None:
        self._seconds = parse_seconds
        self._processes = processes
        self._stop = Stop()

    def stop(self) -> None:
        """End the process that reads now, if there is one; a `parse` that waits for it raises `FileSkipped`."""
        self._stop.now()

    def parse(self, name: str, content: bytes) -> Document:
        """Parse the document in `content`.

        Raises:
            FileSkipped: it cannot be read, or took too long, or took its parser down.
        """
        kind = FORMATS.get(PurePosixPath(name).suffix.lower())
        if kind is None or (not kind.foreign and len(content) <= IN_PROCESS_BYTES):
            return parse_document(name, content)
        request = ParseRequest(seconds=self._seconds, name=name, content=content)
        return ask_process(self._processes, request, self._stop)
