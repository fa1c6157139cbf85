"""Reads files in processes of their own: a crash or hang of a library costs one file and nothing else."""

from collections.abc import Callable
from typing import Final, Generic, TypeVar

from pydantic import ConfigDict

from elcano.activities.child_processes import (
    START_SECONDS,
    ChildProcesses,
    Message,
    NotStarted,
    ProcessEnded,
    Stop,
    TimedRequest,
    limit_resources,
)
from elcano.activities.passages.document import FileSkipped

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

    raw = ("content",)

    content: bytes = b""


Asked = TypeVar("Asked", bound=FileRequest)


class FileAnswer(Message, Generic[Found]):
    """Content found in a file."""

    model_config = ConfigDict(ser_json_bytes="base64", val_json_bytes="base64")

    found: Found | None = None
    skipped: str = ""
    """Why nothing was."""
    needs: str = ""
    """Missing component that could read it; see `Gap`."""

    def restore(self) -> Found | None:
        """The content with what travelled beside it."""
        return self.found


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
    if (found := answer.restore()) is None:
        raise FileSkipped(answer.skipped, answer.needs)
    return found


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
