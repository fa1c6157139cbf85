"""The index of one collection: an SQLite file that holds each document's text once and the words of its passages.

The file is a cache: it can be deleted at any time and is built again by the next search. Every method opens its own
connection, so that all may be called from any thread and any process; only who is inside `writing` may change it.

An index of an older version goes on answering while the one that takes its place is built next to it, in a file whose
name ends in `.next`; one that is interrupted is completed by the next writer.
"""

import json
import sqlite3
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path
from typing import Final, NamedTuple

from elcano.activities.passages.document import Document, Gap, SkippedDocument
from elcano.activities.passages.search import format_index_text
from elcano.graphs.errors import SourceRefused, SourceUnavailable
from elcano.subjects.documents.index_tables import add_missing_columns, create_tables, is_current, is_older_index
from elcano.text.languages import text_language

BUSY_SECONDS: Final = 10.0
LOCK_SECONDS: Final = 0.2
"""Interval at which a waiter for the write lock checks whether to keep waiting, in seconds."""


class IndexedDocument(NamedTuple):
    """The index's record of a document, to detect changes."""

    fingerprint: str
    data_hash: str
    """SHA-256 of the document's bytes."""


@dataclass(frozen=True, slots=True)
class Entry:
    """A document as it is put into the index: its content, or the reason why it has none."""

    key: str
    fingerprint: str
    """Empty: it is read again at the next opportunity."""
    data_hash: str = ""
    text_hash: str = ""
    """SHA-256 of its text in UTF-8."""
    document: Document | None = None
    reason: str = ""
    needs: str = ""
    """Missing component that could read it; see `Gap`."""
    file_hash: str = ""
    """SHA-256 of the file that its text was read from, where that is not what `data_hash` is of; empty: it is."""


class Index:
    """One index file; it and its folder are created when first written to.

    Args:
        path: the file.
        reader: the version of what reads its documents; an index of another one is built anew.

    Raises:
        SourceUnavailable: the file is locked, or cannot be opened, read or written at the moment (every method).
        SourceRefused: the file is damaged, or something else (every method).
    """

    def __init__(self, path: Path, reader: int = 0) -> None:
        self._path = path.absolute()
        self._reader = reader

    @contextmanager
    def writing(self, stopped: threading.Event) -> Iterator["Index"]:
        """The right to write, held by one process and thread at a time and given back even by one that dies.

        Yields the index to write into: this one, or the one that `replace` will put in its place.

        Raises:
            SourceUnavailable: `stopped` was set while waiting.
        """
        with self._explained():
            self._path.parent.mkdir(parents=True, exist_ok=True)
            lock = sqlite3.connect(f"{self._path}.lock", timeout=LOCK_SECONDS, isolation_level=None)
        try:
            while not _try_lock(lock):
                if stopped.is_set():
                    raise SourceUnavailable("the worker stops while another one brings the index up to date")
            yield self._prepare()
        finally:
            lock.close()

    @contextmanager
    def reading(self) -> Iterator[sqlite3.Connection]:
        """Yield a connection that sees a snapshot of the index, whatever is written meanwhile."""
        with self._transaction("DEFERRED") as database:
            yield database

    def known(self) -> dict[str, IndexedDocument]:
        """Return the indexed documents, by key; none if there is no index of this version."""
        if not self._path.exists():
            return {}
        with self.reading() as database:
            if not is_current(database, self._reader):
                return {}
            rows = database.execute("SELECT key, fingerprint, data_hash FROM document")
            return {key: IndexedDocument(*rest) for key, *rest in rows}

    def is_older(self) -> bool:
        """Return whether there is an index of an older version, which can be searched until it is replaced."""
        if not self._path.exists():
            return False
        with self.reading() as database:
            return is_older_index(database, self._reader)

    def replace(self, new: "Index") -> None:
        """Put an index that was built next to this one in its place; a search sees the one or the other."""
        with new._connected() as source, self._connected() as target:
            source.backup(target)
        with self._explained():
            for file in self._path.parent.glob(f"{new._path.name}*"):
                file.unlink(missing_ok=True)

    def list_gaps(self) -> list[tuple[str, tuple[Gap, ...]]]:
        """The documents of which something was not read, or left out, by key."""
        with self.reading() as database:
            rows = database.execute("SELECT key, gaps FROM document WHERE gaps != '' AND reason = '' ORDER BY key")
            return [(key, load_gaps(gaps)) for key, gaps in rows]

    def list_needs(self) -> list[tuple[str, str]]:
        """The documents that something which was not installed would have read, by key, with what that is."""
        if not self._path.exists():
            return []
        with self.reading() as database:
            if not is_current(database, self._reader):
                return []
            rows = database.execute("SELECT key, gaps FROM document WHERE gaps != ''").fetchall()
        return [(key, gap.needs) for key, gaps in rows for gap in load_gaps(gaps) if gap.needs]

    def skipped(self) -> list[SkippedDocument]:
        """The documents that could not be read, by key."""
        with self.reading() as database:
            rows = database.execute("SELECT key, reason FROM document WHERE reason != '' ORDER BY key")
            return [SkippedDocument(*row) for row in rows]

    def put(self, entries: Iterable[Entry]) -> None:
        """Adds or replaces documents, all or none; one with the text that it had keeps the time of its indexing."""
        with self._transaction("IMMEDIATE") as database:
            for entry in entries:
                same = "SELECT indexed_at FROM document WHERE key = ? AND text_hash = ?"
                before = database.execute(same, (entry.key, entry.text_hash)).fetchone()
                _remove_document(database, entry.key)
                add_document(database, entry, time.time() if before is None else before[0])

    def refresh(self, fingerprints: Iterable[tuple[str, str]]) -> None:
        """Notes the new fingerprints of documents, as (key, fingerprint), whose bytes did not change."""
        with self._transaction("IMMEDIATE") as database:
            rows = [{"key": key, "fingerprint": fingerprint} for key, fingerprint in fingerprints]
            database.executemany("UPDATE document SET fingerprint = :fingerprint WHERE key = :key", rows)

    def remove(self, keys: Iterable[str]) -> None:
        """Forgets documents, all or none."""
        with self._transaction("IMMEDIATE") as database:
            for key in keys:
                _remove_document(database, key)

    def _prepare(self, *, keep_older: bool = True) -> "Index":
        with self._explained():
            self._path.touch()
        with self._connected() as database:
            database.execute("PRAGMA journal_mode = WAL")  # Searches go on while a sync writes.
        with self._transaction("IMMEDIATE") as database:
            if is_current(database, self._reader):
                return self
            if keep_older and is_older_index(database, self._reader):
                add_missing_columns(database)
                return Index(Path(f"{self._path}.next"), self._reader)._prepare(keep_older=False)
            create_tables(database, self._reader)
        return self

    @contextmanager
    def _transaction(self, kind: str) -> Iterator[sqlite3.Connection]:
        with self._connected() as database:
            database.execute(f"BEGIN {kind}")
            with database:
                yield database

    @contextmanager
    def _connected(self) -> Iterator[sqlite3.Connection]:
        with self._explained():
            # mode=rw: SQLite would make an empty index where one was deleted.
            database = sqlite3.connect(
                f"{self._path.as_uri()}?mode=rw", uri=True, timeout=BUSY_SECONDS, isolation_level=None
            )
            try:
                database.execute("PRAGMA synchronous = NORMAL")
                yield database
            finally:
                database.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        """Turns the errors of files and of SQLite into ours."""
        try:
            yield
        except (OSError, sqlite3.OperationalError) as error:
            raise SourceUnavailable(f"the index {str(self._path)!r} cannot be used now: {error}") from error
        except sqlite3.DatabaseError as error:
            raise SourceRefused(
                f"the index {str(self._path)!r} is damaged ({error}): delete it and search again"
            ) from error


