"""The uploaded documents of a tenant, for an export of the tenant."""

from collections.abc import AsyncIterator
from typing import Final

from elcano.graphs.errors import StoreDamaged
from elcano.plugins.uploads.document_store import UploadedDocument, get_uploads
from elcano.storage.plugin_store import TenantFile
from elcano.storage.store import TenantStore

PAGE: Final = 200


async def export_documents(store: TenantStore) -> AsyncIterator[TenantFile]:
    """Every document as it was uploaded, by its collection and its name."""
    uploads = get_uploads(store)
    for collection in await uploads.count():
        after = ""
        while page := await uploads.page(collection, after=after, limit=PAGE):
            for document in page:
                yield TenantFile(f"documents/{collection}/{document.path}", _read_file(store, document))
            after = page[-1].key


async def _read_file(store: TenantStore, document: UploadedDocument) -> AsyncIterator[bytes]:
    data = await store.files.get(document.data_file)
    if data is None:
        raise StoreDamaged("the document was deleted or replaced meanwhile")
    yield data
