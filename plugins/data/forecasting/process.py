"""The process that computes forecasts, seen from the worker: started when first needed, asked one thing at a time.

Its libraries take seconds to import, so it stays; they are large and may hang, so it is no thread of the worker. What
takes too long is killed. A start is not: who asked is told to come again, and finds it ready.
"""

import atexit
import json
import queue
import subprocess
import sys
import threading
import time
from typing import Final

from elcano.plugins.data.forecasting.fitting import READY, FitAnswer, FitRequest, describe_fit_timeout

START_SECONDS: Final = 300.0
"""For its imports, on a machine that is busy; 6 s of processor time with statsforecast 2.1.1."""
HEED_SECONDS: Final = 1.0
"""So much later than its alarm a child that does not answer is killed."""


class Starting(TimeoutError):
    """The process is not ready yet or is serving another caller; retry."""


class ForecastProcess:
    """Answers requests of any number of threads, one after the other.

    Args:
        command: what starts the child; tests put another one here.
    """

    def __init__(self, command: tuple[str, ...] | None = None) -> None:
        served = (
            "import sys; sys.path[:] = sys.argv[1:]; from elcano.plugins.data.forecasting.fitting import serve; serve()"
        )
        self._command = command or (sys.executable, "-W", "ignore", "-c", served, *sys.path)
        self._turn = threading.Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self._lines: queue.Queue[bytes] = queue.Queue()
        self._ready = False
        self._began = 0.0

    def ask(self, request: FitRequest, deadline: float) -> FitAnswer:
        """The answer. A model that hangs or takes the process down is left out, with that as its reason.

        Args:
            request: its `seconds` are cut to what is left until the deadline.
            deadline: by the clock of `time.monotonic`.

        Raises:
            Starting: the process was not ready in time.
        """
        if not self._turn.acquire(timeout=max(0.0, deadline - time.monotonic())):
            raise Starting("another forecast took all the time that there was")
        try:
            self._start(deadline)
            left = deadline - time.monotonic()
            if left <= 0:
                return FitAnswer(failed="there was no time left for it")
            return self._answer(request.model_copy(update={"seconds": min(request.seconds, left)}))
        finally:
            self._turn.release()

    def end(self) -> None:
        """Kills the process, if there is one, and waits for that; another `ask` starts a new one."""
        with self._turn:
            self._discard()

    def _start(self, deadline: float) -> None:
        if self._process is not None and self._process.poll() is not None:
            self._discard()  # it had been idle for long
        if self._process is None:
            self._process = subprocess.Popen(self._command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
            self._lines = queue.Queue()
            self._began = time.monotonic()
            threading.Thread(
                target=_pump_output_lines, args=(self._process, self._lines), daemon=True, name="forecasts"
            ).start()
            atexit.register(self.end)
        if self._ready:
            return
        try:
            line = self._lines.get(timeout=max(0.0, deadline - time.monotonic()))
        except queue.Empty:
            if time.monotonic() - self._began > START_SECONDS:
                self._discard()
            raise Starting("the libraries of forecasts are still being loaded") from None
        if line != READY:
            self._discard()
            raise RuntimeError("the process of forecasts ended before it was ready; its errors are in the worker's log")
        self._ready = True

    def _answer(self, request: FitRequest) -> FitAnswer:
        process = self._process
        assert process is not None
        assert process.stdin is not None
        try:
            process.stdin.write(request.model_dump_json().encode() + b"\n")
            process.stdin.flush()
            line = self._lines.get(timeout=request.seconds + HEED_SECONDS)
        except queue.Empty:
            self._discard()
            return FitAnswer(failed=describe_fit_timeout(request.seconds))
        except BrokenPipeError:
            line = b""
        if not line.endswith(b"\n"):
            self._discard()
            return FitAnswer(failed="it took its process down")
        return FitAnswer.model_validate(json.loads(line))

    def _discard(self) -> None:
        self._ready = False
        process, self._process = self._process, None
        if process is None:
            return
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                try:
                    pipe.close()
                except BrokenPipeError:  # what was still to be written is of no use any more
                    continue
        atexit.unregister(self.end)


def _pump_output_lines(process: "subprocess.Popen[bytes]", lines: "queue.Queue[bytes]") -> None:
    """Hands on what the child says, and at the end an empty line."""
    assert process.stdout is not None
    for line in process.stdout:
        lines.put(line)
    lines.put(b"")
