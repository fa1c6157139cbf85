"""Which knowledge graph there is, by its URL: tables in the store, a server with Apache AGE, or none."""

import asyncio
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any, Final

from sqlalchemy import ColumnElement, and_, delete, exists, func, select, text
from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection, AsyncEngine

from elcano.graphs.errors import CypherRefused
from elcano.graphs.frozen import Json, JsonObject
from elcano.redaction import without_secrets
from elcano.settings.plugins import Finding
from elcano.settings.settings import Settings, get_variable_name
from elcano.storage.sql.dialect import begin_exclusive, insert_new, insert_or_replace
from elcano.storage.sql.engine import database_url, open_engine
from elcano.storage.sql.tables import knowledge_edges as edge_rows
from elcano.storage.sql.tables import knowledge_nodes as node_rows
from elcano.storage.sql.tables import knowledge_words
from elcano.storage.store import TenantStore
from elcano.subjects.knowledge.age import AgeKnowledge
from elcano.subjects.knowledge.age_server import AgeServer
from elcano.subjects.knowledge.graph import (
    BATCH,
    MOST_ROWS,
    EdgeKind,
    Hit,
    KnowledgeCounts,
    KnowledgeEdge,
    KnowledgeGraph,
    KnowledgeNode,
    Neighbour,
    NodeKind,
    NoKnowledge,
)
from elcano.subjects.knowledge.word_index import WordIndex

TABLES: Final = "tables"


class KnowledgeStore:
    """The knowledge graphs of all tenants."""

    def __init__(self, engine: AsyncEngine, settings: Settings) -> None:
        """`engine`: of the store's database."""
        url = settings.knowledge
        self._engine = engine
        self._url = url
        self._age = open_engine(database_url(url, Path())) if url.startswith("postgresql") else None
        self._server = AgeServer(self._age) if self._age is not None else None

    def of(self, tenant: str) -> KnowledgeGraph:
        """The graph of one tenant."""
        if self._server is not None:
            return AgeKnowledge(self._server, tenant)
        return TableKnowledge(self._engine, tenant) if self._url == TABLES else NoKnowledge()

    async def delete_run(self, tenant: str, run_id: str) -> None:
        """Takes a run away, also what it left in the tables before the graph was kept elsewhere, or nowhere."""
        await self.of(tenant).delete_run(run_id)
        if self._url != TABLES:
            await TableKnowledge(self._engine, tenant).delete_run(run_id)

    async def delete_tenant(self, tenant: str) -> None:
        """Empties the graph on a server of its own; one in tables is rows of these."""
        if self._server is not None:
            await AgeKnowledge(self._server, tenant).delete_all()

    async def close(self) -> None:
        """Ends the connections to a server of its own."""
        if self._age is not None:
            await self._age.dispose()


def get_graph(store: TenantStore) -> KnowledgeGraph:
    """The graph of a tenant's store."""
    graph: KnowledgeGraph = store.plugins["knowledge"]
    return graph


async def age_version(url: str) -> str | None:
    """Which Apache AGE the server at `url` has, of which nothing is changed; None: it has none to install.

    Raises:
        sqlalchemy.exc.DBAPIError: the server cannot be reached, or refuses.
    """
    engine = open_engine(database_url(url, Path()))
    try:
        async with engine.connect() as connection:
            found = (
                "SELECT coalesce(installed_version, default_version) FROM pg_available_extensions WHERE name = 'age'"
            )
            version: str | None = await connection.scalar(text(found))
            return version
    finally:
        await engine.dispose()


def check_knowledge_graph(chosen: Settings) -> Iterable[Finding]:
    """Whether the server of the knowledge graph can be reached and has Apache AGE."""
    if not chosen.knowledge.startswith("postgresql"):
        return
    place = without_secrets(chosen.knowledge)
    try:
        version = asyncio.run(age_version(chosen.knowledge))
    except (DBAPIError, OSError) as error:
        text = f"the knowledge graph at {place} cannot be reached: {without_secrets(str(error))}"
        yield Finding("fault", text, f"correct {get_variable_name('knowledge')}, or start its server")
        return
    if version is None:
        text = f"the server of the knowledge graph at {place} does not have Apache AGE"
        yield Finding("fault", text, f"install AGE there, or set {get_variable_name('knowledge')} to `tables`")
    else:
        yield Finding("good", f"knowledge graph at {place}: Apache AGE {version}")


