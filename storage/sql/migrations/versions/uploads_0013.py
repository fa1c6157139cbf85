"""Uploaded documents."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0013"
down_revision = "0012"
works_with = "0011"


def upgrade() -> None:
    """Creates their table."""
    op.create_table(
        "uploaded_documents",
        make_id_column("tenant", key=True),
        make_id_column("collection", key=True),
        make_id_column("key", key=True),
        sa.Column("path", sa.Text(), nullable=False),
        make_id_column("data_hash"),
        sa.Column("size", sa.BigInteger(), nullable=False),
        make_id_column("state"),
        sa.Column("reason", sa.Text(), nullable=False),
        sa.Column("title", sa.Text(), nullable=False),
        make_id_column("media_type"),
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
