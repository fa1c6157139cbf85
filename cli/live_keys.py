"""Keys that control a run while it is watched: each sends a request to the API, and the answer is one more line.

Some ask for a text first, typed into a line of its own: Enter sends it, Esc discards it. A thread reads the keys one by
one, without the terminal echoing them. However the watching ends, the terminal is restored: at the end, before Ctrl-Z
suspends the program, and before a signal ends it; after `fg` it is taken over again. In the background nothing is read:
a background program that reads from the terminal is stopped.
"""

import codecs
import os
import re
import select
import signal
import sys
import termios
import threading
import tty
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from types import FrameType
from typing import Any, Final, NoReturn

from elcano.cli.client import Api
from elcano.cli.control import LIMITS, describe_cancellation, format_limits
from elcano.cli.exit_codes import Failed
from elcano.cli.live import Display, LiveDisplay
from elcano.graphs.frozen import JsonObject

HELP: Final = (
    "p pause or continue · s stop and write the report · t top up · i steer · a approve the plan · c cancel · "
    "Ctrl-C leaves the run alone"
)
LOOK_SECONDS: Final = 0.2
"""How often to check whether the program is in the foreground."""
JOIN_SECONDS: Final = 3.0
"""How long to wait at the end for the action of a key."""
_ENDING: Final = (signal.SIGTERM, signal.SIGHUP)
_SHOW_CURSOR: Final = "\x1b[?25h"
_AMOUNT: Final = re.compile(r"\$?\s*(\d[\d,_]*(?:\.\d+)?)\s*([a-z_$]*)", re.IGNORECASE)
_UNITS: Final = {"": "tokens", "usd": "cost_usd", "$": "cost_usd", "dollars": "cost_usd"} | {one: one for one in LIMITS}
_ENTER: Final = ("\r", "\n")
_ESCAPE: Final = "\x1b"
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")
_RUBOUT: Final = ("\x7f", "\b")


@dataclass
class _Line:
    """A line that is being typed."""

    prompt: str
    send: Callable[[str], None]
    """Called with the text once Enter is pressed."""
    typed: str = ""


@contextmanager
def listen_for_keys(api: Api, run_id: str, display: Display) -> Iterator[None]:
    """Act on keys within the block, if the run is shown on a terminal and keys can be read from one."""
    if not isinstance(display, LiveDisplay):
        yield
        return
    with watch_keys(KeyActions(api, run_id, display).handle) as readable:
        if readable:
            display.say("press ? for keys")
        yield


class KeyActions:
    """Handles keys, one after the other."""

    def __init__(self, api: Api, run_id: str, display: LiveDisplay) -> None:
        self._api = api
        self._path = f"/v1/runs/{run_id}"
        self._display = display
        self._line: _Line | None = None

    def handle(self, text: str) -> None:
        """Handle the keys pressed since the last call; arrows and the like, which arrive as sequences, are ignored."""
        for key in _SEQUENCE.sub("", text):
            try:
                self._handle_key(key)
            except Failed as error:
                self._display.say(f"not done: {error}")
        self._display.show_input(f"{self._line.prompt}: {self._line.typed}▏" if self._line else "")

    def _handle_key(self, key: str) -> None:
        if self._line is not None:
            self._type(self._line, key)
            return
        match key.lower():
            case "p":
                self._pause()
            case "s":
                self._line = _Line("stop the run; why? (Enter: stop, Esc: keep running)", self._stop)
            case "t":
                self._line = _Line("add how much? (50000 tokens, 1 usd, 600 seconds, 3 iterations)", self._top_up)
            case "i":
                self._line = _Line("instruction from now on", self._steer)
            case "a":
                self._display.say(f"approved{_format_answer_fields(self._post('approve', {}))}")
            case "c":
                self._line = _Line("cancel the run, without a report? (y/n)", self._cancel)
            case "?":
                self._display.say(HELP)

    def _type(self, line: _Line, key: str) -> None:
        if key in _ENTER:
            self._line = None
            line.send(line.typed.strip())
        elif key == _ESCAPE:
            self._line = None
        elif key in _RUBOUT:
            line.typed = line.typed[:-1]
        elif key.isprintable():
            line.typed += key

    def _pause(self) -> None:
        hold = self._api.get(self._path).get("hold")
        if isinstance(hold, dict) and hold.get("reason") == "pause":
            self._post("unpause", {})
            self._display.say("continued")
        else:
            self._post("pause", {})
            self._display.say("paused: calls in flight finish, and no new ones start; p continues the run")

    def _stop(self, reason: str) -> None:
        self._post("stop", {"reason": reason})
        self._display.say("stopped: the run is going to its report now")

    def _top_up(self, amount: str) -> None:
        limits = self._post("top-up", parse_top_up(amount))["limits"]
        self._display.say(f"added: the run may now spend {format_limits(limits)}")

    def _steer(self, instruction: str) -> None:
        if instruction:
            self._display.say(f"sent{_format_answer_fields(self._post('steer', {'instruction': instruction}))}")

    def _cancel(self, answer: str) -> None:
        if answer.lower() in ("y", "yes"):
            self._display.say(describe_cancellation(self._post("cancel", {})))

    def _post(self, what: str, body: JsonObject) -> Any:
        return self._api.post_with_key(f"{self._path}/{what}", body, self._display.say)


