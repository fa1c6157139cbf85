"""The commands about databases: list them, check that each can be opened, and show what it holds."""

import sys
from typing import Any
from urllib.parse import quote

from elcano.cli.client import Api
from elcano.cli.exits import Exit
from elcano.cli.printing import format_seconds, print_json
from elcano.settings import program_settings


def print_databases(*, as_json: bool) -> Exit:
    """Prints the databases, one a line."""
    with Api(program_settings().base_url) as api:
        found: list[Any] = api.get("/v1/databases")
    if as_json:
        print_json(found)
        return Exit.OK
    if not found:
        _print_escaped("There are no databases; name one in ELCANO_DATABASES.")
    width = max((len(one["name"]) for one in found), default=0)
    for one in found:
        _print_escaped(f"{one['name']:<{width}}  {one['dialect']}")
    return Exit.OK


def check_database(name: str, *, as_json: bool) -> Exit:
    """Prints whether a database can be read."""
    found = _fetch_database(name, "?values=false")
    if as_json:
        print_json({"name": found["name"], "dialect": found["dialect"], "tables": len(found["tables"])})
        return Exit.OK
    _print_escaped(
        f"{name} ({found['dialect']}) can be read: {_format_table_count(found)}, in {format_seconds(found['seconds'])}"
    )
    return Exit.OK


def describe_database(name: str, *, as_json: bool) -> Exit:
    """Prints the tables of a database with their columns."""
    found = _fetch_database(name, "")
    if as_json:
        print_json(found)
        return Exit.OK
    _print_escaped(f"{name} ({found['dialect']}): {_format_table_count(found)}")
    for table in found["tables"]:
        name = table["name"].replace("\n", " ")
        rows = "" if table["rows"] is None else f", {'about ' if table['estimated'] else ''}{table['rows']:,} rows"
        _print_escaped(
            f"\n{name} ({table['kind']}{rows})"
            + (f": {' '.join(table['comment'].split())}" if table["comment"] else "")
        )
        width = max((len(column["name"]) for column in table["columns"]), default=0)
        for column in table["columns"]:
            told = f"{column['name']:<{width}}  " + "; ".join(_of_column(column, table))
            _print_escaped("  " + told.replace("\n", " "))
    return Exit.OK


def _fetch_database(name: str, query: str) -> dict[str, Any]:
    with Api(program_settings().base_url) as api:
        found: dict[str, Any] = api.get(f"/v1/databases/{quote(name, safe='')}{query}")
    return found


def _of_column(column: dict[str, Any], table: dict[str, Any]) -> list[str]:
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
