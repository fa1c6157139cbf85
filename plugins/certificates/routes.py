"""The certificate of a report: everything that it was made of, in one file that can be checked without this server."""

from fastapi import APIRouter
from fastapi.responses import StreamingResponse

from elcano.api.http.errors import NotCertifiable, ReportLost, RunNotFound, RunUnreadable, problem_docs
from elcano.api.services import Provided
from elcano.plugins.certificates.run_certificate import stream_certificate

JSON = "application/json"

router = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"])


@router.get(
    "/certificate",
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
