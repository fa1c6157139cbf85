"""`elcano delete`: runs go for good, so a person is asked first."""

import sys
from collections.abc import Sequence

import typer

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.settings import program_settings

_LISTED = 5
"""Runs that the question names; of more it says how many."""


def delete_runs(runs: Sequence[str], *, sure: bool) -> Exit:
    """Deletes each run; one that cannot be deleted does not keep the others. The exit code is that of the first fault.

    Raises:
        Failed: nobody confirmed it, or the API cannot be reached: the runs that are left were not asked for.
    """
    if not sure:
        _confirm_deletion(runs)
    code = Exit.OK
    with Api(program_settings().base_url) as api:
        for run_id in dict.fromkeys(runs):
            try:
                api.delete(f"/v1/runs/{run_id}")
            except Failed as error:
                if error.code == Exit.NOT_REACHABLE:
                    raise
                sys.stderr.write(f"elcano: {run_id}: {error}\n")
                code = code or error.code
            else:
                sys.stdout.write(f"{run_id} is deleted\n")
    return code


def _confirm_deletion(runs: Sequence[str]) -> None:
    if not sys.stdin.isatty():
        raise Failed("deleting is for good and nobody can be asked here: add --yes", Exit.BAD_INPUT)
    named = ", ".join(runs) if len(runs) <= _LISTED else f"{len(runs)} runs"
    if not typer.confirm(f"Delete {named} with everything that was left?", err=True):
        raise Failed("nothing was deleted", Exit.BAD_INPUT)
