"""API keys, sessions, links to runs, and the audit log."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
works_with = "0007"


def _make_id_column(name: str, *, key: bool = False, nullable: bool = False) -> sa.Column[str]:
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    return sa.Column(name, kind, primary_key=key, nullable=nullable)


def _make_text_column(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _make_double_column(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def upgrade() -> None:
    """Creates them."""
    op.create_table(
        "api_keys",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_text_column("name"),
        _make_id_column("secret_hash"),
        _make_id_column("former_hash", nullable=True),
        _make_double_column("former_until", nullable=True),
        _make_id_column("role"),
        _make_text_column("scopes"),
        _make_double_column("created_at"),
        _make_text_column("created_by"),
        _make_double_column("expires_at", nullable=True),
        _make_double_column("revoked_at", nullable=True),
        _make_double_column("used_at", nullable=True),
    )
    op.create_index("api_keys_by_id", "api_keys", ["id"], unique=True)
    op.create_table(
        "sessions",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_id_column("secret_hash"),
        _make_text_column("user"),
        _make_id_column("role"),
        _make_text_column("scopes"),
        _make_id_column("key_id"),
        _make_double_column("created_at"),
        _make_double_column("expires_at"),
    )
    op.create_index("sessions_by_id", "sessions", ["id"], unique=True)
    op.create_table(
        "run_links",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_id_column("run_id"),
        _make_id_column("secret_hash"),
        _make_double_column("created_at"),
        _make_text_column("created_by"),
        _make_double_column("expires_at"),
        _make_double_column("revoked_at", nullable=True),
    )
    op.create_index("run_links_by_id", "run_links", ["id"], unique=True)
    op.create_index("links_of_run", "run_links", ["tenant", "run_id"])
    op.create_table(
        "audit_entries",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_double_column("at"),
        _make_text_column("user"),
        _make_id_column("role"),
        _make_id_column("key_id"),
        _make_id_column("action"),
        _make_text_column("target"),
        sa.Column("outcome", sa.Integer(), nullable=False),
        _make_id_column("address"),
    )


def downgrade() -> None:
    """Drops them, with every key and the audit log."""
    for table in ("audit_entries", "run_links", "sessions", "api_keys"):
        op.drop_table(table)
