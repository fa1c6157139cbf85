"""What every knowledge graph does, whatever keeps it."""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import AbstractAsyncContextManager

import pytest

from elcano.storage.store import Store
from elcano.subjects.knowledge.graph import (
    KnowledgeEdge,
    KnowledgeGraph,
    KnowledgeNode,
    build_knowledge_edge,
    build_knowledge_node,
    find_shortest_paths,
    kind_of,
    node_id,
)
from elcano.subjects.knowledge.knowledge_store import get_graph

RUN = build_knowledge_node("run", "run-1", "Does aspirin prevent strokes?")
OTHER_RUN = build_knowledge_node("run", "run-2", "What is aspirin?")
PAPER = build_knowledge_node(
    "document", "doi:10.1/a", "Aspirin in primary prevention", url="https://doi.org/10.1/a", year=2018
)
CLAIM = build_knowledge_node("claim", "Aspirin lowers the risk of stroke.", "Aspirin lowers the risk of stroke.")
ASPIRIN = build_knowledge_node("entity", "aspirin", "Aspirin")
AUTHOR = build_knowledge_node("author", "müller, ä", "Müller, Ä")
LONELY = build_knowledge_node("entity", "tp53", "TP53")


def of_run(run: KnowledgeNode = RUN) -> tuple[list[KnowledgeNode], list[KnowledgeEdge]]:
    edges = [
        build_knowledge_edge("found", run.id, PAPER.id, run.key, evidence="ev-1"),
        build_knowledge_edge("stated", run.id, CLAIM.id, run.key, support="supported"),
        build_knowledge_edge("cites", CLAIM.id, PAPER.id, run.key, evidence="ev-1", support="supported"),
        build_knowledge_edge("mentions", CLAIM.id, ASPIRIN.id, run.key, evidence="ev-1"),
        build_knowledge_edge("written_by", PAPER.id, AUTHOR.id, run.key),
    ]
    return [run, PAPER, CLAIM, ASPIRIN, AUTHOR], edges


async def test_what_is_kept_comes_back_as_it_was(graph: KnowledgeGraph) -> None:
    nodes, edges = of_run()
    await graph.upsert(nodes, edges)
    assert await graph.nodes([AUTHOR.id, "document-" + "0" * 24, PAPER.id]) == [AUTHOR, PAPER]
    beside = await graph.neighbours(CLAIM.id, limit=10)
    assert {(one.edge.kind, one.node) for one in beside} == {("stated", RUN), ("cites", PAPER), ("mentions", ASPIRIN)}
    assert {one.edge for one in beside} <= set(edges)
    counts = await graph.counts()
    assert counts.nodes == {"author": 1, "claim": 1, "document": 1, "entity": 1, "run": 1}
    assert counts.edges == {"cites": 1, "found": 1, "mentions": 1, "stated": 1, "written_by": 1}


async def test_an_empty_graph_answers_everything(graph: KnowledgeGraph) -> None:
    assert await graph.nodes([PAPER.id]) == []
    assert await graph.neighbours(PAPER.id, limit=10) == []
    assert await graph.search("aspirin", limit=10) == []
    assert (await graph.counts()).nodes == {}
    await graph.delete_run("run-1")
    assert (await find_shortest_paths(graph, PAPER.id, ASPIRIN.id, longest=4, limit=5)).paths == ()


async def test_what_a_run_left_before_is_replaced_in_the_same_step(graph: KnowledgeGraph) -> None:
    nodes, edges = of_run()
    await graph.upsert(nodes, edges)
    newer = build_knowledge_edge("found", RUN.id, PAPER.id, RUN.key, evidence="ev-2")
    with pytest.raises(ValueError, match="neither given nor kept"):
        await graph.upsert(
            [RUN],
            [build_knowledge_edge("found", RUN.id, build_knowledge_node("document", "gone", "Gone").id, RUN.key)],
            replacing="run-1",
        )
    assert (await graph.counts()).edges == {"cites": 1, "found": 1, "mentions": 1, "stated": 1, "written_by": 1}
    await graph.upsert([RUN, PAPER], [newer], replacing="run-1")
    assert [one.edge for one in await graph.neighbours(RUN.id, limit=9)] == [newer]
    assert (await graph.counts()).nodes == {"document": 1, "run": 1}


async def test_keeping_it_twice_changes_nothing(graph: KnowledgeGraph) -> None:
    nodes, edges = of_run()
    await graph.upsert(nodes, edges)
    before = await graph.counts()
    await graph.upsert([*nodes, *nodes], [*edges, *edges])
    assert await graph.counts() == before


async def test_a_node_is_described_as_it_is_described_last(graph: KnowledgeGraph) -> None:
    await graph.upsert(*of_run())
    newer = PAPER.model_copy(update={"name": "Aspirin, corrected", "year": None})
    await graph.upsert([newer], [])
    assert await graph.nodes([PAPER.id]) == [newer]
    assert [one.node for one in await graph.neighbours(AUTHOR.id, limit=5)] == [newer]


