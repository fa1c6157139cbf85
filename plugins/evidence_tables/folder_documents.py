"""The look at a folder: which documents an operator's collection has, as the worker that reads them sees it."""

import asyncio
from typing import Final

from pydantic import Field

from elcano.activities.services import Services
from elcano.graphs.catalogue.tools import LookSpec
from elcano.graphs.errors import SourceRefused
from elcano.graphs.frozen import Frozen


class FolderLook(Frozen):
    """The collection whose documents are wanted."""

    collection: str = Field(min_length=1, max_length=64)


class FolderDocuments(Frozen):
    """The documents of a folder."""

    documents: tuple[str, ...] = ()
    """Their paths, sorted."""
    skipped: dict[str, str] = {}
    """Why files that look like documents cannot be read, by their paths."""


async def list_folder(services: Services, asked: FolderLook) -> FolderDocuments:
    """List the documents of a collection.

    Raises:
        SourceRefused: there is no such folder, or nothing in it that can be read.
    """
    from elcano.plugins.documents.local_sources import Folder  # the API imports this module, and reads no folder

    settings = services.settings
    if (path := settings.collections.get(asked.collection)) is None:
        raise SourceRefused(f"ELCANO_COLLECTIONS of the worker has no collection {asked.collection!r}")
    listing = await asyncio.to_thread(Folder(path, settings.file_limit_bytes).listing)
    return FolderDocuments(documents=tuple(sorted(listing.documents)), skipped=dict(listing.skipped))


FOLDER_LOOK: Final = LookSpec(
    name="folder_documents",
    input=FolderLook,
    output=FolderDocuments,
    seconds=20.0,
    run="elcano.plugins.evidence_tables.folder_documents:list_folder",
)
