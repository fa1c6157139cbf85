"""Documents with their files: storing, deleting and exporting them.

A row is deleted before its files, so a deleted document is gone at once even if the object store does not answer. Files
that no row names are deleted by `sweep_files`.
"""

import asyncio
import logging
import time
from collections.abc import Sequence
from functools import partial
from hashlib import sha256
from typing import Final, NamedTuple

from elcano.graphs.errors import StoreUnavailable
from elcano.service.errors import Refusal
from elcano.settings.settings import Settings
from elcano.storage.evidence import PATH, Evidence, SourceFile
from elcano.storage.objects import FILES, files_of_tenant
from elcano.storage.store import Store, TenantStore
from elcano.subjects.uploads.document_store import (
    Lacking,
    Room,
    UploadedDocument,
    build_document,
    get_upload_store,
    get_uploads,
)
from elcano.subjects.uploads.settings import read_upload_settings
from elcano.subjects.uploads.source_spec import NAME

AT_ONCE: Final = 200
"""Documents that are deleted at a time; each has two files."""
UNNAMED_SECONDS: Final = 3_600.0
"""Age after which a file without a row is a leftover: an upload writes its files before its row."""

_log = logging.getLogger("uploads")


class UploadsFull(Refusal, kind="conflict", title="No more documents can be kept"):
    """The tenant has as many documents as it may, or as large ones."""


class Kept(NamedTuple):
    """Outcome for one document."""

    document: UploadedDocument
    changed: bool = False
    """Whether it is new or changed."""
    full: UploadsFull | None = None
    """Why it is not kept."""


async def keep_documents(
    store: TenantStore, collection: str, found: Sequence[tuple[str, bytes]], by: str
) -> list[Kept]:
    """Keep the bytes of documents, each under its own path, as far as there is room for them.

    The same bytes under the same name change nothing, unless they were refused: they are stored and read again, as
    they may have been lost. For what is there already there is always room.
    """
    uploads = get_uploads(store)
    kept: list[Kept] = []
    for path, data in found:
        data_hash = (await asyncio.to_thread(sha256, data)).hexdigest()
        known = await uploads.find(collection, path)
        if known is not None and known.data_hash == data_hash and known.state != "refused":
            kept.append(Kept(known))
            continue
        made = build_document(collection, path, data_hash, len(data), by)
        await store.files.put(made.data_file, data)
        kept.append(Kept(made, changed=True))
    if not (changed := [one.document for one in kept if one.changed]):
        return kept
    settings = read_upload_settings()
    stored = await uploads.put(changed, Room(settings.upload_documents, settings.total_bytes))
    left = [one for one in changed if one.key in stored.refused]
    await _delete_files(store, *stored.former, *left)
    return [
        Kept(one.document, full=_explain_fullness(stored.refused[one.document.key]))
        if one.changed and one.document.key in stored.refused
        else one
        for one in kept
    ]


async def keep_document(
    store: TenantStore, collection: str, path: str, data: bytes, by: str
) -> tuple[UploadedDocument, bool]:
    """Keep the bytes of one document; returns it, and whether it is new or changed. See `keep_documents`.

    Raises:
        UploadsFull: there is no room for it.
    """
    (kept,) = await keep_documents(store, collection, [(path, data)], by)
    if kept.full is not None:
        raise kept.full
    return kept.document, kept.changed


async def delete_documents(store: TenantStore, collection: str, found: Sequence[UploadedDocument]) -> None:
    """Delete documents of a collection."""
    await get_uploads(store).delete(collection, found)
    await _delete_files(store, *found)


async def check_declared_room(store: TenantStore, collection: str, path: str, size: int) -> None:
    """Refuse a document of this many bytes before they are read, if there is no room for it. Kept ones are not.

    What is decided when it is kept counts: others may come before it.

    Raises:
        UploadsFull: there is none.
    """
    settings = read_upload_settings()
    number, total = await get_uploads(store).measure()
    lacking: Lacking | None = (
        "documents" if number >= settings.upload_documents else "size" if total + size > settings.total_bytes else None
    )
    if lacking is not None and await get_uploads(store).find(collection, path) is None:
        raise _explain_fullness(lacking)


def _explain_fullness(lacking: Lacking) -> UploadsFull:
    settings = read_upload_settings()
    if lacking == "documents":
        return UploadsFull(
            f"{settings.upload_documents:,} documents can be kept (ELCANO_UPLOAD_DOCUMENTS), and they are there: "
            "delete some"
        )
    return UploadsFull(
        f"{settings.upload_total_mb:,.1f} MB can be kept (ELCANO_UPLOAD_TOTAL_MB), and with this document there would "
        "be more: delete some"
    )


async def delete_collection(store: TenantStore, collection: str) -> int:
    """Delete all documents of a collection; returns how many there were."""
    uploads, deleted, answers = get_uploads(store), 0, True
    while found := await uploads.page(collection, limit=AT_ONCE):
        await uploads.delete(collection, found)
        answers = answers and await _delete_files(store, *found)
        deleted += len(found)
    return deleted


async def _delete_files(store: TenantStore, *found: UploadedDocument) -> bool:
    """Delete the files of documents whose rows are gone. False: the store does not answer, and the sweep does it."""
    try:
        await store.files.delete([file for one in found for file in (one.data_file, one.text_file)])
    except (StoreUnavailable, OSError) as error:
        _log.warning("files of deleted documents are left to the next sweep: %s", error)
        return False
    return True


async def sweep_files(store: Store) -> int:
    """Delete the files that no document has, such as those of a deletion that the object store did not answer.

    Returns how many there were.
    """
    uploads, swept, newest = get_upload_store(store), 0, time.time() - UNNAMED_SECONDS
    async for batch in store.objects.list_written(FILES):
        old = [one.key for one in batch if one.written_at < newest]
        named = {
            f"{files_of_tenant(tenant)}/{file}"
            for tenant, one in await uploads.list_by_key({key.split("/")[-2] for key in old})
            for file in (one.data_file, one.text_file)
        }
        if left := [key for key in old if key not in named]:
            await store.objects.delete(left)
            swept += len(left)
    if swept:
        _log.info("deleted %d files that no document has", swept)
    return swept


async def find_uploaded_file(settings: Settings, store: TenantStore, passage: Evidence) -> SourceFile | None:
    """See `Plugin.document_files`: a document of one of the tenant's collections."""
    kind, _, collection = passage.source.partition(":")
    path = passage.metadata.get(PATH)
    if kind != NAME or not isinstance(path, str):
        return None
    document = await get_uploads(store).find(collection, path)
    if document is None:
        return None
    return SourceFile(document.data_hash, partial(store.files.get, document.data_file))
