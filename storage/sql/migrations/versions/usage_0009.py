"""What tenants use, day by day, and what requests in flight may still use of their quotas; the API keys of runs."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0009"
down_revision = "0008"
works_with = "0008"


def _make_counter(name: str) -> sa.Column[int]:
    return sa.Column(name, sa.BigInteger(), nullable=False)


def upgrade() -> None:
    """Creates them, and a column for the API key of a run."""
    op.add_column("runs", sa.Column("api_key", make_id_column("api_key").type, nullable=False, server_default=""))
    keys = ("tenant", "day", "api_key", "mode", "model", "source")
    counters = ("runs", "calls", "requests", "input_tokens", "output_tokens", "cost_microusd", "unpriced_requests")
    op.create_table(
        "usage_totals", *(make_id_column(name, key=True) for name in keys), *(_make_counter(name) for name in counters)
    )
    op.create_table(
        "quota_claims",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("claim", key=True),
        make_id_column("api_key"),
        _make_counter("tokens"),
        _make_counter("cost_microusd"),
        sa.Column("expires_at", sa.Double(), nullable=True),
    )


def downgrade() -> None:
    """Drops them, with what they have."""
    op.drop_table("quota_claims")
    op.drop_table("usage_totals")
    op.drop_column("runs", "api_key")
