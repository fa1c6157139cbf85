"""The graph in Apache AGE, an extension of PostgreSQL: one graph for each tenant, which openCypher can be asked of.

A query of one tenant can so never reach the graph of another. Nothing is connected before it is asked for; the
extension and a tenant's graph are made by the first that needs them.
"""

import json
import secrets
from collections import defaultdict
from collections.abc import Sequence
from contextlib import suppress
from typing import Final, TypeVar

from sqlalchemy.exc import DBAPIError
from sqlalchemy.ext.asyncio import AsyncConnection

from elcano.graphs.errors import CypherRefused
from elcano.graphs.frozen import Frozen, Json, JsonObject
from elcano.storage.sql.columns import escape_nul, unescape_nul
from elcano.subjects.knowledge.age_server import (
    WORDS,
    AgeServer,
    drop_edges,
    drop_unheld,
    edge_label,
    keep_edges,
    keep_nodes,
    vertex_label,
)
from elcano.subjects.knowledge.cypher import parse_agtype, require_columns, require_reading
from elcano.subjects.knowledge.graph import (
    BATCH,
    EDGE_KINDS,
    MOST_ROWS,
    NODE_KINDS,
    EdgeKind,
    Hit,
    KnowledgeCounts,
    KnowledgeEdge,
    KnowledgeNode,
    Neighbour,
    NodeKind,
    kind_of,
    node_id,
)
from elcano.subjects.knowledge.word_index import WordIndex

CYPHER_SECONDS: Final = 5
"""Timeout of a client's query, in seconds."""

Row = TypeVar("Row")
Kept = TypeVar("Kept", KnowledgeNode, KnowledgeEdge)


