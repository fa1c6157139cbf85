"""`elcano resume`, `rollback` and `fork`: runs that go on, and runs that begin as another one did."""

import json
from typing import Annotated, Any

import typer

from elcano.cli.model_options import ModelsFromHere, model_request
from elcano.cli.options import AsJson, Key, Run

Reason = Annotated[str, typer.Option(help="Shown in the events.", show_default=False)]
Source = Annotated[
    list[str] | None, typer.Option(help="Search only this from here on; repeatable; left out: as before.")
]
Step = Annotated[int, typer.Argument(min=1, help="A step's number, as `elcano steps` lists them.", show_default=False)]


def resume(
    run: Run,
    tokens: Annotated[int, typer.Option(min=0, help="Tokens to add.", show_default=False)] = 0,
    usd: Annotated[float, typer.Option(min=0, help="US dollars to add.", show_default=False)] = 0.0,
    seconds: Annotated[float, typer.Option(min=0, help="Seconds to add.", show_default=False)] = 0.0,
    iterations: Annotated[int, typer.Option(min=0, help="Turns to add.", show_default=False)] = 0,
    steps: Annotated[int, typer.Option(min=0, help="Steps to add.", show_default=False)] = 0,
    section: Annotated[
        list[str] | None, typer.Option(help="Title of a section to be researched on; repeatable.", show_default=False)
    ] = None,
    model: ModelsFromHere = None,
    source: Source = None,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Resume a run that failed, was stopped or ended early; finished work is kept."""
    added = {"tokens": tokens, "cost_usd": usd, "seconds": seconds, "iterations": iterations, "steps": steps}
    body = {
        "reason": reason,
        "add": {name: value for name, value in added.items() if value},
        "model": model_request(model),
        "sources": source,
        "sections": section,
    }
    _post_resume(run, "resume", body, key, as_json)


def rollback(run: Run, step: Step, reason: Reason = "", key: Key = "", as_json: AsJson = False) -> None:
    """Take a run back to before a step, from where it goes on; what came after that is undone."""
    _post_resume(run, "rollback", {"step": step, "reason": reason}, key, as_json)


def fork(
    run: Run,
    step: Step,
    question: Annotated[str, typer.Option(help="What is to be found out instead.", show_default=False)] = "",
    background: Annotated[str, typer.Option(help="What the agents should know besides.", show_default=False)] = "",
    instructions: Annotated[str, typer.Option(help="What you want of the report.", show_default=False)] = "",
    guidance: Annotated[str, typer.Option(help="A further instruction to its agents.", show_default=False)] = "",
    graph: Annotated[str, typer.Option(help="Walk this graph instead, a JSON file.", show_default=False)] = "",
    model: ModelsFromHere = None,
    source: Source = None,
    budget_tokens: Annotated[int, typer.Option(min=0, help="Tokens to spend at most.", show_default=False)] = 0,
    budget_usd: Annotated[float, typer.Option(min=0, help="US dollars at most.", show_default=False)] = 0.0,
    budget_seconds: Annotated[float, typer.Option(min=0, help="Seconds at most.", show_default=False)] = 0.0,
    reason: Reason = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Start a run that begins with the steps of another one before STEP, without paying for them."""
    from elcano.cli import graphs

    budget = {"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds}
    body = {
        "step": step,
        "reason": reason,
        "question": question,
        "background": background,
        "instructions": instructions,
        "guidance": guidance,
        "graph": graphs.load_graph(graph).model_dump(mode="json") if graph else None,
        "model": model_request(model),
        "sources": source,
        "budget": {name: value for name, value in budget.items() if value},
    }
    told = _post_run_request(run, "fork", body, key)
    typer.echo(json.dumps(told) if as_json else told["run_id"])


def _post_resume(run: str, what: str, body: dict[str, Any], key: str, as_json: bool) -> None:
    from elcano.graphs.text import format_count

    told = _post_run_request(run, what, body, key)
    if as_json:
        typer.echo(json.dumps(told))
        return
    kept = told["kept"]
    sections = f", {format_count(kept['sections'], 'section')}" if kept["sections"] else ""
    cost = f" (US$ {kept['cost_usd']:.4f})" if kept["cost_usd"] else ""
    typer.echo(
        f"{run} goes on at step {told['step']}, {told['node']}; {format_count(kept['steps'], 'step')}{sections} and "
        f"{format_count(kept['tokens'], 'token')}{cost} are kept; `elcano watch {run}` shows it"
    )


def _post_run_request(run: str, what: str, body: dict[str, Any], key: str) -> dict[str, Any]:
    from elcano.cli.run_commands import open_api, print_note

    said = {name: value for name, value in body.items() if value}
    with open_api() as api:
        told: dict[str, Any] = api.post(f"/v1/runs/{run}/{what}", said, print_note, key)
    return told
