"""Who reads a question first is told what databases hold, where it depends on that whether they are asked."""

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from elcano.activities.agents.loading import Loader
from elcano.activities.sources.registry import Sources
from elcano.graphs.agents.input_parser import AGENT, InputParserInput, needs
from elcano.graphs.data.schema import ColumnSchema, DatabaseSchema, TableSchema
from elcano.graphs.errors import SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.storage.store import TenantStore, open_store
from tests.unit.activities.agents.material import FixedSource


@pytest.fixture
async def store(tmp_path: Path) -> AsyncIterator[TenantStore]:
    async with open_store(tmp_path) as opened:
        yield opened.of("default")


class Tables(FixedSource):
    """A database that has one table, or is away."""

    async def tables(self, question: str) -> DatabaseSchema:
        """The table with a value that is nobody's but the database's."""
        if question == "Is it away?":
            raise SourceUnavailable("it is away")
        column = ColumnSchema(name="city", kind="text", samples=("Oslo",), comment="Secret.")
        return DatabaseSchema(database="shop", dialect="sqlite", tables=(TableSchema(name="sales", columns=(column,)),))


async def told_of_tables(store: TenantStore, question: str, *, weighed: bool) -> JsonObject:
    """What the input parser is told of databases, of which one is named and another source is none."""
    loader = Loader(store, Sources({"shop": Tables({}), "docs": FixedSource({})}))
    given = InputParserInput(question=question, ways=("data", "deep"), databases=("shop", "docs"))
    loaded = await loader.load("run-1", AGENT, needs(given), None, most=0, weighed=weighed)
    told = AGENT.asks.shown(given, loaded).given.get("databases")
    assert isinstance(told, dict)
    return told


async def test_of_databases_a_model_is_told_names_and_rules_all(store: TenantStore) -> None:
    names = str(await told_of_tables(store, "How many?", weighed=False))
    assert ("sales" in names, "city" in names) == (True, True)
    assert ("Oslo" in names, "Secret" in names) == (False, False)
    assert "Oslo" in str(await told_of_tables(store, "How many?", weighed=True))
    assert (await told_of_tables(store, "Is it away?", weighed=True)) == {"shop": "It could not be read: it is away"}


@pytest.mark.parametrize(
    ("ways", "barred", "read"),
    [
        (("data", "deep"), {}, ("shop",)),
        (("data", "deep"), {"data": "no."}, ()),
        (("data", "deep"), {"deep": "no."}, ()),
        (("deep",), {}, ()),
    ],
)
def test_databases_are_read_only_where_it_depends_on_that(
    ways: tuple[str, ...], barred: dict[str, str], read: tuple[str, ...]
) -> None:
    given = InputParserInput(question="How many?", ways=ways, barred=barred, databases=("shop",))
    assert needs(given).tables == read
