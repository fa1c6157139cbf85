"""Evidence tables: their documents, and what persons decided and wrote in them."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import (
    make_double_column,
    make_id_column,
    make_integer_column,
    make_text_column,
)

revision = "0021"
down_revision = "0020"
works_with = "0019"


def upgrade() -> None:
    """Creates the tables, and the column of what a question of a batch takes at least."""
    op.create_table(
        "evidence_tables",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_text_column("name"),
        sa.Column("output_schema", sa.JSON(), nullable=False),
        sa.Column("documents", sa.JSON(), nullable=False),
        make_id_column("review_run"),
        make_double_column("created_at"),
        make_text_column("created_by"),
    )
    op.create_table(
        "evidence_table_changes",
        make_id_column("tenant", key=True),
        make_id_column("table_id", key=True),
        make_integer_column("number", key=True),
        make_integer_column("row"),
        make_text_column("column"),
        sa.Column("value", sa.JSON(), nullable=False),
        make_text_column("reason"),
        make_text_column("by"),
        make_double_column("at"),
    )
    op.add_column("batch_questions", sa.Column("least_tokens", sa.BigInteger(), nullable=False, server_default="0"))


def downgrade() -> None:
    """Drops them."""
    op.drop_column("batch_questions", "least_tokens")
    op.drop_table("evidence_table_changes")
    op.drop_table("evidence_tables")
