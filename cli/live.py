"""How a run is shown while it works: lines that stay, one line for what runs now, one for the budget.

On a terminal the last lines move; elsewhere every event is one plain line.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Protocol

from rich.console import Console
from rich.live import Live
from rich.markup import escape
from rich.spinner import Spinner
from rich.table import Table

from graphs.events import AgentEvent, EventType
from graphs.frozen import JsonObject

_BEGINNINGS: frozenset[EventType] = frozenset(
    {"searching", "judging", "hypothesizing", "analyzing", "synthesizing", "thinking", "branch_started", "streaming"}
)
"""What runs now; it gives way to its own result."""
_STYLES: dict[EventType, str] = {
    "started": "bold",
    "looping": "bold cyan",
    "ending_early": "yellow",
    "error": "red",
    "failed": "bold red",
    "cancelled": "yellow",
    "report_ready": "green",
    "complete": "bold green",
}
_GAUGES = {
    "tokens": ("tokens", ",d"),
    "cost_usd": ("US$", ".4f"),
    "seconds": ("seconds", ",.0f"),
    "iterations": ("iteration", "d"),
}
"""The limits that the budget line shows, what it calls them and how their figures look."""


class Display(Protocol):
    """Shows a run."""

    def show(self, event: AgentEvent) -> None:
        """One more event."""
        ...

    def say(self, text: str) -> None:
        """Something about the watching itself, not about the run."""
        ...


@contextmanager
def display(console: Console, budget: Callable[[], JsonObject]) -> Iterator[Display]:
    """A display for `console`. `budget` is asked for the run's budget after each turn of the research loop."""
    if not console.is_terminal:
        yield _Plain(console)
        return
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        yield _Moving(live, budget)


class _Plain:
    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, event: AgentEvent) -> None:
        at = time.strftime("%H:%M:%S", time.localtime(event.at))
        self._print(f"{at} {_where(event)}{event.type}: {event.message}")

    def say(self, text: str) -> None:
        self._print(f"({text})")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class _Moving:
    def __init__(self, live: Live, budget: Callable[[], JsonObject]) -> None:
        self._live = live
        self._budget = budget
        self._gauges: JsonObject = {}

    def show(self, event: AgentEvent) -> None:
        text = escape(_where(event) + event.message)
        if event.type in _BEGINNINGS:
            self._now(text)
            return
        style = _STYLES.get(event.type)
        self._live.console.print(f"[{style}]{text}[/]" if style else text, highlight=False)
        if event.type in ("looping", "report_ready"):
            self._gauges = self._budget()
        if not event.terminal:
            self._now("…")

    def say(self, text: str) -> None:
        self._live.console.print(f"[dim]{escape(text)}[/]", highlight=False)

    def _now(self, text: str) -> None:
        lines = Table.grid()
        lines.add_row(Spinner("dots", text=text))
        if self._gauges:
            lines.add_row(f"[dim]{escape(budget_line(self._gauges))}[/]")
        self._live.update(lines)


def budget_line(gauges: JsonObject) -> str:
    """What is used of each limit that there is, in one line."""
    parts = []
    for name, (label, form) in _GAUGES.items():
        gauge = gauges.get(name)
        if isinstance(gauge, dict) and isinstance(gauge.get("limit"), int | float):
            parts.append(f"{label} {gauge['used']:{form}} of {gauge['limit']:{form}}")
    return " · ".join(parts)


def _where(event: AgentEvent) -> str:
    return f"[{event.section}] " if event.section else ""
