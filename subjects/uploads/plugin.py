"""The plugin `uploads`."""

from typing import Final

from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="uploads",
    description="Collections of documents that a tenant uploads, searched as sources.",
    package="elcano.subjects.uploads",
    needs=("documents",),
    sources=(".source_spec:UPLOADS",),
    settings=(".settings:UploadSettings",),
    background=(".background:open_background",),
    stores={"uploads": ".document_store:UploadStore"},
    document_files=(".document_files:find_uploaded_file",),
    routes=(".routes:router",),
    commands={"documents": ".commands:app"},
)
