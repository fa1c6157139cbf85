"""Documents over HTTP: upload them into collections, see how they stand, have them read again, delete them.

A collection is there as long as a document is in it. An upload is resumed by sending again what is not there yet: the
same bytes under the same name change nothing.
"""

import asyncio
from typing import Annotated, Any, Final, TypeAlias

from fastapi import APIRouter, Path, Query, Request, Response

from elcano.api.http.body_limit import STREAMED_BODY
from elcano.api.http.errors import BodyTooLarge, problem_docs
from elcano.api.http.request_identity import requires
from elcano.api.services import Provided, Services
from elcano.graphs.catalogue.sources import NAME, NAME_IN_WORDS
from elcano.graphs.errors import InputInvalid
from elcano.service.errors import FieldFault, Refusal, RequestInvalid, StoreUnavailable
from elcano.service.fields import CURSOR, TextForm
from elcano.service.uploaded_documents import (
    CollectionView,
    DocumentGap,
    DocumentPage,
    DocumentState,
    DocumentView,
    ReadingBegun,
)
from elcano.subjects.uploads.document_files import (
    UploadsFull,
    check_declared_room,
    delete_collection,
    delete_documents,
    keep_document,
)
from elcano.subjects.uploads.document_names import LONGEST_NAME, normalize_name
from elcano.subjects.uploads.document_store import (
    CollectionCount,
    UploadedDocument,
    get_uploads,
)
from elcano.subjects.uploads.file_parts import delete_parts, may_have_parts
from elcano.subjects.uploads.request_bodies import KEPT_AT_ONCE, UploadBrokenOff, read_declared_size, receive_file
from elcano.subjects.uploads.source_spec import NAME as UPLOADS


def view_collection(count: CollectionCount) -> CollectionView:
    """The view of a collection."""
    return CollectionView(
        name=count.collection,
        source=f"{UPLOADS}:{count.collection}",
        documents=count.documents,
        unread=count.uploaded,
        indexed=count.indexed,
        refused=count.refused,
        incomplete=count.incomplete,
        outdated=count.outdated,
        bytes=count.size,
    )


def view_document(one: UploadedDocument) -> DocumentView:
    """The view of a stored document."""
    gaps = tuple(DocumentGap(reason=gap.reason, pages=gap.pages, unread=gap.unread) for gap in one.gaps)
    return DocumentView.from_record(one, sha256=one.data_hash, bytes=one.size, gaps=gaps)


_FILE_BODY: Final[dict[str, Any]] = {
    "requestBody": {
        "required": True,
        "content": {"application/octet-stream": {"schema": {"type": "string", "format": "binary"}}},
    }
}


class CollectionNotFound(Refusal, kind="missing", title="No such collection"):
    """The tenant has uploaded nothing into a collection of this name."""


class DocumentNotFound(Refusal, kind="missing", title="No such document"):
    """The collection has no document of this name."""


CollectionName: TypeAlias = Annotated[
    str,
    TextForm(NAME.pattern, f"must be {NAME_IN_WORDS}"),
    Path(description=f"The collection: {NAME_IN_WORDS}.", examples=["handbook"]),
]
DocumentPath: TypeAlias = Annotated[
    str,
    Path(description=f"The document's name, with `/` between folders; at most {LONGEST_NAME} characters."),
]
READ: Final = requires("read_catalogue")
EDIT: Final = requires("edit_catalogue")

router = APIRouter(prefix="/v1/collections", tags=["documents"], responses=problem_docs(StoreUnavailable))


@router.get("", dependencies=[READ])
async def list_collections(services: Provided) -> list[CollectionView]:
    """List your collections of uploaded documents, with how far each is read."""
    return [view_collection(one) for one in (await get_uploads(services.store).count()).values()]


@router.get("/{collection}", dependencies=[READ], responses=problem_docs(CollectionNotFound))
async def get_collection(collection: CollectionName, services: Provided) -> CollectionView:
    """Read how far a collection is."""
    return await _view_collection(collection, services)


@router.delete("/{collection}", status_code=204, dependencies=[EDIT], responses=problem_docs(CollectionNotFound))
async def remove_collection(collection: CollectionName, services: Provided) -> None:
    """Delete a collection with all its documents. Passages that runs found in them stay with the runs."""
    if not await delete_collection(services.store, collection):
        raise _no_collection(collection)


