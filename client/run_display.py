"""A run in Markdown, as notebooks display it: how it stands, what it used, its sections, and its report."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from elcano.graphs.text import shorten_text

if TYPE_CHECKING:
    from elcano.api.runs.run_view import RunView

QUESTION_CHARACTERS = 200


def describe_run(view: "RunView", report: str = "") -> str:
    """Describe a run in Markdown; of one with a `report` that is the most of it."""
    return "\n\n".join((*_describe_state(view), *((report,) if report else ())))


def _describe_state(view: "RunView") -> Iterator[str]:
    where = f", {view.stage}" if view.stage else ""
    step = f" at `{view.node}`" if view.node and view.status == "running" else ""
    question = _escape(shorten_text(view.question, QUESTION_CHARACTERS))
    yield f"**{view.status}**{where}{step} · `{view.run_id}` · {question}"
    if view.budget is not None:
        used = [f"{view.budget.tokens.used:,} of {view.budget.tokens.limit:,} tokens"]
        if view.iterations is not None:
            used.append(f"turn {view.iterations}")
        if view.evidence is not None:
            used.append(f"{view.evidence} passages")
        yield " · ".join(used)
    if view.hold is not None:
        yield f"Waiting: {_escape(view.hold.detail or view.hold.reason)}"
    if view.branches:
        yield "\n".join(f"- {_escape(branch.section)}: {branch.status}" for branch in view.branches)
    if view.failure is not None:
        yield f"Failed: {_escape(view.failure.message)}"


def _escape(text: str) -> str:
    """Keep text from being taken for Markdown or HTML."""
    return "".join(f"\\{one}" if one in "\\`*_{}[]<>#|" else one for one in text)
