"""Evidence may say what work it is a part of."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Adds the column; existing rows have no value."""
    op.add_column("evidence", sa.Column("work", sa.JSON(none_as_null=True), nullable=True))
