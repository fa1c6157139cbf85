"""The oldest release that works with the tables, for programs that do not know their revision."""

from alembic import op

from elcano.storage.sql.migrations.columns import make_id_column

revision = "0011"
down_revision = "0010"
works_with = "0010"


def upgrade() -> None:
    """Creates its table, whose one row is written with each migration."""
    op.create_table("schema_floor", make_id_column("revision", key=True))


def downgrade() -> None:
    """Drops it."""
    op.drop_table("schema_floor")
