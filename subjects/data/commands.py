"""`elcano databases`: list the databases, check that each can be opened, and show what it holds."""

from typing import Annotated, Any
from urllib.parse import quote

import typer

from elcano.cli.options import AsJson, argument
from elcano.cli.printing import exit_with_json, format_seconds, print_line, print_printable
from elcano.cli.requests import get_json

app = typer.Typer()

Name = Annotated[str, argument("The database, as `elcano databases` lists it.")]


@app.callback(invoke_without_command=True)
def list_databases(context: typer.Context, as_json: AsJson = False) -> None:
    """List the databases that can be queried."""
    if context.invoked_subcommand is not None:
        return
    found: list[Any] = get_json("/v1/databases")
    exit_with_json(found, wanted=as_json)
    if not found:
        print_printable("There are no databases; name one in ELCANO_DATABASES.")
    width = max((len(one["name"]) for one in found), default=0)
    for one in found:
        print_printable(f"{one['name']:<{width}}  {one['dialect']}")


@app.command("check")
def check_database(name: Name, as_json: AsJson = False) -> None:
    """Open one database, through a worker, and count its tables."""
    found = _fetch_database(name, "?values=false")
    exit_with_json({"name": found["name"], "dialect": found["dialect"], "tables": len(found["tables"])}, wanted=as_json)
    seconds = format_seconds(found["seconds"])
    print_printable(f"{name} ({found['dialect']}) can be read: {_format_table_count(found)}, in {seconds}")


@app.command("describe")
def describe_database(name: Name, as_json: AsJson = False) -> None:
    """Show a database's tables, columns, keys, counts, and sample values if the operator allows them."""
    found = _fetch_database(name, "")
    exit_with_json(found, wanted=as_json)
    print_printable(f"{name} ({found['dialect']}): {_format_table_count(found)}")
    for table in found["tables"]:
        rows = "" if table["rows"] is None else f", {'about ' if table['estimated'] else ''}{table['rows']:,} rows"
        comment = f": {' '.join(table['comment'].split())}" if table["comment"] else ""
        title = table["name"].replace("\n", " ")
        print_line("")
        print_printable(f"{title} ({table['kind']}{rows}){comment}")
        width = max((len(column["name"]) for column in table["columns"]), default=0)
        for column in table["columns"]:
            description = f"{column['name']:<{width}}  " + "; ".join(_describe_column(column, table))
            print_printable("  " + description.replace("\n", " "))


def _fetch_database(name: str, query: str) -> dict[str, Any]:
    found: dict[str, Any] = get_json(f"/v1/databases/{quote(name, safe='')}{query}")
    return found


def _describe_column(column: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """Describe a column: its type, whether it is a key, its comment and its values."""
    name = column["name"]
    parts = [column["type"] or column["kind"]]
    parts += ["key"] if name in table["primary_key"] else []
    for key in table["foreign_keys"]:
        if name in key["columns"]:
            to = f"{key['table']}.{key['referred'][key['columns'].index(name)]}"
            parts.append(f"refers to {to}" + ("" if key["declared"] else " (by its name)"))
    parts += [column["comment"]] if column["comment"] else []
    if column["lowest"] is not None:
        parts.append(f"{column['lowest']} to {column['highest']}")
    elif column["samples"]:
        parts.append(", ".join(repr(value) for value in column["samples"][:5]))
    return parts


def _format_table_count(found: dict[str, Any]) -> str:
    count = len(found["tables"])
    return "1 table" if count == 1 else f"{count} tables"
