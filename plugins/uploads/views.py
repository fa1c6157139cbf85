"""Stored documents and collections, as clients see them."""

from elcano.api.http.fields import datetime_from_seconds
from elcano.api.uploaded_documents import CollectionView, DocumentView
from elcano.plugins.uploads.document_store import CollectionCount, UploadedDocument
from elcano.plugins.uploads.source_spec import NAME


def view_collection(count: CollectionCount) -> CollectionView:
    """The view of a collection."""
    return CollectionView(
        name=count.collection,
        source=f"{NAME}:{count.collection}",
        documents=count.documents,
        unread=count.uploaded,
        indexed=count.indexed,
        refused=count.refused,
        bytes=count.size,
    )


def view_document(one: UploadedDocument) -> DocumentView:
    """The view of a stored document."""
    return DocumentView(
        path=one.path,
        sha256=one.data_hash,
        bytes=one.size,
        state=one.state,
        reason=one.reason,
        title=one.title,
        media_type=one.media_type,
        empty_pages=one.empty_pages,
        uploaded_at=datetime_from_seconds(one.uploaded_at),
        uploaded_by=one.uploaded_by,
    )
