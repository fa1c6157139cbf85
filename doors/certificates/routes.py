"""Certificates over HTTP: get one, or have it verified where the API runs.

The latter is done by the program of `elcano verify`, in a process of its own: it needs what only workers need
otherwise, computes for seconds, and a certificate that takes it down takes nothing else with it. One certificate is
looked at at a time.
"""

import asyncio
import sys
import tempfile
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Final

from fastapi import APIRouter
from fastapi.responses import StreamingResponse
from pydantic import ValidationError

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.doors.certificates.certificate_format import Verification
from elcano.doors.certificates.run_certificate import stream_certificate
from elcano.graphs.errors import StoreDamaged
from elcano.service.errors import NotCertifiable, Refusal, ReportLost, RunNotFound, RunUnreadable

JSON = "application/json"
PROGRAM: Final = "elcano.doors.certificates.verify_command"
SECONDS: Final = 120.0
"""Time limit of the verification, in seconds, including the wait for others."""
_gate: Final = asyncio.Semaphore(1)

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"])


@router.get(
    "/certificate",
    dependencies=[requires("inspect_run")],
    response_class=StreamingResponse,
    responses={
        200: {
            "description": "The certificate, a JSON object with one part a line",
            "content": {JSON: {"schema": {"type": "object"}}},
        },
        **problem_docs(RunNotFound, NotCertifiable, ReportLost, RunUnreadable),
    },
)
async def get_certificate(run_id: str, services: Provided) -> StreamingResponse:
    """Get everything that a run's report was made of, as one file: `elcano verify FILE` checks it without a server.

    It has what was asked for with the graph, the outcome of every step and of every section's, the passages and texts
    that are cited, what was spent, the report, and a hash for each of these. Keep the bytes as they come.
    """
    pieces = await stream_certificate(run_id, services.temporal, services.store)
    name = f'attachment; filename="{run_id}.certificate.json"'
    return StreamingResponse(pieces, media_type=JSON, headers={"Content-Disposition": name})


class VerificationFailed(Refusal, kind="unavailable", title="The certificate could not be verified"):
    """The program that verifies gave no answer."""


@router.get(
    "/certificate/verification",
    dependencies=[requires("inspect_run")],
    responses=problem_docs(RunNotFound, NotCertifiable, ReportLost, RunUnreadable, VerificationFailed),
)
async def verify_certificate(run_id: str, services: Provided) -> Verification:
    """Make the run's certificate anew from what is stored, and verify it: what each check shows, and what it found.

    Users who do not want to trust this server save the certificate and verify it with `elcano verify FILE`, which
    makes the same checks.
    """
    pieces = await stream_certificate(run_id, services.temporal, services.store)
    try:
        async with asyncio.timeout(SECONDS), _gate:
            with tempfile.TemporaryDirectory() as folder:
                file = Path(folder) / "certificate.json"
                await _write_pieces(file, pieces)
                return await _verify_file(file)
    except TimeoutError as error:
        how = "save the certificate and use `elcano verify FILE`, which has all the time it needs"
        raise VerificationFailed(f"it took longer than {SECONDS:g} seconds: {how}") from error
    except StoreDamaged as error:
        raise VerificationFailed(f"there is no whole certificate: {error}") from error


async def _write_pieces(file: Path, pieces: AsyncIterator[bytes]) -> None:
    with file.open("wb") as opened:
        async for piece in pieces:
            await asyncio.to_thread(opened.write, piece)


async def _verify_file(file: Path) -> Verification:
    """Run the program on a file and return its output; it ends with the request."""
    program = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", "-m", PROGRAM, "--json", str(file)),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        answer, errors = await program.communicate()
        return Verification.model_validate_json(answer)
    except ValidationError as error:
        said = errors.decode(errors="replace").strip().splitlines()
        why = said[-1] if said else f"it ended with the exit code {program.returncode}"
        raise VerificationFailed(f"the program that verifies gave no answer: {why}") from error
    finally:
        if program.returncode is None:
            program.kill()
            await program.wait()
