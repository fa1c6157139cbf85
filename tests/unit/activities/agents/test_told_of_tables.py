"""Who reads a question first is told what databases hold, where it depends on that whether they are asked."""

import pytest

from elcano.activities.agents.prompt_parts import Loader
from elcano.activities.sources.registry import Sources
from elcano.graphs.errors import InputInvalid, SourceUnavailable
from elcano.graphs.frozen import JsonObject
from elcano.storage.store import Store, TenantStore
from elcano.subjects.data.tables import ColumnSchema, DatabaseSchema, TableSchema, named_alone
from elcano.subjects.research.agents.input_parser import AGENT, InputParserInput, list_needs
from tests.unit.activities.agents.material import FixedSource

pytestmark = pytest.mark.of_plugins("data")


@pytest.fixture
def store(store: Store) -> TenantStore:
    return store.of("default")


class Tables(FixedSource):
    """A database that has one table, or is away."""

    async def tables(self, question: str) -> JsonObject:
        """The table with a value that is nobody's but the database's."""
        if question == "Is it away?":
            raise SourceUnavailable("it is away")
        column = ColumnSchema(name="city", kind="text", samples=("Oslo",), comment="Secret.")
        table = TableSchema(name="sales", columns=(column,))
        return named_alone(DatabaseSchema(database="shop", dialect="sqlite", tables=(table,))).model_dump(mode="json")

    async def saved_questions(self, question: str) -> tuple[str, ...]:
        """One, or a file with faults."""
        if question == "Is its file broken?":
            raise InputInvalid("database", "it is broken")
        return ("How many sales are there?",)


async def told(store: TenantStore, question: str, *, weighed: bool) -> JsonObject:
    """What the input parser is told, where one database is named and another source is none."""
    loader = Loader(store, Sources({"shop": Tables({}), "docs": FixedSource({})}))
    given = InputParserInput(question=question, ways=("data", "deep"), databases=("shop", "docs"))
    loaded = await loader.load("run-1", AGENT, list_needs(given), None, most=0, weighed=weighed)
    return AGENT.asks.shown(given, loaded).given


@pytest.mark.parametrize("weighed", [False, True])
async def test_of_databases_names_are_told_and_no_value(store: TenantStore, weighed: bool) -> None:
    names = str((await told(store, "How many?", weighed=weighed))["databases"])
    assert ("sales" in names, "city" in names) == (True, True)
    assert ("Oslo" in names, "Secret" in names) == (False, False)
    away = await told(store, "Is it away?", weighed=weighed)
    assert away["databases"] == {"shop": "It could not be read: it is away"}


async def test_only_the_extractive_model_is_told_of_saved_questions(store: TenantStore) -> None:
    assert (await told(store, "How many?", weighed=True))["saved_questions"] == {"shop": ["How many sales are there?"]}
    assert "saved_questions" not in await told(store, "How many?", weighed=False)
    assert "saved_questions" not in await told(store, "Is its file broken?", weighed=True)


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
    assert list_needs(given).tables == read
