"""Where an artifact was made: programs that do not know the column leave it empty."""

import sqlalchemy as sa
from alembic import op

from tests.chaos.releases.release import CURRENT

revision = "9001"
down_revision = CURRENT
works_with = CURRENT


def upgrade() -> None:
    """Adds the column."""
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.add_column("artifacts", sa.Column("place", kind, nullable=False, server_default=""))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("artifacts", "place")
