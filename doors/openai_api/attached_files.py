"""Files within a request, as documents of its run.

Each file is a collection of its own, named by a hash of its name and bytes, so one that is sent twice is kept once. It
is read, limited, listed and deleted as every upload is.
"""

import asyncio
import binascii
from base64 import b64decode
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.client.collections import name_file_collection
from elcano.graphs.errors import InputInvalid
from elcano.service.errors import FieldFault, Forbidden, RequestInvalid
from elcano.service.process import Services
from elcano.subjects.documents.file_detection import name_by_content
from elcano.subjects.uploads.content_kind import find_parted_type
from elcano.subjects.uploads.document_files import keep_document
from elcano.subjects.uploads.document_names import normalize_name
from elcano.subjects.uploads.source_spec import NAME as UPLOADS

MOST_FILES: Final = 20
"""Files of one request: each is a source that every query goes to."""
UNNAMED: Final = "file"
"""The name of a file that has none; its type is detected from its bytes."""


@dataclass(frozen=True)
class AttachedFile:
    """A file of a request, as the client gave it."""

    place: str
    """Path in the request."""
    data: str
    """Base64, alone or as a `data:` URL."""
    name: str = ""


class FileFault(Exception):
    """A file cannot be taken; the text says why."""


async def keep_attached_files(files: Sequence[AttachedFile], services: Services) -> list[str]:
    """Keep the files of a request; returns the sources in which a run finds them.

    Raises:
        RequestInvalid: some cannot be taken, each with the reason.
        Forbidden: who asks may not upload.
        UploadsFull: there is no room.
    """
    if len(files) > MOST_FILES:
        message = f"a request takes at most {MOST_FILES} files; upload them into a collection, and name that"
        raise RequestInvalid([FieldFault(field=files[MOST_FILES].place, message=message)])
    if (why := services.principal.explain_refusal("edit_catalogue")) is not None:
        raise Forbidden(why)
    found, faults = dict[str, None](), list[FieldFault]()
    for file in files:
        try:
            found[f"{UPLOADS}:{await _keep_file(file.name, _decode_data(file.data), services)}"] = None
        except FileFault as error:
            faults.append(FieldFault(field=file.place, message=str(error)))
    if faults:
        raise RequestInvalid(faults)
    return list(found)


async def _keep_file(name: str, data: bytes, services: Services) -> str:
    """Keep a file, which a worker then reads, and return its collection; `name` may be empty.

    Raises:
        FileFault: it cannot be read, or cannot be called so.
        UploadsFull: there is no room.
    """
    limit = services.settings.file_limit_bytes
    if not data or len(data) > limit:
        raise FileFault(f"it has {len(data):,} bytes; 1 to {limit:,} are taken (ELCANO_FILE_LIMIT_MB)")
    try:
        name = normalize_name(name or UNNAMED)
        if not await asyncio.to_thread(find_parted_type, name, data):
            await asyncio.to_thread(name_by_content, name, data)
    except (InputInvalid, FileSkipped) as error:
        raise FileFault(str(error)) from error
    collection = name_file_collection([(sha256(data).hexdigest(), name)])
    await keep_document(services.store, collection, name, data, services.principal.user)
    return collection


def _decode_data(text: str) -> bytes:
    head, comma, rest = text.partition(",")
    if text.startswith("data:") and not (comma and head.endswith(";base64")):
        raise FileFault("is a `data:` URL without `;base64,`")
    try:
        return b64decode(rest if comma else text, validate=True)
    except binascii.Error as error:
        raise FileFault(f"is no base64: {error}") from error
