"""`elcano`: the command line. It speaks HTTP to the API and shows what comes back; nothing is decided here.

Modules are imported when a command needs them, so that `elcano --help` answers at once.
"""

import os
import sys
from collections.abc import Sequence
from typing import NoReturn


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see `cli.exits`)."""
    from elcano.cli.exits import Exit, Failed
    from elcano.graphs.errors import InputInvalid
    from elcano.output import guarded_output

    with guarded_output("elcano"):
        try:
            from elcano.cli.app import app
        except InputInvalid as error:  # the plugins that ELCANO_PLUGINS names cannot be loaded
            sys.stderr.write(f"elcano: {error}\n")
            return Exit.BAD_INPUT
        try:
            app(arguments)
        except Failed as error:
            sys.stderr.write(f"elcano: {error}\n")
            return error.code
    return 0


def replace_process(module: str, *arguments: str) -> NoReturn:
    """Replace this process by a program that needs more than HTTP: it gets all signals, and its exit code is ours.

    `-P`: no module in the user's folder is taken for one of ours.
    """
    os.execv(sys.executable, [sys.executable, "-P", "-m", module, *arguments])
