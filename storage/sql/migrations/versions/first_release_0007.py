"""The tables of the first release; earlier versions of them were never released."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = None
works_with = "0007"


def _make_id_column(name: str, *, key: bool = False) -> sa.Column[str]:
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    return sa.Column(name, kind, primary_key=key, nullable=False)


def _make_text_column(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _make_integer_column(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), primary_key=key, nullable=False)


def _make_double_column(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def upgrade() -> None:
    """Creates them."""
    op.create_table(
        "texts",
        _make_id_column("tenant", key=True),
        _make_id_column("content_hash", key=True),
        _make_text_column("document"),
        _make_text_column("title"),
        _make_id_column("media_type"),
        _make_text_column("text"),
    )
    op.create_table(
        "evidence",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_id_column("source"),
        _make_text_column("document"),
        _make_id_column("content_hash"),
        _make_text_column("title"),
        _make_text_column("locator"),
        _make_text_column("heading"),
        _make_text_column("text"),
        _make_integer_column("start"),
        _make_integer_column("end"),
        _make_double_column("score"),
        _make_double_column("retrieved_at"),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.Column("work", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["tenant", "content_hash"], ["texts.tenant", "texts.content_hash"], name="text_of_evidence"
        ),
    )
    op.create_index("evidence_of_text", "evidence", ["tenant", "content_hash"])
    op.create_table(
        "findings",
        _make_id_column("tenant", key=True),
        _make_id_column("run_id", key=True),
        _make_id_column("evidence_id", key=True),
        _make_integer_column("position"),
        sa.ForeignKeyConstraint(
            ["tenant", "evidence_id"], ["evidence.tenant", "evidence.id"], name="evidence_of_finding"
        ),
    )
    op.create_index("findings_of_evidence", "findings", ["tenant", "evidence_id"])
    op.create_table(
        "artifacts",
        _make_id_column("tenant", key=True),
        _make_id_column("key", key=True),
        _make_id_column("run_id", key=True),
        _make_id_column("media_type"),
    )
    op.create_index("artifacts_of_run", "artifacts", ["tenant", "run_id"])
    op.create_table(
        "ledger",
        _make_id_column("tenant", key=True),
        _make_id_column("run_id", key=True),
        _make_id_column("execution", key=True),
        _make_id_column("activity", key=True),
        _make_integer_column("attempt", key=True),
        _make_integer_column("step"),
        _make_integer_column("item"),
        sa.Column("undone", sa.Boolean(), nullable=False),
        *(_make_id_column(name) for name in ("node", "kind", "name", "outcome", "model", "build")),
        sa.Column("usage", sa.JSON(), nullable=False),
        _make_double_column("at"),
    )
    op.create_table(
        "runs",
        _make_id_column("tenant", key=True),
        _make_id_column("run_id", key=True),
        _make_id_column("status"),
        _make_double_column("started_at"),
        _make_double_column("finished_at", nullable=True),
        _make_id_column("mode"),
        _make_id_column("chosen_mode"),
        _make_text_column("question"),
        _make_text_column("body"),
        _make_integer_column("evidence"),
        _make_text_column("lists"),
    )
    op.create_index("runs_by_status", "runs", ["status", "tenant", "run_id"])
    op.create_index("runs_by_end", "runs", ["finished_at"])
    op.create_table(
        "events",
        _make_id_column("tenant", key=True),
        _make_id_column("run_id", key=True),
        _make_integer_column("seq", key=True),
        _make_text_column("body"),
        sa.ForeignKeyConstraint(["tenant", "run_id"], ["runs.tenant", "runs.run_id"], name="run_of_event"),
    )
    op.create_table(
        "idempotency_keys",
        _make_id_column("tenant", key=True),
        _make_id_column("key", key=True),
        _make_id_column("request_hash"),
        _make_id_column("run_id"),
    )
    op.create_index("keys_of_run", "idempotency_keys", ["tenant", "run_id"])
    op.create_table(
        "control_requests",
        _make_id_column("tenant", key=True),
        _make_id_column("run_id", key=True),
        _make_id_column("request_id", key=True),
        _make_id_column("request_hash"),
        sa.Column("accepted", sa.Boolean(), nullable=True),
        _make_text_column("answer"),
    )
    op.create_table("probes", _make_id_column("id", key=True), _make_text_column("filling"))
    op.create_table("providers", _make_id_column("name", key=True), _make_text_column("body"))
    for table in ("graphs", "agents"):
        op.create_table(
            table,
            _make_id_column("tenant", key=True),
            _make_id_column("name", key=True),
            _make_integer_column("version", key=True),
            _make_id_column("body_hash"),
            _make_double_column("at"),
            _make_text_column("body"),
        )
    op.create_table(
        "knowledge_nodes",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        _make_id_column("kind"),
        *(_make_text_column(name) for name in ("key", "name", "text", "url")),
        sa.Column("year", sa.Integer(), nullable=True),
    )
    nodes = ["knowledge_nodes.tenant", "knowledge_nodes.id"]
    op.create_table(
        "knowledge_edges",
        _make_id_column("tenant", key=True),
        _make_id_column("id", key=True),
        *(_make_id_column(name) for name in ("kind", "start", "end", "run", "evidence", "support")),
        sa.ForeignKeyConstraint(["tenant", "start"], nodes, name="start_of_edge"),
        sa.ForeignKeyConstraint(["tenant", "end"], nodes, name="end_of_edge"),
    )
    op.create_index("knowledge_edges_from", "knowledge_edges", ["tenant", "start", "id"])
    op.create_index("knowledge_edges_to", "knowledge_edges", ["tenant", "end", "id"])
    op.create_index("knowledge_edges_of_run", "knowledge_edges", ["tenant", "run"])
    op.create_table(
        "knowledge_words",
        _make_id_column("tenant", key=True),
        _make_id_column("word", key=True),
        _make_id_column("node", key=True),
    )
    op.create_index("knowledge_words_of_node", "knowledge_words", ["tenant", "node"])