async def test_an_edge_without_its_nodes_is_refused_and_nothing_is_kept(graph: KnowledgeGraph) -> None:
    dangling = build_knowledge_edge("mentions", CLAIM.id, ASPIRIN.id, "run-1")
    with pytest.raises(ValueError, match=ASPIRIN.id):
        await graph.upsert([CLAIM], [dangling])
    assert (await graph.counts()).nodes == {}


async def test_four_writers_of_the_same_nodes_make_each_once(
    opened: Callable[[], AbstractAsyncContextManager[Store]], tenant: str
) -> None:
    """Each with connections of its own, as processes have them, and each in an order of its own."""
    same = [build_knowledge_node("entity", f"entity {number}", f"Entity {number}") for number in range(50)]

    async def write(number: int) -> None:
        run = build_knowledge_node("run", f"run-{number}", "A question")
        edges = [build_knowledge_edge("mentions", run.id, one.id, run.key) for one in same]
        ordered = same[number * 10 :] + same[: number * 10]
        async with opened() as store:
            for start in range(0, 50, 10):
                await get_graph(store.of(tenant)).upsert([run, *ordered[start : start + 10]], [])
            await get_graph(store.of(tenant)).upsert([], edges)

    await asyncio.gather(*(write(number) for number in range(4)))
    async with opened() as store:
        counts = await get_graph(store.of(tenant)).counts()
    assert counts.nodes == {"entity": 50, "run": 4}
    assert counts.edges == {"mentions": 200}


async def test_what_was_cut_off_between_two_writes_is_finished_by_another_try(graph: KnowledgeGraph) -> None:
    nodes, edges = of_run()
    await graph.upsert(nodes[:3], edges[:1])
    await graph.upsert(nodes, edges)
    assert len(await graph.neighbours(CLAIM.id, limit=10)) == 3
    assert sum((await graph.counts()).nodes.values()) == 5


async def test_a_run_takes_its_edges_and_what_nobody_else_names(graph: KnowledgeGraph) -> None:
    await graph.upsert(*of_run())
    await graph.upsert(
        [OTHER_RUN, PAPER], [build_knowledge_edge("found", OTHER_RUN.id, PAPER.id, OTHER_RUN.key, evidence="ev-1")]
    )
    await graph.delete_run("run-1")
    counts = await graph.counts()
    assert counts.nodes == {"document": 1, "run": 1}
    assert counts.edges == {"found": 1}
    assert {hit.node.id for hit in await graph.search("aspirin", limit=10)} == {OTHER_RUN.id, PAPER.id}
    await graph.delete_run("run-2")
    assert await graph.search("aspirin", limit=10) == []
    assert (await graph.counts()).nodes == {}


async def test_a_run_deleted_while_another_finds_the_same_leaves_no_edge_without_a_node(graph: KnowledgeGraph) -> None:
    for _ in range(5):
        await graph.upsert(*of_run())
        await asyncio.gather(graph.delete_run("run-1"), graph.upsert(*of_run(OTHER_RUN)))
        assert len(await graph.neighbours(OTHER_RUN.id, limit=10)) == 2
        assert len(await graph.neighbours(PAPER.id, limit=10)) == 3
        await graph.delete_run("run-2")
        assert (await graph.counts()).nodes == {}


async def test_a_tenant_never_sees_another(store: Store, tenant: str) -> None:
    await get_graph(store.of(tenant)).upsert(*of_run())
    other = get_graph(store.of(f"{tenant}-2"))
    await other.upsert([LONELY], [])
    assert [one.node for one in await other.search("aspirin tp53", limit=10)] == [LONELY]
    assert await other.nodes([PAPER.id]) == []
    assert await other.neighbours(PAPER.id, limit=10) == []
    assert await other.edges([PAPER.id], 10) == []
    await other.delete_run("run-1")
    assert (await other.counts()).nodes == {"entity": 1}
    assert sum((await get_graph(store.of(tenant)).counts()).nodes.values()) == 5


def names(hits: Sequence[object]) -> list[str]:
    return [hit.node.name for hit in hits]  # type: ignore[attr-defined]


async def test_words_find_nodes_the_rarest_first(graph: KnowledgeGraph) -> None:
    common = [build_knowledge_node("claim", f"claim {number}", f"Stroke study number {number}") for number in range(20)]
    rare = build_knowledge_node("claim", "rare", "Warfarin and strokes")
    cjk = build_knowledge_node("document", "file:1", "阿司匹林可以预防中风")
    await graph.upsert([*common, rare, cjk], [])
    found = await graph.search("stroke warfarin", limit=3)
    assert names(found)[0] == "Warfarin and strokes"
    assert found[0].score == 1.0 > found[1].score > 0
    assert names(await graph.search("预防", limit=3)) == [cjk.name]
    assert await graph.search("warfarin", kinds=["document"], limit=3) == []
    assert names(await graph.search(" file:1 ", limit=3))[0] == cjk.name
    assert await graph.search("the of and", limit=3) == []
    assert await graph.search("", limit=3) == []


