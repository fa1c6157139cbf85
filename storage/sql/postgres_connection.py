"""Connections to PostgreSQL that are given up when an answer does not come.

A server that is down refuses connections. One whose disk hangs, whose machine is frozen, or behind a network that has
broken, says nothing, and neither libpq nor psycopg limits how long a statement waits for that.
"""

from typing import Any

from psycopg import AsyncConnection
from psycopg.errors import OperationalError
from psycopg.pq import TransactionStatus

from elcano.storage.sql.answer_time import get_longest_answer


class AnsweringConnection(AsyncConnection[Any]):
    """A connection that closes itself if an answer does not come in time."""

    async def wait(self, gen: Any, interval: float = 0.1, timeout: float | None = None) -> Any:  # noqa: ASYNC109
        """Wait for the end of an exchange with the server: psycopg makes all its exchanges by this.

        Raises:
            OperationalError: there was no answer in time; whether the statement was carried out is unknown.
        """
        try:
            return await super().wait(gen, interval, get_longest_answer() if timeout is None else timeout)
        except OperationalError:
            if self.pgconn.transaction_status == TransactionStatus.ACTIVE:
                self.pgconn.finish()  # else a late answer would be taken for that of the next statement
            raise
