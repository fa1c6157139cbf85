"""`GET /v1/runs/{run_id}/exports/{form}`: what a run leaves, as a file to be saved.

Its passages are rows: CSV for spreadsheets, JSON Lines for programs.
"""

import asyncio
import json
import tempfile
import time
import zipfile
from collections.abc import AsyncIterator, Callable, Mapping
from contextlib import closing
from dataclasses import dataclass
from typing import IO, Final, Literal, TypeAlias

from fastapi import APIRouter, Response
from fastapi.responses import StreamingResponse

from elcano.api.http.errors import problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.doors.certificates.run_certificate import stream_certificate
from elcano.doors.exports.report_documents import ExportUnavailable, can_write_documents, write_document
from elcano.graphs.added_steps import ATTACHED
from elcano.graphs.report.report import Report
from elcano.graphs.report.works import find_citation_mark
from elcano.service.errors import NotCertifiable, ReportLost, ReportNotReady, RunNotFound
from elcano.service.fields import with_moments
from elcano.service.reports.bibliography import BIBTEX, CSL, FORMS, RIS
from elcano.service.reports.results import load_pictures, load_stored_report, render_csv
from elcano.service.runs.run_status import kept_run
from elcano.storage.evidence import CONFIDENCE, PAGE, Evidence, get_page_label
from elcano.storage.store import TenantStore

PASSAGES_AT_ONCE: Final = 200
"""Passages that are read at once."""
COLUMNS: Final = (
    "id",
    "source",
    "title",
    "authors",
    "year",
    "identifiers",
    "locator",
    "heading",
    "text",
    "document",
    "content_hash",
    "start",
    "end",
    "kind",
    "journal",
    "standing",
    "page",
    "page_label",
    "ocr_confidence",
)


async def write_csv(store: TenantStore, run_id: str) -> AsyncIterator[bytes]:
    """All passages as CSV in UTF-8 (RFC 4180), in the order of finding; no text is taken for a formula."""
    yield render_csv([COLUMNS]).encode()
    async for passages in _read_passages(store, run_id):
        yield render_csv(map(_list_values, passages)).encode()


async def write_json_lines(store: TenantStore, run_id: str) -> AsyncIterator[bytes]:
    """All passages, each as one line of JSON, as `GET /v1/runs/{run_id}/evidence` has them."""
    async for passages in _read_passages(store, run_id):
        lines = (json.dumps(with_moments(one.model_dump(mode="json")), ensure_ascii=False) for one in passages)
        yield "".join(f"{line}\n" for line in lines).encode()


async def _read_passages(store: TenantStore, run_id: str) -> AsyncIterator[list[Evidence]]:
    offset = 0
    while passages := list(await store.evidence.of_run(run_id, limit=PASSAGES_AT_ONCE, offset=offset)):
        yield passages
        offset += len(passages)


def _list_values(passage: Evidence) -> list[object]:
    work = passage.work
    page = passage.metadata.get(PAGE, "")
    return [
        passage.id,
        passage.source,
        passage.title,
        "" if work is None else "; ".join(work.authors),
        "" if work is None or work.year is None else work.year,
        "" if work is None else " ".join(work.identifiers.names),
        passage.locator,
        passage.heading,
        passage.text,
        passage.document,
        passage.content_hash,
        passage.start,
        passage.end,
        "" if work is None else work.kind,
        "" if work is None else work.venue,
        find_citation_mark(work),
        page,
        get_page_label(passage.metadata, page) if isinstance(page, int) else "",
        passage.metadata.get(CONFIDENCE, ""),
    ]


Form: TypeAlias = Literal["html", "docx", "pdf", "latex", "csv", "jsonl", "zip"]
"""The forms: the report as one page with its quotes in their places, for Word, as a PDF or for LaTeX, the evidence as
CSV or JSON Lines, and all in one archive."""
MEDIA_TYPES: Final[dict[Form, str]] = {
    "html": "text/html; charset=utf-8",
    "docx": "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
    "pdf": "application/pdf",
    "latex": "application/zip",
    "csv": "text/csv; charset=utf-8",
    "jsonl": "application/jsonl",
    "zip": "application/zip",
}
_SUFFIXES: Final[Mapping[Form, str]] = {"latex": "latex.zip"}
"""Suffixes of files whose form does not say what they are."""
_PIECE: Final = 262_144
"""Bytes of an archive that are sent at once."""
_IN_MEMORY: Final = 8_000_000
"""Bytes of an archive above which it is a file."""


def _describe_file(kind: str) -> dict[str, str]:
    text = kind.startswith("text/") or kind == MEDIA_TYPES["jsonl"]
    return {"type": "string"} if text else {"type": "string", "format": "binary"}


router = APIRouter(prefix="/v1/runs/{run_id}/exports", tags=["results"])


