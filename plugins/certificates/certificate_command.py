"""`elcano certificate` and `verify`: all that a report was made of as one file, which is checked without the server."""

import sys
from pathlib import Path
from typing import Annotated

import typer

from elcano.cli.exits import Exit, Failed
from elcano.cli.options import Run
from elcano.cli.program_exec import replace_process

File = Annotated[str, typer.Argument(help="What `elcano certificate` wrote.", show_default=False)]
Out = Annotated[
    Path | None, typer.Option(help="Write it to this file; left out: `RUN.certificate.json`.", show_default=False)
]


def certificate(run: Run, out: Out = None) -> None:
    """Save everything that a run's report was made of, as one file."""
    from elcano.cli.run_commands import open_api

    file = Path(f"{run}.certificate.json") if out is None else out
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise Failed(f"--out {str(file)!r} is not a file in an existing folder", Exit.BAD_INPUT)
    with open_api() as api:
        api.save(f"/v1/runs/{run}/certificate", file)
    sys.stdout.write(f"{file}\n")


def verify(file: File) -> None:
    """Check a certificate, without a server: does the report follow from the recorded evidence?"""
    replace_process("elcano.plugins.certificates.verification.verify_command", file)
