"""The tables of the first release; earlier versions of them were never released."""

import sqlalchemy as sa
from alembic import op

from elcano.storage.sql.migrations.columns import (
    make_count_column,
    make_double_column,
    make_id_column,
    make_integer_column,
    make_text_column,
)

revision = "0016"
down_revision = None
works_with = "0016"


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
        make_id_column("api_key"),
        make_count_column("cost_microusd"),
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
    op.create_table(
        "api_keys",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_text_column("name"),
        make_id_column("secret_hash"),
        make_id_column("former_hash", nullable=True),
        make_double_column("former_until", nullable=True),
        make_id_column("role"),
        make_text_column("scopes"),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_double_column("expires_at", nullable=True),
        make_double_column("revoked_at", nullable=True),
        make_double_column("used_at", nullable=True),
    )
    op.create_index("api_keys_by_id", "api_keys", ["id"], unique=True)
    op.create_table(
        "sessions",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("secret_hash"),
        make_text_column("user"),
        make_id_column("role"),
        make_text_column("scopes"),
        make_id_column("key_id"),
        make_double_column("created_at"),
        make_double_column("expires_at"),
    )
    op.create_index("sessions_by_id", "sessions", ["id"], unique=True)
    op.create_table(
        "run_links",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("run_id"),
        make_id_column("secret_hash"),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_double_column("expires_at"),
        make_double_column("revoked_at", nullable=True),
        sa.Column("versions", sa.Boolean(), nullable=False),
    )
    op.create_index("run_links_by_id", "run_links", ["id"], unique=True)
    op.create_index("links_of_run", "run_links", ["tenant", "run_id"])
    op.create_table(
        "audit_entries",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_double_column("at"),
        make_text_column("user"),
        make_id_column("role"),
        make_id_column("key_id"),
        make_id_column("action"),
        make_text_column("target"),
        make_integer_column("outcome"),
        make_id_column("address"),
    )
    keys = ("tenant", "day", "api_key", "mode", "model", "source")
    counters = ("runs", "calls", "requests", "input_tokens", "output_tokens", "cost_microusd", "unpriced_requests")
    op.create_table(
        "usage_totals",
        *(make_id_column(name, key=True) for name in keys),
        *(make_count_column(name) for name in counters),
    )
    op.create_table(
        "quota_claims",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_id_column("claim", key=True),
        make_id_column("api_key"),
        make_count_column("tokens"),
        make_count_column("cost_microusd"),
        make_double_column("expires_at", nullable=True),
    )
    op.create_table(
        "tenant_deletions",
        make_id_column("tenant", key=True),
        make_double_column("begun_at"),
        make_text_column("begun_by"),
        make_id_column("begun_in"),
        make_double_column("finished_at", nullable=True),
        make_double_column("quiet_at"),
        make_count_column("histories"),
        make_count_column("objects"),
        make_count_column("rows"),
        make_text_column("waiting"),
    )
    op.create_table("schema_floor", make_id_column("revision", key=True))
    op.create_table(
        "webhook_endpoints",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_id_column("run_id"),
        make_text_column("url"),
        sa.Column("events", sa.JSON(), nullable=False),
        make_text_column("description"),
        make_text_column("secret"),
        make_text_column("former_secret"),
        make_double_column("former_until", nullable=True),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_double_column("failing_since", nullable=True),
        make_double_column("disabled_at", nullable=True),
        make_text_column("disabled_reason"),
    )
    op.create_table(
        "webhook_deliveries",
        make_id_column("tenant", key=True),
        make_id_column("endpoint_id", key=True),
        make_id_column("message_id", key=True),
        make_id_column("run_id"),
        make_id_column("type"),
        sa.Column("message", sa.JSON(), nullable=False),
        make_id_column("status"),
        make_integer_column("attempts"),
        make_double_column("created_at"),
        make_double_column("tried_at", nullable=True),
        sa.Column("answer", sa.Integer(), nullable=True),
        make_text_column("error"),
    )
    op.create_index("webhook_deliveries_by_time", "webhook_deliveries", ["tenant", "endpoint_id", "created_at"])
    op.create_table(
        "webhook_watches",
        make_id_column("tenant", key=True),
        make_id_column("run_id", key=True),
        make_double_column("at"),
    )
    op.create_table(
        "uploaded_documents",
        make_id_column("tenant", key=True),
        make_id_column("collection", key=True),
        make_id_column("key", key=True),
        make_text_column("path"),
        make_id_column("data_hash"),
        make_count_column("size"),
        make_id_column("state"),
        make_text_column("reason"),
        make_text_column("title"),
        make_id_column("media_type"),
        make_integer_column("empty_pages"),
        make_double_column("read_at", nullable=True),
        make_double_column("uploaded_at"),
        make_text_column("uploaded_by"),
    )
    op.create_index("uploaded_documents_by_state", "uploaded_documents", ["state", "tenant", "collection"])
    op.create_index("uploaded_documents_sizes", "uploaded_documents", ["tenant", "size"])
    op.create_table(
        "batches",
        make_id_column("tenant", key=True),
        make_id_column("id", key=True),
        make_text_column("name"),
        make_integer_column("at_once"),
        make_count_column("tokens", nullable=True),
        make_count_column("cost_microusd", nullable=True),
        make_double_column("deadline", nullable=True),
        make_double_column("created_at"),
        make_text_column("created_by"),
        make_id_column("api_key"),
        make_id_column("state"),
        make_text_column("reason"),
        make_double_column("since"),
        make_text_column("cancelled_by"),
        make_double_column("changed_at", nullable=True),
    )
    op.create_table(
        "batch_questions",
        make_id_column("tenant", key=True),
        make_id_column("batch_id", key=True),
        make_integer_column("number", key=True),
        sa.Column("request", sa.JSON(), nullable=False),
        sa.Column("cells", sa.JSON(), nullable=False),
        make_id_column("state"),
        make_text_column("reason"),
        make_id_column("run_id"),
        make_count_column("granted_tokens"),
        make_count_column("granted_microusd"),
        make_double_column("granted_seconds"),
        make_count_column("tokens"),
        make_count_column("cost_microusd"),
    )
    op.create_index("batch_questions_by_state", "batch_questions", ["tenant", "batch_id", "state"])
