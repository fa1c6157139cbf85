"""`GET /metrics`, for Prometheus."""

from fastapi import APIRouter, Request, Response

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.operations.telemetry.settings import read_telemetry_settings
from elcano.service.errors import Refusal

router = APIRouter(tags=["health"], dependencies=[requires("operate")])


class NotMeasured(Refusal, kind="missing", title="There are no metrics"):
    """The process does not measure."""


@router.get(
    "/metrics",
    response_class=Response,
    responses={
        200: {"description": "The metrics", "content": {"text/plain": {"schema": {"type": "string"}}}},
        **problem_docs(NotMeasured),
    },
)
def read_metrics(request: Request) -> Response:
    """The metrics of this process, in the format of Prometheus; 404 unless `ELCANO_METRICS` is set."""
    if not read_telemetry_settings().metrics:
        raise NotMeasured("this process measures nothing: set ELCANO_METRICS=true and start it again")
    from prometheus_client import REGISTRY
    from prometheus_client.exposition import choose_encoder

    encode, content_type = choose_encoder(request.headers.get("accept", "*/*"))
    return Response(encode(REGISTRY), media_type=content_type)
