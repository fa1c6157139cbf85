"""Uploaded documents."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
works_with = "0011"


def _make_id_column(name: str, *, key: bool = False) -> sa.Column[str]:
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    return sa.Column(name, kind, primary_key=key, nullable=False)


def upgrade() -> None:
    """Creates their table."""
    op.create_table(
        "uploaded_documents",
        _make_id_column("tenant", key=True),
        _make_id_column("collection", key=True),
        _make_id_column("key", key=True),
        sa.Column("path", sa.Text(), nullable=False),
        _make_id_column("data_hash"),
        sa.Column("size", sa.BigInteger(), nullable=False),
        _make_id_column("state"),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        _make_id_column("media_type"),
        sa.Column("empty_pages", sa.Integer(), nullable=False),
        sa.Column("read_at", sa.Double(), nullable=True),
        sa.Column("uploaded_at", sa.Double(), nullable=False),
        sa.Column("uploaded_by", sa.Text(), nullable=False),
    )
    op.create_index("uploaded_documents_by_state", "uploaded_documents", ["state", "tenant", "collection"])
    op.create_index("uploaded_documents_sizes", "uploaded_documents", ["tenant", "size"])


def downgrade() -> None:
    """Drops it."""
    op.drop_table("uploaded_documents")
