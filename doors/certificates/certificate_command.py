"""`elcano certificate` and `verify`: everything a report was made from as one file, checked without a server."""

from pathlib import Path
from typing import Annotated

from elcano.cli.exit_codes import replace_process
from elcano.cli.options import Run, argument, option
from elcano.cli.printing import print_line, require_writable
from elcano.cli.requests import open_api

File = Annotated[
    str, argument("A certificate, as `elcano certificate` saves it, or the archive of `elcano export --format zip`.")
]
Out = Annotated[Path | None, option("Save it as this file; by default `RUN.certificate.json`.")]

Documents = Annotated[
    Path | None, option("The folder of the cited files: they are compared, and their quotes read again.")
]


def save_certificate(run: Run, out: Out = None) -> None:
    """Save everything that a run's report was made from as one file."""
    file = Path(f"{run}.certificate.json") if out is None else out
    require_writable(file)
    with open_api() as api:
        api.download(f"/v1/runs/{run}/certificate", file)
    print_line(str(file))


def verify_certificate(file: File, documents: Documents = None) -> None:
    """Check a certificate, without a server: does the report follow from the recorded evidence?"""
    more = ("--documents", str(documents)) if documents is not None else ()
    replace_process("elcano.doors.certificates.verify_command", file, *more)
