"""The plugin `documents`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="documents",
    description="Collections of documents in folders, pictures of their pages, and readmes of installed packages.",
    package="elcano.subjects.documents",
    sources=(".source_specs:SOURCES",),
    checks=(".local_sources:check_collections",),
    openers={"documents": ".local_sources:open_collection"},
    starters=(".pdf.pictures:start_renderers",),
    services=(".local_sources:require_folders",),
    routes=(".picture_routes:router",),
    document_files=(".local_sources:find_local_file",),
)
