"""The tables. Every key begins with a tenant: a row of one is never found by another, even if its content is the same.

Columns with what people asked and what was found are sealed: encrypted if the engine has a cipher (`columns.py`).

Data that belongs to no tenant has none. A change here needs a migration in `migrations/versions`; a test compares both.
Models are stored field by field where SQL reads them, else as one JSON body.
"""

from typing import Final

from sqlalchemy import (
    JSON,
    BigInteger,
    Boolean,
    Column,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    Table,
)

from elcano.storage.sql.columns import RETAINED, Id, LongText, SealedJson, SealedText, Word

metadata = MetaData()

texts = Table(
    "texts",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("content_hash", Id, primary_key=True),
    Column("document", SealedText, nullable=False),
    Column("title", SealedText, nullable=False),
    Column("media_type", Id, nullable=False),
    Column("text", SealedText, nullable=False),
)

evidence = Table(
    "evidence",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("source", Id, nullable=False),
    Column("document", SealedText, nullable=False),
    Column("content_hash", Id, nullable=False),
    Column("title", SealedText, nullable=False),
    Column("locator", SealedText, nullable=False),
    Column("heading", SealedText, nullable=False),
    Column("text", SealedText, nullable=False),
    Column("start", Integer, nullable=False),
    Column("end", Integer, nullable=False),
    Column("score", Double, nullable=False),
    Column("retrieved_at", Double, nullable=False),
    Column("metadata", SealedJson, nullable=False),
    Column("work", SealedJson(none_as_null=True), nullable=True),
    Column("places", SealedJson(none_as_null=True), nullable=True),
    ForeignKeyConstraint(["tenant", "content_hash"], [texts.c.tenant, texts.c.content_hash], name="text_of_evidence"),
    Index("evidence_of_text", "tenant", "content_hash"),
)

findings = Table(
    "findings",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("evidence_id", Id, primary_key=True),
    Column("position", Integer, nullable=False),
    ForeignKeyConstraint(["tenant", "evidence_id"], [evidence.c.tenant, evidence.c.id], name="evidence_of_finding"),
    Index("findings_of_evidence", "tenant", "evidence_id"),
)
"""Which run found which evidence; `position` increases in the order of finding within a run and its branches, and is
the same for all of these that found a passage."""

