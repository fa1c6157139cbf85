"""`elcano`: the command line. It speaks HTTP to the API and shows what comes back; nothing is decided here.

Modules are imported when a command needs them, so that `elcano --help` answers at once.
"""

import sys
from collections.abc import Sequence

from elcano.program_start import leave_on_interrupt, raise_on_interrupt


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one command and return its exit code (see `cli.exit_codes`)."""
    try:
        return _run_command(arguments)
    finally:
        if arguments is None:  # as a program, which is over: Python's own end is not to be a traceback
            leave_on_interrupt()


def _run_command(arguments: Sequence[str] | None) -> int:
    leave_on_interrupt()
    from elcano.cli.exit_codes import Exit, Failed
    from elcano.graphs.errors import InputInvalid
    from elcano.output import guarded_output
    from elcano.settings.environment import SettingsInvalid

    with guarded_output("elcano"):
        try:
            try:
                from elcano.cli.app import app
            finally:
                raise_on_interrupt()
            app(arguments)
        except (InputInvalid, SettingsInvalid) as error:  # also: the plugins of ELCANO_PLUGINS cannot be loaded
            sys.stderr.write(f"elcano: {error}\n")
            return Exit.BAD_INPUT
        except Failed as error:
            sys.stderr.write(f"elcano: {error}\n")
            return error.code
    return 0