class TableKnowledge:
    """The knowledge graph of one tenant, in tables."""

    cypher_spoken = False

    def __init__(self, engine: AsyncEngine, tenant: str) -> None:
        self._engine = engine
        self._tenant = tenant
        self._words = WordIndex(knowledge_words, tenant)

    async def upsert(
        self, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        """See `KnowledgeGraph`. In one order, so that two writers of the same nodes never wait in a circle."""
        described = sorted({one.id: one for one in nodes}.values(), key=lambda one: one.id)
        connected = sorted({one.id: one for one in edges}.values(), key=lambda one: one.id)
        ends = {end for one in connected for end in (one.start, one.end)} - {one.id for one in described}
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"knowledge {self._tenant}")
            if replacing:
                await drop_run(connection, self._tenant, replacing)
            await self._require(connection, sorted(ends))
            for start in range(0, len(described), BATCH):
                rows = [self._row(one) for one in described[start : start + BATCH]]
                await connection.execute(insert_or_replace(connection, node_rows), rows)
            await self._words.add(connection, described)
            for start in range(0, len(connected), BATCH):
                rows = [self._row(one) for one in connected[start : start + BATCH]]
                await connection.execute(insert_new(connection, edge_rows), rows)

    async def nodes(self, ids: Sequence[str]) -> list[KnowledgeNode]:
        """See `KnowledgeGraph`."""
        async with self._engine.connect() as connection:
            return await self._nodes(connection, ids)

    async def neighbours(
        self, id: str, *, kinds: Sequence[EdgeKind] = (), limit: int, after: str = ""
    ) -> list[Neighbour]:
        """See `KnowledgeGraph`. Each direction is asked by itself, so that an index serves each."""
        chosen = and_(edge_rows.c.id > after, edge_rows.c.kind.in_(kinds) if kinds else edge_rows.c.id > "")
        async with self._engine.connect() as connection:
            found: dict[str, KnowledgeEdge] = {}
            for end in (edge_rows.c.start, edge_rows.c.end):
                of_node = self._own_edges.where(end == id, chosen).order_by(edge_rows.c.id).limit(limit)
                found |= {row["id"]: _build_edge(row) for row in (await connection.execute(of_node)).mappings()}
            edges = [found[one] for one in sorted(found)[:limit]]
            others = [one.end if one.start == id else one.start for one in edges]
            known = {one.id: one for one in await self._nodes(connection, others)}
        return [Neighbour(edge=one, node=known[other]) for one, other in zip(edges, others, strict=True)]

    async def edges(self, ids: Sequence[str], limit: int) -> list[KnowledgeEdge]:
        """See `KnowledgeGraph`."""
        found: dict[str, KnowledgeEdge] = {}
        async with self._engine.connect() as connection:
            for start in range(0, len(ids), BATCH):
                batch = ids[start : start + BATCH]
                for end in (edge_rows.c.start, edge_rows.c.end):
                    of_nodes = self._own_edges.where(end.in_(batch)).limit(limit)
                    found |= {row["id"]: _build_edge(row) for row in (await connection.execute(of_nodes)).mappings()}
                if len(found) >= limit:
                    break
        return list(found.values())[:limit]

    async def search(self, words: str, *, kinds: Sequence[NodeKind] = (), limit: int) -> list[Hit]:
        """See `KnowledgeGraph`."""
        async with self._engine.connect() as connection:
            scores = await self._words.scores(connection, words, kinds, limit)
            found = await self._nodes(connection, list(scores))
        return [Hit(node=one, score=scores[one.id]) for one in found][:limit]

    async def counts(self) -> KnowledgeCounts:
        """See `KnowledgeGraph`."""
        counted: list[dict[str, int]] = []
        async with self._engine.connect() as connection:
            for table in (node_rows, edge_rows):
                by_kind = select(table.c.kind, func.count()).where(table.c.tenant == self._tenant)
                rows = await connection.execute(by_kind.group_by(table.c.kind).order_by(table.c.kind))
                counted.append({kind: number for kind, number in rows})
        return KnowledgeCounts.model_validate({"nodes": counted[0], "edges": counted[1]})

    async def delete_run(self, run: str) -> None:
        """See `KnowledgeGraph`."""
        async with self._engine.begin() as connection:
            await begin_exclusive(connection, f"knowledge {self._tenant}")
            await drop_run(connection, self._tenant, run)

    async def cypher(
        self, query: str, columns: Sequence[str], parameters: JsonObject, *, limit: int = MOST_ROWS
    ) -> list[list[Json]]:
        """Refused."""
        raise CypherRefused("openCypher is answered by Apache AGE alone: name its server in ELCANO_KNOWLEDGE")

    async def _nodes(self, connection: AsyncConnection, ids: Sequence[str]) -> list[KnowledgeNode]:
        columns = (column for column in node_rows.columns if column.name != "tenant")
        own = select(*columns).where(node_rows.c.tenant == self._tenant)
        found: dict[str, KnowledgeNode] = {}
        for start in range(0, len(ids), BATCH):
            rows = await connection.execute(own.where(node_rows.c.id.in_(ids[start : start + BATCH])))
            found |= {row["id"]: KnowledgeNode.model_validate(dict(row)) for row in rows.mappings()}
        return [found[id] for id in ids if id in found]

    async def _require(self, connection: AsyncConnection, ids: Sequence[str]) -> None:
        kept = {one.id for one in await self._nodes(connection, ids)}
        if lacking := [id for id in ids if id not in kept]:
            raise ValueError(f"an edge leads to nodes that are neither given nor kept: {', '.join(lacking[:5])}")

    @property
    def _own_edges(self) -> Any:
        columns = (column for column in edge_rows.columns if column.name != "tenant")
        return select(*columns).where(edge_rows.c.tenant == self._tenant)

    def _row(self, one: KnowledgeNode | KnowledgeEdge) -> dict[str, Any]:
        return {"tenant": self._tenant, **one.model_dump()}


async def drop_run(connection: AsyncConnection, tenant: str, run: str) -> None:
    """Takes the edges of a run away, and what no other edge holds."""
    own: ColumnElement[bool] = edge_rows.c.tenant == tenant
    gone = delete(edge_rows).where(own, edge_rows.c.run == run).returning(edge_rows.c.start, edge_rows.c.end)
    touched = sorted({end for row in await connection.execute(gone) for end in row})
    held = [exists().where(own, end == node_rows.c.id) for end in (edge_rows.c.start, edge_rows.c.end)]
    for start in range(0, len(touched), BATCH):
        batch = touched[start : start + BATCH]
        unheld = and_(node_rows.c.tenant == tenant, node_rows.c.id.in_(batch), *(~one for one in held))
        lost = list(await connection.scalars(delete(node_rows).where(unheld).returning(node_rows.c.id)))
        await WordIndex(knowledge_words, tenant).drop(connection, lost)


def _build_edge(row: Any) -> KnowledgeEdge:
    return KnowledgeEdge.model_validate(dict(row))
