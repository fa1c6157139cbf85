"""SQLite files, asked for reading alone."""

from elcano.activities.databases.file_engine import FileEngine
from elcano.graphs.data.schema import Dialect


class Sqlite(FileEngine):
    """One file.

    Args:
        name: as the operator called it.
        path: of the file, which has to be there: none is ever made.
    """

    dialect: Dialect = "sqlite"
    process = "sqlite"
