"""What `elcano doctor` says of document collections."""

from collections.abc import Iterable
from typing import Final

from elcano.graphs.errors import SourceRefused
from elcano.plugins.documents.folder import Folder
from elcano.settings import Settings
from elcano.settings.plugins import Finding

_SHOWN: Final = 5
"""Skipped files that are named; the rest is counted."""


def check_collections(chosen: Settings) -> Iterable[Finding]:
    """Report what each document collection holds and what it leaves out."""
    if chosen.package_readmes:
        yield Finding("good", "collection packages: the installed Python packages")
    for name, path in chosen.collections.items():
        try:
            listing = Folder(path, limit_bytes=chosen.file_limit_bytes).listing()
        except SourceRefused as error:
            yield Finding("fault", f"collection {name}: {error}")
            continue
        yield Finding("good", f"collection {name}: {len(listing.documents)} documents in {path}")
        left_out = [*listing.skipped, *listing.ignored]
        for skipped in left_out[:_SHOWN]:
            yield Finding("note", f"collection {name} leaves out {skipped.key}: {skipped.reason}")
        if len(left_out) > _SHOWN:
            yield Finding("note", f"collection {name} leaves out {len(left_out) - _SHOWN} more")