def _try_lock(lock: sqlite3.Connection) -> bool:
    try:
        lock.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        if error.sqlite_errorcode == sqlite3.SQLITE_BUSY:
            return False
        raise
    return True


def add_document(database: sqlite3.Connection, entry: Entry, indexed_at: float = 0.0) -> None:
    """Puts a document that is not there into the tables, its words in the forms of its language.

    `indexed_at` says since when it has its text there, in seconds since the epoch; 0 where no one asks.
    """
    document = entry.document
    gaps = document.gaps if document else (Gap(entry.reason, needs=entry.needs),) if entry.needs else ()
    language = text_language(document.text) if document else ""
    cursor = database.execute(
        "INSERT INTO document (key, fingerprint, data_hash, file_hash, reason, text_hash, title, authors, year, work,"
        " media_type, language, text, places, indexed_at, gaps, doi)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (
            entry.key,
            entry.fingerprint,
            entry.data_hash,
            entry.file_hash or entry.data_hash,
            entry.reason,
            entry.text_hash,
            document.title if document else "",
            json.dumps(document.authors if document else ()),
            document.year if document else 0,
            document.work if document else "",
            document.media_type if document else "",
            language,
            document.text if document else "",
            document.places if document else b"",
            indexed_at,
            json.dumps(gaps) if gaps else "",
            document.doi if document else "",
        ),
    )
    if document is None:
        return
    (last,) = database.execute("SELECT coalesce(max(id), 0) FROM passage").fetchone()
    numbered = [
        (number, passage, document.text[passage.start : passage.end])
        for number, passage in enumerate(document.passages, start=last + 1)
    ]
    database.executemany(
        "INSERT INTO passage (id, document, digest, start, stop, heading, page, anchor, paragraph, last_page, head)"
        " VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        [(number, cursor.lastrowid, _hash_passage(text), *passage) for number, passage, text in numbered],
    )
    database.executemany(
        "INSERT INTO words (rowid, title, heading, body) VALUES (?, ?, ?, ?)",
        [
            (
                number,
                format_index_text(document.title, language),
                format_index_text(f"{passage.heading} {passage.head}", language),
                format_index_text(text, language),
            )
            for number, passage, text in numbered
        ],
    )


def load_gaps(stored: str) -> tuple[Gap, ...]:
    """The gaps of a document as the index keeps them."""
    rows = json.loads(stored) if stored else ()
    return tuple(Gap(reason, tuple(pages), *rest) for reason, pages, *rest in rows)


def _hash_passage(text: str) -> bytes:
    """Identifies copies of a passage; pages that repeat other pages are common."""
    return blake2b(text.encode(), digest_size=12).digest()


def _remove_document(database: sqlite3.Connection, key: str) -> None:
    row = database.execute("SELECT id, title, language, text FROM document WHERE key = ?", (key,)).fetchone()
    if row is None:
        return
    number, title, language, text = row
    wanted = "SELECT id, heading || ' ' || head, start, stop FROM passage WHERE document = ?"
    passages = database.execute(wanted, (number,)).fetchall()
    # The words table holds no text of its own: to delete a row it needs the words that were in it.
    database.executemany(
        "INSERT INTO words (words, rowid, title, heading, body) VALUES ('delete', ?, ?, ?, ?)",
        [
            (
                rowid,
                format_index_text(title, language),
                format_index_text(heading, language),
                format_index_text(text[start:stop], language),
            )
            for rowid, heading, start, stop in passages
        ],
    )
    database.execute("DELETE FROM passage WHERE document = ?", (number,))
    database.execute("DELETE FROM document WHERE id = ?", (number,))
