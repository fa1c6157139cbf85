"""Agents of a tenant's own: one row for each version."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    """Adds the table."""
    name = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        "agents",
        sa.Column("tenant", name, primary_key=True),
        sa.Column("name", name, primary_key=True),
        sa.Column("version", sa.Integer(), primary_key=True),
        sa.Column("body_hash", name, nullable=False),
        sa.Column("at", sa.Double(), nullable=False),
        sa.Column("body", sa.Text(), nullable=False),
    )
