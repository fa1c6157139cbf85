"""Uploaded documents: `AsyncCollection` is one collection of them, `Collection` the same for programs that wait.

A collection is there as long as a document is in it. Adding sends only what is not there yet, so it is resumed by
doing it again.

What is uploaded are single files, those of folders, and those in ZIP archives, which are read in place. Nothing of an
archive is written to the disk, so none of its names can lead anywhere; the API judges names, sizes and kinds of what is
in it, as of any file.
"""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from hashlib import sha256
from pathlib import Path
from typing import IO, Final
from urllib.parse import quote

from elcano.client.archive_members import (
    UNREADABLE,
    ArchiveInvalid,
    is_hidden,
    list_members,
    open_archive,
    open_member,
)
from elcano.client.blocking import Blocking, make_blocking, make_blocking_iterator
from elcano.client.connection import PIECE, Connection
from elcano.client.errors import InvalidFiles, NotFound, Problem
from elcano.client.models import CollectionView, DocumentPage, DocumentView, Model


@dataclass(frozen=True)
class LocalFile:
    """A file, on the disk or in an archive."""

    place: str
    """Human-readable location."""
    size: int
    """In bytes; no more are read of a file in an archive, whatever it unpacks to."""
    open: Callable[[], IO[bytes]]
    """Opens it to be read. This and reading may raise what is in `UNREADABLE`."""

    def hash(self) -> str:
        """The SHA-256 of its bytes, hexadecimal."""
        found = sha256()
        with self.open() as opened:
            while piece := opened.read(PIECE):
                found.update(piece)
        return found.hexdigest()


def find_files(paths: Iterable[Path | str]) -> dict[str, LocalFile]:
    """Files by their names in a collection, but hidden ones of folders and archives.

    A file is called by its name; those of a folder have the folder's own name before them, and those of an archive the
    archive's.

    Raises:
        InvalidFiles: one cannot be read, two have the same name, or an archive cannot be taken.
    """
    found: dict[str, LocalFile] = {}
    try:
        for raw, file in _name_files(paths):
            name = raw.encode(errors="surrogateescape").decode(errors="replace")  # a disk's names may be no text
            if found.setdefault(name, file).place != file.place:
                raise InvalidFiles(f"{found[name].place} and {file.place} would both be called {name!r}")
    except OSError as error:
        raise InvalidFiles(f"files cannot be read: {error}") from error
    return found


def name_own_collection(files: Mapping[str, LocalFile]) -> str:
    """The name of a collection of just these files.

    Raises:
        OSError: and what else is in `UNREADABLE`: one cannot be read.
    """
    return name_file_collection((file.hash(), name) for name, file in files.items())


def name_file_collection(files: Iterable[tuple[str, str]]) -> str:
    """The name of a collection of just these files, each given by its SHA-256 (hexadecimal) and its name."""
    names = sorted(f"{data_hash} {name}" for data_hash, name in files)
    return f"files-{sha256(chr(0).join(names).encode()).hexdigest()[:16]}"


def _name_files(paths: Iterable[Path | str]) -> Iterator[tuple[str, LocalFile]]:
    for path in (Path(one).resolve() for one in paths):
        if path.is_dir():
            for file in sorted(path.rglob("*")):
                name = file.relative_to(path).as_posix()
                if file.is_file() and not is_hidden(name):
                    yield f"{path.name}/{name}", _describe_file(file)
        elif path.suffix.lower() == ".zip":
            yield from _list_archive(path)
        else:
            yield path.name, _describe_file(path)


def _describe_file(path: Path) -> LocalFile:
    return LocalFile(str(path), path.stat().st_size, lambda: path.open("rb"))


def _list_archive(path: Path) -> Iterator[tuple[str, LocalFile]]:
    try:
        archive = open_archive(path)
        members = list_members(archive, path.stat().st_size)
    except ArchiveInvalid as error:
        raise InvalidFiles(f"{path}: {error}") from error
    for number, one in enumerate(members):
        place = f"{path}, file {number} ({one.filename})"
        yield f"{path.name}/{one.filename}", LocalFile(place, one.file_size, partial(open_member, archive, one))


COLLECTIONS: Final = "/v1/collections"
PAGE: Final = 1_000
"""Documents that are listed at a time."""
LOOK_SECONDS: Final = 0.5
"""Between two looks at a collection that is being read."""
_OF_ONE_DOCUMENT: Final = frozenset({404, 409, 413, 422})
"""Statuses of refusals that say nothing of other documents, or that others may escape; 404: no path can have the name,
as with a line break in it."""


