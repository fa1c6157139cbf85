"""Positions of passages on the pages and in the tables of their documents."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
works_with = "0016"


def upgrade() -> None:
    """Adds the column; passages that are kept already have no places."""
    op.add_column("evidence", sa.Column("places", sa.JSON(none_as_null=True), nullable=True))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("evidence", "places")
