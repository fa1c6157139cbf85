"""How a run shows itself in a notebook: as Markdown that is true when it is shown, and that says when that was."""

import json
from collections.abc import Iterator
from datetime import UTC, datetime
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from elcano.graphs.text import shorten_text

if TYPE_CHECKING:
    from elcano.api.runs.run_view import RunView, WaitingCallView

QUESTION_CHARACTERS: Final = 200
"""A longer question is shortened where a run is displayed."""


class LiveDisplay:
    """One output of a notebook's cell, whose text is replaced.

    Raises:
        RuntimeError: this program is no notebook.
    """

    def __init__(self) -> None:
        try:
            library = import_module("IPython.display")
        except ImportError:
            library = None
        self._markdown = library.Markdown if library is not None else str
        self._handle: Any = library.display(self._markdown(""), display_id=True) if library is not None else None
        if self._handle is None:  # so IPython says that nothing would show it
            raise RuntimeError("only notebooks can show a run: elsewhere, iterate over its `events()`")

    def replace(self, text: str) -> None:
        """Show this Markdown from now on."""
        self._handle.update(self._markdown(text))


def describe_run(view: "RunView", report: str = "") -> str:
    """Describe a run in Markdown: how it stands, what it used, its sections; then its `report`, if there is one."""
    return "\n\n".join((*_describe_state(view), *((report,) if report else ())))


def describe_unknown(run_id: str, reason: str) -> str:
    """Describe a run of which nothing can be learned now, and why."""
    return f"**unknown** · `{run_id}` · {escape_markdown(reason)}"


def describe_notice(shown: str, notice: str) -> str:
    """Describe a run that cannot be followed now: how it stood last, and why that may no longer be so."""
    return f"{shown}\n\n*How it stands now is not known: {escape_markdown(notice)}*"


def _describe_state(view: "RunView") -> Iterator[str]:
    where = f", {view.stage}" if view.stage else ""
    step = f" at `{view.node}`" if view.node and view.status == "running" else ""
    moment = f" · as of {datetime.now(UTC):%H:%M:%S} UTC" if view.status == "running" else ""
    question = escape_markdown(shorten_text(view.question, QUESTION_CHARACTERS))
    yield f"**{view.status}**{where}{step}{moment} · `{view.run_id}` · {question}"
    if view.stale:
        yield "More is not known now; this is what was stored when it began."
    if view.budget is not None:
        used = [f"{view.budget.tokens.used:,} of {view.budget.tokens.limit:,} tokens"]
        if view.iterations is not None:
            used.append(f"turn {view.iterations}")
        if view.evidence is not None:
            used.append(f"{view.evidence} passages")
        yield " · ".join(used)
    yield from _describe_waiting(view)
    if view.branches:
        yield "\n".join(f"- {escape_markdown(branch.section)}: {branch.status}" for branch in view.branches)
    if view.ending is not None:
        yield f"Ended early: {escape_markdown(view.ending.detail)}"
    if view.failure is not None:
        yield f"Failed: {escape_markdown(view.failure.message)}"


def _describe_waiting(view: "RunView") -> Iterator[str]:
    """What it waits for, and how that is decided."""
    if view.hold is not None:
        yield f"Waiting: {escape_markdown(view.hold.detail or view.hold.reason)}"
    if view.approvals:
        yield "\n".join(map(_describe_call, view.approvals))
    elif view.hold is not None and view.hold.reason == "approval":
        lines = (f"- {escape_markdown(one.title)}: {escape_markdown(one.question)}" for one in view.plan)
        yield "\n".join(lines)
        yield 'Decide with `run.control("approve")`, or `run.control("refuse", reason="...")`.'


def _describe_call(call: "WaitingCallView") -> str:
    called = escape_markdown(f"{call.server}/{call.tool} {call.arguments}")
    run = f"elcano.run({json.dumps(call.run_id)})"
    return f'- {called}\n  Decide with `{run}.control("approve-call", call={json.dumps(call.call)})`, or `refuse-call`.'


def escape_markdown(text: str) -> str:
    """Keep text from being taken for Markdown or HTML."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|" else one for one in text)
