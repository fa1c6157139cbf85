"""`elcano certificate`: everything that a report was made of, into one file that can be checked without the server."""

import sys
from pathlib import Path

from elcano.cli.client import Api
from elcano.cli.exits import Exit, Failed
from elcano.settings import program_settings


def certificate(run_id: str, out: Path | None) -> Exit:
    """Saves a run's certificate, as `RUN.certificate.json` here unless another file is named.

    Raises:
        Failed: the file cannot be written, the run has no certificate, or the API does not answer.
    """
    file = Path(f"{run_id}.certificate.json") if out is None else out
    if file.is_dir() or not file.absolute().parent.is_dir():
        raise Failed(f"--out {str(file)!r} is not a file in an existing folder", Exit.BAD_INPUT)
    with Api(program_settings().base_url) as api:
        api.save(f"/v1/runs/{run_id}/certificate", file)
    sys.stdout.write(f"{file}\n")
    return Exit.OK
