"""The tables. Every key begins with a tenant: a row of one is never found by another, even if its content is the same.

Columns with what people asked and what was found are sealed: encrypted if the engine has a cipher (`storage.cipher`).

Data that belongs to no tenant has none. A change here needs a migration in `migrations/versions`; a test compares both.
Models are stored field by field where SQL reads them, else as one JSON body.
"""

import json
from typing import Any, Final

from sqlalchemy import (
    JSON,
    Boolean,
    Column,
    Dialect,
    Double,
    ForeignKeyConstraint,
    Index,
    Integer,
    MetaData,
    String,
    Table,
    Text,
)
from sqlalchemy.types import TypeDecorator, TypeEngine

from elcano.storage.cipher import blind_word, seal_text, unseal_text

ESCAPE: Final = "\ue000"
_NUL: Final = f"{ESCAPE}0"
_ITSELF: Final = f"{ESCAPE}1"
_SEALED: Final = f"{ESCAPE}2"
"""How sealed text begins; escaped text never does."""


def escape_nul(text: str) -> str:
    """`text` without NUL characters."""
    return text.replace(ESCAPE, _ITSELF).replace("\x00", _NUL)


def unescape_nul(kept: str) -> str:
    """The text that `escape_nul` made `kept` of."""
    return kept.replace(_NUL, "\x00").replace(_ITSELF, ESCAPE)


class _Escaped(TypeDecorator[str]):
    """Escapes where the database is PostgreSQL."""

    impl = Text

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        return escape_nul(value) if value is not None and dialect.name == "postgresql" else value

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        return unescape_nul(value) if value is not None and dialect.name == "postgresql" else value


class LongText(_Escaped):
    """A text of any length."""

    cache_ok = True


class SealedText(TypeDecorator[str]):
    """A text of any length that SQL never looks into, but to see whether it is empty: an empty one is not sealed."""

    impl = Text
    cache_ok = True

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Seal or escape it."""
        if not value:
            return value
        sealed = seal_text(dialect, value)
        return escape_nul(value) if sealed is None else f"{_SEALED}{sealed}"

    def process_result_value(self, value: str | None, dialect: Dialect) -> str | None:
        """The text that was bound."""
        if value is None or not value.startswith(_SEALED):
            return unescape_nul(value) if value is not None else None
        return unseal_text(dialect, value[len(_SEALED) :])


class SealedJson(TypeDecorator[Any]):
    """An object, or null, as JSON that SQL never looks into; sealed it is a JSON string."""

    impl = JSON
    cache_ok = True

    def process_bind_param(self, value: Any, dialect: Dialect) -> Any:
        """Seal it."""
        sealed = None if value is None else seal_text(dialect, json.dumps(value))
        return value if sealed is None else sealed

    def process_result_value(self, value: Any, dialect: Dialect) -> Any:
        """The object that was bound."""
        return json.loads(unseal_text(dialect, value)) if isinstance(value, str) else value


class Word(TypeDecorator[str]):
    """A word by which rows are found: its code if the engine has a cipher."""

    impl = String
    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use the collation that compares by code points."""
        return dialect.type_descriptor(String(collation="C") if dialect.name == "postgresql" else String())

    def process_bind_param(self, value: str | None, dialect: Dialect) -> str | None:
        """Its code, or the word."""
        return None if value is None else blind_word(dialect, escape_nul(value))


class Id(_Escaped):
    """A short text that is compared by its code points."""

    cache_ok = True

    def load_dialect_impl(self, dialect: Dialect) -> TypeEngine[Any]:
        """Use the collation that compares by code points."""
        return dialect.type_descriptor(String(collation="C") if dialect.name == "postgresql" else String())


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
"""How sources and services of models stand; they are the same for all tenants."""
