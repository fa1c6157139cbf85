"""What cannot be written ends a command with one sentence, and what nobody can see does not reach a terminal."""

import io
import os
import subprocess
import sys
from collections.abc import Callable
from contextlib import nullcontext
from pathlib import Path
from typing import TextIO

import pytest
from rich.console import Console

from elcano import __version__
from elcano.cli.exit_codes import Exit
from elcano.output import NOT_WRITTEN, guarded_output
from tests.unit.cli.scripted import run

ROOT = Path(__file__).parents[2]


class Terminal(io.StringIO):
    """Remembers what reached it."""

    def isatty(self) -> bool:
        return True


def closed_pipe() -> TextIO:
    reading, writing = os.pipe()
    os.close(reading)
    return os.fdopen(writing, "w")


def full_device() -> TextIO:
    return open("/dev/full", "w")


@pytest.mark.parametrize(
    ("opened", "reason"), [(full_device, "No space left on device"), (closed_pipe, "Broken pipe")], ids=["full", "pipe"]
)
@pytest.mark.parametrize("command", ["--version", "graph show iterative", "--help"])
def test_an_output_that_cannot_be_written_is_one_sentence(
    monkeypatch: pytest.MonkeyPatch, opened: Callable[[], TextIO], reason: str, command: str
) -> None:
    said = io.StringIO()
    with opened() as out:
        monkeypatch.setattr(sys, "stdout", out)
        monkeypatch.setattr(sys, "stderr", said)
        assert run(*command.split()) == Exit.NOT_WRITTEN
    assert int(Exit.NOT_WRITTEN) == NOT_WRITTEN
    assert said.getvalue() == f"elcano: the output cannot be written ({reason})\n"


def test_the_package_is_the_program() -> None:
    command = [sys.executable, "-m", "elcano", "--version"]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=ROOT)
    assert (ended.returncode, ended.stdout) == (0, f"elcano {__version__}\n")
    closed = subprocess.run(["sh", "-c", 'exec "$@" >&-', "sh", *command], capture_output=True, text=True, cwd=ROOT)
    assert (closed.returncode, closed.stderr) == (9, "elcano: the output cannot be written (it is closed)\n")


def test_a_terminal_gets_no_sign_that_orders_its_text_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    hostile = "Is \u202egnp.exe\u2066 safe\u200f?\x1b]52;c;aGk=\x07\x1bc\x9b2J\b"
    terminal, file = Terminal(), io.StringIO()
    for stream in (terminal, file):
        monkeypatch.setattr(sys, "stdout", stream)
        with guarded_output("elcano"):
            sys.stdout.write(hostile)
    assert terminal.getvalue() == "Is gnp.exe safe?]52;c;aGk=c2J"
    assert file.getvalue() == hostile


def test_what_the_programs_write_themselves_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = []
    words = "[bold red]A[/] [link=http://x]B[/] \u05e9\u05dc\u05d5\u05dd"
    for guard in (nullcontext(), guarded_output("elcano")):
        terminal = Terminal()
        monkeypatch.setattr(sys, "stdout", terminal)
        with guard:
            Console(force_terminal=True, width=40).print(words)
        shown.append(terminal.getvalue().split("id=")[0])
    assert shown[0] == shown[1]
    assert "\x1b[1;31m" in shown[1]
