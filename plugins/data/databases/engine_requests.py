"""What the worker and an engine's process say to each other: one request, one answer.

A message is four bytes that say how long it is, and JSON.
"""

import socket
import struct
from typing import Final

from elcano.graphs.frozen import Frozen
from elcano.graphs.report.tables import TableSchema
from elcano.plugins.data.databases.engine import Limits, Outcome

SHEETS: Final = frozenset({".xlsx", ".xlsm", ".xlsb", ".xls", ".ods"})
"""Suffixes of files with sheets."""
SUFFIXES: Final = SHEETS | {".csv", ".tsv", ".txt", ".parquet"}
"""Of files that can be loaded."""
_LENGTH: Final = struct.Struct("!I")


def make_plain_name(name: str) -> str:
    """A name of letters, digits and underscores, which needs no quotation marks but for its case."""
    return "_".join("".join(sign if sign.isalnum() else " " for sign in name).split()) or "table"


class FileToLoad(Frozen):
    """A file that becomes a table, or one for each of its sheets."""

    table: str
    path: str


class Request(Frozen):
    """With files: load them into a new database at `path`. With statements: run them. Else: what does it hold?"""

    path: str
    seconds: float
    """After which the process ends, whatever it does."""
    files: tuple[FileToLoad, ...] = ()
    statements: tuple[str, ...] = ()
    limits: Limits = Limits()
    tables: frozenset[str] | None = None
    """What may be read, where the engine can see to that; None: all."""


class Answer(Frozen):
    """What came of it; `away` says why nothing did."""

    away: str = ""
    tables: tuple[TableSchema, ...] = ()
    outcomes: tuple[Outcome, ...] = ()


def send_message(connection: socket.socket, message: bytes) -> None:
    """Sends one message.

    Raises:
        OSError: the other side is gone.
    """
    connection.sendall(_LENGTH.pack(len(message)) + message)


def receive_message(connection: socket.socket) -> bytes:
    """Receives one message; empty if the other side closed the connection before the end of it.

    Raises:
        OSError: nothing came in time.
    """
    head = _receive_exactly(connection, _LENGTH.size)
    return _receive_exactly(connection, _LENGTH.unpack(head)[0]) if head else b""


def _receive_exactly(connection: socket.socket, length: int) -> bytes:
    found = bytearray()
    while len(found) < length:
        if not (part := connection.recv(length - len(found))):
            return b""
        found += part
    return bytes(found)
