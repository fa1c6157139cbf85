"""Parsing in a process of its own: a file that crashes or hangs its parser costs one file and nothing else.

A plain child instead of `multiprocessing`: that would import the worker's main module again, and its pools cannot
end one task that hangs. The two speak JSON lines, so a subverted child cannot make its parent run anything.
"""

import contextlib
import json
import os
import subprocess
import sys
import threading
from pathlib import PurePosixPath
from types import TracebackType
from typing import IO, Final

from elcano.activities.sources.documents.document import Document, FileSkipped, Passage
from elcano.activities.sources.documents.reading import FORMATS, parse

PARSE_SECONDS: Final = 60.0
MEMORY_BYTES: Final = 3_000_000_000
"""Address space of the child; an archive that lies about its unpacked size ends here."""
IN_PROCESS_BYTES: Final = 1_000_000
"""Smaller files of our own formats are read in the caller's thread: that is pure Python of bounded patterns, done in
milliseconds, while a child takes a third of a second to start."""

_SERVE: Final = "import sys; sys.path[:] = sys.argv[1:]; from activities.sources.documents.parser import serve; serve()"


class Parser:
    """Reads documents, one at a time, from one thread. `stop` may be called from any thread.

    Args:
        parse_seconds: how long one file may take.
        command: what starts the child; tests put a broken one here.
    """

    def __init__(self, parse_seconds: float = PARSE_SECONDS, command: tuple[str, ...] | None = None) -> None:
        self._parse_seconds = parse_seconds
        self._command = command or (sys.executable, "-c", _SERVE, *sys.path)
        self._child: subprocess.Popen[bytes] | None = None

    def __enter__(self) -> "Parser":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, traceback: TracebackType | None
    ) -> None:
        self.stop()
        if self._child is not None:
            _discard(self._child)
            self._child = None

    def stop(self) -> None:
        """Ends the child, if there is one; a `parse` that waits for it raises `FileSkipped`."""
        child = self._child
        if child is not None:
            child.kill()

    def parse(self, name: str, content: bytes) -> Document:
        """The document in `content`.

        Raises:
            FileSkipped: it cannot be read, or took too long, or took its parser down.
        """
        kind = FORMATS.get(PurePosixPath(name).suffix.lower())
        if kind is None or (not kind.foreign and len(content) <= IN_PROCESS_BYTES):
            return parse(name, content)
        return self._parse_in_child(name, content)

    def _parse_in_child(self, name: str, content: bytes) -> Document:
        if self._child is None:
            self._child = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        child = self._child
        late = threading.Event()

        def give_up() -> None:
            late.set()
            child.kill()

        timer = threading.Timer(self._parse_seconds, give_up)
        timer.start()
        try:
            answer = _asked(child, name, content)
        finally:
            timer.cancel()
        if answer is None:
            _discard(child)
            self._child = None
            took = f"took longer than {self._parse_seconds:g} s" if late.is_set() else "took its parser down"
            raise FileSkipped(f"reading it {took}")
        return _document(json.loads(answer))


def serve() -> None:
    """The child: answers requests until its input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # What a C library prints must not end up between the answers.
    _limit_memory()
    while line := requests.readline():
        name, size = json.loads(line)
        answers.write(json.dumps(_answer(name, requests.read(size))).encode() + b"\n")
        answers.flush()


def _answer(name: str, content: bytes) -> dict[str, object]:
    try:
        document = parse(name, content)
    except FileSkipped as error:
        return {"skipped": str(error)}
    except MemoryError:
        return {"skipped": f"reading it needs more than {MEMORY_BYTES / 1e9:.0f} GB of memory"}
    except Exception as error:  # A parser's bug costs the one file that triggers it, and is reported with its name.
        return {"skipped": f"its parser failed ({type(error).__name__})"}
    return {
        "title": document.title,
        "media_type": document.media_type,
        "text": document.text,
        "passages": document.passages,
    }


def _document(answer: dict[str, object]) -> Document:
    match answer:
        case {"title": str(title), "media_type": str(media_type), "text": str(text), "passages": list(passages)}:
            return Document(title, media_type, text, tuple(Passage(*row) for row in passages))
        case {"skipped": str(reason)}:
            raise FileSkipped(reason)
    raise FileSkipped("its parser gave no answer that can be understood")


def _asked(child: "subprocess.Popen[bytes]", name: str, content: bytes) -> bytes | None:
    """The child's answer; None if it ended instead."""
    stdin, stdout = _pipes(child)
    try:
        stdin.write(json.dumps([name, len(content)]).encode() + b"\n")
        stdin.write(content)
        stdin.flush()
    except BrokenPipeError:
        return None
    answer = stdout.readline()
    return answer if answer.endswith(b"\n") else None


def _discard(child: "subprocess.Popen[bytes]") -> None:
    child.kill()
    child.wait()
    for pipe in _pipes(child):
        with contextlib.suppress(BrokenPipeError):  # What was still to be written is of no use any more.
            pipe.close()


def _pipes(child: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    assert child.stdin is not None
    assert child.stdout is not None
    return child.stdin, child.stdout


def _limit_memory() -> None:
    if sys.platform != "win32":  # Windows has no such limit; there the declared sizes must do.
        import resource

        resource.setrlimit(resource.RLIMIT_AS, (MEMORY_BYTES, MEMORY_BYTES))
