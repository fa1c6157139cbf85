"""The oldest release that works with the tables, for programs that do not know their revision."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
works_with = "0010"


def upgrade() -> None:
    """Creates its table, whose one row is written with each migration."""
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table("schema_floor", sa.Column("revision", kind, primary_key=True, nullable=False))


def downgrade() -> None:
    """Drops it."""
    op.drop_table("schema_floor")
