"""The deletions of tenants."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0010"
down_revision = "0009"
works_with = "0009"


def upgrade() -> None:
    """Creates their table."""
    op.create_table(
        "tenant_deletions",
        make_id_column("tenant", key=True),
        sa.Column("begun_at", sa.Double(), nullable=False),
        sa.Column("begun_by", sa.Text(), nullable=False),
        make_id_column("begun_in"),
        sa.Column("finished_at", sa.Double(), nullable=True),
        sa.Column("quiet_at", sa.Double(), nullable=False),
        sa.Column("histories", sa.BigInteger(), nullable=False),
        sa.Column("objects", sa.BigInteger(), nullable=False),
        sa.Column("rows", sa.BigInteger(), nullable=False),
        sa.Column("waiting", sa.Text(), nullable=False),
    )


def downgrade() -> None:
    """Drops it."""
    op.drop_table("tenant_deletions")
