"""The plugin `documents`."""

from typing import Final

from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.plugin import Plugin

plugin: Final = Plugin(
    name="documents",
    description="Collections of documents in folders, and what installed packages say of themselves.",
    package="elcano.plugins.documents",
    sources=(".plugin:SOURCES",),
    checks=(".local_sources:check_collections",),
    openers={"documents": ".local_sources:open_collection"},
    services=(".local_sources:require_folders",),
)


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
