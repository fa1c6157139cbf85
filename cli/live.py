"""How a run is shown while it works: lines that stay, a line for what runs now, one a section, one for the budget.

On a terminal the last lines move, and the end of what is being written grows in them; elsewhere every event is one
plain line, with its section in brackets, and what is written is seen when it is done. The budget line is what the
server says, asked for every few seconds by a thread of its own: events tell what happened, and between them a call can
spend for minutes.
"""

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Final, Protocol

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from elcano.cli.exits import Failed
from elcano.cli.live_text import LiveText
from elcano.graphs.frozen import JsonObject
from elcano.graphs.state.events import AgentEvent, EventType

_BEGINNINGS: frozenset[EventType] = frozenset(
    {"searching", "judging", "hypothesizing", "analyzing", "synthesizing", "thinking", "streaming"}
)
"""What runs now; it gives way to its own result."""
_ANSWERED: frozenset[EventType] = frozenset({"judging", "hypothesizing"})
"""Of these, results are told by the same type too, with figures: a manager's word, hypotheses. They are kept."""
_STYLES: dict[EventType, str] = {
    "started": "bold",
    "looping": "bold cyan",
    "routed": "dim",
    "state_updated": "dim",
    "ending_early": "yellow",
    "paused": "bold yellow",
    "held": "bold yellow",
    "hold_cleared": "green",
    "unpaused": "green",
    "rolling_back": "yellow",
    "rolled_back": "yellow",
    "run_resumed": "bold green",
    "forked": "bold",
    "execution_ended": "dim",
    "steered": "magenta",
    "plan_proposed": "bold yellow",
    "plan_approved": "green",
    "plan_refused": "yellow",
    "approval_requested": "bold yellow",
    "call_approved": "green",
    "call_refused": "yellow",
    "approval_expired": "yellow",
    "error": "red",
    "failed": "bold red",
    "cancelled": "yellow",
    "report_ready": "green",
    "complete": "bold green",
}
_MARKS = {"gap": ("✗", "yellow"), "unanswered": ("○", "yellow"), "left_out": ("-", "dim")}
"""How a section is marked that is not in the report, and the style of it."""
ASK_SECONDS: Final = 3.0
"""How often the server is asked how the run stands."""
JOIN_SECONDS: Final = 3.0
"""How long an answer about the budget is waited for when the watching is over; it is not needed any more."""
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

    def write(self, words: JsonObject) -> None:
        """Show the text that a path has written so far; an empty object withdraws all text shown before."""
        ...


@contextmanager
def open_display(console: Console, ask: Callable[[], JsonObject]) -> Iterator[Display]:
    """A display for `console`. `ask` gets the run as the server shows it, again and again while it is on a terminal."""
    if not console.is_terminal:
        yield PlainDisplay(console)
        return
    shown = LiveDisplay(console)
    over = threading.Event()
    asking = threading.Thread(target=_follow_budget, args=(shown, ask, over), name="budget line", daemon=True)
    # Has rich load its table of widths: of two threads that draw and so load it at once, one can fail.
    cell_len("字")
    with Live(get_renderable=shown.lines, console=console, refresh_per_second=8, transient=True):
        asking.start()
        try:
            yield shown
        finally:
            over.set()
    asking.join(JOIN_SECONDS)


def _follow_budget(shown: "LiveDisplay", ask: Callable[[], JsonObject], over: threading.Event) -> None:
    """Keeps the budget line at what the server says; without an answer there is none, rather than an old one."""
    while not over.is_set():
        try:
            shown.stands(ask())
        except Failed:
            shown.stands({})
        over.wait(ASK_SECONDS)


