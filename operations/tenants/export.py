"""Everything that a tenant owns as one ZIP file, written while it is read: nothing grows in memory with the tenant.

At its end is a manifest with the size and SHA-256 of each file. What cannot be read is an entry of it with the reason:
an export that lacks something says so. A file is checked against its manifest without a server.
"""

import asyncio
import json
import time
import zipfile
import zlib
from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256
from io import RawIOBase
from pathlib import Path
from typing import Any, Final, Literal

from pydantic import ValidationError
from sqlalchemy import Table
from sqlalchemy.ext.asyncio import AsyncEngine

from elcano import __version__
from elcano.graphs.errors import ElcanoError, InputInvalid, StoreDamaged
from elcano.graphs.frozen import Frozen
from elcano.graphs.plugin import load_objects
from elcano.graphs.report.report import Report
from elcano.operations.tenants.tenant_rows import list_exported_columns, list_tenant_tables, read_rows
from elcano.storage.plugin_store import TenantFile
from elcano.storage.sql.tables import artifacts, runs
from elcano.storage.store import TenantStore

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
    """Contents of an export."""

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


JSON_COLUMNS: Final = frozenset({"body", "lists"})
"""Columns of texts that are JSON, which a line has as objects."""
EXTENSIONS: Final[Mapping[str, str]] = {"text/markdown": "md", "text/plain": "txt", "text/csv": "csv"}
"""By media type; all types of ours that end in `json` are `json`, and others are `bin`."""


async def stream_export(engine: AsyncEngine, store: TenantStore) -> AsyncIterator[bytes]:
    """The bytes of the export of a tenant."""
    writer, began = ZipWriter(), time.time()
    files: list[ExportedFile] = []
    async for file in _list_files(engine, store):
        digest, size, error = sha256(), 0, ""
        writer.begin(file.path)
        try:
            async for piece in file.pieces:
                digest.update(piece)
                size += len(piece)
                yield await asyncio.to_thread(writer.write, piece)
        except (ElcanoError, OSError) as failed:  # the manifest says so
            error = f"{type(failed).__name__}: {failed}"
        yield writer.end()
        files.append(ExportedFile(path=file.path, bytes=size, sha256=digest.hexdigest(), error=error))
    manifest = Manifest(
        format=FORMAT,
        tenant=store.tenant,
        exported_at=datetime.fromtimestamp(began, UTC),
        release=__version__,
        files=tuple(files),
    )
    writer.begin(MANIFEST)
    yield writer.write(manifest.model_dump_json(indent=1).encode())
    yield writer.end()
    yield writer.close()


async def _list_files(engine: AsyncEngine, store: TenantStore) -> AsyncIterator[TenantFile]:
    """All files, each to be read before the next one is asked for."""
    for table in list_tenant_tables():
        yield TenantFile(f"tables/{table.name}.jsonl", _write_rows(engine, table, store.tenant))
    async for row in _iterate_rows(engine, runs, store.tenant):
        report = json.loads(row["body"]).get("report")
        if report and "." not in row["run_id"]:
            yield TenantFile(f"reports/{row['run_id']}.md", _write_report(report["artifact"], store))
    async for row in _iterate_rows(engine, artifacts, store.tenant):
        path = f"artifacts/{row['run_id']}/{row['key']}.{_choose_extension(row['media_type'])}"
        yield TenantFile(path, _write_artifact(row["key"], store))
    for export in load_objects("exporters"):
        async for file in export(store):
            yield file


async def _iterate_rows(engine: AsyncEngine, table: Table, tenant: str) -> AsyncIterator[dict[str, Any]]:
    async for rows in read_rows(engine, table, tenant):
        for row in rows:
            yield row


async def _write_rows(engine: AsyncEngine, table: Table, tenant: str) -> AsyncIterator[bytes]:
    """The rows of a table, a JSON object each, with the names of its columns."""
    parsed = JSON_COLUMNS.intersection(list_exported_columns(table))
    async for rows in read_rows(engine, table, tenant):
        yield await asyncio.to_thread(_format_rows, rows, parsed)


def _format_rows(rows: Sequence[dict[str, Any]], parsed: frozenset[str]) -> bytes:
    lines = ({**row, **{name: json.loads(row[name]) if row[name] else None for name in parsed}} for row in rows)
    return "".join(f"{json.dumps(line, ensure_ascii=False)}\n" for line in lines).encode()


async def _write_report(key: str, store: TenantStore) -> AsyncIterator[bytes]:
    yield Report.model_validate_json(await _load_artifact(key, store)).markdown.encode()


async def _write_artifact(key: str, store: TenantStore) -> AsyncIterator[bytes]:
    yield (await _load_artifact(key, store)).encode()


async def _load_artifact(key: str, store: TenantStore) -> str:
    content = await store.artifacts.get(key)
    if content is None:
        raise StoreDamaged(f"the artifact {key} is not in the store: was its run deleted meanwhile?")
    return content


def _choose_extension(media_type: str) -> str:
    return "json" if media_type.endswith("json") else EXTENSIONS.get(media_type, "bin")


class ZipWriter:
    """A ZIP file whose bytes are taken away as they are made."""

    def __init__(self) -> None:
        self._sink = _Sink()
        self._archive = zipfile.ZipFile(self._sink, "w", zipfile.ZIP_DEFLATED)
        self._open: Any = None

    def begin(self, path: str) -> None:
        """Begin a file; its size need not be known."""
        entry = zipfile.ZipInfo(path, time.gmtime()[:6])
        entry.compress_type = zipfile.ZIP_DEFLATED
        entry.external_attr = 0o644 << 16
        self._open = self._archive.open(entry, "w", force_zip64=True)

    def write(self, data: bytes) -> bytes:
        """Add to the file; returns what there is to send."""
        self._open.write(data)
        return self._sink.take()

    def end(self) -> bytes:
        """End the file."""
        self._open.close()
        return self._sink.take()

    def close(self) -> bytes:
        """End the archive with its directory."""
        self._archive.close()
        return self._sink.take()


class _Sink(RawIOBase):
    """Target of `zipfile`: it cannot go back."""

    def __init__(self) -> None:
        super().__init__()
        self._made = bytearray()

    def writable(self) -> bool:
        return True

    def write(self, data: Any) -> int:
        self._made += data
        return len(data)

    def take(self) -> bytes:
        made = bytes(self._made)
        self._made.clear()
        return made
