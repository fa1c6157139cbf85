"""A separate process for untrusted files: a crash or hang of its parser costs one file and nothing else.

A plain child instead of `multiprocessing`: that would import the worker's main module again, and its pools cannot end
one task that hangs. The two speak JSON lines, so a subverted child cannot make its parent run anything.
"""

import contextlib
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Mapping
from typing import IO, Any, Final

from elcano.activities.passages.document import FileSkipped

MEMORY_BYTES: Final = 3_000_000_000
"""Address space of the child; an archive that lies about its unpacked size ends here."""
HTML_MEMORY_BYTES: Final = 1_000_000_000
"""The same while a small page of HTML is read: a few kilobytes may become millions of elements."""
HTML_MEMORY_PER_BYTE: Final = 40
HTML_SECONDS: Final = 10
"""CPU time for reading HTML: neither a busy machine nor the start of the child counts."""
HTML_BYTES_PER_SECOND: Final = 1_000_000
"""The additional allowance of a page: the parser itself needs quadratic time for tags that are never closed."""
_OUT_OF_TIME: Final = -int(getattr(signal, "SIGXCPU", 0)) or None


class Child:
    """Answers requests one at a time, from one thread; the first one starts it. `stop` may come from any thread.

    Args:
        module: a module of this project with a function `run_child` that calls `serve_requests` of this one.
        seconds: how long one answer may take.
        command: the command of the child; tests put a broken one here.
    """

    def __init__(self, module: str, seconds: float, command: tuple[str, ...] | None = None) -> None:
        served = f"import sys; sys.path[:] = sys.argv[1:]; from {module} import run_child; run_child()"
        self._seconds = seconds
        self._command = command or (sys.executable, "-c", served, *sys.path)
        self._process: subprocess.Popen[bytes] | None = None

    def stop(self) -> None:
        """End the process, if there is one; an `ask` that waits for it raises `FileSkipped`."""
        process = self._process
        if process is not None:
            process.kill()

    def end(self) -> None:
        """End the process and wait for it; another `ask` would start a new one."""
        self.stop()
        if self._process is not None:
            _kill_process(self._process)
            self._process = None

    def ask(self, request: str, content: bytes) -> Mapping[str, Any]:
        """Send a request and return the answer.

        Raises:
            FileSkipped: the child says so, took too long, or went down.
        """
        if self._process is None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process = self._process
        late = threading.Event()

        def give_up() -> None:
            late.set()
            process.kill()

        timer = threading.Timer(self._seconds, give_up)
        timer.start()
        try:
            line = _send_request(process, request, content)
        finally:
            timer.cancel()
        if line is None:
            _kill_process(process)
            self._process = None
            took = f"took longer than {self._seconds:g} s" if late.is_set() else "took its parser down"
            if process.returncode == _OUT_OF_TIME:
                took = "took more of the processor than a page of its size may"
            raise FileSkipped(f"reading it {took}")
        answer = json.loads(line)
        if not isinstance(answer, dict):
            raise FileSkipped("its parser gave no answer that can be understood")
        if isinstance(reason := answer.get("skipped"), str):
            raise FileSkipped(reason)
        return answer


def serve_requests(answer: Callable[[str, bytes], Mapping[str, object]]) -> None:
    """Run the child: answer requests until its input ends."""
    requests, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # What a C library prints must not end up between the answers.
    limit_resources()
    while line := requests.readline():
        request, size = json.loads(line)
        answers.write(json.dumps(answer(request, requests.read(size))).encode() + b"\n")
        answers.flush()


def answer_or_report_skip(read: Callable[[], Mapping[str, object]]) -> Mapping[str, object]:
    """Return the answer of `read`, or the reason why it cannot give one."""
    try:
        return read()
    except FileSkipped as error:
        return {"skipped": str(error)}
    except MemoryError:
        return {"skipped": "reading it needs more memory than it may take"}
    except Exception as error:  # A parser's bug costs the one file that triggers it, and is reported with its name.
        return {"skipped": f"its parser failed ({type(error).__name__})"}


def _send_request(process: "subprocess.Popen[bytes]", request: str, content: bytes) -> bytes | None:
    """Return the child's answer; None if it ended instead."""
    stdin, stdout = _get_pipes(process)
    try:
        stdin.write(json.dumps([request, len(content)]).encode() + b"\n")
        stdin.write(content)
        stdin.flush()
    except BrokenPipeError:
        return None
    answer = stdout.readline()
    return answer if answer.endswith(b"\n") else None


def _kill_process(process: "subprocess.Popen[bytes]") -> None:
    process.kill()
    process.wait()
    for pipe in _get_pipes(process):
        with contextlib.suppress(BrokenPipeError):  # What was still to be written is of no use any more.
            pipe.close()


def _get_pipes(process: "subprocess.Popen[bytes]") -> tuple[IO[bytes], IO[bytes]]:
    assert process.stdin is not None
    assert process.stdout is not None
    return process.stdin, process.stdout


def limit_resources(html_bytes: int | None = None) -> None:
    """Limit the memory and CPU time of this process: for reading HTML of this many bytes, or for anything else."""
    if sys.platform != "win32":  # Windows has no such limits; there the declared sizes and the clock must do.
        import resource

        memory = MEMORY_BYTES
        _, most_seconds = resource.getrlimit(resource.RLIMIT_CPU)
        seconds = most_seconds
        if html_bytes is not None:
            memory = min(HTML_MEMORY_BYTES + HTML_MEMORY_PER_BYTE * html_bytes, MEMORY_BYTES)
            seconds = math.ceil(time.process_time() + HTML_SECONDS + html_bytes / HTML_BYTES_PER_SECOND)
        resource.setrlimit(resource.RLIMIT_AS, (memory, MEMORY_BYTES))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, most_seconds))
