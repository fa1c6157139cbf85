"""Explains why the store cannot be used, for clients and for operators."""

import errno
from typing import Final

from sqlalchemy.exc import DBAPIError
from sqlalchemy.exc import TimeoutError as PoolTimeout

from elcano.graphs.errors import StoreDamaged, StoreUnavailable
from elcano.storage.sql.dialect import DAMAGED, explain_database_error

STORE_ERRORS: Final = (DBAPIError, PoolTimeout, OSError, StoreDamaged, StoreUnavailable)
"""What is raised if the store cannot be used; `store_trouble` tells it from what is raised for other reasons."""

_FILE_TROUBLES: Final = {
    errno.ENOSPC: "its disk is full: make room",
    errno.EDQUOT: "its disk quota is used up: make room",
    errno.EROFS: "it is read-only: make the data folder and its files writable",
    errno.EACCES: "access to it is denied: make the data folder and its files writable",
    errno.EIO: "its disk reports an error: see the system's log",
}


def store_trouble(error: BaseException) -> str | None:
    """Why the store cannot be used at the moment and what to do; None if that is not what `error` says."""
    why: str | None = None
    if isinstance(error, DBAPIError):
        why = explain_database_error(error)
    elif isinstance(error, StoreDamaged):
        why = DAMAGED  # the error's own text names a path, which is nothing for clients
    elif isinstance(error, StoreUnavailable):
        why = "its server or its objects cannot be reached: see the log"  # the error's own text is nothing for clients
    elif isinstance(error, PoolTimeout):
        why = "all its connections are busy: try again"
    elif isinstance(error, OSError) and error.errno is not None:
        why = _FILE_TROUBLES.get(error.errno)
    return None if why is None else f"the store cannot be used: {why}"
