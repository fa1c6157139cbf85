"""`GET /v1/runs/{run_id}/pages/{page}`: a page of a document that a run found, as a picture with the quote marked."""

from typing import Annotated, Any, Final, Literal

from fastapi import APIRouter, Path, Query, Response

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.report.places import find_marks
from elcano.service.errors import FieldFault, Refusal, RequestInvalid, RunNotFound
from elcano.service.runs.run_status import find_existing_run
from elcano.storage.evidence import Evidence
from elcano.subjects.documents.page_pictures import (
    PICTURES,
    DocumentChanged,
    PageNotFound,
    PicturesBusy,
    PictureWish,
    frame_marks,
)
from elcano.subjects.documents.pdf.pictures import MAXIMUM_WIDTH, MEDIA_TYPE, WHOLE_PAGE

DEFAULT_WIDTH: Final = 1_200
"""Pixels: a page of A4 at 145 dots per inch, on which footnotes can be read."""
LEAST_WIDTH: Final = 100
KEPT_SECONDS: Final = 300
"""Seconds that a browser shows a picture without checking that its document still exists."""
_HEADERS: Final = {"Cache-Control": f"private, max-age={KEPT_SECONDS}", "X-Content-Type-Options": "nosniff"}
_PICTURE: Final[dict[int | str, dict[str, Any]]] = {
    200: {"description": "The picture", "content": {MEDIA_TYPE: {"schema": {"type": "string", "format": "binary"}}}}
}

router = APIRouter(prefix="/v1/runs/{run_id}/pages", tags=["results"])


class EvidenceNotFound(Refusal, kind="missing", title="No such passage"):
    """The run found no passage with this id."""


@router.get(
    "/{page}",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={
        **_PICTURE,
        **problem_docs(RunNotFound, EvidenceNotFound, PageNotFound, DocumentChanged, PicturesBusy),
    },
)
async def get_page_picture(
    run_id: str,
    page: Annotated[int, Path(ge=1, le=100_000, description="The page, counted from 1.", examples=[7])],
    services: Provided,
    evidence: Annotated[str, Query(max_length=300, description="The id of a passage of the document.")] = "",
    start: Annotated[int | None, Query(ge=0, description="Where the words to mark begin, as a citation says.")] = None,
    end: Annotated[int | None, Query(ge=0, description="Where they end.")] = None,
    width: Annotated[
        int, Query(ge=LEAST_WIDTH, le=MAXIMUM_WIDTH, description="Pixels; very long pages get a narrower picture.")
    ] = DEFAULT_WIDTH,
    part: Annotated[
        Literal["page", "quote"], Query(description="`quote`: only the part of the page around the marked words.")
    ] = "page",
) -> Response:
    """See a page of a document that the run found, as a PNG, with the words from `start` to `end` marked.

    It is drawn from the file that was read: 410 if that was replaced or deleted since. Its text is kept with the run.
    """
    found = await services.store.evidence.find_in_run(run_id, evidence)
    if found is None:
        await find_existing_run(run_id, services.temporal, services.store)
        raise EvidenceNotFound(
            f"the run {run_id!r} found no passage {evidence[:120]!r}: `/evidence` lists those it has"
        )
    marks = tuple(box for number, box in await _find_quote_marks(found, start, end, services) if number == page)
    rows = frame_marks(marks) if part == "quote" else WHOLE_PAGE
    wish = PictureWish(page, width, marks, rows)
    drawn = await PICTURES.draw(services.settings, services.store, found, wish)
    return Response(drawn.content, media_type=MEDIA_TYPE, headers=_HEADERS)


async def _find_quote_marks(passage: Evidence, start: int | None, end: int | None, services: Services) -> Any:
    if start is None and end is None:
        return ()
    if start is None or end is None or start >= end:
        raise RequestInvalid([FieldFault(field="query.end", message="must be given with `start`, and be behind it")])
    text = await services.store.evidence.text(passage.content_hash)
    return find_marks(text.text, passage.places, start, end) if text else ()
