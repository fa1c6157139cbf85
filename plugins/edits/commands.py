"""`elcano edit`: changes a finished report by words, and prints the new one."""

from typing import Annotated

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


def edit(
    run: Run,
    instruction: Annotated[str, argument('What is to change: "shorter, for managers, with a table of doses".')],
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    model: Models = None,
    no_watch: Annotated[bool, typer.Option("--no-watch", help="Print the new run's id and exit.")] = False,
    as_json: AsJson = False,
    out: Out = None,
    key: Key = "",
) -> None:
    """Change a finished report by words: a new run rewrites it from the same passages and checks it again."""
    budget = drop_unset({"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds})
    body = {"instruction": instruction, **drop_unset({"model": parse_models(model), "budget": budget})}
    require_writable(out)
    with open_api() as api:
        begun = api.post_with_key(f"/v1/runs/{run}/edits", body, print_note, key)
        if no_watch:
            print_json(begun) if as_json else print_line(begun["run_id"])
            return
        raise typer.Exit(watch_and_deliver(api, begun, as_json=as_json, out=out))
