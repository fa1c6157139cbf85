"""`elcano edit` changes a finished report by words, `elcano update` brings one up to date; both print the new one."""

from pathlib import Path
from typing import Annotated, Any

import typer

from elcano.cli.ask import watch_and_deliver
from elcano.cli.options import (
    AsJson,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    Key,
    Models,
    Out,
    Run,
    argument,
    drop_unset,
    parse_models,
)
from elcano.cli.printing import print_json, print_line, require_writable
from elcano.cli.requests import open_api, print_note

NoWatch = Annotated[bool, typer.Option("--no-watch", help="Print the new run's id and exit.")]


def edit_report(
    run: Run,
    instruction: Annotated[str, argument('What is to change: "shorter, for managers, with a table of doses".')],
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    model: Models = None,
    no_watch: NoWatch = False,
    as_json: AsJson = False,
    out: Out = None,
    key: Key = "",
) -> None:
    """Change a finished report by words: a new run rewrites it from the same passages and checks it again."""
    body = {"instruction": instruction} | _describe_run(model, budget_tokens, budget_usd, budget_seconds)
    _start_and_watch(f"/v1/runs/{run}/edits", body, no_watch, as_json, out, key)


def update_report(
    run: Run,
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    model: Models = None,
    no_watch: NoWatch = False,
    as_json: AsJson = False,
    out: Out = None,
    key: Key = "",
) -> None:
    """Bring a finished report up to date: a new run searches again and rewrites only what has changed."""
    body = _describe_run(model, budget_tokens, budget_usd, budget_seconds)
    _start_and_watch(f"/v1/runs/{run}/updates", body, no_watch, as_json, out, key)


def _describe_run(
    model: list[str] | None, tokens: int | None, usd: float | None, seconds: float | None
) -> dict[str, Any]:
    budget = drop_unset({"tokens": tokens, "cost_usd": usd, "seconds": seconds})
    return drop_unset({"model": parse_models(model), "budget": budget})


def _start_and_watch(
    path: str, body: dict[str, Any], no_watch: bool, as_json: bool, out: Path | None, key: str
) -> None:
    require_writable(out)
    with open_api() as api:
        begun = api.post_with_key(path, body, print_note, key)
        if no_watch:
            print_json(begun) if as_json else print_line(begun["run_id"])
            return
        raise typer.Exit(watch_and_deliver(api, begun, as_json=as_json, out=out))