class AgeKnowledge:
    """The knowledge graph of one tenant, in AGE."""

    cypher_spoken = True

    def __init__(self, server: AgeServer, tenant: str) -> None:
        self._server = server
        self._tenant = tenant
        self._words = WordIndex(WORDS, tenant)

    async def upsert(
        self, nodes: Sequence[KnowledgeNode], edges: Sequence[KnowledgeEdge], *, replacing: str = ""
    ) -> None:
        """See `KnowledgeGraph`."""
        described = {one.id: one for one in nodes}
        ends = {end for one in edges for end in (one.start, one.end)} - described.keys()
        graph = await self._server.graph(self._tenant, make=True)
        assert graph is not None
        by_kind, by_ends = defaultdict(list), defaultdict(list)
        for id in sorted(described):
            by_kind[described[id].kind].append(described[id])
        for one in {one.id: one for one in edges}.values():
            by_ends[one.kind, kind_of(one.start), kind_of(one.end)].append(one)
        async with self._server.writing(self._tenant) as connection:
            # Without an index on runs AGE reads every edge there is to find those of one.
            if replacing and await self._nodes(connection, graph, [node_id("run", replacing)]):
                await self._drop_run(connection, graph, replacing)
            kept = {one.id for one in await self._nodes(connection, graph, sorted(ends))}
            if lacking := sorted(ends - kept):
                raise ValueError(f"an edge leads to nodes that are neither given nor kept: {', '.join(lacking[:5])}")
            for kind, some in by_kind.items():
                for batch in _split_rows_into_batches([self._written(one) for one in some]):
                    await connection.exec_driver_sql(keep_nodes(graph, kind), (batch,))
            await self._words.add(connection, list(described.values()))
            for (kind_of_edge, start, end), given in by_ends.items():
                for part in _split_rows_into_batches(given):
                    columns = [json.dumps(one.start) for one in part], [json.dumps(one.end) for one in part]
                    rows = (*columns, [self._written(one) for one in part])
                    await connection.exec_driver_sql(keep_edges(graph, kind_of_edge, start, end), rows)

    async def nodes(self, ids: Sequence[str]) -> list[KnowledgeNode]:
        """See `KnowledgeGraph`."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return []
        async with self._server.reading() as connection:
            return await self._nodes(connection, graph, ids)

    async def neighbours(
        self, id: str, *, kinds: Sequence[EdgeKind] = (), limit: int, after: str = ""
    ) -> list[Neighbour]:
        """See `KnowledgeGraph`. Each direction is asked by itself: of both at once AGE reads every edge there is."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return []
        chosen = "e.kind IN $kinds AND " if kinds else ""
        found: dict[str, Neighbour] = {}
        async with self._server.reading() as connection:
            for way in ("-[e]->", "<-[e]-"):
                query = (
                    f"MATCH (a:{vertex_label(kind_of(id))}){way}(b) "
                    f"WHERE {chosen}a.id = $id AND e.id > $after "
                    f"RETURN properties(e), properties(b) ORDER BY e.id LIMIT {int(limit)}"
                )
                asked: JsonObject = {"id": id, "after": after, "kinds": list(kinds)}
                for one, other in await _run_cypher_query(connection, graph, query, ("e", "b"), asked):
                    edge = _parse_kept_model(KnowledgeEdge, one)
                    found[edge.id] = Neighbour(edge=edge, node=_parse_kept_model(KnowledgeNode, other))
        return [found[one] for one in sorted(found)[:limit]]

    async def edges(self, ids: Sequence[str], limit: int) -> list[KnowledgeEdge]:
        """See `KnowledgeGraph`."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return []
        found: dict[str, KnowledgeEdge] = {}
        async with self._server.reading() as connection:
            for kind, of_kind in _by_kind(ids).items():
                for batch in _split_rows_into_batches(of_kind):
                    for way in ("-[e]->", "<-[e]-"):
                        query = (
                            f"UNWIND $ids AS i MATCH (a:{vertex_label(kind)}){way}(b) WHERE a.id = i "
                            f"RETURN properties(e) LIMIT {int(limit)}"
                        )
                        for (one,) in await _run_cypher_query(connection, graph, query, ("e",), {"ids": list(batch)}):
                            edge = _parse_kept_model(KnowledgeEdge, one)
                            found[edge.id] = edge
                    if len(found) >= limit:
                        return list(found.values())[:limit]
        return list(found.values())

    async def search(self, words: str, *, kinds: Sequence[NodeKind] = (), limit: int) -> list[Hit]:
        """See `KnowledgeGraph`."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return []
        async with self._server.reading() as connection:
            scores = await self._words.scores(connection, words, kinds, limit)
            found = await self._nodes(connection, graph, list(scores))
        return [Hit(node=one, score=scores[one.id]) for one in found][:limit]

    async def counts(self) -> KnowledgeCounts:
        """See `KnowledgeGraph`."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return KnowledgeCounts(nodes={}, edges={})
        nodes, edges = {}, {}
        async with self._server.reading() as connection:
            for kind in NODE_KINDS:
                query = f"MATCH (n:{vertex_label(kind)}) RETURN count(n)"
                nodes[kind] = (await _run_cypher_query(connection, graph, query, ("n",), {}))[0][0]
            for one in EDGE_KINDS:
                query = f"MATCH ()-[e:{edge_label(one)}]->() RETURN count(e)"
                edges[one] = (await _run_cypher_query(connection, graph, query, ("n",), {}))[0][0]
        counted = ({kind: number for kind, number in some.items() if number} for some in (nodes, edges))
        return KnowledgeCounts.model_validate(dict(zip(("nodes", "edges"), counted, strict=True)))

    async def delete_run(self, run: str) -> None:
        """See `KnowledgeGraph`."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return
        async with self._server.writing(self._tenant) as connection:
            await self._drop_run(connection, graph, run)

    async def delete_all(self) -> None:
        """Deletes all nodes, edges and words of the tenant; the empty graph, whose name says nothing, stays."""
        if (graph := await self._server.graph(self._tenant)) is None:
            return
        async with self._server.writing(self._tenant) as connection:
            for label in ("_ag_label_edge", "_ag_label_vertex"):  # all other labels inherit from these
                await connection.exec_driver_sql(f"DELETE FROM {graph}.{label}")
            await self._words.drop_all(connection)

    async def _drop_run(self, connection: AsyncConnection, graph: str, run: str) -> None:
        touched: set[str] = set()
        for kind in EDGE_KINDS:
            gone = await connection.exec_driver_sql(drop_edges(graph, kind), (json.dumps(escape_nul(run)),))
            edges = (_parse_kept_model(KnowledgeEdge, parse_agtype(properties)) for (properties,) in gone)
            touched |= {end for one in edges for end in (one.start, one.end)}
        for of_kind, ids in _by_kind(sorted(touched)).items():
            for batch in _split_rows_into_batches(ids):
                asked = ([json.dumps(id) for id in batch],)
                lost = await connection.exec_driver_sql(drop_unheld(graph, of_kind), asked)
                await self._words.drop(connection, [json.loads(id) for (id,) in lost])

    async def cypher(
        self, query: str, columns: Sequence[str], parameters: JsonObject, *, limit: int = MOST_ROWS
    ) -> list[list[Json]]:
        """See `KnowledgeGraph`."""
        require_reading(query)
        require_columns(columns)
        if (graph := await self._server.graph(self._tenant)) is None:
            return []
        try:
            async with self._server.reading(CYPHER_SECONDS) as connection:
                return await _run_cypher_query(connection, graph, query, columns, parameters, min(limit, MOST_ROWS))
        except DBAPIError as error:
            state = getattr(error.orig, "sqlstate", None) or ""
            if state == "57014" or error.connection_invalidated:
                raise CypherRefused(f"the query took more than {CYPHER_SECONDS} s: ask for less") from error
            if state[:2] in ("22", "25", "42", "0A", "XX", "P0"):
                raise CypherRefused(f"the query cannot be run: {str(error.orig).splitlines()[0]}") from error
            raise

    async def _nodes(self, connection: AsyncConnection, graph: str, ids: Sequence[str]) -> list[KnowledgeNode]:
        found: dict[str, KnowledgeNode] = {}
        for kind, of_kind in _by_kind(ids).items():
            query = f"UNWIND $ids AS i MATCH (n:{vertex_label(kind)}) WHERE n.id = i RETURN properties(n)"
            for batch in _split_rows_into_batches(of_kind):
                for (one,) in await _run_cypher_query(connection, graph, query, ("n",), {"ids": list(batch)}):
                    node = _parse_kept_model(KnowledgeNode, one)
                    found[node.id] = node
        return [found[id] for id in ids if id in found]

    def _written(self, one: Frozen) -> str:
        """A node or an edge as JSON. PostgreSQL has no NUL character, so it is written as another one."""
        values = {
            name: escape_nul(value) if isinstance(value, str) else value for name, value in one.model_dump().items()
        }
        return json.dumps({**values, "tenant": self._tenant}, ensure_ascii=False)


