"""Batches and their questions."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0014"
down_revision = "0013"
works_with = "0011"


def upgrade() -> None:
    """Creates their tables."""
    op.create_table(
        "batches",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("at_once", sa.Integer(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=True),
        sa.Column("cost_microusd", sa.BigInteger(), nullable=True),
        sa.Column("deadline", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        make_id_column("api_key"),
        make_id_column("state"),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("since", sa.Double(), nullable=False),
        sa.Column("cancelled_by", sa.Text(), nullable=False),
        sa.Column("changed_at", sa.Double(), nullable=True),
    )
    op.create_table(
        "batch_questions",
        make_id_column("tenant", key=True),
        make_id_column("batch_id", key=True),
        sa.Column("number", sa.Integer(), primary_key=True, nullable=False),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        make_id_column("state"),
        sa.Column("reason", sa.Text(), nullable=False),
        make_id_column("run_id"),
        sa.Column("granted_tokens", sa.BigInteger(), nullable=False),
        sa.Column("granted_microusd", sa.BigInteger(), nullable=False),
        sa.Column("granted_seconds", sa.Double(), nullable=False),
        sa.Column("tokens", sa.BigInteger(), nullable=False),
        sa.Column("cost_microusd", sa.BigInteger(), nullable=False),
    )
    op.create_index("batch_questions_by_state", "batch_questions", ["tenant", "batch_id", "state"])


def downgrade() -> None:
    """Drops them."""
    for table in ("batch_questions", "batches"):
        op.drop_table(table)
