"""What keys ask of a run that is watched: each is a request to the API, and its answer one more line.

Some want a word first, typed into a line of its own: Enter sends it, Esc takes it back.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, Final

from elcano.cli.client import Api
from elcano.cli.exits import Failed
from elcano.cli.key_presses import watch_keys
from elcano.cli.live import Display, LiveDisplay
from elcano.graphs.frozen import JsonObject

HELP: Final = (
    "p pause or continue · s stop and write the report · t top up · i steer · a approve the plan · c cancel · "
    "Ctrl-C leaves the run alone"
)
LIMITS: Final = ("tokens", "cost_usd", "seconds", "iterations", "steps")
_AMOUNT: Final = re.compile(r"\$?\s*(\d[\d,_]*(?:\.\d+)?)\s*([a-z_$]*)", re.IGNORECASE)
_UNITS: Final = {"": "tokens", "usd": "cost_usd", "$": "cost_usd", "dollars": "cost_usd"} | {one: one for one in LIMITS}
_ENTER: Final = ("\r", "\n")
_ESCAPE: Final = "\x1b"
_SEQUENCE: Final = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|O.)")
_RUBOUT: Final = ("\x7f", "\b")


@dataclass
class _Line:
    """A line that is being typed."""

    asks: str
    then: Callable[[str], None]
    """Gets it once Enter was pressed."""
    typed: str = ""


@contextmanager
def listen_for_keys(api: Api, run_id: str, shown: Display) -> Iterator[None]:
    """While it lasts, keys ask things of the run, if it is shown on a terminal and keys can be read from one."""
    if not isinstance(shown, LiveDisplay):
        yield
        return
    with watch_keys(KeyActions(api, run_id, shown).take) as there:
        if there:
            shown.say("press ? to see what keys do")
        yield


class KeyActions:
    """What the keys mean, one after the other."""

    def __init__(self, api: Api, run_id: str, shown: LiveDisplay) -> None:
        self._api = api
        self._path = f"/v1/runs/{run_id}"
        self._shown = shown
        self._line: _Line | None = None

    def take(self, text: str) -> None:
        """Handle the keys pressed since the last call; arrows and the like, which arrive as sequences, are ignored."""
        for key in _SEQUENCE.sub("", text):
            try:
                self._key(key)
            except Failed as error:
                self._shown.say(f"not done: {error}")
        self._shown.ask(f"{self._line.asks}: {self._line.typed}▏" if self._line else "")

    def _key(self, key: str) -> None:
        if self._line is not None:
            self._typed(self._line, key)
            return
        match key.lower():
            case "p":
                self._pause()
            case "s":
                self._line = _Line("stop, and why (Enter: stop, Esc: go on)", self._stop)
            case "t":
                self._line = _Line("top up by how much (50000 tokens, 1 usd, 600 seconds, 3 iterations)", self._top_up)
            case "i":
                self._line = _Line("what is to be heeded from now on", self._steer)
            case "a":
                self._shown.say(f"approved{_format_answer_fields(self._post('approve', {}))}")
            case "c":
                self._line = _Line("cancel it without a report? (y/n)", self._cancel)
            case "?":
                self._shown.say(HELP)

    def _typed(self, line: _Line, key: str) -> None:
        if key in _ENTER:
            self._line = None
            line.then(line.typed.strip())
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
            self._shown.say("unpaused")
        else:
            self._post("pause", {})
            self._shown.say("paused: what is under way is finished, and nothing more is begun; p continues it")

    def _stop(self, reason: str) -> None:
        self._post("stop", {"reason": reason})
        self._shown.say("stopped: it goes to its report now")

    def _top_up(self, amount: str) -> None:
        limits = self._post("top-up", parse_top_up(amount))["limits"]
        self._shown.say(f"topped up: it may now spend {format_limits(limits)}")

    def _steer(self, instruction: str) -> None:
        if instruction:
            self._shown.say(f"steered{_format_answer_fields(self._post('steer', {'instruction': instruction}))}")

    def _cancel(self, answer: str) -> None:
        if answer.lower() in ("y", "yes"):
            self._shown.say(summarize_cancellation(self._post("cancel", {})))

    def _post(self, what: str, body: JsonObject) -> Any:
        return self._api.post(f"{self._path}/{what}", body, self._shown.say)


def parse_top_up(amount: str) -> JsonObject:
    """An amount as a person writes it, as the body of a top-up; a mere number is of tokens.

    Raises:
        Failed: it is none; the text says how one looks.
    """
    read = _AMOUNT.fullmatch(amount)
    unit = None if read is None else _UNITS.get("$" if amount.startswith("$") else read[2].lower())
    if read is None or unit is None:
        raise Failed(f"{amount!r} is no amount: write a number and one of tokens, usd, seconds, iterations, steps")
    number = float(read[1].replace(",", "").replace("_", ""))
    if unit not in ("cost_usd", "seconds") and number != int(number):
        raise Failed(f"{amount!r} is no amount: {unit} are whole")
    return {unit: number if unit in ("cost_usd", "seconds") else int(number)}


def format_limits(limits: JsonObject) -> str:
    """The limits that hold now, of an answer to a top-up."""
    return ", ".join(f"{name} {limits[name]:,}" for name in LIMITS if limits[name] is not None)


def summarize_cancellation(answer: JsonObject) -> str:
    """Return the message for a cancellation that was accepted."""
    if answer["worker"] == "polling":
        return "cancelled: it ends now, without a report; what it found is kept"
    return "cancelled, and no worker polls: it ends without a report when one does"


def _format_answer_fields(answer: JsonObject) -> str:
    """An answer's fields, but for the run's id, as a line says them."""
    fields = ", ".join(f"{name} {value}" for name, value in answer.items() if name != "run_id" and value)
    return f": {fields}" if fields else ""
