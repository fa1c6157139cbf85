"""openCypher is asked of Apache AGE alone, reads alone, and reaches the graph of one tenant alone."""

from pathlib import Path

import pytest

from elcano.graphs.errors import CypherRefused
from elcano.graphs.frozen import JsonObject
from elcano.settings import Settings
from elcano.storage.store import Store, open_store
from elcano.subjects.knowledge import age as age_graph
from elcano.subjects.knowledge.cypher import LONGEST, parse_agtype, require_columns, require_reading
from elcano.subjects.knowledge.graph import KnowledgeGraph, build_knowledge_edge, build_knowledge_node
from elcano.subjects.knowledge.knowledge_store import get_graph

PAPER = build_knowledge_node("document", "doi:10.1/a", "A 100 % proof", year=2018)
AUTHOR = build_knowledge_node("author", "ada", "Ada")
HOSTILE = (
    "CREATE (n:Entity {id: 'x'}) RETURN n",
    "MATCH (n) DETACH DELETE n RETURN 1",
    "MATCH (n) SET n.name = 'x' RETURN n",
    "MATCH (n) REMOVE n.name RETURN n",
    "MERGE (n:Entity) RETURN n",
    "match (n) delete n return n",
    "CALL pg_sleep(9) YIELD x RETURN x",
    "LOAD CSV FROM '/etc/passwd' AS l RETURN l",
    "RETURN pg_catalog.pg_read_file('/etc/passwd')",
    "RETURN pg_read_file('/etc/passwd')",
    "RETURN pg_catalog . pg_sleep(9)",
    "RETURN `pg_sleep`(9)",
    "MATCH (n:`Document`) RETURN n",
    "RETURN 1 $$) AS (x agtype); DROP TABLE runs; --",
    "RETURN 1; RETURN 2",
    "RETURN 1 // a comment that another reader may end elsewhere",
    "RETURN /* */ 1",
    "MATCH (n) WHERE n.name = 'open RETURN n",
    "MATCH (n) FOREACH (x IN [1] | SET n.a = x) RETURN n",
    "MATCH (n)",
    "",
    "   ",
    "RETURN " + "1" * LONGEST,
    "MATCH (n) RETURN n.name.lower(1)",
    "RETURN cypher('other', 'x')",
    "RETURN $",
    "MATCH (n) RETURN replace(n.name, 'a', 'aaaaaaaaaa')",
    "RETURN size(split(replace(replace('aaaaaaaaaa', 'a', 'aaaaaaaaaa'), 'a', 'aaaaaaaaaa'), 'a'))",
    "RETURN reverse('x')",
    "RETURN range(1, 100000000)",
    "UNWIND range(1, 10000) AS a UNWIND range(1, 10000) AS b RETURN collect(a)",
    "MATCH (a) MATCH (b) MATCH (c) RETURN collect(a.name)",
    "MATCH (n) WITH n.name AS s " + "WITH s + s AS s " * 40 + "RETURN size(s)",
    "MATCH (n) WITH n.name AS s " + "WITH [s, s, s, s] AS s " * 20 + "RETURN size(s)",
    "MATCH (n) WITH n.name AS s " + "WITH {a: s, b: s, c: s} AS s " * 20 + "RETURN keys(s)",
    "MATCH (n) WITH keys(n) AS l WITH [x IN l | l] AS l WITH [x IN l | l] AS l RETURN size(l)",
    "MATCH (a), (b) WHERE a.name CONTAINS b.name RETURN count(a)",
    "MATCH (a), (b) WHERE a.name =~ b.name RETURN count(a)",
    "MATCH (a) WHERE a.name CONTAINS toLower(a.name) RETURN count(a)",
    "RETURN 9::numeric ^ 65000",
)


@pytest.mark.parametrize("query", HOSTILE)
def test_what_could_do_more_than_read_is_refused_before_the_server_sees_it(query: str) -> None:
    with pytest.raises(CypherRefused):
        require_reading(query)


@pytest.mark.parametrize(
    "query",
    [
        "MATCH (a:Author)<-[:WRITTEN_BY]-(d:Document) WHERE d.year > 2000 RETURN a.name, count(d) LIMIT 5",
        "MATCH (n) WHERE n.name CONTAINS 'create; $$ delete' RETURN n",
        "MATCH (n {id: $id})-[e:MENTIONS|CITES*1..2]-(m) RETURN toLower(m.name), e",
        "UNWIND $ids AS i OPTIONAL MATCH (n) WHERE n.id = i RETURN coalesce(n.name, 'Müller')",
        "MATCH (n) RETURN n.set, n.delete",
        "MATCH (n) WHERE n.name STARTS WITH 'A' AND toLower(n.name) CONTAINS toLower($words) RETURN n.name + n.id",
        "MATCH (d:Document)-[:WRITTEN_BY|MENTIONS]->(a) WITH d, count(a) AS people WHERE people > 1 "
        "WITH d.year AS year, count(d) AS papers, sum(people) AS people RETURN year, papers, people, people / papers "
        "ORDER BY papers DESC LIMIT 10",
        "UNWIND [1, 2, 3] AS n MATCH (d) WHERE d.year = 2000 + n RETURN [x IN keys(d) WHERE x <> 'id']",
    ],
)
def test_what_only_reads_is_let_through(query: str) -> None:
    require_reading(query)


