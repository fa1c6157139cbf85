"""How results are printed: tables as wide as the terminal, colours on a terminal alone, numbers as people read them."""

import json
import sys
from datetime import datetime
from typing import Any, Final

from rich.console import Console

from elcano.graphs.frozen import Json

PIPE_WIDTH: Final = 160
"""Of tables where there is no terminal: a pipe has no width, and a shortened id is of no use."""
OUTCOMES: Final = {"completed": "green", "failed": "red", "abandoned": "yellow", "running": "cyan", "waiting": "yellow"}
"""The style of each outcome of a step."""


def make_results_console() -> Console:
    """Where results go."""
    return Console(highlight=False) if sys.stdout.isatty() else Console(width=PIPE_WIDTH, highlight=False)


def print_json(value: Json) -> None:
    """JSON on one line, for programs."""
    sys.stdout.write(json.dumps(value) + "\n")


def local_time(moment: str, form: str) -> str:
    """A time of the API, in RFC 3339, as a clock on this machine shows it."""
    return datetime.fromisoformat(moment).astimezone().strftime(form)


def format_seconds(value: float | None) -> str:
    """A duration: `28 ms`, `0.3 s`, `42 s`, `3 min 20 s`, `2 h 5 min`; empty if it is not known."""
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
    """A value on one line: a text as it is, anything else as JSON."""
    return " ".join(value.split()) if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
