"""`elcano encryption`: keys, made on this machine; nothing is sent anywhere."""

from typing import Annotated

import typer

from elcano.cli.options import option
from elcano.cli.printing import print_line

app = typer.Typer(no_args_is_help=True)

More = Annotated[bool, option("Only one more key, to put before the others.")]


@app.callback()
def encryption() -> None:
    """Make the keys that encrypt what is kept."""


@app.command("new-keys")
def new_keys(more: More = False) -> None:
    """Print keys for ELCANO_ENCRYPTION_KEYS; keep them as safe as the data, and never lose one that data needs."""
    from elcano.plugins.encryption.keys import INDEX, make_key

    for line in (make_key(),) if more else (make_key(), make_key(INDEX)):
        print_line(line)
