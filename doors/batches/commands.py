"""`elcano batch`: many questions, or one question about each line of a table, under one budget."""

from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from elcano.cli.exit_codes import BadInput, Exit
from elcano.cli.options import (
    AddSeconds,
    AddTokens,
    AddUsd,
    AsJson,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    Key,
    Models,
    Sources,
    argument,
    drop_unset,
    option,
    parse_models,
)
from elcano.cli.printing import exit_with_json, format_line, print_columns, print_json, print_line, require_writable
from elcano.cli.requests import get_json, open_api, post_json, print_note

BatchId = Annotated[str, argument("A batch's id.")]


class _FileOrCommand(TyperGroup):
    """`elcano batch FILE` is `elcano batch start FILE`."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        known = args and (args[0] in self.commands or args[0] == "--help")
        return super().parse_args(ctx, args if known or not args else ["start", *args])


app = typer.Typer(no_args_is_help=True, cls=_FileOrCommand)


@app.callback()
def research_batch() -> None:
    """Research many questions under one budget: `elcano batch FILE`."""


@app.command("start")
def start_batch(
    file: Annotated[Path, argument("The questions: CSV with a line of names, or JSON Lines.")],
    question: Annotated[str, option("For CSV: the question of each line, as 'What does {company} sell?'.")] = "",
    schema: Annotated[Path | None, option("A JSON Schema: its fields become the columns of the results.")] = None,
    mode: Annotated[str, option("The mode; left out: chosen from each question.")] = "",
    source: Sources = None,
    model: Models = None,
    run_file: Annotated[Path | None, option("A JSON file with other fields of `POST /v1/runs` for all.")] = None,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    at_once: Annotated[int | None, option("How many runs may go on at the same time.", min=1, max=50)] = None,
    skip_invalid: Annotated[bool, typer.Option("--skip-invalid", help="Skip questions that cannot work.")] = False,
    name: Annotated[str, option("What it is called in lists.")] = "",
    out: Annotated[Path | None, option("Wait until all is done, and save the results: .csv, or .jsonl.")] = None,
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Start a run for each question of a file; all share the budget. `start` may be left out."""
    from elcano.cli.graph_files import read_json_object
    from elcano.client.batches import AsyncBatch, read_questions
    from elcano.client.errors import InvalidFiles

    defaults: dict[str, Any] = {} if run_file is None else dict(read_json_object(run_file, "an object of fields"))
    form = None if schema is None else read_json_object(schema, "a JSON Schema")
    given = {"question": question, "mode": mode, "sources": source, "model": parse_models(model), "output_schema": form}
    budget = drop_unset({"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds})
    defaults |= drop_unset(given)
    try:
        questions = read_questions(file)
    except InvalidFiles as error:
        raise BadInput(str(error)) from error
    body = {
        "questions": questions,
        "defaults": defaults,
        "budget": budget,
        "at_once": at_once,
        "skip_invalid": skip_invalid or None,
        "name": name or file.name,
    }
    if "question" not in defaults and any("question" not in one for one in questions):
        raise BadInput(f"{file} has not a `question` for each line: give --question 'What does {{column}} ...?'")
    require_writable(out)
    with open_api() as api:
        view = api.post_with_key("/v1/batches", drop_unset(body), print_note, key)
        started = AsyncBatch(api.connection, view["id"])
        if out is not None:
            print_note(f"batch {view['id']} continues by itself; `elcano batch show {view['id']}` shows its status")
            view = api.wait(started.wait, print_note)
            api.call(started.save, out)
    _print_batch(view, as_json=as_json)
    if out is not None and view["state"] != "ended":
        raise typer.Exit(Exit.PARTIAL)


@app.command("list")
def list_batches(as_json: AsJson = False) -> None:
    """List your batches, the newest first."""
    found: dict[str, Any] = get_json("/v1/batches")
    exit_with_json(found, wanted=as_json)
    rows = [[one["id"], one["state"], _format_counts(one), format_line(one["name"])] for one in found["batches"]]
    print_columns([["batch", "state", "questions", "name"], *rows])


@app.command("show")
def show_batch(batch_id: BatchId, as_json: AsJson = False) -> None:
    """Show the status of a batch."""
    _print_batch(get_json(f"/v1/batches/{batch_id}", limit=0), as_json=as_json)


@app.command("results")
def save_results(batch_id: BatchId, out: Annotated[Path, option("Save them as this file: .csv, or .jsonl.")]) -> None:
    """Save the results of each question so far, as a table or as lines of JSON."""
    from elcano.client.batches import AsyncBatch

    require_writable(out)
    with open_api() as api:
        api.call(AsyncBatch(api.connection, batch_id).save, out)
    print_line(str(out))


@app.command("top-up")
def top_up_batch(
    batch_id: BatchId, tokens: AddTokens = None, usd: AddUsd = None, seconds: AddSeconds = None, key: Key = ""
) -> None:
    """Raise the budget of a batch; one that is out of it continues."""
    body = drop_unset({"tokens": tokens, "cost_usd": usd, "seconds": seconds})
    with open_api() as api:
        _print_batch(api.post_with_key(f"/v1/batches/{batch_id}/top-up", body, print_note, key), as_json=False)


@app.command("cancel")
def cancel_batch(batch_id: BatchId) -> None:
    """Cancel the open runs of a batch, and start no others."""
    _print_batch(post_json(f"/v1/batches/{batch_id}/cancel", {}), as_json=False)


def _print_batch(view: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(view)
        return
    print_line(f"{view['id']}  {view['state']}  {_format_counts(view)}  {format_line(view['name'])}")
    for name, unit in (("tokens", "tokens"), ("cost_usd", "US$")):
        if (limit := view[name]["limit"]) is not None:
            print_line(f"  {unit}: {view[name]['used']:,} used of {limit:,}")
    if view["reason"]:
        print_note(view["reason"])


def _format_counts(view: dict[str, Any]) -> str:
    return ", ".join(f"{number} {status}" for status, number in sorted(view["counts"].items()))
