"""A terminal with a person at it: the command line runs in it as in any other, and what it shows can be waited for."""

import asyncio
import os
import pty
import re
import subprocess
import sys
import termios
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, Final

ROOT: Final = Path(__file__).parents[2]
PATIENCE: Final = 60.0
"""Seconds that anything is waited for."""
_CONTROL: Final = re.compile(r"\x1b\[[\d;?]*[A-Za-z]|\r")


class Terminal:
    """Of one command."""

    def __init__(self, screen: int, line: int, told: int, heard: int) -> None:
        self._screen = screen
        self._line = line
        self._heard = heard
        self._shown = bytearray()
        self._told = bytearray()
        self._seen = 0
        self.found = self.modes
        """The modes in which the command found it."""
        for source, kept in ((screen, self._shown), (told, self._told)):
            threading.Thread(target=_collect, args=(source, kept), daemon=True).start()

    @property
    def modes(self) -> list[Any]:
        """How it handles keys now."""
        return termios.tcgetattr(self._line)

    @property
    def text(self) -> str:
        """All that was shown, without colours and movements."""
        return _CONTROL.sub("", bytes(self._shown).decode("utf-8", "replace"))

    def press(self, keys: str) -> None:
        """Keys of the person at it."""
        self._seen = len(self.text)
        os.write(self._screen, keys.encode())

    def foreground(self) -> None:
        """The shell's `fg`."""
        os.write(self._heard, b"fg\n")

    async def shows(self, text: str) -> None:
        """Returns once something is shown since keys were pressed last."""
        await _until(lambda: text in self.text[self._seen :], lambda: f"{text!r} is not in {self.text[self._seen :]!r}")

    async def told(self, text: str) -> str:
        """What the shell says of the job, once it says so."""
        await _until(lambda: text in self._told.decode(), lambda: f"{text!r}: {self._told.decode()!r}\n{self.text}")
        return next(line for line in self._told.decode().splitlines() if text in line)

    async def takes_keys(self) -> None:
        """Returns once the command reads keys one by one."""
        await _until(lambda: self.modes != self.found, lambda: f"no key is read: {self.text!r}")


@contextmanager
def terminal(*arguments: str, **environment: str) -> Iterator[Terminal]:
    """`elcano ARGUMENTS` in a terminal; it is ended with the block."""
    screen, line = pty.openpty()
    told, telling = os.pipe()
    hearing, heard = os.pipe()
    made = Terminal(screen, line, told, heard)
    shell_with = (sys.executable, "-m", "tests.cli.shell", str(telling), str(hearing))
    shell = subprocess.Popen(
        [*shell_with, sys.executable, "-m", "elcano.cli", *arguments],
        stdin=line,
        stdout=line,
        stderr=line,
        pass_fds=(telling, hearing),
        start_new_session=True,
        cwd=ROOT,
        env={**os.environ, "TERM": "xterm", "COLUMNS": "200", "LINES": "50", **environment},
    )
    try:
        yield made
    finally:
        shell.kill()  # its job gets SIGHUP, as when a window is closed
        shell.wait()


def _collect(source: int, kept: bytearray) -> None:
    try:
        while read := os.read(source, 4096):
            kept += read
    except OSError:  # a terminal that nobody has open any more
        return


async def _until(holds: Any, otherwise: Any) -> None:
    try:
        async with asyncio.timeout(PATIENCE):
            while not holds():  # noqa: ASYNC110 - what comes from another process has no event
                await asyncio.sleep(0.02)
    except TimeoutError:
        raise AssertionError(otherwise()) from None
