"""`elcano table`: evidence tables, a row for each document and a column for each question."""

from pathlib import Path
from typing import Annotated, Any

import typer

from elcano.cli.exit_codes import BadInput
from elcano.cli.options import (
    AddSeconds,
    AddTokens,
    AddUsd,
    AsJson,
    BudgetSeconds,
    BudgetTokens,
    BudgetUsd,
    Key,
    argument,
    drop_unset,
    option,
)
from elcano.cli.printing import exit_with_json, format_line, print_columns, print_json, print_line, require_writable
from elcano.cli.requests import get_json, open_api, post_json, print_note

TableId = Annotated[str, argument("A table's id.")]

app = typer.Typer(no_args_is_help=True)


@app.callback()
def make_evidence_tables() -> None:
    """Ask the same questions of many documents: a table with a quote in each cell."""


@app.command("make")
def make_table(
    source: Annotated[list[str], argument("Sources of documents: `uploads:NAME`, or the name of a folder.")],
    column: Annotated[list[str] | None, option("A column, as 'Participants=How many took part?'.")] = None,
    schema: Annotated[Path | None, option("A JSON Schema whose properties are the columns.")] = None,
    model: Annotated[str, option("The model that fills it in.")] = "",
    budget_tokens: BudgetTokens = None,
    budget_usd: BudgetUsd = None,
    budget_seconds: BudgetSeconds = None,
    name: Annotated[str, option("What it is called in lists.")] = "",
    key: Key = "",
    as_json: AsJson = False,
) -> None:
    """Make a table of all documents of some sources; without columns it is for screening alone."""
    from elcano.cli.graph_files import read_json_object

    form = None if schema is None else read_json_object(schema, "a JSON Schema")
    body = {
        "documents": [{"source": one} for one in source],
        "columns": [_read_column(one) for one in column or ()],
        "output_schema": form,
        "model": model,
        "budget": drop_unset({"tokens": budget_tokens, "cost_usd": budget_usd, "seconds": budget_seconds}),
        "name": name or ", ".join(source),
    }
    with open_api() as api:
        _print_table(api.post_with_key("/v1/evidence-tables", drop_unset(body), print_note, key), as_json=as_json)


def _read_column(text: str) -> dict[str, str]:
    name, equals, question = text.partition("=")
    if not (name.strip() and equals and question.strip()):
        raise BadInput(f"--column {text!r} is no column: write it as 'Participants=How many took part?'")
    return {"name": name.strip(), "question": question.strip()}


@app.command("list")
def list_tables(as_json: AsJson = False) -> None:
    """List your tables, the newest first."""
    found: dict[str, Any] = get_json("/v1/evidence-tables")
    exit_with_json(found, wanted=as_json)
    rows = [[one["id"], one["state"], _format_counts(one), format_line(one["name"])] for one in found["tables"]]
    print_columns([["table", "state", "rows", "name"], *rows])


@app.command("show")
def show_table(table_id: TableId, as_json: AsJson = False) -> None:
    """Show how far a table is, and the flow of its records."""
    _print_table(get_json(f"/v1/evidence-tables/{table_id}", limit=0), as_json=as_json)


@app.command("save")
def save_table(table_id: TableId, out: Annotated[Path, option("Save it as this file: .csv, or .xlsx.")]) -> None:
    """Save a table with its quotes."""
    form = out.suffix.lower().removeprefix(".")
    if form not in ("csv", "xlsx"):
        raise BadInput(f"{out} says not as what to save it: end it with .csv or .xlsx")
    require_writable(out)
    with open_api() as api:
        api.download(f"/v1/evidence-tables/{table_id}/export?format={form}", out)
    print_line(str(out))


@app.command("top-up")
def top_up_table(
    table_id: TableId, tokens: AddTokens = None, usd: AddUsd = None, seconds: AddSeconds = None, key: Key = ""
) -> None:
    """Raise the budget of a table; rows that wait for it are filled in."""
    _post_to_table(table_id, "top-up", drop_unset({"tokens": tokens, "cost_usd": usd, "seconds": seconds}), key)


@app.command("add-columns")
def add_columns_to_table(
    table_id: TableId,
    column: Annotated[list[str], option("A column, as 'Participants=How many took part?'.")],
    model: Annotated[str, option("The model that fills them in; else that of the table.")] = "",
    key: Key = "",
) -> None:
    """Add columns to a table; only their cells are paid for. Excluded rows are left out."""
    _post_to_table(
        table_id, "columns", drop_unset({"columns": [_read_column(one) for one in column], "model": model}), key
    )


@app.command("fill")
def fill_table(table_id: TableId, key: Key = "") -> None:
    """Ask again for cells whose run failed, was cancelled or deleted; nothing else is paid for."""
    _post_to_table(table_id, "fill", {}, key)


@app.command("cancel")
def cancel_table(table_id: TableId) -> None:
    """Stop filling a table; what is there stays."""
    _print_table(post_json(f"/v1/evidence-tables/{table_id}/cancel", {}), as_json=False)


def _post_to_table(table_id: str, action: str, body: dict[str, Any], key: str) -> None:
    with open_api() as api:
        path = f"/v1/evidence-tables/{table_id}/{action}"
        _print_table(api.post_with_key(path, body, print_note, key), as_json=False)


def _print_table(view: dict[str, Any], *, as_json: bool) -> None:
    if as_json:
        print_json(view)
        return
    print_line(f"{view['id']}  {view['state']}  {_format_counts(view)}  {format_line(view['name'])}")
    flow = view["flow"]
    names = ("records", "duplicates", "screened", "included", "excluded", "unsure", "undecided", "unreadable")
    print_line("  " + ", ".join(f"{flow[name]} {name}" for name in names))
    if view["reason"]:
        print_note(view["reason"])


def _format_counts(view: dict[str, Any]) -> str:
    return ", ".join(f"{number} {status}" for status, number in sorted(view["counts"].items()))
