"""Links that lead to the later versions of a report too."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
works_with = "0011"


def upgrade() -> None:
    """Creates a column; links that were made before lead to one report."""
    op.add_column("run_links", sa.Column("versions", sa.Boolean(), nullable=False, server_default=sa.false()))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("run_links", "versions")
