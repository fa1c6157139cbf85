"""The commands about databases, and their options."""

from typing import Annotated

import typer

from elcano.cli.options import AsJson

app = typer.Typer()

Name = Annotated[str, typer.Argument(help="The database, as `elcano databases` lists it.", show_default=False)]


@app.callback(invoke_without_command=True)
def listed(context: typer.Context, as_json: AsJson = False) -> None:
    """List the databases that questions may be put to."""
    from elcano.plugins.data import databases_command as databases

    if context.invoked_subcommand is None:
        raise typer.Exit(databases.print_databases(as_json=as_json))


@app.command()
def check(name: Name, as_json: AsJson = False) -> None:
    """Open one database, through a worker, and say how many tables it has."""
    from elcano.plugins.data import databases_command as databases

    raise typer.Exit(databases.check_database(name, as_json=as_json))


@app.command()
def describe(name: Name, as_json: AsJson = False) -> None:
    """Show what a database holds: tables, columns, keys, counts, and values if the operator allows them."""
    from elcano.plugins.data import databases_command as databases

    raise typer.Exit(databases.describe_database(name, as_json=as_json))