artifacts = Table(
    "artifacts",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("key", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("media_type", Id, nullable=False),
    Index("artifacts_of_run", "tenant", "run_id"),
)
"""`run_id` is the run that a person asked for, also where a branch of it made it. The content is an object."""

ledger = Table(
    "ledger",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("execution", Id, primary_key=True),
    Column("activity", Id, primary_key=True),
    Column("attempt", Integer, primary_key=True),
    Column("step", Integer, nullable=False),
    Column("item", Integer, nullable=False),
    Column("undone", Boolean, nullable=False),
    Column("node", Id, nullable=False),
    Column("kind", Id, nullable=False),
    Column("name", Id, nullable=False),
    Column("outcome", Id, nullable=False),
    Column("model", Id, nullable=False),
    Column("build", Id, nullable=False),
    Column("usage", JSON, nullable=False),
    Column("at", Double, nullable=False),
)

_COUNTERS: Final = ("runs", "calls", "requests", "input_tokens", "output_tokens", "cost_microusd", "unpriced_requests")
usage_totals = Table(
    "usage_totals",
    metadata,
    *(Column(name, Id, primary_key=True) for name in ("tenant", "day", "api_key", "mode", "model", "source")),
    *(Column(name, BigInteger, nullable=False) for name in _COUNTERS),
)
"""Sums over the ledger and the admitted runs, which stay when a run is deleted. `day` is in UTC, as `2026-11-26`."""

runs = Table(
    "runs",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("status", Id, nullable=False),
    Column("started_at", Double, nullable=False),
    Column("finished_at", Double),
    Column("mode", Id, nullable=False),
    Column("chosen_mode", Id, nullable=False),
    Column("api_key", Id, nullable=False),
    Column("cost_microusd", BigInteger, nullable=False),
    Column("question", SealedText, nullable=False),
    Column("body", SealedText, nullable=False),
    Column("evidence", Integer, nullable=False),
    Column("lists", SealedText, nullable=False),
    Index("runs_by_status", "status", "tenant", "run_id"),
    Index("runs_by_end", "finished_at"),
)
"""`status` is the run's, or `starting` as long as it is not known that its workflow was started. `body` is all of a run
but what grows with it: that is in `lists`, and `evidence` says how many passages it found. So many runs can be listed
without reading thousands of ids."""

events = Table(
    "events",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("seq", Integer, primary_key=True),
    Column("body", SealedText, nullable=False),
    ForeignKeyConstraint(["tenant", "run_id"], [runs.c.tenant, runs.c.run_id], name="run_of_event"),
)

idempotency_keys = Table(
    "idempotency_keys",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("key", Id, primary_key=True),
    Column("request_hash", Id, nullable=False),
    Column("run_id", Id, nullable=False),
    Index("keys_of_run", "tenant", "run_id"),
)

control_requests = Table(
    "control_requests",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("run_id", Id, primary_key=True),
    Column("request_id", Id, primary_key=True),
    Column("request_hash", Id, nullable=False),
    Column("accepted", Boolean),
    Column("answer", SealedText, nullable=False, default=""),
)
"""Control requests to running runs; `accepted` is null until the run's answer is known."""

graphs = Table(
    "graphs",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("name", Id, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("body_hash", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", SealedText, nullable=False),
)
"""Graphs of a tenant's own. Of a deleted one the last version stays without its body: no number is given twice."""

agents = Table(
    "agents",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("name", Id, primary_key=True),
    Column("version", Integer, primary_key=True),
    Column("body_hash", Id, nullable=False),
    Column("at", Double, nullable=False),
    Column("body", SealedText, nullable=False),
)
"""Agents of a tenant's own, in the same way."""

knowledge_nodes = Table(
    "knowledge_nodes",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("kind", Id, nullable=False),
    Column("key", SealedText, nullable=False),
    Column("name", SealedText, nullable=False),
    Column("text", SealedText, nullable=False),
    Column("url", SealedText, nullable=False),
    Column("year", Integer, nullable=True),
)
"""Nodes of the knowledge graph, shared by the runs that found them."""

knowledge_edges = Table(
    "knowledge_edges",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("kind", Id, nullable=False),
    Column("start", Id, nullable=False),
    Column("end", Id, nullable=False),
    Column("run", Id, nullable=False),
    Column("evidence", Id, nullable=False),
    Column("support", Id, nullable=False),
    ForeignKeyConstraint(["tenant", "start"], [knowledge_nodes.c.tenant, knowledge_nodes.c.id], name="start_of_edge"),
    ForeignKeyConstraint(["tenant", "end"], [knowledge_nodes.c.tenant, knowledge_nodes.c.id], name="end_of_edge"),
    Index("knowledge_edges_from", "tenant", "start", "id"),
    Index("knowledge_edges_to", "tenant", "end", "id"),
    Index("knowledge_edges_of_run", "tenant", "run"),
)

knowledge_words = Table(
    "knowledge_words",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("word", Word, primary_key=True),
    Column("node", Id, primary_key=True),
    Index("knowledge_words_of_node", "tenant", "node"),
)
"""The words by which nodes are found."""

api_keys = Table(
    "api_keys",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("name", LongText, nullable=False),
    Column("secret_hash", Id, nullable=False),
    Column("former_hash", Id, nullable=True),
    Column("former_until", Double, nullable=True),
    Column("role", Id, nullable=False),
    Column("scopes", LongText, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("created_by", LongText, nullable=False),
    Column("expires_at", Double, nullable=True),
    Column("revoked_at", Double, nullable=True),
    Column("used_at", Double, nullable=True),
    Index("api_keys_by_id", "id", unique=True),
)
"""API keys, without their secrets; a rotated key has a former secret for a while."""

sessions = Table(
    "sessions",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("secret_hash", Id, nullable=False),
    Column("user", LongText, nullable=False),
    Column("role", Id, nullable=False),
    Column("scopes", LongText, nullable=False),
    Column("key_id", Id, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("expires_at", Double, nullable=False),
    Index("sessions_by_id", "id", unique=True),
)
"""Sessions of browsers; `key_id` is that of the API key that signed in, and empty after a login elsewhere."""

run_links = Table(
    "run_links",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("run_id", Id, nullable=False),
    Column("secret_hash", Id, nullable=False),
    Column("created_at", Double, nullable=False),
    Column("created_by", LongText, nullable=False),
    Column("expires_at", Double, nullable=False),
    Column("revoked_at", Double, nullable=True),
    Index("run_links_by_id", "id", unique=True),
    Index("links_of_run", "tenant", "run_id"),
)
"""Links by which a run can be read without a key."""

outbox = Table(
    "outbox",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("workflow_id", Id, nullable=False),
    Column("workflow", Id, nullable=False),
    Column("work", SealedJson, nullable=False),
    Column("summary", LongText, nullable=False),
)
"""Workflows to start or signal, in the order of their ids; without the name of a `workflow` it is only signalled."""

audit_entries = Table(
    "audit_entries",
    metadata,
    Column("tenant", Id, primary_key=True),
    Column("id", Id, primary_key=True),
    Column("at", Double, nullable=False),
    Column("user", LongText, nullable=False),
    Column("role", Id, nullable=False),
    Column("key_id", Id, nullable=False),
    Column("action", Id, nullable=False),
    Column("target", LongText, nullable=False),
    Column("outcome", Integer, nullable=False),
    Column("address", Id, nullable=False),
    info=RETAINED,
)
"""Audit log, ordered by ids, which begin with the time. Rows are added, and never changed or deleted."""

probes = Table(
    "probes",
    metadata,
    Column("id", Id, primary_key=True),
    Column("filling", LongText, nullable=False),
)
"""Rows written to check whether the store is writable; they belong to no tenant."""

providers = Table(
    "providers",
    metadata,
    Column("name", Id, primary_key=True),
    Column("body", LongText, nullable=False),
)
"""State of sources and model services, shared by all tenants."""
