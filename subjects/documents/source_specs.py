"""The specification of the documents source that needs no configuration: installed packages' descriptions."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec

_PACKAGE: Final = "elcano.subjects.documents"

SOURCES: Final = (
    SourceSpec(
        name="packages",
        kind="documents",
        description="What the installed Python packages say of themselves.",
        setting="ELCANO_PACKAGE_READMES",
        opened_by=f"{_PACKAGE}.local_sources:open_packages",
    ),
)
