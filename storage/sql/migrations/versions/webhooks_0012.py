"""Webhooks: endpoints, deliveries, and runs that are yet to be watched."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0012"
down_revision = "0011"
works_with = "0011"


def upgrade() -> None:
    """Creates their tables."""
    op.create_table(
        "webhook_endpoints",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("run_id"),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("events", sa.JSON(), nullable=False),
        sa.Column("description", sa.Text(), nullable=False),
        sa.Column("secret", sa.Text(), nullable=False),
        sa.Column("former_secret", sa.Text(), nullable=False),
        sa.Column("former_until", sa.Double(), nullable=True),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("created_by", sa.Text(), nullable=False),
        sa.Column("failing_since", sa.Double(), nullable=True),
        sa.Column("disabled_at", sa.Double(), nullable=True),
        sa.Column("disabled_reason", sa.Text(), nullable=False),
    )
    op.create_table(
        "webhook_deliveries",
        make_id_column("tenant", key=True),
        make_id_column("endpoint_id", key=True),
        make_id_column("message_id", key=True),
        make_id_column("run_id"),
        make_id_column("type"),
        sa.Column("message", sa.JSON(), nullable=False),
        make_id_column("status"),
        sa.Column("attempts", sa.Integer(), nullable=False),
        sa.Column("created_at", sa.Double(), nullable=False),
        sa.Column("tried_at", sa.Double(), nullable=True),
        sa.Column("answer", sa.Integer(), nullable=True),
        sa.Column("error", sa.Text(), nullable=False),
    )
    op.create_index("webhook_deliveries_by_time", "webhook_deliveries", ["tenant", "endpoint_id", "created_at"])
    op.create_table(
        "webhook_watches",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        sa.Column("at", sa.Double(), nullable=False),
    )


def downgrade() -> None:
    """Drops them."""
    for table in ("webhook_watches", "webhook_deliveries", "webhook_endpoints"):
        op.drop_table(table)
