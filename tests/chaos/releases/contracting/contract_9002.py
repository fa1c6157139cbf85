"""The column has no default any more: every program says where an artifact was made."""

from alembic import op

revision = "9002"
down_revision = "9001"
works_with = "9001"


def upgrade() -> None:
    """Drops the default."""
    with op.batch_alter_table("artifacts") as table:
        table.alter_column("place", server_default=None)


def downgrade() -> None:
    """Gives it back."""
    with op.batch_alter_table("artifacts") as table:
        table.alter_column("place", server_default="")
