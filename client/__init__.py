"""The Python client of the API: start research, follow it, steer it, and read what came of it.

    from elcano.client import Elcano

    with Elcano() as elcano:
        run = elcano.research("Which packages here read PDF files?")
        print(run.wait().report().markdown)

`AsyncElcano` is the same for asynchronous programs. Streams resume after the last event that was received, requests
that change something are sent again with one idempotency key until their outcome is known, and a refusal is an
exception by its kind (`elcano.client.errors`). Answers come as the models of `models` and `report_models`.
"""

from elcano.client.async_client import AsyncElcano, AsyncRun
from elcano.client.batches import AsyncBatch, Batch, read_questions
from elcano.client.blocking_client import Elcano, Run
from elcano.client.collections import AddedDocument, AsyncCollection, Collection
from elcano.client.connection import LiveText, Notice
from elcano.client.errors import (
    ClientError,
    Conflict,
    InvalidRequest,
    NotFound,
    OutcomeUnknown,
    Problem,
    ServerFailed,
    Unavailable,
    Unreachable,
)

__all__ = [
    "AddedDocument",
    "AsyncBatch",
    "AsyncCollection",
    "AsyncElcano",
    "AsyncRun",
    "Batch",
    "ClientError",
    "Collection",
    "Conflict",
    "Elcano",
    "InvalidRequest",
    "LiveText",
    "NotFound",
    "Notice",
    "OutcomeUnknown",
    "Problem",
    "Run",
    "ServerFailed",
    "Unavailable",
    "Unreachable",
    "read_questions",
]
