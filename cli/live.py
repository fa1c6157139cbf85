"""The live view of a run: results that stay, a line for the current step, one for each section, one for the budget.

On a terminal the last lines move, and the text that is being written grows in them; elsewhere every event is one plain
line, with its section in brackets, and a text is shown when it is complete. A thread asks the server every few seconds
for the budget line: events report what happened, and between them a call can spend for minutes.
"""

import re
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import Any, Final, Protocol

from rich.cells import cell_len
from rich.console import Console, RenderableType
from rich.live import Live
from rich.spinner import Spinner
from rich.table import Table
from rich.text import Text

from elcano.cli.exit_codes import Failed
from elcano.client.models import AgentEvent
from elcano.graphs.frozen import JsonObject
from elcano.graphs.text import format_count

_BEGINNINGS: frozenset[str] = frozenset(
    {"searching", "judging", "hypothesizing", "analyzing", "synthesizing", "thinking", "streaming"}
)
"""Events that announce work; its result replaces them."""
_ANSWERED: frozenset[str] = frozenset({"judging", "hypothesizing"})
"""Members of `_BEGINNINGS` that also report results, such as a manager's decision or hypotheses. They stay on the
screen."""
_STYLES: dict[str, str] = {
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
    "questions_asked": "bold yellow",
    "questions_answered": "green",
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
"""The mark and the style of a section that is not in the report."""
ASK_SECONDS: Final = 3.0
"""Seconds between two requests for the run's budget."""
JOIN_SECONDS: Final = 3.0
"""Seconds to wait at the end for an outstanding query of the budget."""
SECTION_LINES: Final = 20
"""Maximum number of open sections shown; the others are counted."""
LIVE_LINES: Final = 6
"""Number of lines shown at the end of a text that is being written."""
_CONTROLS: Final = re.compile(r"[\x00-\x09\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that a terminal would take for a command, or that reverse the reading direction."""
_GAUGES = {
    "tokens": ("tokens", ",d"),
    "cost_usd": ("US$", ".4f"),
    "seconds": ("seconds", ",.0f"),
    "iterations": ("iteration", "d"),
}
"""The limits in the budget line, with their labels and the format of their figures."""


class Display(Protocol):
    """Shows a run."""

    def show(self, event: AgentEvent) -> None:
        """Show one more event."""
        ...

    def say(self, text: str) -> None:
        """Show a message about the watching itself, not about the run."""
        ...

    def write(self, words: JsonObject) -> None:
        """Show the text that a path has written so far; an empty object withdraws all texts."""
        ...


@contextmanager
def open_display(console: Console, fetch_run: Callable[[], JsonObject]) -> Iterator[Display]:
    """A display for `console`. On a terminal, `fetch_run` is called again and again for the state of the run."""
    if not console.is_terminal:
        yield PlainDisplay(console)
        return
    display = LiveDisplay(console)
    over = threading.Event()
    asking = threading.Thread(target=_follow_budget, args=(display, fetch_run, over), name="budget line", daemon=True)
    # Has rich load its table of widths: of two threads that draw and so load it at once, one can fail.
    cell_len("字")
    with Live(get_renderable=display.render, console=console, refresh_per_second=8, transient=True):
        asking.start()
        try:
            yield display
        finally:
            over.set()
    asking.join(JOIN_SECONDS)


def _follow_budget(display: "LiveDisplay", fetch_run: Callable[[], JsonObject], over: threading.Event) -> None:
    """Keep the budget line up to date; without an answer from the server the line is hidden, rather than outdated."""
    while not over.is_set():
        try:
            display.update_run(fetch_run())
        except Failed:
            display.update_run({})
        over.wait(ASK_SECONDS)


class PlainDisplay:
    """Prints every event as one line."""

    def __init__(self, console: Console) -> None:
        self._console = console

    def show(self, event: AgentEvent) -> None:
        """Show one more event."""
        at = f"{event.at.astimezone():%H:%M:%S}"
        self._print(f"{at} {_format_section_prefix(event)}{event.type}: {event.message}")

    def say(self, text: str) -> None:
        """Show a message about the watching itself."""
        self._print(f"({text})")

    def write(self, words: JsonObject) -> None:
        """Do nothing: printed lines stay, so a text that may still change is not printed."""

    def _print(self, line: str) -> None:
        self._console.print(line, markup=False, highlight=False, soft_wrap=True)


class LiveDisplay:
    """Keeps results above; below them one line for the current step, one for each open section, one for the budget."""

    def __init__(self, console: Console) -> None:
        self._console = console
        self._run: JsonObject = {}
        self._linked = False
        """Whether the run's page in the Temporal UI was shown."""
        self._doing = ""
        self._spinner = Spinner("dots")
        self._sections: dict[str, str] = {}
        """Current activity of each open section, by path."""
        self._written = LiveText()

    def show(self, event: AgentEvent) -> None:
        """Show one more event."""
        if event.terminal:
            self._written.update({})
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
        """Show a message about the watching itself."""
        self._keep(text, "dim")

    def write(self, words: JsonObject) -> None:
        """Show the text that is being written."""
        self._written.update(words)

    def update_run(self, run: JsonObject) -> None:
        """Take over the run as the server shows it; empty if it gave no answer."""
        links = run.get("links")
        if not self._linked and isinstance(links, dict) and (page := links.get("temporal_ui")):
            self._linked = True
            self._keep(f"in the Temporal UI: {page}", "dim")
        self._run = run

    def render(self) -> RenderableType:
        """The lines that move, as they are now."""
        lines = Table.grid()
        self._spinner.update(text=Text(self._doing or "…"))
        lines.add_row(self._spinner)
        for line in self._written.list_lines("", self._console, self._console.width - 2):
            lines.add_row(Text(f"  {line}", style="italic", no_wrap=True, overflow="crop"))
        sections = list(self._sections.items())
        for path, doing in sections[:SECTION_LINES]:
            lines.add_row(Text(f"  {doing}", no_wrap=True, overflow="ellipsis"))
            for line in self._written.list_lines(path, self._console, self._console.width - 4, most=1):
                lines.add_row(Text(f"    {line}", style="italic dim", no_wrap=True, overflow="crop"))
        if (hidden := len(sections) - SECTION_LINES) > 0:
            lines.add_row(Text(f"  and {hidden} more sections", style="dim"))
        if line := format_budget(self._run):
            lines.add_row(Text(line, style="dim"))
        return lines

    def _keep(self, text: str, style: str) -> None:
        self._console.print(Text(text, style=style), highlight=False)


def _format_section_outcome(event: AgentEvent) -> tuple[str, str]:
    """Format the end of a section, with its mark and style."""
    mark, style = _MARKS.get(str(event.data["status"]), ("✓", "green"))
    return f"{mark} {event.message}", style


def format_budget(run: JsonObject) -> str:
    """The usage of each limit in one line; empty if the server could not query the run.

    Iterations are left out where sections count their own.
    """
    budget: Any = run.get("budget")
    if not budget or run.get("stale"):
        return ""
    parts = []
    for name, (label, form) in _GAUGES.items():
        if name == "iterations" and run.get("branches"):
            continue
        if (limit := budget["limits"].get(name)) is not None:
            parts.append(f"{label} {budget['used'][name]:{form}} of {limit:{form}}")
    return " · ".join([*parts, *_format_sections(run.get("sections"))])


def _format_sections(sections: Any) -> Iterator[str]:
    """Format the progress of all sections together; empty if there are none."""
    if sections:
        yield f"{sections['ended']} of {sections['open'] + sections['ended']} sections ended"
        yield format_count(sections["iterations"], "round")
        yield format_count(sections["steps"], "step")
        yield format_count(sections["evidence"], "passage")


def _format_section_prefix(event: AgentEvent) -> str:
    named = not event.section or event.message.startswith(f"{event.section}: ")
    return "" if named else f"[{event.section}] "


class LiveText:
    """The texts that a run and its sections are writing. One thread shows them while another receives more."""

    def __init__(self) -> None:
        self._texts: dict[str, str] = {}
        """The newest text of each path; the mapping is replaced as a whole."""

    def update(self, words: JsonObject) -> None:
        """Take over the data of a `streaming` message; an empty object withdraws all texts."""
        if not words:
            self._texts = {}
            return
        path, text = str(words.get("path")), _CONTROLS.sub("", str(words.get("text")))
        self._texts = {one: of for one, of in self._texts.items() if one != path} | ({path: text} if text else {})

    def drop(self, path: str) -> None:
        """Forget the text of a path: it is complete."""
        self._texts = {one: of for one, of in self._texts.items() if one != path}

    def list_lines(self, path: str, console: Console, width: int, most: int = LIVE_LINES) -> Sequence[str]:
        """The last lines of a path's text, `width` columns wide, without blank ones."""
        lines: list[str] = []
        for paragraph in reversed(self._texts.get(path, "").splitlines()):
            wrapped = Text(paragraph).wrap(console, max(width, 1))
            lines = [*(one.plain.rstrip() for one in wrapped if one.plain.strip()), *lines]
            if len(lines) >= most:
                break
        return lines[-most:]