async def test_neighbours_come_in_pages(graph: KnowledgeGraph) -> None:
    many = [build_knowledge_node("entity", f"e{number}", f"Entity {number}") for number in range(25)]
    await graph.upsert(
        [PAPER, RUN, *many], [build_knowledge_edge("mentions", PAPER.id, one.id, "run-1") for one in many]
    )
    await graph.upsert([], [build_knowledge_edge("found", RUN.id, PAPER.id, "run-1", evidence="ev")])
    seen, after = list[str](), ""
    while page := await graph.neighbours(PAPER.id, kinds=["mentions"], limit=10, after=after):
        assert len(page) <= 10
        seen += [one.node.id for one in page]
        after = page[-1].edge.id
    assert sorted(seen) == sorted(one.id for one in many)
    assert [one.node for one in await graph.neighbours(PAPER.id, kinds=["found"], limit=10)] == [RUN]


async def test_the_shortest_paths_are_told_and_none_leads_over_a_run(graph: KnowledgeGraph) -> None:
    await graph.upsert(*of_run())
    found = await find_shortest_paths(graph, AUTHOR.id, ASPIRIN.id, longest=4, limit=5)
    assert found.complete
    assert [[one.kind for one in path] for path in found.paths] == [["written_by", "cites", "mentions"]]
    assert (await find_shortest_paths(graph, AUTHOR.id, ASPIRIN.id, longest=2, limit=5)).paths == ()
    await graph.upsert([LONELY], [build_knowledge_edge("mentions", RUN.id, LONELY.id, "run-1")])
    assert (await find_shortest_paths(graph, LONELY.id, ASPIRIN.id, longest=6, limit=5)).paths == ()
    to_run = await find_shortest_paths(graph, RUN.id, ASPIRIN.id, longest=6, limit=5)
    assert [[one.kind for one in path] for path in to_run.paths] == [["stated", "mentions"]]
    assert (await find_shortest_paths(graph, RUN.id, RUN.id, longest=6, limit=5)).paths == ()


async def test_equally_short_paths_are_all_told_up_to_a_limit(graph: KnowledgeGraph) -> None:
    middle = [build_knowledge_node("claim", f"c{number}", f"Claim {number}") for number in range(4)]
    edges = [
        one
        for each in middle
        for one in (
            build_knowledge_edge("cites", each.id, PAPER.id, "r"),
            build_knowledge_edge("mentions", each.id, ASPIRIN.id, "r"),
        )
    ]
    await graph.upsert([PAPER, ASPIRIN, *middle], edges)
    assert len((await find_shortest_paths(graph, PAPER.id, ASPIRIN.id, longest=4, limit=9)).paths) == 4
    assert len((await find_shortest_paths(graph, PAPER.id, ASPIRIN.id, longest=4, limit=2)).paths) == 2


@pytest.mark.parametrize(
    "hostile",
    [
        "'; DROP TABLE runs; --",
        '"}) DETACH DELETE n //',
        "$$ $q$ %s %(x)s :x",
        "nul \x00 sign",
        "\ue000 private",
        "\\u0000 \\",
    ],
)
async def test_no_value_is_ever_read_as_a_query(graph: KnowledgeGraph, hostile: str) -> None:
    strange = build_knowledge_node("entity", hostile, hostile, text=hostile, url=hostile)
    await graph.upsert(
        [strange, RUN], [build_knowledge_edge("mentions", RUN.id, strange.id, hostile, evidence=hostile)]
    )
    assert await graph.nodes([strange.id]) == [strange]
    (beside,) = await graph.neighbours(strange.id, limit=5)
    assert (beside.edge.run, beside.edge.evidence) == (hostile, hostile)
    assert strange in [hit.node for hit in await graph.search(hostile, limit=5)]
    assert await graph.nodes([hostile, ""]) == []
    await graph.delete_run(hostile)
    assert (await graph.counts()).nodes == {}


def test_what_is_no_id_of_a_node_is_refused() -> None:
    with pytest.raises(ValueError, match="is no node's id"):
        kind_of("Drop-1")
    assert node_id("entity", "a") != node_id("author", "a")


def test_a_key_that_is_too_long_is_kept_by_its_hash() -> None:
    one, other = build_knowledge_node("claim", "x" * 3_000, "n"), build_knowledge_node("claim", "x" * 3_001, "n")
    assert one.id != other.id
    assert len(one.key) == 64
