"""Unread parts of uploaded documents, and the version of the readers that read them.

`empty_pages` is used no more and goes with the release after this one: programs of the one before still write it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
works_with = "0016"
TABLE = "uploaded_documents"


def upgrade() -> None:
    """Adds the columns; documents that are there already were read by no version of the readers."""
    op.add_column(TABLE, sa.Column("gaps", sa.JSON(), nullable=True))
    op.add_column(TABLE, sa.Column("unread_parts", sa.Integer(), nullable=False, server_default="0"))
    op.add_column(TABLE, sa.Column("reader", sa.Integer(), nullable=False, server_default="0"))
    op.create_index("uploaded_documents_by_reader", TABLE, ["reader", "tenant", "collection"])


def downgrade() -> None:
    """Drops them."""
    op.drop_index("uploaded_documents_by_reader", TABLE)
    for column in ("reader", "unread_parts", "gaps"):
        op.drop_column(TABLE, column)