@router.get(
    "/{form}",
    dependencies=[requires("inspect_run")],
    response_class=Response,
    responses={
        200: {
            "description": "The file",
            "content": {kind.partition(";")[0]: {"schema": _describe_file(kind)} for kind in MEDIA_TYPES.values()},
        },
        **problem_docs(RunNotFound, ReportNotReady, ReportLost, NotCertifiable, ExportUnavailable),
    },
)
async def export_run(run_id: str, form: Form, services: Provided) -> Response:
    """Save a run outside of Elcano.

    `html` is its report as one page, with the quotes on pictures of their pages, in their tables or passages; `docx`,
    `pdf` and `latex` are its report, `csv` and `jsonl` its evidence. LaTeX is an archive: `report.tex`,
    `references.bib` and the figures. `zip` has the report in the other forms, its references, the evidence, and the
    certificate of an ended run.
    """
    run = await kept_run(run_id, services.store)
    headers = {"Content-Disposition": f'attachment; filename="{run.run_id}.{_SUFFIXES.get(form, form)}"'}
    kind = MEDIA_TYPES[form]
    if form == "csv":
        return StreamingResponse(write_csv(services.store, run_id), media_type=kind, headers=headers)
    if form == "jsonl":
        return StreamingResponse(write_json_lines(services.store, run_id), media_type=kind, headers=headers)
    stored = await load_stored_report(run_id, services)
    if form != "zip":
        pictures = await load_pictures(stored, services.store)
        report = await asyncio.to_thread(Report.model_validate_json, stored)
        if form == "html":
            return Response(await _write_page(report, pictures, services), media_type=kind, headers=headers)
        document = await asyncio.to_thread(write_document, form, report, pictures)
        return Response(document, media_type=kind, headers=headers)
    archive = await _write_archive(run_id, stored, services)
    return StreamingResponse(_read_pieces(archive), media_type=kind, headers=headers)


async def _write_page(report: Report, pictures: Mapping[str, str | None], services: Services) -> str:
    """The report as one page that needs no other file, with its quotes in their places."""
    from elcano.doors.exports.quoted_places import render_quoted_places
    from elcano.service.reports.html_report import render_report_page

    return await asyncio.to_thread(render_report_page, report, pictures, await render_quoted_places(report, services))


@dataclass(frozen=True)
class _Part:
    """A file of the archive that is made of the report."""

    name: str
    write: Callable[[Report], str | bytes]


_PARTS: Final = (
    _Part("report.md", lambda report: report.markdown),
    _Part("references.bib", lambda report: FORMS[BIBTEX](report.references)),
    _Part("references.ris", lambda report: FORMS[RIS](report.references)),
    _Part("references.json", lambda report: FORMS[CSL](report.references)),
)


async def _write_archive(run_id: str, stored: str, services: Services) -> IO[bytes]:
    """Everything as a file that is read from its beginning; it is gone once it is closed.

    Raises:
        NotCertifiable: the run is running, or left no log.
    """
    certificate = await stream_certificate(run_id, services.temporal, services.store)
    pictures = await load_pictures(stored, services.store)
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - who reads it closes it
    try:
        with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as archive:
            report = await asyncio.to_thread(Report.model_validate_json, stored)
            archive.writestr("report.json", stored)
            if (answer := report.attachments.get(ATTACHED)) is not None:
                archive.writestr("answer.json", json.dumps(answer, ensure_ascii=False, indent=2))
            archive.writestr("report.html", await _write_page(report, pictures, services))
            if can_write_documents():
                archive.writestr("report.docx", await asyncio.to_thread(write_document, "docx", report, pictures))
            for path, drawing in pictures.items():
                if drawing is not None:  # where the Markdown shows it
                    archive.writestr(path, drawing)
            for part in _PARTS:
                archive.writestr(part.name, await asyncio.to_thread(part.write, report))
            await _write_pieces(archive, "evidence.csv", write_csv(services.store, run_id))
            await _write_pieces(archive, "evidence.jsonl", write_json_lines(services.store, run_id))
            await _write_pieces(archive, "certificate.json", certificate)
        file.seek(0)
    except BaseException:
        file.close()
        raise
    return file


async def _write_pieces(archive: zipfile.ZipFile, name: str, pieces: AsyncIterator[bytes]) -> None:
    about = zipfile.ZipInfo(name, time.localtime()[:6])
    about.compress_type = zipfile.ZIP_DEFLATED
    with archive.open(about, "w", force_zip64=True) as entry:
        async for piece in pieces:
            await asyncio.to_thread(entry.write, piece)


async def _read_pieces(file: IO[bytes]) -> AsyncIterator[bytes]:
    with closing(file):
        while piece := await asyncio.to_thread(file.read, _PIECE):
            yield piece
