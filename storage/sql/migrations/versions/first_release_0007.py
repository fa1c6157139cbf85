"""The tables of the first release; earlier versions of them were never released."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import (
    make_double_column,
    make_id_column,
    make_integer_column,
    make_text_column,
)

revision = "0007"
down_revision = None
works_with = "0007"


def upgrade() -> None:
    """Creates them."""
    op.create_table(
        "texts",
        make_id_column("tenant", key=True),
        make_id_column("content_hash", key=True),
        make_text_column("document"),
        make_text_column("title"),
        make_id_column("media_type"),
        make_text_column("text"),
    )
    op.create_table(
        "evidence",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("source"),
        make_text_column("document"),
        make_id_column("content_hash"),
        make_text_column("title"),
        make_text_column("locator"),
        make_text_column("heading"),
        make_text_column("text"),
        make_integer_column("start"),
        make_integer_column("end"),
        make_double_column("score"),
        make_double_column("retrieved_at"),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("work", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant", "content_hash"], ["texts.tenant", "texts.content_hash"], name="text_of_evidence"
        ),
    )
    op.create_index("evidence_of_text", "evidence", ["tenant", "content_hash"])
    op.create_table(
        "findings",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("evidence_id", key=True),
        make_integer_column("position"),
        sa.ForeignKeyConstraint(
            ["tenant", "evidence_id"], ["evidence.tenant", "evidence.id"], name="evidence_of_finding"
        ),
    )
    op.create_index("findings_of_evidence", "findings", ["tenant", "evidence_id"])
    op.create_table(
        "artifacts",
        make_id_column("tenant", key=True),
        make_id_column("key", key=True),
        make_id_column("run_id", key=True),
        make_id_column("media_type"),
    )
    op.create_index("artifacts_of_run", "artifacts", ["tenant", "run_id"])
    op.create_table(
        "ledger",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("execution", key=True),
        make_id_column("activity", key=True),
        make_integer_column("attempt", key=True),
        make_integer_column("step"),
        make_integer_column("item"),
        sa.Column("undone", sa.Boolean(), nullable=False),
        *(make_id_column(name) for name in ("node", "kind", "name", "outcome", "model", "build")),
        sa.Column("usage", sa.JSON(), nullable=False),
        make_double_column("at"),
    )
    op.create_table(
        "runs",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("status"),
        make_double_column("started_at"),
        make_double_column("finished_at", nullable=True),
        make_id_column("mode"),
        make_id_column("chosen_mode"),
        make_text_column("question"),
        make_text_column("body"),
        make_integer_column("evidence"),
        make_text_column("lists"),
    )
    op.create_index("runs_by_status", "runs", ["status", "tenant", "run_id"])
    op.create_index("runs_by_end", "runs", ["finished_at"])
    op.create_table(
        "events",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_integer_column("seq", key=True),
        make_text_column("body"),
        sa.ForeignKeyConstraint(["tenant", "run_id"], ["runs.tenant", "runs.run_id"], name="run_of_event"),
    )
    op.create_table(
        "idempotency_keys",
        make_id_column("tenant", key=True),
        make_id_column("key", key=True),
        make_id_column("request_hash"),
        make_id_column("run_id"),
    )
    op.create_index("keys_of_run", "idempotency_keys", ["tenant", "run_id"])
    op.create_table(
        "control_requests",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("request_id", key=True),
        make_id_column("request_hash"),
        sa.Column("accepted", sa.Boolean(), nullable=True),
        make_text_column("answer"),
    )
    op.create_table("probes", make_id_column("id", key=True), make_text_column("filling"))
    op.create_table("providers", make_id_column("name", key=True), make_text_column("body"))
    for table in ("graphs", "agents"):
        op.create_table(
            table,
            make_id_column("tenant", key=True),
            make_id_column("name", key=True),
            make_integer_column("version", key=True),
            make_id_column("body_hash"),
            make_double_column("at"),
            make_text_column("body"),
        )
    op.create_table(
        "knowledge_nodes",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("kind"),
        *(make_text_column(name) for name in ("key", "name", "text", "url")),
        sa.Column("year", sa.Integer(), nullable=True),
    )
    nodes = ["knowledge_nodes.tenant", "knowledge_nodes.id"]
    op.create_table(
        "knowledge_edges",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        *(make_id_column(name) for name in ("kind", "start", "end", "run", "evidence", "support")),
        sa.ForeignKeyConstraint(["tenant", "start"], nodes, name="start_of_edge"),
        sa.ForeignKeyConstraint(["tenant", "end"], nodes, name="end_of_edge"),
    )
    op.create_index("knowledge_edges_from", "knowledge_edges", ["tenant", "start", "id"])
    op.create_index("knowledge_edges_to", "knowledge_edges", ["tenant", "end", "id"])
    op.create_index("knowledge_edges_of_run", "knowledge_edges", ["tenant", "run"])
    op.create_table(
        "knowledge_words",
        make_id_column("tenant", key=True),
        make_id_column("word", key=True),
        make_id_column("node", key=True),
    )
    op.create_index("knowledge_words_of_node", "knowledge_words", ["tenant", "node"])
