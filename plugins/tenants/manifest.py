"""The manifest of an export, and the check of a file against it, which needs no server."""

import zipfile
import zlib
from datetime import datetime
from hashlib import sha256
from pathlib import Path
from typing import Final, Literal

from pydantic import ValidationError

from elcano.graphs.errors import InputInvalid
from elcano.graphs.frozen import Frozen

MANIFEST: Final = "manifest.json"
FORMAT: Final = "elcano-tenant/1"
_PIECE: Final = 1 << 20


class ExportedFile(Frozen):
    """One file of an export."""

    path: str
    bytes: int
    sha256: str
    error: str = ""
    """Why it is not whole; empty: it is."""


class Manifest(Frozen):
    """What an export has."""

    format: Literal["elcano-tenant/1"]
    tenant: str
    exported_at: datetime
    """When it was begun."""
    release: str
    """The version of Elcano that wrote it."""
    files: tuple[ExportedFile, ...]


def check_export(file: Path) -> tuple[Manifest, list[str]]:
    """Read an export and compare each of its files with the manifest; returns that, and everything that is wrong.

    Raises:
        InputInvalid: it is no export, or one that was cut off.
    """
    try:
        with zipfile.ZipFile(file) as archive:
            manifest = Manifest.model_validate_json(archive.read(MANIFEST))
            listed = {one.path for one in manifest.files} | {MANIFEST}
            faults = [f"{name} is not in the manifest" for name in archive.namelist() if name not in listed]
            for one in manifest.files:
                faults += [f"{one.path}: {one.error}"] if one.error else _check_file(archive, one)
    except (OSError, KeyError, ValidationError, zipfile.BadZipFile) as error:
        raise InputInvalid("file", f"{file} is no export of a tenant, or was cut off: {error}") from error
    return manifest, faults


def _check_file(archive: zipfile.ZipFile, one: ExportedFile) -> list[str]:
    digest, size = sha256(), 0
    try:
        with archive.open(one.path) as opened:
            while piece := opened.read(_PIECE):
                digest.update(piece)
                size += len(piece)
    except KeyError:
        return [f"{one.path} is missing"]
    except (zipfile.BadZipFile, zlib.error, EOFError) as error:
        return [f"{one.path} is damaged: {error}"]
    whole = (size, digest.hexdigest()) == (one.bytes, one.sha256)
    return [] if whole else [f"{one.path} is not what was exported: its hash differs"]
