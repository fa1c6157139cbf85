"""Objects by URL, through obstore: written whole or not at all, and never changed, so a reader finds all or nothing.

obstore works in threads of its own; waiting for one object does not delay another.
"""

import asyncio
import os
import re
import time
from collections.abc import AsyncIterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager, suppress
from datetime import timedelta
from hashlib import sha256
from pathlib import Path
from typing import Final, NamedTuple
from urllib.parse import unquote, urlsplit

import obstore
from obstore.exceptions import BaseError
from obstore.store import LocalStore, ObjectStore, from_url

from elcano.graphs.errors import StoreUnavailable
from elcano.measures import record_value
from elcano.storage.sql.dialect import root_of

SYNC_THREADS: Final = 4
"""Threads that wait for the disk; more would wait for the same one."""
CONNECT_SECONDS: Final = 3.0
"""Timeout of connecting to a server."""
ANSWER_SECONDS: Final = 10.0
"""Timeout of storing or loading one object, or deleting a thousand: one that hangs is one that is away."""
RETRIES: Final = 2
"""Retries of one request, within that time, for temporary refusals of a server. The caller decides about longer ones.
"""
_AT_ONCE: Final = 1_000
"""Objects that are deleted by one request."""
_PLAIN: Final = re.compile(r"[A-Za-z0-9_-]{1,128}")


class ListedObject(NamedTuple):
    """An object without its content."""

    key: str
    written_at: float
    """In seconds since the epoch."""


class Objects:
    """A place for objects. A key is a path of segments; `encode_key_segment` makes one of any name.

    Raises:
        StoreUnavailable: the place does not answer, or refuses.
        OSError: the disk does.
    """

    def __init__(self, store: ObjectStore, url: str, folder: Path | None) -> None:
        """`url` is for messages, `folder` where a store in the file system has its files."""
        self.url = url
        self._store = store
        self._folder = folder
        self._threads = ThreadPoolExecutor(SYNC_THREADS, thread_name_prefix="objects")

    async def put(self, key: str, data: bytes) -> None:
        """Store `data` under `key`, durably once this returns; repeating it changes nothing."""
        async with self._answering("put"):
            try:
                await obstore.put_async(self._store, key, data, use_multipart=False)
            except FileNotFoundError as error:
                raise StoreUnavailable(f"{self.url} is not there: make the bucket, or correct its name") from error
        if self._folder is not None:  # obstore renames a finished file into its place and leaves the disk to its time
            await asyncio.get_running_loop().run_in_executor(self._threads, _on_disk, self._folder / key, self._folder)

    async def get(self, key: str) -> bytes | None:
        """Returns the object stored under `key`; None if there is none."""
        async with self._answering("get"):
            try:
                found = await obstore.get_async(self._store, key)
                return bytes(await found.bytes_async())
            except FileNotFoundError:
                return None

    async def delete_below(self, prefix: str) -> int:
        """Deletes every object whose key begins with `prefix` and a slash; others may do it at the same time.

        Returns how many there were.
        """
        deleted = 0
        nothing: list[str] = []
        while keys := await anext(self.list_below(prefix), nothing):
            await self.delete(keys)
            deleted += len(keys)
        return deleted

    async def delete(self, keys: Sequence[str]) -> None:
        """Deletes objects, at most a thousand; those that are not there are no error."""
        async with self._answering("delete"):
            try:
                await obstore.delete_async(self._store, list(keys))
            except FileNotFoundError:  # a folder's deletion ends at the first file that is missing; the rest stay
                for key in keys:
                    with suppress(FileNotFoundError):
                        await obstore.delete_async(self._store, key)

    async def list_below(self, prefix: str, after: str = "") -> AsyncIterator[list[str]]:
        """The keys that begin with `prefix` and a slash, a thousand at a time, in no order; those behind `after`."""
        async for batch in self.list_written(prefix, after):
            yield [found.key for found in batch]

    async def list_written(self, prefix: str, after: str = "") -> AsyncIterator[list[ListedObject]]:
        """The same keys with the times at which their objects were written."""
        listed = aiter(obstore.list(self._store, prefix=prefix, offset=after or None, chunk_size=_AT_ONCE))
        while True:
            async with self._answering("list"):
                batch = await anext(listed, None)
            if batch is None:
                return
            yield [ListedObject(found["path"], found["last_modified"].timestamp()) for found in batch]

    def close(self) -> None:
        """Ends its threads. Nothing can be put afterwards."""
        self._threads.shutdown(wait=False, cancel_futures=True)

    @asynccontextmanager
    async def _answering(self, operation: str) -> AsyncIterator[None]:
        began = time.monotonic()
        try:
            async with asyncio.timeout(ANSWER_SECONDS):
                yield
        except TimeoutError as error:
            text = f"{self.url} did not answer within {ANSWER_SECONDS:g} s; see that it can be reached"
            raise StoreUnavailable(text) from error
        except BaseError as error:
            said = str(error).partition("\n")[0]
            raise StoreUnavailable(f"{self.url} cannot be used ({said}); see that it can be reached") from error
        finally:
            record_value("object_seconds", time.monotonic() - began, operation=operation)


def open_objects(url: str, folder: Path) -> Objects:
    """The objects at `url` (`file:///path`, `s3://bucket/prefix`); empty: in `folder`, which is made when needed.

    Credentials, region and endpoint of S3 come from the usual `AWS_*` variables, which obstore reads.
    """
    if url and urlsplit(url).scheme != "file":
        store = from_url(
            url,
            client_options={
                "allow_http": True,
                "connect_timeout": timedelta(seconds=CONNECT_SECONDS),
                "timeout": timedelta(seconds=ANSWER_SECONDS),
            },
            retry_config={"max_retries": RETRIES, "retry_timeout": timedelta(seconds=ANSWER_SECONDS)},
        )
        return Objects(store, url, None)
    place = Path(unquote(urlsplit(url).path)) if url else folder.absolute()
    return Objects(LocalStore(prefix=place, mkdir=True, automatic_cleanup=True), place.as_uri(), place)


def encode_key_segment(name: str) -> str:
    """`name` as one segment of a key: as it is if it is plain, else its hash."""
    return name if _PLAIN.fullmatch(name) else sha256(name.encode()).hexdigest()


def _on_disk(path: Path, root: Path) -> None:
    """Has the disk keep a file and its name: the folders that it is in, up to `root`, may be new too."""
    for place in (path, *path.parents):
        found = os.open(place, os.O_RDONLY)
        try:
            os.fsync(found)
        finally:
            os.close(found)
        if place == root:
            return


ARTIFACTS: Final = "artifacts"
"""The prefix of all artifacts."""
PAYLOADS: Final = "payloads"
"""The prefix of all payloads."""
FILES: Final = "files"
"""The prefix of all files."""


def files_of_tenant(tenant: str) -> str:
    """The prefix of the files of a tenant."""
    return f"{FILES}/{encode_key_segment(tenant)}"


def artifacts_of_tenant(tenant: str) -> str:
    """The prefix of the artifacts of a tenant."""
    return f"{ARTIFACTS}/{encode_key_segment(tenant)}"


def artifacts_of(tenant: str, run_id: str) -> str:
    """The prefix of the artifacts of a run and its branches."""
    return f"{artifacts_of_tenant(tenant)}/{encode_key_segment(root_of(run_id))}"


def payloads_of(run_id: str) -> str:
    """The prefix of the payloads of a run and its branches. Temporal knows a workflow's id, which is the run's."""
    return f"{PAYLOADS}/{encode_key_segment(root_of(run_id))}"