class PlainDisplay:
    """Every event as one line."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, event: AgentEvent) -> None:
        """One more event."""
        at = time.strftime("%H:%M:%S", time.localtime(event.at))
        self._print(f"{at} {_format_section_prefix(event)}{event.type}: {event.message}")

    def say(self, text: str) -> None:
        """Something about the watching itself."""
        self._print(f"({text})")

    def write(self, words: JsonObject) -> None:
        """Lines that are printed stay, so what may still change is not among them."""

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveDisplay:
    """Results stay above; below them one line for what the run does, one for each open section, one for the budget."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._run: JsonObject = {}
        self._linked = False
        """The run's page in the Temporal UI was named."""
        self._asked = ""
        self._doing = ""
        self._spinner = Spinner("dots")
        self._sections: dict[str, str] = {}
        """What each open section does, by its path."""
        self._written = LiveText()

    def show(self, event: AgentEvent) -> None:
        """One more event."""
        if event.terminal:
            self._written.take({})
        if event.type == "branch_started":
            self._sections[event.path] = event.message
        elif event.type == "branch_complete":
            self._sections.pop(event.path, None)
            self._written.drop(event.path)
            self._keep(*_format_section_outcome(event))
        elif event.path in self._sections:
            self._sections[event.path] = f"[{event.section}] {event.message}"
            if event.type == "error":
                self._keep(self._sections[event.path], _STYLES["error"])
        elif event.type in _BEGINNINGS and not (event.type in _ANSWERED and event.data):
            self._doing = event.message
        else:
            self._doing = ""
            self._keep(_format_section_prefix(event) + event.message, _STYLES.get(event.type, ""))

    def say(self, text: str) -> None:
        """Something about the watching itself."""
        self._keep(text, "dim")

    def write(self, words: JsonObject) -> None:
        """Show the text that is being written."""
        self._written.take(words)

    def ask(self, line: str) -> None:
        """Show the line that the user is typing, below all others; empty if there is none."""
        self._asked = line

    def stands(self, run: JsonObject) -> None:
        """How the server says that the run stands; empty if it does not say."""
        links = run.get("links")
        if not self._linked and isinstance(links, dict) and (page := links.get("temporal_ui")):
            self._linked = True
            self._keep(f"in the Temporal UI: {page}", "dim")
        self._run = run

    def lines(self) -> RenderableType:
        """The lines that move, as they are now."""
        lines = Table.grid()
        self._spinner.update(text=Text(self._doing or "…"))
        lines.add_row(self._spinner)
        for line in self._written.lines("", self._console, self._console.width - 2):
            lines.add_row(Text(f"  {line}", style="italic", no_wrap=True, overflow="crop"))
        sections = list(self._sections.items())
        for path, doing in sections[:SECTION_LINES]:
            lines.add_row(Text(f"  {doing}", no_wrap=True, overflow="ellipsis"))
            for line in self._written.lines(path, self._console, self._console.width - 4, most=1):
                lines.add_row(Text(f"    {line}", style="italic dim", no_wrap=True, overflow="crop"))
        if (hidden := len(sections) - SECTION_LINES) > 0:
            lines.add_row(Text(f"  and {hidden} more sections", style="dim"))
        if line := budget_line(self._run):
            lines.add_row(Text(line, style="dim"))
        if self._asked:
            lines.add_row(Text(self._asked, style="bold"))
        return lines

    def _keep(self, text: str, style: str) -> None:
        self._console.print(Text(text, style=style), highlight=False)


def _format_section_outcome(event: AgentEvent) -> tuple[str, str]:
    """How a section ended, and the style of it: ticked, or named as unanswered or as a gap."""
    mark, style = _MARKS.get(str(event.data["status"]), ("✓", "green"))
    return f"{mark} {event.message}", style


def budget_line(run: JsonObject) -> str:
    """Return the usage of each limit in one line; empty if the server could not ask the run itself.

    Iterations are counted by loop: where sections have loops of their own, the run's count says nothing.
    """
    gauges = run.get("budget")
    if not isinstance(gauges, dict) or run.get("stale"):
        return ""
    parts = []
    for name, (label, form) in _GAUGES.items():
        gauge = gauges.get(name)
        if name == "iterations" and run.get("branches"):
            continue
        if isinstance(gauge, dict) and isinstance(gauge.get("limit"), int | float):
            parts.append(f"{label} {gauge['used']:{form}} of {gauge['limit']:{form}}")
    return " · ".join(parts)


def _format_section_prefix(event: AgentEvent) -> str:
    return f"[{event.section}] " if event.section else ""
