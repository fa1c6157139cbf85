"""The look at a folder: which documents an operator's collection has, as the worker that reads them sees it."""

from typing import Final

from pydantic import Field

from elcano.graphs.catalogue.tools import LookSpec
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


FOLDER_LOOK: Final = LookSpec(
    name="folder_documents",
    input=FolderLook,
    output=FolderDocuments,
    seconds=20.0,
    run="elcano.doors.evidence_tables.document_reader:list_folder",
)
