"""What a release to come changes: its migrations, and a column of the table of artifacts."""

from typing import Final

from sqlalchemy import Column, text

from elcano.storage.sql import schema_revision
from elcano.storage.sql.columns import Id
from elcano.storage.sql.tables import artifacts

CURRENT: Final = schema_revision.find_newest_revision()
"""That of this release, which theirs follow."""
EXPANDED: Final = "9001"
CONTRACTED: Final = "9002"


def install_release(*folders: str) -> None:
    """Have this process be one of the release whose migrations are in these folders too."""
    places = [f"tests.chaos.releases:{folder}" for folder in folders]
    schema_revision.VERSIONS[1:] = places
    if "place" not in artifacts.c:
        artifacts.append_column(Column("place", Id, nullable=False, default="here", server_default=text("''")))
