"""The documents of a table: of collections, of folders, or the rows of another table that a decision let in."""

from collections.abc import Iterable, Sequence
from typing import Annotated, Final

from pydantic import Field

from elcano.doors.evidence_tables.document_graph import explain_path
from elcano.doors.evidence_tables.folder_documents import FOLDER_LOOK, FolderDocuments, FolderLook
from elcano.doors.evidence_tables.screening import list_decisions
from elcano.doors.evidence_tables.table_store import Decision, TableDocument, get_tables
from elcano.service.errors import FieldFault
from elcano.service.fields import Request, Text
from elcano.service.process import Services
from elcano.service.temporal.looks import LookFailed
from elcano.subjects.uploads.content_kind import PARTED_TYPES
from elcano.subjects.uploads.document_store import UploadedDocument, get_uploads
from elcano.subjects.uploads.source_spec import NAME as UPLOADS

MOST_DOCUMENTS: Final = 1_000
_PAGE: Final = 1_000


class DocumentsRequest(Request):
    """Some documents."""

    source: Text = Field(default="", max_length=100, examples=["uploads:trials"])
    """Their source: `uploads:NAME` for an uploaded collection, or the name of a folder of the operator's."""
    paths: list[Annotated[Text, Field(min_length=1, max_length=1_000)]] | None = Field(
        default=None, min_length=1, max_length=MOST_DOCUMENTS, examples=[["smith-2020.pdf"]]
    )
    """Their paths there; left out: all of its documents."""
    table: Text = Field(default="", max_length=40, examples=["01kb1q3yw5v7c8m2n4p6r8t0vx"])
    """In place of `source`: an evidence table, whose rows with this `decision` are taken."""
    decision: Decision = Field(default="include", examples=["include"])
    """See `table`."""


async def list_documents(
    wanted: Sequence[DocumentsRequest], services: Services
) -> tuple[list[TableDocument], list[FieldFault]]:
    """List the documents of a request, each once, in the order of the request and of their paths.

    Returns:
        The documents, those that cannot be read with the reason, and what is wrong with the request.
    """
    found: dict[tuple[str, str], TableDocument] = {}
    faults: list[FieldFault] = []
    for number, one in enumerate(wanted):
        try:
            listed = await _list_from(one, services)
        except _Wrong as wrong:
            faults.append(FieldFault(field=f"documents.{number}.{wrong.field}", message=str(wrong)))
            continue
        for document in listed:
            found.setdefault((document.source, document.path), document)
    if not faults and not found:
        faults = [FieldFault(field="documents", message="has no document: upload some, or name another source")]
    if len(found) > MOST_DOCUMENTS:
        message = f"has {len(found):,} documents, and {MOST_DOCUMENTS:,} are the most: make several tables"
        faults.append(FieldFault(field="documents", message=message))
    return _mark_duplicates(found.values()), faults


class _Wrong(Exception):
    """A part of the request cannot be used; the text is what is wrong."""

    def __init__(self, field: str, message: str) -> None:
        super().__init__(message)
        self.field = field


async def _list_from(wanted: DocumentsRequest, services: Services) -> list[TableDocument]:
    if bool(wanted.table) == bool(wanted.source):
        raise _Wrong("source", "is required, or else `table`; not both")
    if wanted.table:
        return await _list_rows(wanted, services)
    kind, _, collection = wanted.source.partition(":")
    if services.sources.specs.get(kind) is None:
        raise _Wrong("source", f"there is no source {kind!r}; `GET /v1/sources` lists those there are")
    if kind == UPLOADS:
        documents = await _list_collection(collection, services)
    else:
        documents = await _list_folder(wanted.source, services)
    if wanted.paths is None:
        return documents
    known = {one.path: one for one in documents}
    if missing := [path for path in wanted.paths if path not in known]:
        more = f" ({len(missing) - 1} more are missing)" if len(missing) > 1 else ""
        raise _Wrong("paths", f"there is no document {missing[0][:200]!r} in {wanted.source!r}{more}")
    return [known[path] for path in wanted.paths]


async def _list_rows(wanted: DocumentsRequest, services: Services) -> list[TableDocument]:
    tables = get_tables(services.store)
    if (table := await tables.find(wanted.table)) is None:
        raise _Wrong("table", f"there is no evidence table {wanted.table!r}")
    decisions = list_decisions(await tables.list_changes(table.id))
    chosen = [n for n, made in decisions.items() if made[-1].value == wanted.decision]
    if not chosen:
        raise _Wrong("decision", f"no row of {wanted.table!r} has the decision {wanted.decision!r}")
    return [table.documents[n].model_copy(update={"duplicate_of": None}) for n in sorted(chosen)]


async def _list_collection(name: str, services: Services) -> list[TableDocument]:
    uploads = get_uploads(services.store)
    if not name:
        raise _Wrong("source", f"names no collection: write `{UPLOADS}:NAME`")
    found: list[UploadedDocument] = []
    after = ""
    while page := await uploads.page(name, after=after, limit=_PAGE):
        found += page
        after = page[-1].key
    if not found:
        raise _Wrong("source", f"there is no collection {name!r}; `GET /v1/collections` lists yours")
    whole = sorted((one for one in found if one.media_type not in PARTED_TYPES), key=lambda one: one.path)
    return [
        TableDocument(
            source=f"{UPLOADS}:{name}",
            path=one.path,
            title=one.title,
            data_hash=one.data_hash,
            most_characters=one.size if one.media_type.startswith("text/") else None,
            reason=explain_path(one.path) or (one.reason if one.state == "refused" else ""),
        )
        for one in whole
    ]


async def _list_folder(name: str, services: Services) -> list[TableDocument]:
    if name not in services.settings.collections:
        raise _Wrong("source", f"the source {name!r} is no folder: its documents cannot be listed")
    try:
        listed = await services.temporal.looks.look(
            FOLDER_LOOK, FolderLook(collection=name), f"which documents does {name} have?"
        )
    except LookFailed as error:
        raise _Wrong("source", f"the documents of {name!r} cannot be listed: {error}") from error
    assert isinstance(listed, FolderDocuments)
    reasons = {**dict.fromkeys(listed.documents, ""), **listed.skipped}
    return [
        TableDocument(source=name, path=path, reason=explain_path(path) or reasons[path]) for path in sorted(reasons)
    ]


def _mark_duplicates(documents: Iterable[TableDocument]) -> list[TableDocument]:
    """Documents whose bytes are those of an earlier one say so."""
    first: dict[str, int] = {}
    marked = []
    for number, one in enumerate(documents):
        earlier = first.setdefault(one.data_hash, number) if one.data_hash and not one.reason else number
        marked.append(one if earlier == number else one.model_copy(update={"duplicate_of": earlier}))
    return marked
