"""The source of documents that is there without being named: what installed packages say about themselves."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec

_PACKAGE: Final = "elcano.plugins.documents"

SOURCES: Final = (
    SourceSpec(
        name="packages",
        kind="documents",
        description="What the installed Python packages say of themselves.",
        setting="ELCANO_PACKAGE_READMES",
        opened_by=f"{_PACKAGE}.local_sources:open_packages",
    ),
)
