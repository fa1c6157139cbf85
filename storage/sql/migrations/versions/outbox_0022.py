"""One outbox in place of the watches of webhooks and the changes of batches."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_double_column, make_id_column, make_text_column

revision = "0022"
down_revision = "0021"
works_with = "0022"


def upgrade() -> None:
    """Creates it. Batches that are open are noted again when a worker starts, and runs when they end."""
    op.create_table(
        "outbox",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("workflow_id"),
        make_id_column("workflow"),
        sa.Column("work", sa.JSON(), nullable=False),
        make_text_column("summary"),
    )
    op.drop_table("webhook_watches")
    op.drop_column("batches", "changed_at")


def downgrade() -> None:
    """Drops it."""
    op.add_column("batches", make_double_column("changed_at", nullable=True))
    op.create_table(
        "webhook_watches",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_double_column("at"),
    )
    op.drop_table("outbox")
