"""API keys, sessions, links to runs, and the audit log."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_double_column, make_id_column, make_text_column

revision = "0008"
down_revision = "0007"
works_with = "0007"


def upgrade() -> None:
    """Creates them."""
    op.create_table(
        "api_keys",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_text_column("name"),
        make_id_column("secret_hash"),
        make_id_column("former_hash", nullable=True),
        make_double_column("former_until", nullable=True),
        make_id_column("role"),
        make_text_column("scopes"),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_double_column("expires_at", nullable=True),
        make_double_column("revoked_at", nullable=True),
        make_double_column("used_at", nullable=True),
    )
    op.create_index("api_keys_by_id", "api_keys", ["id"], unique=True)
    op.create_table(
        "sessions",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("secret_hash"),
        make_text_column("user"),
        make_id_column("role"),
        make_text_column("scopes"),
        make_id_column("key_id"),
        make_double_column("created_at"),
        make_double_column("expires_at"),
    )
    op.create_index("sessions_by_id", "sessions", ["id"], unique=True)
    op.create_table(
        "run_links",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("run_id"),
        make_id_column("secret_hash"),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_double_column("expires_at"),
        make_double_column("revoked_at", nullable=True),
    )
    op.create_index("run_links_by_id", "run_links", ["id"], unique=True)
    op.create_index("links_of_run", "run_links", ["tenant", "run_id"])
    op.create_table(
        "audit_entries",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_double_column("at"),
        make_text_column("user"),
        make_id_column("role"),
        make_id_column("key_id"),
        make_id_column("action"),
        make_text_column("target"),
        sa.Column("outcome", sa.Integer(), nullable=False),
        make_id_column("address"),
    )


def downgrade() -> None:
    """Drops them, with every key and the audit log."""
    for table in ("audit_entries", "run_links", "sessions", "api_keys"):
        op.drop_table(table)
