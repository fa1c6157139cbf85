"""`elcano documents`: documents of your own, uploaded into collections that runs can search."""

import typer

app = typer.Typer(no_args_is_help=True)


@app.callback()
def documents() -> None:
    """Upload documents into collections of your own, which runs can search."""
