"""Links to runs lead to one report, and no longer to a feed of its later versions."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
works_with = "0019"  # programs of before write the column


def upgrade() -> None:
    """Drops the column."""
    op.drop_column("run_links", "versions")


def downgrade() -> None:
    """Adds it; no link has a feed."""
    op.add_column("run_links", sa.Column("versions", sa.Boolean(), nullable=False, server_default=sa.false()))
