"""The tables of the first release."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def _id(name: str, *, key: bool = False) -> sa.Column[str]:
    kind = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    return sa.Column(name, kind, primary_key=key, nullable=False)


def _long(name: str) -> sa.Column[str]:
    return sa.Column(name, sa.Text(), nullable=False)


def _number(name: str, *, key: bool = False) -> sa.Column[int]:
    return sa.Column(name, sa.Integer(), primary_key=key, nullable=False)


def _double(name: str, *, nullable: bool = False) -> sa.Column[float]:
    return sa.Column(name, sa.Double(), nullable=nullable)


def upgrade() -> None:
    """Creates them."""
    op.create_table(
        "texts",
        _id("tenant", key=True),
        _id("content_hash", key=True),
        _long("document"),
        _long("title"),
        _id("media_type"),
        _long("text"),
    )
    op.create_table(
        "evidence",
        _id("tenant", key=True),
        _id("id", key=True),
        _id("source"),
        _long("document"),
        _id("content_hash"),
        _long("title"),
        _long("locator"),
        _long("heading"),
        _long("text"),
        _number("start"),
        _number("end"),
        _double("score"),
        _double("retrieved_at"),
        sa.Column("metadata", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tenant", "content_hash"], ["texts.tenant", "texts.content_hash"], name="text_of_evidence"
        ),
    )
    op.create_index("evidence_of_text", "evidence", ["tenant", "content_hash"])
    op.create_table(
        "findings",
        _id("tenant", key=True),
        _id("run_id", key=True),
        _id("evidence_id", key=True),
        _number("position"),
        sa.ForeignKeyConstraint(
            ["tenant", "evidence_id"], ["evidence.tenant", "evidence.id"], name="evidence_of_finding"
        ),
    )
    op.create_index("findings_of_evidence", "findings", ["tenant", "evidence_id"])
    op.create_table(
        "artifacts", _id("tenant", key=True), _id("key", key=True), _id("run_id", key=True), _id("media_type")
    )
    op.create_index("artifacts_of_run", "artifacts", ["tenant", "run_id"])
    op.create_table(
        "ledger",
        _id("tenant", key=True),
        _id("run_id", key=True),
        _id("execution", key=True),
        _id("activity", key=True),
        _number("attempt", key=True),
        _number("step"),
        _number("item"),
        sa.Column("undone", sa.Boolean(), nullable=False),
        *(_id(name) for name in ("node", "kind", "name", "outcome", "model", "build")),
        sa.Column("usage", sa.JSON(), nullable=False),
        _double("at"),
    )
    op.create_table(
        "runs",
        _id("tenant", key=True),
        _id("run_id", key=True),
        _id("status"),
        _double("finished_at", nullable=True),
        _long("body"),
        _number("evidence"),
        _long("lists"),
    )
    op.create_index("runs_by_status", "runs", ["status", "tenant", "run_id"])
    op.create_index("runs_by_end", "runs", ["finished_at"])
    op.create_table(
        "events",
        _id("tenant", key=True),
        _id("run_id", key=True),
        _number("seq", key=True),
        _long("body"),
        sa.ForeignKeyConstraint(["tenant", "run_id"], ["runs.tenant", "runs.run_id"], name="run_of_event"),
    )
    op.create_table(
        "idempotency_keys", _id("tenant", key=True), _id("key", key=True), _id("request_hash"), _id("run_id")
    )
    op.create_index("keys_of_run", "idempotency_keys", ["tenant", "run_id"])
    op.create_table(
        "control_requests",
        _id("tenant", key=True),
        _id("run_id", key=True),
        _id("request_id", key=True),
        _id("request_hash"),
        sa.Column("accepted", sa.Boolean(), nullable=True),
        _long("answer"),
    )
    op.create_table("probes", _id("id", key=True), _long("filling"))
