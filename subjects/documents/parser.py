"""Untrusted files are read in processes of their own: a crash or hang of a parser costs one file and nothing else.

A document is parsed so if a C library does it or the file is large.
"""

import gc
from collections.abc import Callable
from pathlib import PurePosixPath
from typing import Final, Generic, TypeVar

from pydantic import ConfigDict

from elcano.activities.child_processes import (
    START_SECONDS,
    ChildProcesses,
    NotStarted,
    ProcessEnded,
    Stop,
    TimedRequest,
    limit_resources,
)
from elcano.activities.passages.document import Document, FileSkipped
from elcano.graphs.frozen import Frozen
from elcano.subjects.documents.file_detection import name_by_content
from elcano.subjects.documents.file_formats import FORMATS, HTML_TYPE, READER, parse_document
from elcano.subjects.documents.ocr_languages import can_read

MEMORY_BYTES: Final = 2_000_000_000
"""Address space of the process, of which its libraries take .5 GB; what lies about its unpacked size ends here."""
HTML_MEMORY_BYTES: Final = 1_000_000_000
"""The same while a small page of HTML is read: a few kilobytes may become millions of elements."""
HTML_MEMORY_PER_BYTE: Final = 40
HTML_SECONDS: Final = 10.0
"""CPU time for reading HTML: neither a busy machine nor the start of the process counts."""
HTML_BYTES_PER_SECOND: Final = 1_000_000
"""The additional allowance of a page: the parser itself needs quadratic time for tags that are never closed."""

Found = TypeVar("Found")


class FileRequest(TimedRequest):
    """A request to read a file."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    content: bytes


Asked = TypeVar("Asked", bound=FileRequest)


class FileAnswer(Frozen, Generic[Found]):
    """Content found in a file."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    found: Found | None = None
    skipped: str = ""
    """Why nothing was."""
    needs: str = ""
    """Missing component that could read it; see `Gap`."""


def ask_process(processes: ChildProcesses[Asked, FileAnswer[Found]], request: Asked, stop: Stop | None = None) -> Found:
    """Read a file in a process of its own.

    Raises:
        FileSkipped: it says so, took too long, went down, or `stop` was requested.
    """
    try:
        answer = processes.ask(request, stop, max(request.seconds, START_SECONDS))
    except ProcessEnded as ended:
        seconds = request.processor_seconds or request.seconds
        took = f"took longer than {seconds:g} s" if ended.late else "took its parser down"
        raise FileSkipped(f"reading it {took}") from None
    except NotStarted as error:
        raise FileSkipped(f"reading it did not begin: {error}") from None
    return require_found(answer)


def require_found(answer: FileAnswer[Found]) -> Found:
    """Return the content of an answer.

    Raises:
        FileSkipped: nothing.
    """
    if answer.found is None:
        raise FileSkipped(answer.skipped, answer.needs)
    return answer.found


def answer_or_report_skip(read: Callable[[], Found]) -> FileAnswer[Found]:
    """The answer of `read`, or the reason why it cannot give one."""
    try:
        return FileAnswer(found=read())
    except FileSkipped as error:
        return FileAnswer(skipped=str(error), needs=error.needs)
    except MemoryError:
        reason = "reading it needs more memory than it may take"
    except RecursionError:
        reason = "it is nested too deeply to be read"
    except Exception as error:  # a parser's bug costs the one file that triggers it, and is reported with its name
        reason = f"its parser failed ({type(error).__name__})"
    return FileAnswer(skipped=reason)


def limit_reading(html_bytes: int | None = None) -> None:
    """Limit the memory of this process: for reading HTML of this many bytes, or for anything else."""
    html = MEMORY_BYTES if html_bytes is None else HTML_MEMORY_BYTES + HTML_MEMORY_PER_BYTE * html_bytes
    limit_resources(min(html, MEMORY_BYTES))


def limit_html_seconds(html_bytes: int) -> float:
    """The processor time, in seconds, that reading HTML of this many bytes may take."""
    return HTML_SECONDS + html_bytes // HTML_BYTES_PER_SECOND


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


def answer_request(request: ParseRequest) -> FileAnswer[Document]:
    """The answer to one request, by this process."""
    gc.freeze()  # else what was loaded before the fork is searched for garbage while a long document is read
    kind = FORMATS.get(PurePosixPath(request.name).suffix.lower())
    limit_reading(len(request.content) if kind is not None and kind.media_type == HTML_TYPE else None)
    return answer_or_report_skip(lambda: parse_document(request.name, request.content))


PROCESSES: Final[ChildProcesses[ParseRequest, FileAnswer[Document]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}",
    FileAnswer[Document],
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
