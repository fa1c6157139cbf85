"""The end of the text that is being written, as a terminal shows it: a few growing lines for each path.

A text may be anything. What a terminal would take for a command, or for a turn of the reading direction, is left out.
"""

import re
from collections.abc import Sequence
from typing import Final

from rich.console import Console
from rich.text import Text

from elcano.graphs.frozen import JsonObject

LINES: Final = 6
"""Of a text that is being written, its last ones."""
_COMMANDS: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


class LiveText:
    """The text that a run and its sections are writing. One thread shows it while another receives words."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """The newest text by its path; replaced as a whole."""

    def take(self, words: JsonObject) -> None:
        """The data of a `streaming` message; an empty object: nothing that was shown holds any longer."""
        if not words:
            self._texts = {}
            return
        path, text = str(words.get("path")), _COMMANDS.sub("", str(words.get("text")))
        self._texts = {one: of for one, of in self._texts.items() if one != path} | ({path: text} if text else {})

    def drop(self, path: str) -> None:
        """What this path wrote is finished."""
        self._texts = {one: of for one, of in self._texts.items() if one != path}

    def lines(self, path: str, console: Console, width: int, most: int = LINES) -> Sequence[str]:
        """The last lines of a path's text, `width` columns wide; blank ones are left out."""
        lines: list[str] = []
        for paragraph in reversed(self._texts.get(path, "").splitlines()):
            wrapped = Text(paragraph).wrap(console, max(width, 1))
            lines = [*(one.plain.rstrip() for one in wrapped if one.plain.strip()), *lines]
            if len(lines) >= most:
                break
        return lines[-most:]
