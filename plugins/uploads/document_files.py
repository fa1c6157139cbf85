"""Documents with their files: kept, deleted, always so that nothing is left behind that no row names."""

from collections.abc import Sequence
from hashlib import sha256
from typing import Final

from elcano.api.http.errors import Refusal
from elcano.plugins.uploads.document_store import UploadedDocument, build_document, get_uploads
from elcano.plugins.uploads.settings import read_upload_settings
from elcano.storage.store import TenantStore

AT_ONCE: Final = 200
"""Documents that are deleted at a time; each has two files."""


class UploadsFull(Refusal, status=409, title="No more documents can be kept"):
    """The tenant has as many documents as it may, or as large ones."""


async def keep_document(
    store: TenantStore, collection: str, path: str, data: bytes, by: str
) -> tuple[UploadedDocument, bool]:
    """Keep the bytes of a document; returns it, and whether it is new or changed.

    The same bytes under the same name change nothing, unless they were refused: they are stored and read again, as
    they may have been lost.
    """
    uploads = get_uploads(store)
    data_hash = sha256(data).hexdigest()
    known = await uploads.find(collection, path)
    if known is not None and known.data_hash == data_hash and known.state != "refused":
        return known, False
    made = build_document(collection, path, data_hash, len(data), by)
    await store.files.put(made.data_file, data)
    former = await uploads.put(made)
    if former is not None:
        await _delete_files(store, former)
    return made, True


async def keep_if_room(
    store: TenantStore, collection: str, path: str, data: bytes, by: str
) -> tuple[UploadedDocument, bool]:
    """As `keep_document`, where what is there already is no matter of room.

    Raises:
        UploadsFull: it is new or changed, and nothing more can be kept.
    """
    if (full := await find_fullness(store)) is not None:
        known = await get_uploads(store).find(collection, path)
        if known is None or known.data_hash != sha256(data).hexdigest():
            raise full
    return await keep_document(store, collection, path, data, by)


async def delete_documents(store: TenantStore, collection: str, found: Sequence[UploadedDocument]) -> None:
    """Delete documents of a collection."""
    await _delete_files(store, *found)
    await get_uploads(store).delete(collection, found)


async def find_fullness(store: TenantStore) -> UploadsFull | None:
    """Why nothing new can be kept; None: it can."""
    settings = read_upload_settings()
    number, size = await get_uploads(store).measure()
    if number >= settings.upload_documents:
        return UploadsFull(
            f"there are {number:,} documents already, and {settings.upload_documents:,} can be kept "
            "(ELCANO_UPLOAD_DOCUMENTS): delete some"
        )
    if size >= settings.total_bytes:
        return UploadsFull(
            f"the documents have {size / 1e6:,.1f} MB together, and {settings.upload_total_mb:,.1f} MB can be kept "
            "(ELCANO_UPLOAD_TOTAL_MB): delete some"
        )
    return None


async def delete_collection(store: TenantStore, collection: str) -> int:
    """Delete all documents of a collection; returns how many there were."""
    uploads, deleted = get_uploads(store), 0
    while found := await uploads.page(collection, limit=AT_ONCE):
        await delete_documents(store, collection, found)
        deleted += len(found)
    return deleted


async def _delete_files(store: TenantStore, *found: UploadedDocument) -> None:
    await store.files.delete([file for one in found for file in (one.data_file, one.text_file)])
