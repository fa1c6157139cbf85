"""Reads the certificate that a person names: the file itself, or the archive of an export that holds it.

Nothing of an archive is written to the disk, and of its files only `certificate.json` at its top is unpacked.
"""

import zipfile
from dataclasses import dataclass
from io import BytesIO
from pathlib import Path
from typing import Final

from elcano.api.archive_members import UNREADABLE, open_archive, open_member
from elcano.graphs.errors import InputInvalid

LARGEST: Final = 1_000_000_000
"""Bytes of a file, and of a certificate in an archive, that are read, all into memory."""
MEMBER: Final = "certificate.json"
"""The name that an export gives to the certificate in its archive."""
_ARCHIVES: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""How a ZIP archive begins, with files and without."""


@dataclass(frozen=True)
class CertificateFile:
    """A certificate as it was read."""

    data: bytes
    archived: bool = False
    """Whether it was read from an archive."""


def read_certificate_file(file: Path) -> CertificateFile:
    """The certificate in a file.

    Raises:
        InputInvalid: it cannot be read, is too large, or is an archive without a certificate.
    """
    try:
        with file.open("rb") as opened:  # a pipe or a device does not say how much will come
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise InputInvalid("file", f"{file} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise InputInvalid("file", f"{file} has more than the {LARGEST:,} bytes that are looked at")
    if not data.startswith(_ARCHIVES):
        return CertificateFile(data)
    try:
        with open_archive(BytesIO(data)) as archive:
            return CertificateFile(_read_member(archive), archived=True)
    except (InputInvalid, *UNREADABLE) as error:
        raise InputInvalid("file", f"{file} cannot be read: {error}") from error


def _read_member(archive: zipfile.ZipFile) -> bytes:
    found = [one for one in archive.infolist() if one.filename == MEMBER]
    if not found:
        raise InputInvalid("file", f"it is an archive without {MEMBER}; `elcano export RUN --format zip` makes one")
    if len(found) > 1:
        raise InputInvalid("file", f"it is an archive with {len(found)} files called {MEMBER}: unpack the one you mean")
    if found[0].file_size > LARGEST:
        raise InputInvalid("file", f"its {MEMBER} has more than the {LARGEST:,} bytes that are looked at")
    with open_member(archive, found[0]) as opened:
        return opened.read()