@router.post("/{collection}/index", status_code=202, dependencies=[EDIT], responses=problem_docs(CollectionNotFound))
async def read_documents_again(collection: CollectionName, services: Provided) -> ReadingBegun:
    """Have all documents of a collection read again, as after an upgrade that reads more. They stay searchable."""
    found = await get_uploads(services.store).read_again(collection)
    if not found:
        raise _no_collection(collection)
    return ReadingBegun(documents=found)


@router.get("/{collection}/documents", dependencies=[READ], responses=problem_docs(CollectionNotFound))
async def list_documents(
    collection: CollectionName,
    services: Provided,
    state: Annotated[DocumentState | None, Query(description="Only those in this state.")] = None,
    cursor: Annotated[str, Query(max_length=64, description=CURSOR)] = "",
    limit: Annotated[int, Query(ge=1, le=1_000, description="Documents at most.")] = 100,
) -> DocumentPage:
    """List the documents of a collection, each with its state and why it is refused if it is."""
    found = await get_uploads(services.store).page(collection, after=cursor, limit=limit + 1, state=state)
    if not found and not cursor:
        await _view_collection(collection, services)
    shown = tuple(view_document(one) for one in found[:limit])
    return DocumentPage(documents=shown, next=found[limit - 1].key if len(found) > limit else None)


@router.get("/{collection}/documents/{path:path}", dependencies=[READ], responses=problem_docs(DocumentNotFound))
async def get_document(collection: CollectionName, path: DocumentPath, services: Provided) -> DocumentView:
    """Read how a document stands."""
    return view_document(await _find_document(collection, path, services))


@router.put(
    "/{collection}/documents/{path:path}",
    dependencies=[EDIT, STREAMED_BODY],
    openapi_extra=_FILE_BODY,
    responses=problem_docs(BodyTooLarge, UploadBrokenOff, UploadsFull),
)
async def put_document(
    collection: CollectionName, path: DocumentPath, request: Request, response: Response, services: Provided
) -> DocumentView:
    """Upload a document: the body is its bytes.

    201: it is new, changed, or was refused, and will be read; 200: it is there already, and no limit applies. Its kind
    is told by its bytes, whatever the name or the `Content-Type` says. Of a ZIP archive each file, and of a reading
    list (RIS, BibTeX, CSL-JSON, PubMed, Web of Science, EndNote XML, tables of databases and reference
    managers as CSV or TSV) each work, becomes a document `PATH/...` once a worker has read it; its `reason` names what
    is not taken.
    """
    name = _parse_name(path)
    limit = services.settings.file_limit_bytes
    if (declared := read_declared_size(request, limit)) is not None:
        await check_declared_room(services.store, collection, name, declared)
    with await receive_file(request, limit) as file:
        async with KEPT_AT_ONCE:
            data = await asyncio.to_thread(file.read)
            if not data:
                raise RequestInvalid([FieldFault(field="body", message="is empty: send the document's bytes")])
            kept, changed = await keep_document(services.store, collection, name, data, services.principal.user)
    response.status_code = 201 if changed else 200
    return view_document(kept)


@router.delete(
    "/{collection}/documents/{path:path}",
    status_code=204,
    dependencies=[EDIT],
    responses=problem_docs(DocumentNotFound),
)
async def remove_document(collection: CollectionName, path: DocumentPath, services: Provided) -> None:
    """Delete a document, an archive or a list with its parts. Passages that runs found in it stay with the runs."""
    found = await _find_document(collection, path, services)
    await delete_documents(services.store, collection, [found])
    if may_have_parts(found):
        await delete_parts(services.store, found)


async def _view_collection(collection: str, services: Services) -> CollectionView:
    count = (await get_uploads(services.store).count(collection)).get(collection)
    if count is None:
        raise _no_collection(collection)
    return view_collection(count)


async def _find_document(collection: str, path: str, services: Services) -> UploadedDocument:
    found = await get_uploads(services.store).find(collection, _parse_name(path))
    if found is None:
        raise DocumentNotFound(f"the collection {collection!r} has no document {path[:200]!r}")
    return found


def _parse_name(path: str) -> str:
    try:
        return normalize_name(path)
    except InputInvalid as error:
        raise RequestInvalid([FieldFault(field="path", message=str(error))]) from error


def _no_collection(collection: str) -> CollectionNotFound:
    return CollectionNotFound(f"there is no collection {collection!r}; `GET /v1/collections` lists yours")
