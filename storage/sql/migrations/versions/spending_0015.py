"""What runs have cost, to list them by it."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
works_with = "0011"


def upgrade() -> None:
    """Creates a column; runs that ended before count as if they had cost nothing."""
    op.add_column("runs", sa.Column("cost_microusd", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drops it."""
    op.drop_column("runs", "cost_microusd")
