"""The specification of the source: what a tenant uploaded, as a whole or one collection of it."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec

NAME: Final = "uploads"

UPLOADS: Final = SourceSpec(
    name=NAME,
    kind="documents",
    description="All documents that were uploaded here.",
    by_default=False,
    opened_by="elcano.subjects.uploads.source:open_source",
)
