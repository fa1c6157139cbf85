"""Print results: tables as wide as the terminal, colours on a terminal only, numbers as people read them.

Results go to standard output, progress to standard error: `elcano ask ... > report.md` does what it looks like.
"""

import json
import sys
from collections.abc import Iterable, Sequence
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import typer

from elcano.cli.exit_codes import BadInput

if TYPE_CHECKING:
    from rich.console import Console
    from rich.table import Table

PIPE_WIDTH: Final = 160
"""Columns of tables without a terminal: a pipe has no width, and a shortened id is useless."""
OUTCOMES: Final = {"completed": "green", "failed": "red", "abandoned": "yellow", "running": "cyan", "waiting": "yellow"}
"""The style of each outcome of a step."""


def make_results_console() -> "Console":
    """The console for results."""
    from rich.console import Console

    return Console(highlight=False) if sys.stdout.isatty() else Console(width=PIPE_WIDTH, highlight=False)


def make_table(*columns: str, right: Iterable[str] = (), wrap: str | None = None) -> "Table":
    """A table without lines; the columns in `right` are aligned to the right, and only the column `wrap` is wrapped.

    If `wrap` is None, that is the last one.
    """
    from rich.table import Table

    table = Table(box=None, pad_edge=False)
    wrapped = columns[-1] if wrap is None else wrap
    for column in columns:
        table.add_column(column, justify="right" if column in right else "left", no_wrap=column != wrapped)
    return table


def print_line(text: str) -> None:
    """Print a line at once."""
    sys.stdout.write(text + "\n")
    sys.stdout.flush()


def print_printable(text: str) -> None:
    """Print a line of text from an untrusted source."""
    print_line(escape_controls(text))


def escape_controls(text: str) -> str:
    """Text from an untrusted source in which characters that would control a terminal are escaped."""
    return "".join(sign if sign.isprintable() else ascii(sign)[1:-1] for sign in text)


def print_json(value: Any, *, indent: int | None = None) -> None:
    """Print JSON, for programs on one line."""
    print_line(json.dumps(value, indent=indent, ensure_ascii=indent is None))


def exit_with_json(value: Any, *, wanted: bool) -> None:
    """Print a result for programs and end the command, if that is wanted; else the command prints it for people.

    Raises:
        typer.Exit: it was printed.
    """
    if wanted:
        print_json(value)
        raise typer.Exit


def print_columns(rows: Sequence[Sequence[str]], none: str = "") -> None:
    """Print rows of texts, one per line, each column as wide as its widest text.

    With `none` the first row is the head: where nothing is below it, `none` is printed instead.
    """
    if none and len(rows) == 1:
        print_line(none)
        return
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    for row in rows:
        print_line("  ".join(f"{text:<{width}}" for text, width in zip(row, widths, strict=True)).rstrip())


def require_writable(out: Path | None, option: str = "--out") -> None:
    """Refuse a path that cannot be written, before the work and not after it; `option` is where it was given.

    Raises:
        BadInput: it is a folder, or in no existing one.
    """
    if out is not None and (out.is_dir() or not out.absolute().parent.is_dir()):
        raise BadInput(f"{option} {str(out)!r} is not a file in an existing folder")


def require_confirmation(question: str, *, alone: str, refused: str) -> None:
    """Ask for a yes on the terminal.

    Args:
        question: The question.
        alone: The error where no terminal can be asked.
        refused: The error after a no.
    """
    if not sys.stdin.isatty():
        raise BadInput(alone)
    if not typer.confirm(question, err=True):
        raise BadInput(refused)


def format_local_time(moment: str, form: str = "%Y-%m-%d %H:%M") -> str:
    """Format a time of the API, in RFC 3339, in the local time zone; to the minute unless `form` says otherwise."""
    return datetime.fromisoformat(moment).astimezone().strftime(form)


def format_seconds(value: float | None) -> str:
    """Format a duration: `28 ms`, `0.3 s`, `42 s`, `3 min 20 s`, `2 h 5 min`; empty if it is not known."""
    if value is None:
        return ""
    if value < 0.1:
        return f"{value * 1_000:.0f} ms"
    if value < 10:
        return f"{value:.1f} s"
    whole = round(value)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    if minutes < 60:
        return f"{minutes} min {rest} s" if rest else f"{minutes} min"
    return f"{minutes // 60} h {minutes % 60} min"


def format_dollars(value: float) -> str:
    """A cost; empty if there is none."""
    return f"${value:.4f}" if value else ""


def format_tokens(usage: dict[str, Any]) -> str:
    """Input and output tokens: `1,850 + 240`; empty if there are none."""
    if not usage["input_tokens"] + usage["output_tokens"]:
        return ""
    return f"{usage['input_tokens']:,} + {usage['output_tokens']:,}" + (" ~" if usage["estimated"] else "")


def format_line(value: object) -> str:
    """Format a value on one line: a text as it is, anything else as JSON."""
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
