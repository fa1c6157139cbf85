"""How providers stand: one row for each that was ever called by its rate or failed."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Adds the table."""
    name = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        "providers", sa.Column("name", name, primary_key=True), sa.Column("body", sa.Text(), nullable=False)
    )
