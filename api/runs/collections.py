"""Collections whose folder holds nothing to search, as far as it can be seen from here.

Where a worker alone has the folder nothing is known of it, and nothing is held against it; a run that searches a folder
without documents says so, too.
"""

import os
from pathlib import Path, PurePosixPath
from typing import Final

from elcano.settings import Settings

DOCUMENT_SUFFIXES: Final = (".txt", ".text", ".md", ".markdown", ".rst", ".html", ".htm", ".xhtml", ".pdf", ".docx")


MOST_ENTRIES: Final = 10_000
"""Of a folder, that are looked at for its first document; of a larger one without nothing is said."""


def empty_collections(settings: Settings) -> dict[str, str]:
    """By name the collections without a document, each with what to do."""
    suffixes = ", ".join(DOCUMENT_SUFFIXES)
    return {
        name: f"there is no document in its folder: add files ({suffixes}), or correct ELCANO_COLLECTIONS"
        for name, folder in settings.collections.items()
        if _is_empty(folder)
    }


def _is_empty(folder: Path) -> bool:
    """Whether a folder that can be read has no file of a known kind below it; links are not followed."""
    if not os.access(folder, os.R_OK | os.X_OK) or not folder.is_dir():
        return False
    seen = 0
    for path, folders, files in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        if any(_is_document(Path(path, name)) for name in files):
            return False
        seen += len(folders) + len(files)
        if seen > MOST_ENTRIES:
            return False
    return True


def _is_document(file: Path) -> bool:
    known = PurePosixPath(file.name).suffix.lower() in DOCUMENT_SUFFIXES
    return known and not file.name.startswith(".") and not file.is_symlink()
