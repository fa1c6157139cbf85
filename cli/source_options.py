"""The commands about sources, and their options."""

from typing import Annotated

import typer

from elcano.cli.options import AsJson

app = typer.Typer()


@app.callback(invoke_without_command=True)
def listed(context: typer.Context, as_json: AsJson = False) -> None:
    """List sources with their status, and what is missing where one cannot be searched."""
    from elcano.cli import sources

    if context.invoked_subcommand is None:
        raise typer.Exit(sources.print_sources(as_json=as_json))


@app.command()
def check(
    name: Annotated[str, typer.Argument(help="The source, as `elcano sources` lists it.", show_default=False)],
    query: Annotated[str, typer.Argument(help="What to search for.", show_default=False)],
    limit: Annotated[int, typer.Option(min=1, max=50, help="Passages at most.")] = 5,
    as_json: AsJson = False,
) -> None:
    """Run one search on one source, through a worker, and show what it finds; nothing is kept."""
    from elcano.cli import sources

    raise typer.Exit(sources.print_source_check(name, query, limit, as_json=as_json))
