"""Where an artifact was made: programs that do not know the column leave it empty."""

import sqlalchemy as sa
from alembic import op

revision = "9001"
down_revision = "0012"
works_with = "0012"


def upgrade() -> None:
    """Adds the column."""
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.add_column("artifacts", sa.Column("place", kind, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("artifacts", "place")
