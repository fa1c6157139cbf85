"""`elcano encryption`: keys, made on this machine."""

from typing import Annotated

import typer

from elcano.cli.options import option
from elcano.cli.printing import print_line

app = typer.Typer(no_args_is_help=True, help="Make the keys that encrypt what is kept.")

More = Annotated[bool, option("Only one more key, for a rotation: put it last, and first once every program has it.")]


@app.callback()
def manage_encryption() -> None:
    """Keeps `new-keys` a command of its own: typer runs the only command of a group without its name."""


@app.command("new-keys")
def new_keys(more: More = False) -> None:
    """Print keys for ELCANO_ENCRYPTION_KEYS; keep them as safe as the data, and never lose one that data needs."""
    from elcano.operations.encryption.keys import INDEX, make_key

    for line in (make_key(),) if more else (make_key(), make_key(INDEX)):
        print_line(line)