def parse_top_up(amount: str) -> JsonObject:
    """Read an amount as a person writes it, as the body of a top-up; a bare number means tokens.

    Raises:
        Failed: it is none; the text says what one looks like.
    """
    read = _AMOUNT.fullmatch(amount)
    unit = None if read is None else _UNITS.get("$" if amount.startswith("$") else read[2].lower())
    if read is None or unit is None:
        raise Failed(f"{amount!r} is no amount: write a number and one of tokens, usd, seconds, iterations, steps")
    number = float(read[1].replace(",", "").replace("_", ""))
    if unit not in ("cost_usd", "seconds") and number != int(number):
        raise Failed(f"{amount!r} is no amount: {unit} are whole numbers")
    return {unit: number if unit in ("cost_usd", "seconds") else int(number)}


def _format_answer_fields(answer: JsonObject) -> str:
    """An answer's fields, except the run's id, on one line."""
    fields = ", ".join(f"{name} {value}" for name, value in answer.items() if name != "run_id" and value)
    return f": {fields}" if fields else ""


@contextmanager
def watch_keys(on_keys: Callable[[str], None]) -> Iterator[bool]:
    """Call `on_keys` with the keys that are pressed within the block, in a thread.

    Yields whether there is a terminal to read keys from, which only the main thread can take over.
    """
    if threading.current_thread() is not threading.main_thread() or not sys.stdin.isatty():
        yield False
        return
    terminal = _Terminal(sys.stdin.fileno())
    over, wake = os.pipe()
    reading = threading.Thread(target=_read_keys, args=(terminal, over, on_keys), name="keys", daemon=True)
    with terminal.restored():
        reading.start()
        try:
            yield True
        finally:
            os.write(wake, b".")
            reading.join(JOIN_SECONDS)
    if not reading.is_alive():  # else it still uses them
        os.close(over)
        os.close(wake)


class _Terminal:
    """The terminal, which is taken over to read single keys, and restored."""

    def __init__(self, keys: int) -> None:
        self.keys = keys
        self._original = termios.tcgetattr(keys)
        self._taken = False
        self._over = False
        self._changing = threading.RLock()  # a signal handler may run while its own thread holds it

    @contextmanager
    def restored(self) -> Iterator[None]:
        """Restore the terminal when the block ends, or when anything suspends or ends the program within it."""
        handlers = {number: signal.signal(number, self._end) for number in _ENDING}
        handlers[signal.SIGTSTP] = signal.signal(signal.SIGTSTP, self._stop)
        try:
            yield
        finally:
            with self._changing:
                self._over = True
                self.restore()
            for number, handler in handlers.items():
                signal.signal(number, handler)

    def take(self) -> bool:
        """Read keys one by one from now on, if the program is in the foreground; return whether it is."""
        with self._changing:
            if self._over or os.tcgetpgrp(self.keys) != os.getpgrp():
                return False
            if not self._taken:
                tty.setcbreak(self.keys, termios.TCSANOW)
                self._taken = True
            return True

    def restore(self) -> None:
        """Restore the terminal's own mode."""
        with self._changing:
            if self._taken:
                termios.tcsetattr(self.keys, termios.TCSANOW, self._original)
                self._taken = False

    def _stop(self, number: int, frame: FrameType | None) -> None:
        """Handle Ctrl-Z: the shell gets its terminal back, and `fg` continues here."""
        self.restore()
        if sys.stderr.isatty():
            sys.stderr.write(_SHOW_CURSOR)
            sys.stderr.flush()
        signal.signal(number, signal.SIG_DFL)
        os.kill(os.getpid(), number)
        signal.signal(number, self._stop)

    def _end(self, number: int, frame: FrameType | None) -> NoReturn:
        """End the program by an exception, so that everything is put away."""
        raise SystemExit(128 + number)


def _read_keys(terminal: _Terminal, over: int, on_keys: Callable[[str], None]) -> None:
    """Read keys until `over` can be read, or the terminal is gone."""
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
