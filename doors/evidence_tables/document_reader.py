"""The tool `read_document`: one document of a source, read into the evidence store; and the look at a folder."""

import asyncio
from typing import Final

from elcano.activities.services import Services
from elcano.activities.sources.base import ReadsDocuments
from elcano.activities.sources.http.trust_guard import get_trust, require_allowed_source
from elcano.activities.tools.tool_activities import ToolWork, build_evidence_ref, with_new_accounts
from elcano.doors.evidence_tables.document_graph import MOST_PASSAGES, DocumentRead, ReadDocumentInput
from elcano.doors.evidence_tables.folder_documents import FolderDocuments, FolderLook
from elcano.graphs.errors import SourceRefused
from elcano.graphs.report.report import ReportDraft
from elcano.graphs.state.state import DraftRef
from elcano.subjects.documents.local_sources import Folder

MEDIA_TYPE: Final = "application/json"


async def read_document(work: ToolWork, given: ReadDocumentInput) -> DocumentRead:
    """Store the passages of a document, and an empty draft for the report on it.

    Raises:
        SourceBusy: it is yet to be read.
        SourceUnavailable: it cannot be read now.
        SourceRefused: the source has no documents, or not this one, or it has no text, or the run may not read it.
    """
    source = work.sources.get(given.source)
    require_allowed_source(get_trust(), source.spec)
    if not isinstance(source, ReadsDocuments):
        raise SourceRefused(f"the source {given.source!r} has no documents that can be read one by one")
    found = await source.read_document(work.store, given.document, given.queries, MOST_PASSAGES)
    if not found.evidence:
        raise SourceRefused(f"{given.document} has no text")
    passages = await work.store.evidence.add(work.run_id, found.evidence, found.texts, renew=with_new_accounts)
    draft = ReportDraft(title=given.title or passages[0].title)
    artifact = await work.store.artifacts.put(work.run_id, draft.model_dump_json(), MEDIA_TYPE)
    return DocumentRead(
        evidence=tuple(build_evidence_ref(one) for one in passages),
        draft=DraftRef(artifact=artifact, title=draft.title, answered=True, claims=0, cited=0),
        warnings=found.warnings,
    )


async def list_folder(services: Services, asked: FolderLook) -> FolderDocuments:
    """List the documents of a collection.

    Raises:
        SourceRefused: there is no such folder, or nothing in it that can be read.
    """
    settings = services.settings
    if (path := settings.collections.get(asked.collection)) is None:
        raise SourceRefused(f"ELCANO_COLLECTIONS of the worker has no collection {asked.collection!r}")
    listing = await asyncio.to_thread(Folder(path, settings.file_limit_bytes).listing)
    return FolderDocuments(documents=tuple(sorted(listing.documents)), skipped=dict(listing.skipped))
