"""Parsing in a separate process if a C library does it or the file is large; see `child`."""

from collections.abc import Mapping
from pathlib import PurePosixPath
from types import TracebackType
from typing import Final

from elcano.activities.passages.document import Document, FileSkipped, Passage
from elcano.plugins.documents import child
from elcano.plugins.documents.child import Child, answer_or_report_skip, limit_resources
from elcano.plugins.documents.file_formats import FORMATS, HTML_TYPE, parse_document

PARSE_SECONDS: Final = 60.0
IN_PROCESS_BYTES: Final = 1_000_000
"""Smaller files of our own formats are read in the caller's thread: that is pure Python with bounded patterns and takes
milliseconds, while a child takes a third of a second to start."""


class Parser:
    """Reads documents, one at a time, from one thread. `stop` may be called from any thread.

    Args:
        parse_seconds: how long one file may take.
        command: the command of the child; tests put a broken one here.
    """

    def __init__(self, parse_seconds: float = PARSE_SECONDS, command: tuple[str, ...] | None = None) -> None:
        self._child = Child(__name__, parse_seconds, command)

    def __enter__(self) -> "Parser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self._child.end()

    def stop(self) -> None:
        """End the child, if there is one; a `parse` that waits for it raises `FileSkipped`."""
        self._child.stop()

    def parse(self, name: str, content: bytes) -> Document:
        """Parse the document in `content`.

        Raises:
            FileSkipped: it cannot be read, or took too long, or took its parser down.
        """
        kind = FORMATS.get(PurePosixPath(name).suffix.lower())
        if kind is None or (not kind.foreign and len(content) <= IN_PROCESS_BYTES):
            return parse_document(name, content)
        return document_of(self._child.ask(name, content))


def run_child() -> None:
    """Run the child process."""
    child.serve_requests(_answer_within_limits)


def as_answer(document: Document) -> dict[str, object]:
    """Return `document` in the form of a child's answer."""
    return {
        "title": document.title,
        "media_type": document.media_type,
        "text": document.text,
        "passages": document.passages,
        "authors": document.authors,
        "year": document.year,
        "empty_pages": document.empty_pages,
        "work": document.work,
    }


def document_of(answer: Mapping[str, object]) -> Document:
    """Return the document of a child's answer.

    Raises:
        FileSkipped: there is none in it.
    """
    match answer:
        case {
            "title": str(title),
            "media_type": str(media_type),
            "text": str(text),
            "passages": list(passages),
            "authors": list(authors),
            "year": int(year),
            "empty_pages": int(empty_pages),
            "work": str(work),
        }:
            whole = tuple(Passage(*row) for row in passages)
            return Document(title, media_type, text, whole, tuple(map(str, authors)), year, empty_pages, work)
    raise FileSkipped("its parser gave no answer that can be understood")


def _answer_within_limits(name: str, content: bytes) -> Mapping[str, object]:
    kind = FORMATS.get(PurePosixPath(name).suffix.lower())
    limit_resources(len(content) if kind is not None and kind.media_type == HTML_TYPE else None)
    return _answer_parse_request(name, content)


def _answer_parse_request(name: str, content: bytes) -> Mapping[str, object]:
    return answer_or_report_skip(lambda: as_answer(parse_document(name, content)))
