"""`elcano encryption`: keys, made on this machine, and what is kept under which of them."""

from typing import Annotated

import typer

from elcano.cli.exit_codes import BadInput, Failed, Unreachable
from elcano.cli.options import option
from elcano.cli.printing import print_columns, print_line
from elcano.cli.requests import print_note

app = typer.Typer(
    no_args_is_help=True, help="Make the keys that encrypt what is kept, and rewrite what is kept under others."
)

More = Annotated[bool, option("Only one more key, for a rotation: put it last, and first once every program has it.")]


@app.command("new-keys")
def new_keys(more: More = False) -> None:
    """Print keys for ELCANO_ENCRYPTION_KEYS; keep them as safe as the data, and never lose one that data needs."""
    from elcano.operations.encryption.keys import INDEX, make_key

    for line in (make_key(),) if more else (make_key(), make_key(INDEX)):
        print_line(line)


@app.command("reseal")
def rewrite_values() -> None:
    """Encrypt stored values that are in clear or under another key with the first key; it needs access to the store.

    Runs may go on meanwhile. A command that was interrupted is begun again. Histories in Temporal keep their keys.
    """
    _look_at_everything(rewrite=True, histories=False)


@app.command("keys-in-use")
def keys_in_use(
    histories: Annotated[
        bool, typer.Option("--histories", help="Look into every history in Temporal too: a request for each.")
    ] = False,
) -> None:
    """List the keys that stored values still need, on a machine that can open the store."""
    _look_at_everything(rewrite=False, histories=histories)


def _look_at_everything(*, rewrite: bool, histories: bool) -> None:
    import asyncio

    from elcano.graphs.errors import ElcanoError
    from elcano.operations.encryption.reseal import CLEAR, reseal_store
    from elcano.settings import program_settings
    from elcano.settings.plugins import SettingsInvalid

    try:
        ring, use = asyncio.run(reseal_store(program_settings(), rewrite=rewrite, histories=histories))
    except (SettingsInvalid, ElcanoError) as error:
        raise BadInput(str(error)) from error
    except RuntimeError as error:  # how Temporal's client says that it cannot connect
        raise Unreachable(f"the histories cannot be looked into: {error}") from error
    rows = [[place, key or "(in clear)", f"{count:,}"] for (place, key), count in sorted(use.kept.items())]
    print_columns([["where", "key", "values"], *rows])
    if rewrite:
        print_line(f"{use.rewritten:,} values were rewritten with the key {ring.active!r}")
    for fault in use.faults:
        print_note(fault)
    unneeded = [key for key in ring.list_ids() if key not in {*use.list_keys(), ring.active}]
    if CLEAR in {key for _, key in use.kept}:
        print_note(
            "some of it is in clear: `elcano encryption reseal` encrypts what is in the database and in artifacts"
        )
    if unneeded and histories and not use.faults:
        print_line(
            f"Nothing needs {', '.join(map(repr, unneeded))}: take it out of the keys, and keep a copy with backups"
        )
    elif unneeded:
        print_line(
            f"Only histories in Temporal can need {', '.join(map(repr, unneeded))}: see `keys-in-use --histories`"
        )
    if use.faults:
        raise Failed(f"{len(use.faults)} values cannot be read, and are left as they are: see above")
