"""Commands that list, delete, resume, roll back and fork runs, and show what they did; views are imported when used."""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from elcano.cli.options import (
    AddIterations,
    AddSeconds,
    AddSteps,
    AddTokens,
    AddUsd,
    AsJson,
    Background,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    GraphFile,
    Instructions,
    Key,
    Models,
    Reason,
    Run,
    Runs,
    Sources,
    StepNumber,
    Yes,
    drop_unset,
    load_graph_option,
    option,
    parse_models,
    shorten_run_ids,
)
from elcano.cli.printing import (
    exit_with_json,
    format_local_time,
    make_results_console,
    print_json,
    print_line,
    require_confirmation,
)
from elcano.cli.requests import delete_each, get_json, post_to_run

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
    exit_with_json(page, wanted=as_json)
    console = make_results_console()
    nothing = "No run has this status." if status else "There are no runs yet; `elcano ask` starts one."
    console.print(build_runs_table(page["runs"], console.width) if page["runs"] else nothing)


def delete_runs(runs: Runs, yes: Yes = False) -> None:
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
    """Build a table of runs `width` columns wide, with whole ids if they fit next to everything else."""
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
    """Format a run's status, with its stage in parentheses while it waits or writes: `running (held)`.

    `blocked`: it cannot continue until someone acts in Temporal. With a question mark: it was running at the last
    contact, and Temporal does not say whether it still is.
    """
    if run.get("blocked"):
        return "blocked"
    if run.get("stale"):
        return f"{run['status']}?"
    stage = run.get("stage")
    status = str(run["status"])
    return status if status != "running" or stage in (None, "researching", "closed") else f"{status} ({stage})"


def _format_mode(run: Mapping[str, Any]) -> str:
    """Format a run's mode in one word; `auto/deep` for a run that chose its mode."""
    choice = run.get("choice")
    return f"{run['mode']}/{choice['mode']}" if isinstance(choice, dict) else str(run["mode"])


def resume_run(
    run: Run,
    tokens: AddTokens = None,
    usd: AddUsd = None,
    seconds: AddSeconds = None,
    iterations: AddIterations = None,
    steps: AddSteps = None,
    section: Annotated[list[str] | None, option("Title of a section to research further. Repeatable.")] = None,
    model: Models = None,
    source: Sources = None,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Resume a run that failed, was stopped or ended early; finished work is kept."""
    added = {"tokens": tokens, "cost_usd": usd, "seconds": seconds, "iterations": iterations, "steps": steps}
    body = {
        "reason": reason,
        "add": drop_unset(added),
        "model": parse_models(model),
        "sources": source,
        "sections": section,
    }
    _print_resumed(run, post_to_run(run, "resume", drop_unset(body), key), as_json=as_json)


def roll_back_run(run: Run, step: StepNumber, reason: Reason = "", key: Key = "", as_json: AsJson = False) -> None:
    """Restore a run to its state before a step and continue from there."""
    body = drop_unset({"step": step, "reason": reason})
    _print_resumed(run, post_to_run(run, "rollback", body, key), as_json=as_json)


def fork_run(
    run: Run,
    step: StepNumber,
    question: Annotated[str, option("Ask this question instead.")] = "",
    background: Background = "",
    instructions: Instructions = "",
    guidance: Annotated[str, option("A further instruction for the agents.")] = "",
    graph: GraphFile = "",
    model: Models = None,
    source: Sources = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Start a run that reuses another run's steps before STEP, at no cost, and print its id."""
    body = {
        "step": step,
        "reason": reason,
        "question": question,
        "background": background,
        "instructions": instructions,
        "guidance": guidance,
        "graph": load_graph_option(graph),
        "model": parse_models(model),
        "sources": source,
        "budget": drop_unset({"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds}),
    }
    forked = post_to_run(run, "fork", drop_unset(body), key)
    print_json(forked) if as_json else print_line(forked["run_id"])


def _print_resumed(run: str, answer: dict[str, Any], *, as_json: bool) -> None:
    from elcano.graphs.text import format_count

    exit_with_json(answer, wanted=as_json)
    kept = answer["kept"]
    sections = f", {format_count(kept['sections'], 'section')}" if kept["sections"] else ""
    cost = f" (US$ {kept['cost_usd']:.4f})" if kept["cost_usd"] else ""
    print_line(
        f"{run} continues at step {answer['step']}, {answer['node']}; {format_count(kept['steps'], 'step')}{sections} "
        f"and {format_count(kept['tokens'], 'token')}{cost} are kept; `elcano watch {run}` shows it"
    )


def list_steps(run: Run, as_json: AsJson = False) -> None:
    """List a run's steps: what each was, how long it took, what it used and how it ended."""
    from elcano.cli.step_views import print_steps

    found = _fetch_all_steps(run)
    if as_json:
        print_json(found)
    else:
        print_steps(run, found)


def show_step(run: Run, number: StepNumber, as_json: AsJson = False) -> None:
    """Show a step: its input and output, what it changed and what it cost."""
    from elcano.cli.step_views import print_step

    path = f"/v1/runs/{run}/steps/{number}"
    if as_json:
        print_json(get_json(path, whole="true"))
    else:
        print_step(get_json(path))


def compare_runs(run: Run, other: Run, as_json: AsJson = False) -> None:
    """Compare two runs: request, steps, evidence, costs, and what the reports say."""
    from elcano.cli.step_views import print_comparison

    found = get_json(f"/v1/runs/{run}/diff/{other}")
    if as_json:
        print_json(found)
    else:
        print_comparison(found)


def _fetch_all_steps(run_id: str) -> dict[str, Any]:
    """Fetch all pages as one. The last step of a running run may end between two pages: the later page counts."""
    path = f"/v1/runs/{run_id}/steps"
    found: dict[str, Any] = get_json(path)
    rows = list(found["rows"])
    while found["next"] is not None:
        found = get_json(path, cursor=found["next"])
        rows += found["rows"]
    return {**found, "rows": rows}
