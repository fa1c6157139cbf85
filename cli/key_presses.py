"""Keys that are pressed while a run is watched. The terminal is left as it was found, however the watching ends.

Keys are read one by one by a thread, without the terminal showing them. That is undone at the end, before Ctrl-Z stops
the program, and before a signal ends it; after `fg` it is done again. In the background nothing is read: whoever reads
there is stopped.
"""

import codecs
import os
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType
from typing import Final, NoReturn

LOOK_SECONDS: Final = 0.2
"""How often it is looked whether the program is in the foreground."""
JOIN_SECONDS: Final = 3.0
"""How long what a key asked for is waited for when the watching is over."""
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
_SHOWN_CURSOR: Final = "\x1b[?25h"


@contextmanager
def watch_keys(on_keys: Callable[[str], None]) -> Iterator[bool]:
    """Hands each text of pressed keys to `on_keys`, in a thread of its own, as long as the block lasts.

    Yields whether there is a terminal to read keys from, which only the main thread can take over.
    """
    if threading.current_thread() is not threading.main_thread() or not sys.stdin.isatty():
        yield False
        return
    terminal = _Terminal(sys.stdin.fileno())
    over, wake = os.pipe()
    reading = threading.Thread(target=_read_keys, args=(terminal, over, on_keys), name="keys", daemon=True)
    with terminal.guarded():
        reading.start()
        try:
            yield True
        finally:
            os.write(wake, b".")
            reading.join(JOIN_SECONDS)
    if not reading.is_alive():  # else it still looks at them
        os.close(over)
        os.close(wake)


class _Terminal:
    """The terminal's own way of handling keys, and ours."""

    def __init__(self, keys: int) -> None:
        self.keys = keys
        self._found = termios.tcgetattr(keys)
        self._ours = False
        self._over = False
        self._changing = threading.RLock()  # a signal's handler may come while its own thread holds it

    @contextmanager
    def guarded(self) -> Iterator[None]:
        """Restore the terminal if anything stops or ends the program within this context."""
        handlers = {number: signal.signal(number, self._end) for number in _ENDING}
        handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)
        try:
            yield
        finally:
            with self._changing:
                self._over = True
                self.give_back()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def take(self) -> bool:
        """Reads keys one by one from now on, if the program is in the foreground; says whether it is."""
        with self._changing:
            if self._over or os.tcgetpgrp(self.keys) != os.getpgrp():
                return False
            if not self._ours:
                tty.setcbreak(self.keys, termios.TCSANOW)
                self._ours = True
            return True

    def give_back(self) -> None:
        """As it was found."""
        with self._changing:
            if self._ours:
                termios.tcsetattr(self.keys, termios.TCSANOW, self._found)  # whatever nobody reads of it
                self._ours = False

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """Ctrl-Z: the shell gets its terminal back, and `fg` comes back here."""
        self.give_back()
        if sys.stderr.isatty():
            sys.stderr.write(_SHOWN_CURSOR)
            sys.stderr.flush()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stop)

    def _end(self, number: int, frame: FrameType | None) -> NoReturn:
        """Ends the program by way of everything that tidies up."""
        raise SystemExit(128 + number)


def _read_keys(terminal: _Terminal, over: int, on_keys: Callable[[str], None]) -> None:
    """Until `over` can be read, or the terminal is gone."""
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    while True:
        watched = [over, terminal.keys] if terminal.take() else [over]
        ready, _, _ = select.select(watched, [], [], LOOK_SECONDS)
        if over in ready:
            return
        if terminal.keys in ready and terminal.take():
            read = os.read(terminal.keys, 1024)
            if not read:
                return
            if text := decoder.decode(read):
                on_keys(text)
