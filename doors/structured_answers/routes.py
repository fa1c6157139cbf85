"""`GET /v1/runs/{run_id}/answer`: the answer in the schema that the run was asked with, and the basis of each field."""

import asyncio

from fastapi import APIRouter

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided
from elcano.doors.structured_answers.answer_assembly import StructuredAnswer
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Report
from elcano.service.errors import Refusal, ReportLost, ReportNotReady, RunNotFound
from elcano.service.reports.results import load_stored_report


class NoAnswerAsked(Refusal, kind="missing", title="The run has no answer in a schema"):
    """A run was asked without `output_schema`."""


router = APIRouter(prefix="/v1/runs/{run_id}", tags=["results"])


@router.get(
    "/answer",
    dependencies=[requires("read_run")],
    responses=problem_docs(RunNotFound, ReportNotReady, ReportLost, NoAnswerAsked),
)
async def read_answer(run_id: str, services: Provided) -> StructuredAnswer:
    """Read the answer in the form of the run's `output_schema`, with the quotes and the confidence of each field."""
    stored = await load_stored_report(run_id, services)
    report = await asyncio.to_thread(Report.model_validate_json, stored)
    if (found := report.attachments.get(ATTACHED)) is None:
        raise NoAnswerAsked(f"the run {run_id!r} was asked without `output_schema`: its report is the answer")
    return StructuredAnswer.model_validate(found)
