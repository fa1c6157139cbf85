"""How a run is shown while it works: lines that stay, a line for what runs now, one a section, one for the budget.

On a terminal the last lines move; elsewhere every event is one plain line, with its section in brackets.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.console import Console
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from graphs.events import AgentEvent, EventType
from graphs.frozen import JsonObject

_BEGINNINGS: frozenset[EventType] = frozenset(
    {"searching", "judging", "hypothesizing", "analyzing", "synthesizing", "thinking", "streaming"}
)
"""What runs now; it gives way to its own result."""
_STYLES: dict[EventType, str] = {
    "started": "bold",
    "looping": "bold cyan",
    "ending_early": "yellow",
    "paused": "bold yellow",
    "error": "red",
    "failed": "bold red",
    "cancelled": "yellow",
    "report_ready": "green",
    "complete": "bold green",
}
_TURNS: frozenset[EventType] = frozenset({"looping", "branch_complete", "paused", "topped_up", "report_ready"})
"""Events after which the budget is asked for."""
SECTION_LINES: Final = 20
"""Open sections that are shown; of the others the number."""
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
        yield Plain(console)
        return
    with Live(console=console, refresh_per_second=8, transient=True) as live:
        yield Moving(live, budget)


class Plain:
    """Every event as one line."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, event: AgentEvent) -> None:
        """One more event."""
        at = time.strftime("%H:%M:%S", time.localtime(event.at))
        self._print(f"{at} {_where(event)}{event.type}: {event.message}")

    def say(self, text: str) -> None:
        """Something about the watching itself."""
        self._print(f"({text})")

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class Moving:
    """Results stay above; below them one line for what the run does, one for each open section, one for the budget."""

    def __init__(self, live: Live, budget: Callable[[], JsonObject]) -> None:
        self._live = live
        self._budget = budget
        self._gauges: JsonObject = {}
        self._doing = "…"
        self._sections: dict[str, str] = {}
        """What each open section does, by its path."""

    def show(self, event: AgentEvent) -> None:
        """One more event."""
        if event.type == "branch_started":
            self._sections[event.path] = event.message
        elif event.type == "branch_complete":
            self._sections.pop(event.path, None)
            self._keep(*_outcome(event))
        elif event.path in self._sections:
            self._sections[event.path] = f"[{event.section}] {event.message}"
            if event.type == "error":
                self._keep(self._sections[event.path], _STYLES["error"])
        elif event.type in _BEGINNINGS:
            self._doing = event.message
        else:
            self._doing = "…"
            self._keep(_where(event) + event.message, _STYLES.get(event.type, ""))
        if event.type in _TURNS and event.path not in self._sections:
            self._gauges = self._budget()
        if not event.terminal:
            self._update()

    def say(self, text: str) -> None:
        """Something about the watching itself."""
        self._keep(text, "dim")

    def _keep(self, text: str, style: str) -> None:
        self._live.console.print(Text(text, style=style), highlight=False)

    def _update(self) -> None:
        lines = Table.grid()
        lines.add_row(Spinner("dots", text=Text(self._doing)))
        for doing in list(self._sections.values())[:SECTION_LINES]:
            lines.add_row(Text(f"  {doing}", no_wrap=True, overflow="ellipsis"))
        if (hidden := len(self._sections) - SECTION_LINES) > 0:
            lines.add_row(Text(f"  and {hidden} more sections", style="dim"))
        if self._gauges:
            lines.add_row(Text(budget_line(self._gauges), style="dim"))
        self._live.update(lines)


def _outcome(event: AgentEvent) -> tuple[str, str]:
    """How a section ended, and the style of it: ticked, or named as unanswered or as a gap."""
    mark, style = {"gap": ("✗", "yellow"), "unanswered": ("○", "yellow")}.get(str(event.data["status"]), ("✓", "green"))
    return f"{mark} {event.message}", style


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
