"""The commands about databases: list them, check that each can be opened, and show what it holds."""

import sys
from typing import Annotated, Any
from urllib.parse import quote

import typer

from elcano.cli.options import AsJson

app = typer.Typer()

Name = Annotated[str, typer.Argument(help="The database, as `elcano databases` lists it.", show_default=False)]


@app.callback(invoke_without_command=True)
def list_databases(context: typer.Context, as_json: AsJson = False) -> None:
    """List the databases that questions may be put to."""
    if context.invoked_subcommand is not None:
        return
    found = _fetch_databases("")
    if as_json:
        _print_json(found)
        return
    if not found:
        _print_escaped("There are no databases; name one in ELCANO_DATABASES.")
    width = max((len(one["name"]) for one in found), default=0)
    for one in found:
        _print_escaped(f"{one['name']:<{width}}  {one['dialect']}")


@app.command()
def check(name: Name, as_json: AsJson = False) -> None:
    """Open one database, through a worker, and say how many tables it has."""
    from elcano.cli.printing import format_seconds

    found = _fetch_databases(f"/{quote(name, safe='')}?values=false")
    if as_json:
        _print_json({"name": found["name"], "dialect": found["dialect"], "tables": len(found["tables"])})
        return
    _print_escaped(
        f"{name} ({found['dialect']}) can be read: {_format_table_count(found)}, in {format_seconds(found['seconds'])}"
    )


@app.command()
def describe(name: Name, as_json: AsJson = False) -> None:
    """Show what a database holds: tables, columns, keys, counts, and values if the operator allows them."""
    found = _fetch_databases(f"/{quote(name, safe='')}")
    if as_json:
        _print_json(found)
        return
    _print_escaped(f"{name} ({found['dialect']}): {_format_table_count(found)}")
    for table in found["tables"]:
        _print_table(table)


def _print_table(table: dict[str, Any]) -> None:
    name = table["name"].replace("\n", " ")
    rows = "" if table["rows"] is None else f", {'about ' if table['estimated'] else ''}{table['rows']:,} rows"
    comment = f": {' '.join(table['comment'].split())}" if table["comment"] else ""
    _print_escaped(f"\n{name} ({table['kind']}{rows}){comment}")
    width = max((len(column["name"]) for column in table["columns"]), default=0)
    for column in table["columns"]:
        line = f"  {column['name']:<{width}}  " + "; ".join(_describe_column(column, table))
        _print_escaped(line.replace("\n", " "))


def _fetch_databases(path: str) -> Any:
    from elcano.cli.client import Api  # now, so that the program starts quickly
    from elcano.settings import program_settings

    with Api(program_settings().base_url) as api:
        return api.get(f"/v1/databases{path}")


def _describe_column(column: dict[str, Any], table: dict[str, Any]) -> list[str]:
    """Describe a column: its type, whether it is a key, its comment and its values."""
    name = column["name"]
    told = [column["type"] or column["kind"]]
    told += ["key"] if name in table["primary_key"] else []
    for key in table["foreign_keys"]:
        if name in key["columns"]:
            to = f"{key['table']}.{key['referred'][key['columns'].index(name)]}"
            told.append(f"refers to {to}" + ("" if key["declared"] else " (by its name)"))
    told += [column["comment"]] if column["comment"] else []
    if column["lowest"] is not None:
        told.append(f"{column['lowest']} to {column['highest']}")
    elif column["samples"]:
        told.append(", ".join(repr(value) for value in column["samples"][:5]))
    return told


def _format_table_count(found: dict[str, Any]) -> str:
    count = len(found["tables"])
    return "1 table" if count == 1 else f"{count} tables"


def _print_escaped(text: str) -> None:
    """Names and comments are a stranger's: signs that would steer a terminal are written out."""
    shown = (sign if sign.isprintable() or sign == "\n" else ascii(sign)[1:-1] for sign in text)
    sys.stdout.write("".join(shown) + "\n")


def _print_json(found: Any) -> None:
    from elcano.cli.printing import print_json

    print_json(found)