class AddedDocument(Model):
    """Outcome of adding one file."""

    path: str
    """The document's name in the collection."""
    sent: bool = False
    """It was not there, or had other bytes."""
    refusal: str = ""
    """Why it cannot be read here, or the API does not take it; empty: it is there."""


class AsyncCollection:
    """The collection `name`, which runs search as the source `uploads:NAME`. Methods raise what `Connection` does."""

    def __init__(self, connection: Connection, name: str) -> None:
        self.name = name
        self.source = f"uploads:{name}"
        """The name by which a run names it among its `sources`."""
        self._connection = connection
        self._path = f"{COLLECTIONS}/{quote(name, safe='')}"

    def __repr__(self) -> str:
        return f"{type(self).__name__}({self.name!r})"

    async def view(self) -> CollectionView:
        """Return its state: how many documents are read.

        Raises:
            NotFound: nothing is in it.
        """
        return CollectionView.model_validate(await self._connection.get(self._path))

    async def documents(self, /, **filters: str) -> AsyncIterator[DocumentView]:
        """Its documents, all or those in one `state`.

        Raises:
            NotFound: nothing is in it.
        """
        cursor: str | None = ""
        while cursor is not None:
            answer = await self._connection.get(f"{self._path}/documents", limit=PAGE, cursor=cursor, **filters)
            page = DocumentPage.model_validate(answer)
            for document in page.documents:
                yield document
            cursor = page.next

    async def add(
        self, *paths: Path | str, tell: Callable[[AddedDocument], None] | None = None
    ) -> tuple[AddedDocument, ...]:
        """Upload files, also of folders and of ZIP archives; what is there already, and not refused, is not sent.

        Args:
            paths: files, folders and archives; see `find_files` for what is in them, and for names.
            tell: called with each file as it is done.

        Returns:
            What became of each file, also of those that are refused.

        Raises:
            InvalidFiles: as `find_files`; nothing is sent.
        """
        added = []
        files = await asyncio.to_thread(find_files, paths)
        there = await self._list_hashes()
        for name, file in files.items():
            one = await self._send(name, file, there.get(name, ""))
            added.append(one)
            if tell is not None:
                tell(one)
        return tuple(added)

    async def wait(self) -> CollectionView:
        """Return its status once all of its documents are read, or refused."""
        return await self._connection.poll(self.view, lambda view: not view.unread, every=LOOK_SECONDS)

    async def delete(self, path: str = "") -> None:
        """Delete one document of it, or all with it. Passages that runs found stay with the runs."""
        await self._connection.delete(self._locate(path) if path else self._path)

    async def _list_hashes(self) -> dict[str, str]:
        try:
            return {one.path: one.sha256 async for one in self.documents() if one.state != "refused"}
        except NotFound:
            return {}

    async def _send(self, name: str, file: LocalFile, known: str) -> AddedDocument:
        try:
            if known and await asyncio.to_thread(file.hash) == known:
                return AddedDocument(path=name)
            await self._connection.upload(self._locate(name), file.open, file.size)
        except UNREADABLE as error:
            return AddedDocument(path=name, refusal=f"it cannot be read: {error}")
        except Problem as problem:
            if problem.status not in _OF_ONE_DOCUMENT:
                raise
            return AddedDocument(path=name, refusal=str(problem))
        return AddedDocument(path=name, sent=True)

    def _locate(self, document: str) -> str:
        # A part `..` would be taken for the folder above by the HTTP library; so the API refuses it instead.
        parts = ("%2E" * len(part) if part in (".", "..") else quote(part) for part in document.split("/"))
        return f"{self._path}/documents/{'/'.join(parts)}"


class Collection(Blocking[AsyncCollection]):
    """One collection of uploaded documents, for programs that wait."""

    view = make_blocking(AsyncCollection.view)
    documents = make_blocking_iterator(AsyncCollection.documents)
    add = make_blocking(AsyncCollection.add)
    wait = make_blocking(AsyncCollection.wait)
    delete = make_blocking(AsyncCollection.delete)

    @property
    def name(self) -> str:
        """Its name."""
        return self.asynchronous.name

    @property
    def source(self) -> str:
        """The name by which a run names it among its `sources`."""
        return self.asynchronous.source


async def list_collections(connection: Connection) -> tuple[CollectionView, ...]:
    """All collections, with how far each is read."""
    return tuple(CollectionView.model_validate(one) for one in await connection.get(COLLECTIONS))