def _parse_kept_model(kind: type[Kept], kept: Json) -> Kept:
    assert isinstance(kept, dict)
    values = {name: unescape_nul(value) if isinstance(value, str) else value for name, value in kept.items()}
    return kind.model_validate({name: value for name, value in values.items() if name in kind.model_fields})


async def _run_cypher_query(
    connection: AsyncConnection,
    graph: str,
    query: str,
    columns: Sequence[str],
    parameters: JsonObject,
    limit: int | None = None,
) -> list[list[Json]]:
    """Return the rows of a query. It is quoted with an unguessable mark, and `%` is escaped for the driver."""
    mark = f"$q{secrets.token_hex(8)}$"
    named = ", ".join(f'"{column}" ag_catalog.agtype' for column in columns)
    statement = f"SELECT * FROM ag_catalog.cypher('{graph}', {mark} {query.replace('%', '%%')} {mark}, %s) AS ({named})"
    if limit is not None:
        statement += f" LIMIT {int(limit)}"
    found = await connection.exec_driver_sql(statement, (json.dumps(parameters),))
    return [[parse_agtype(one) for one in row] for row in found]


def _by_kind(ids: Sequence[str]) -> dict[NodeKind, list[str]]:
    """Group ids by the kind that they state; invalid ids are dropped."""
    found: dict[NodeKind, list[str]] = defaultdict(list)
    for id in ids:
        with suppress(ValueError):
            found[kind_of(id)].append(id)
    return found


def _split_rows_into_batches(rows: Sequence[Row]) -> list[Sequence[Row]]:
    return [rows[start : start + BATCH] for start in range(0, len(rows), BATCH)]
