"""Commands that list runs and delete them."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from elcano.cli.options import AsJson, Runs, Yes, option, shorten_run_ids
from elcano.cli.printing import format_local_time, make_results_console, print_json, require_confirmation
from elcano.cli.requests import delete_each, get_json

if TYPE_CHECKING:
    from rich.table import Table

_WIDE: Final = 120
"""Minimum width in columns at which a list of runs shows whole ids, with years and engines."""
_MODE_CHARACTERS: Final = 16
"""Characters of a mode in a narrow list."""
_LISTED: Final = 5
"""Number of runs that the confirmation of a deletion names; any others are counted."""


def list_runs(
    limit: Annotated[int, typer.Option(min=1, max=100, help="How many to list.")] = 20,
    status: Annotated[
        str | None,
        option(
            "Only runs with this status: running, completed, partial, unanswered, stopped, failed, cancelled or "
            "terminated."
        ),
    ] = None,
    as_json: AsJson = False,
) -> None:
    """List runs, newest first."""
    page = get_json("/v1/runs", limit=limit, **({"status": status} if status else {}))
    if as_json:
        print_json(page)
        return
    console = make_results_console()
    nothing = "No run has this status." if status else "There are no runs yet; `elcano ask` starts one."
    console.print(build_runs_table(page["runs"], console.width) if page["runs"] else nothing)


def delete(runs: Runs, yes: Yes = False) -> None:
    """Delete runs that have ended, with their reports, evidence and everything else they left behind."""
    if not yes:
        named = ", ".join(runs) if len(runs) <= _LISTED else f"{len(runs)} runs"
        require_confirmation(
            f"Delete {named} with everything they left behind?",
            alone="deletion is permanent; without a terminal to confirm it, add --yes",
            refused="nothing was deleted",
        )
    raise typer.Exit(delete_each("/v1/runs", runs))


def build_runs_table(runs: list[dict[str, Any]], width: int) -> "Table":
    """Build a table of runs `width` columns wide, with whole ids if they fit beside everything else."""
    from rich.table import Table
    from rich.text import Text

    wide = width >= _WIDE
    ids = [str(run["run_id"]) for run in runs]
    shown = {one: one for one in ids} if wide else shorten_run_ids(ids)
    table = Table(box=None, pad_edge=False, expand=True)
    table.add_column("run", no_wrap=True, min_width=max(map(len, shown.values())))
    table.add_column("status", no_wrap=True, min_width=max(len(_format_status(run)) for run in runs))
    table.add_column("mode", no_wrap=True, overflow="ellipsis", max_width=None if wide else _MODE_CHARACTERS)
    if wide:
        table.add_column("engine", no_wrap=True)
    table.add_column("started", no_wrap=True)
    table.add_column("question", overflow="ellipsis", no_wrap=True, ratio=1)
    for run in runs:
        started = format_local_time(run["started_at"], "%Y-%m-%d %H:%M" if wide else "%m-%d %H:%M")
        page = run.get("links", {}).get("temporal_ui")
        run_id = Text(shown[run["run_id"]], style=f"link {page}" if page else "")
        engine = [run["engine"]] if wide else []
        question = " ".join(run["question"].split())
        table.add_row(run_id, _format_status(run), _format_mode(run), *engine, started, question)
    return table


def _format_status(run: Mapping[str, Any]) -> str:
    """Format a run's status in one word; for a waiting run, what it waits for.

    With a question mark: it was running when last heard of, and Temporal does not say whether it still is.
    """
    if run.get("stale"):
        return f"{run['status']}?"
    stage = run.get("stage")
    return str(run["status"] if stage in (None, "researching", "closed") else stage)


def _format_mode(run: Mapping[str, Any]) -> str:
    """Format a run's mode in one word; `auto/deep` for a run that chose its mode."""
    choice = run.get("choice")
    return f"{run['mode']}/{choice['mode']}" if isinstance(choice, dict) else str(run["mode"])
