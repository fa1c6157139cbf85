"""Uploaded files that are many documents: each file of an archive, and each work of a reading list, becomes one.

They are called `FILE/PART`, as if the file was a folder, and go with it. If a worker dies, another one begins to keep
them from the first: what is there already is not kept twice.
"""

from collections.abc import Collection, Iterator
from io import BytesIO
from pathlib import PurePosixPath
from typing import Final, NamedTuple

from elcano.activities.passages.document import FileSkipped
from elcano.client.archive_members import UNREADABLE, ArchiveInvalid, list_members, open_archive, open_member
from elcano.graphs.errors import InputInvalid
from elcano.storage.store import TenantStore
from elcano.storage.threads import Threads
from elcano.subjects.uploads.content_kind import PARTED_TYPES, ZIP, find_parted_type
from elcano.subjects.uploads.document_files import delete_documents, keep_documents
from elcano.subjects.uploads.document_names import normalize_name
from elcano.subjects.uploads.document_store import UploadedDocument, get_uploads
from elcano.subjects.uploads.reading_lists import read_list

LOOKED: Final = 100
"""Parts that are kept together, after a look whether the file is still there: room is counted once for them."""
KEPT_BYTES: Final = 8_000_000
"""Maximum bytes of the parts in memory, unless a single one has more."""
SHOWN: Final = 80
"""Characters of the name of a part that is not taken."""
TOLD: Final = 20
"""Parts that are not taken and named; the others are counted."""


class Part(NamedTuple):
    """One part of a file."""

    name: str
    data: bytes = b""
    fault: str = ""
    """Why it is not taken."""


def iterate_parts(media_type: str, data: bytes, limit: int) -> Iterator[Part]:
    """The parts of a file of one of the `PARTED_TYPES`, of which none has more than `limit` bytes.

    Raises:
        FileSkipped: it cannot be taken apart.
    """
    return _unpack_archive(data, limit) if media_type == ZIP else _list_works(media_type, data)


def _unpack_archive(data: bytes, limit: int) -> Iterator[Part]:
    try:
        archive = open_archive(BytesIO(data))
        members = list_members(archive, len(data))
    except ArchiveInvalid as error:
        raise FileSkipped(str(error)) from error
    for member in members:
        name = member.filename
        if member.file_size > limit:
            yield Part(name, fault=f"it has {member.file_size / 1e6:,.1f} MB; at most {limit / 1e6:,.1f} MB are taken")
            continue
        try:
            with open_member(archive, member) as opened:
                content = opened.read()
        except UNREADABLE as error:
            yield Part(name, fault=f"it cannot be read: {error}")
            continue
        if not content:
            yield Part(name, fault="it is empty")
        elif find_parted_type(name, content) == ZIP:
            yield Part(name, fault="it is an archive within an archive: unpack it")
        else:
            yield Part(name, content)


def _list_works(media_type: str, data: bytes) -> Iterator[Part]:
    for entry in read_list(media_type, data):
        yield Part(entry.name, entry.item.encode(), entry.fault)
        if entry.notes:
            yield Part(f"{entry.name}-notes.md", entry.notes.encode())


async def keep_parts(
    store: TenantStore, document: UploadedDocument, parts: Iterator[Part], threads: Threads
) -> tuple[int, str]:
    """Keep the parts of a file, and delete those that it has no more; returns how many it has, and what is not taken.

    If the file is deleted or replaced meanwhile, it ends.

    Raises:
        FileSkipped: nothing of it can be taken.
    """
    names, faults = set[str](), list[str]()
    together: list[tuple[Part, str]] = []

    async def keep_together() -> bool:
        """Store the collected parts; returns whether the file is still there."""
        found = [(path, part.data) for part, path in together]
        there = await get_uploads(store).find(document.collection, document.path) == document
        if there and found:
            kept = await keep_documents(store, document.collection, found, document.uploaded_by)
            for (part, path), one in zip(together, kept, strict=True):
                if one.full is not None:
                    faults.append(f"{part.name[:SHOWN]!r}: {one.full}")
                    names.discard(path)
        together.clear()
        return there

    while (part := await threads.run(next, parts, None)) is not None:
        fault = part.fault
        try:
            path = normalize_name(f"{document.path}/{part.name}")
            if path in names:
                fault = "there are two of this name; the first one is taken"
        except InputInvalid as error:
            path, fault = "", str(error)
        if fault:
            faults.append(f"{part.name[:SHOWN]!r}: {fault}")
            continue
        names.add(path)
        together.append((part, path))
        full = len(together) >= LOOKED or sum(len(one.data) for one, _ in together) >= KEPT_BYTES
        if full and not await keep_together():
            return len(names), ""
    if not await keep_together():
        return len(names), ""
    reasons = "; ".join([*faults[:TOLD], *([f"and {len(faults) - TOLD:,} more"] if len(faults) > TOLD else [])])
    if not names:
        raise FileSkipped(f"nothing of it can be taken: {reasons or 'there is nothing in it'}")
    await delete_parts(store, document, but=names)
    return len(names), f"{len(faults):,} of its parts are not taken: {reasons}" if faults else ""


async def delete_parts(store: TenantStore, document: UploadedDocument, but: Collection[str] = ()) -> None:
    """Delete the parts of a file, and parts of these, but those of these names."""
    uploads, after = get_uploads(store), ""
    while page := await uploads.page(document.collection, after=after, limit=LOOKED):
        after = page[-1].key
        gone = [
            one
            for one in page
            if one.path.startswith(f"{document.path}/")
            and one.path not in but
            and not any(parent.as_posix() in but for parent in PurePosixPath(one.path).parents)
        ]
        await delete_documents(store, document.collection, gone)


def may_have_parts(document: UploadedDocument) -> bool:
    """Whether a document is a file with parts, or one of which that is not known yet."""
    return document.media_type in PARTED_TYPES or document.state != "indexed"