MANY = [f"c{number}" for number in range(21)]


@pytest.mark.parametrize("columns", [[], ["a", "a"], ['a"; --'], ["A"], ["1a"], ["x" * 64], [""], MANY])
def test_names_of_columns_are_names(columns: list[str]) -> None:
    with pytest.raises(CypherRefused):
        require_columns(columns)


def test_what_age_writes_is_read_as_json() -> None:
    written = '[{"id": 1, "label": "A", "properties": {"x": "a::vertex \\" ::edge"}}::vertex, 1.5::numeric, NaN, null]'
    assert parse_agtype(written) == [
        {"id": 1, "label": "A", "properties": {"x": 'a::vertex " ::edge'}},
        1.5,
        "NaN",
        None,
    ]
    assert parse_agtype(None) is None


@pytest.fixture
async def whole(age: str, tmp_path: Path) -> Store:  # type: ignore[misc]
    async with open_store(tmp_path, settings=Settings(knowledge=age)) as opened:
        yield opened


@pytest.fixture
async def filled(whole: Store, tenant: str) -> KnowledgeGraph:
    graph = get_graph(whole.of(tenant))
    await graph.upsert([PAPER, AUTHOR], [build_knowledge_edge("written_by", PAPER.id, AUTHOR.id, "run-1")])
    return graph


async def test_a_query_gives_rows(filled: KnowledgeGraph) -> None:
    query = "MATCH (d:Document)-[e:WRITTEN_BY]->(a) WHERE d.key = $key RETURN d.name, d.year % 10, a"
    parameters: JsonObject = {"key": "doi:10.1/a"}
    (row,) = await filled.cypher(query, ["name", "digit", "author"], parameters)
    assert row[:2] == ["A 100 % proof", 8]
    assert isinstance(row[2], dict)
    assert row[2]["label"] == "Author"
    assert await filled.cypher("MATCH (d) RETURN d.name", ["name"], {}, limit=1) in ([["Ada"]], [["A 100 % proof"]])
    assert await filled.cypher("MATCH (d) WHERE d.name = '%s' RETURN d", ["d"], {}) == []


async def test_a_query_reaches_the_graph_of_its_tenant_alone(filled: KnowledgeGraph, whole: Store, tenant: str) -> None:
    other = get_graph(whole.of(f"{tenant}-other"))
    assert await other.cypher("MATCH (n) RETURN n", ["n"], {}) == []
    await other.upsert([AUTHOR], [])
    assert await other.cypher("MATCH (n) RETURN n.name", ["n"], {}) == [["Ada"]]


@pytest.mark.parametrize("query", ["RETURN nothing", "MATCH (n RETURN n", "RETURN 1, 2", "RETURN 1/0"])
async def test_a_query_that_is_wrong_is_refused_with_what_the_server_says(filled: KnowledgeGraph, query: str) -> None:
    with pytest.raises(CypherRefused, match="cannot be run: "):
        await filled.cypher(query, ["x"], {})


async def test_a_query_that_takes_too_long_is_ended(filled: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(age_graph, "CYPHER_SECONDS", 1)
    endless = "UNWIND $m AS a UNWIND $m AS b UNWIND $m AS c WITH a, b, c WHERE a + b + c = 0 RETURN count(a)"
    with pytest.raises(CypherRefused, match="more than 1 s"):
        await filled.cypher(endless, ["x"], {"m": list(range(1, 2_000))})


async def test_the_transaction_itself_cannot_write(filled: KnowledgeGraph, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(age_graph, "require_reading", lambda _: None)
    with pytest.raises(CypherRefused, match="read-only"):
        await filled.cypher("CREATE (n:Entity {id: 'x'}) RETURN n", ["n"], {})
    assert sum((await filled.counts()).nodes.values()) == 2


async def test_everything_is_kept_as_it_is(filled: KnowledgeGraph) -> None:
    hostile = [
        "a\"b'c\\",
        "$$ %s :x",
        "\x00\ue0000",
        "\r\x1f\x85",
        '{"id": 1}::vertex',
        "漢 \U0001f600",
        "\\u0041",
        "NaN",
    ]
    nodes = [build_knowledge_node("entity", name, name, text=name) for name in hostile]
    edges = [build_knowledge_edge("mentions", PAPER.id, one.id, "run-2", evidence=one.name) for one in nodes]
    await filled.upsert(nodes, edges)
    assert await filled.nodes([one.id for one in nodes]) == nodes
    found = await filled.edges([one.id for one in (PAPER, *nodes)], 100)
    assert {one.id: one for one in edges} == {one.id: one for one in found if one.id in {edge.id for edge in edges}}


async def test_tables_do_not_speak_it(tmp_path: Path) -> None:
    async with open_store(tmp_path) as store:
        with pytest.raises(CypherRefused, match="ELCANO_KNOWLEDGE"):
            await get_graph(store.of("default")).cypher("RETURN 1", ["x"], {})
