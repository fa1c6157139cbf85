"""How the sources are made whose documents are on this machine: the collections, and the packages' readmes."""

from pathlib import Path

from elcano.activities.sources.documents.folder import Folder
from elcano.activities.sources.documents.packages import PackageReadmes
from elcano.activities.sources.documents.source import DocumentsSource
from elcano.graphs.catalogue.source_spec import SourceSpec
from elcano.graphs.errors import InputInvalid
from elcano.settings import Settings


def open_collection(spec: SourceSpec, settings: Settings) -> DocumentsSource:
    """The folder that the settings give to this name. Nothing is read before the first search."""
    folder = Folder(settings.collections[spec.name], limit_bytes=settings.file_limit_bytes)
    return DocumentsSource(spec, folder, _build_index_path(spec, settings))


def open_packages(spec: SourceSpec, settings: Settings) -> DocumentsSource:
    """The readmes of the installed Python packages."""
    return DocumentsSource(spec, PackageReadmes(), _build_index_path(spec, settings))


def require_folders(settings: Settings) -> None:
    """Refuses collections whose folders are not there, before a run finds nothing in them.

    Raises:
        InputInvalid: naming every such collection and its folder.
    """
    missing = [f"{name!r}: {str(folder)!r}" for name, folder in settings.collections.items() if not folder.is_dir()]
    if missing:
        raise InputInvalid(
            "collections",
            f"ELCANO_COLLECTIONS names folders that are not there ({'; '.join(missing)}): create them, or write names "
            'with folders that exist, such as {"handbook": "docs/handbook"}',
        )


def _build_index_path(spec: SourceSpec, settings: Settings) -> Path:
    return settings.data_dir / "index" / f"{spec.name}.sqlite"
