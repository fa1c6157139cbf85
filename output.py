"""Standard output of programs: a closed or full output ends the program with one sentence; no text controls a terminal.

Characters that reverse the text next to them (U+202E and its like) and control characters reach a terminal in titles
and questions that others wrote. Colours, links and cursor movements, which the programs write themselves, stay.
"""

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Any, Final, TextIO, cast

NOT_WRITTEN: Final = 9
"""The exit code of a program whose output could not be written."""
_UNSEEN: Final = re.compile(
    "[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]"  # these order what stands around them anew
    "|[\x00-\x08\x0b\x0c\x0e-\x1a\x1c-\x1f\x7f-\x9f]"  # all but tab, line feed, carriage return and ESC
    r"|\x1b(?!\[|\]8;|\\)"  # ESC begins a style, a movement or a link, and nothing else
)


class OutputLost(Exception):
    """Standard output was closed or is full. The text is the sentence for the user."""


class _Output:
    """A stream that wraps another one."""

    def __init__(self, stream: TextIO) -> None:
        self._stream = stream
        self._is_terminal = stream.isatty()

    def write(self, text: str) -> int:
        """Write `text`; on a terminal, without invisible characters."""
        try:
            self._stream.write(_UNSEEN.sub("", text) if self._is_terminal else text)
        except OSError as error:
            raise OutputLost(f"the output cannot be written ({error.strerror})") from error
        return len(text)

    def flush(self) -> None:
        """Flush the stream."""
        try:
            self._stream.flush()
        except OSError as error:
            raise OutputLost(f"the output cannot be written ({error.strerror})") from error

    def __getattr__(self, name: str) -> Any:
        return getattr(self._stream, name)


@contextmanager
def guarded_output(program: str) -> Iterator[None]:
    """Guard everything printed within the block, as this module describes.

    Args:
        program: Its name, which the sentence begins with.

    Raises:
        SystemExit: with `NOT_WRITTEN`, if the output could not be written.
    """
    out, err = sys.stdout, sys.stderr
    if out is None or err is None:  # as Python has it where the shell closed them: `>&-`
        if err is not None:
            err.write(f"{program}: the output cannot be written (it is closed)\n")
        sys.exit(NOT_WRITTEN)
    sys.stdout, sys.stderr = cast(TextIO, _Output(out)), cast(TextIO, _Output(err))
    try:
        try:
            yield
        finally:
            sys.stdout.flush()
    except OutputLost as error:
        with suppress(OSError):
            err.write(f"{program}: {error}\n")
        _discard_output(out)
        sys.exit(NOT_WRITTEN)
    finally:
        sys.stdout, sys.stderr = out, err


def _discard_output(stream: TextIO) -> None:
    """Discard the rest of the buffer; else Python would try to write it once more at exit, and complain."""
    nowhere = os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, stream.fileno())
    finally:
        os.close(nowhere)
