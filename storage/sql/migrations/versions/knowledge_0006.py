"""The knowledge graph: nodes, edges, and the words by which nodes are found."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    """Adds the tables."""
    name = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        "knowledge_nodes",
        sa.Column("tenant", name, primary_key=True),
        sa.Column("id", name, primary_key=True),
        sa.Column("kind", name, nullable=False),
        sa.Column("key", sa.Text(), nullable=False),
        sa.Column("name", sa.Text(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("url", sa.Text(), nullable=False),
        sa.Column("year", sa.Integer(), nullable=True),
    )
    nodes = ["knowledge_nodes.tenant", "knowledge_nodes.id"]
    op.create_table(
        "knowledge_edges",
        sa.Column("tenant", name, primary_key=True),
        sa.Column("id", name, primary_key=True),
        *(sa.Column(one, name, nullable=False) for one in ("kind", "start", "end", "run", "evidence", "support")),
        sa.ForeignKeyConstraint(["tenant", "start"], nodes, name="start_of_edge"),
        sa.ForeignKeyConstraint(["tenant", "end"], nodes, name="end_of_edge"),
    )
    op.create_index("knowledge_edges_from", "knowledge_edges", ["tenant", "start", "id"])
    op.create_index("knowledge_edges_to", "knowledge_edges", ["tenant", "end", "id"])
    op.create_index("knowledge_edges_of_run", "knowledge_edges", ["tenant", "run"])
    op.create_table(
        "knowledge_words",
        sa.Column("tenant", name, primary_key=True),
        sa.Column("word", name, primary_key=True),
        sa.Column("node", name, primary_key=True),
    )
    op.create_index("knowledge_words_of_node", "knowledge_words", ["tenant", "node"])
