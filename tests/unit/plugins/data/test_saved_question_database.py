"""A question that is saved for a database is put to that database, whatever words the tables of others have."""

from elcano.graphs.catalogue.tools import ItemOutcome, ItemOutcomes
from elcano.graphs.state.state import ResearchState
from elcano.plugins.data.data_reducers import choose_schema, read_data_work
from elcano.plugins.data.query_models import SchemaContextOutput
from elcano.plugins.data.tables import DatabaseSchema, TableSchema


def read(database: str, table: str, *, saved: bool) -> ItemOutcome:
    schema = DatabaseSchema(database=database, dialect="sqlite", tables=(TableSchema(name=table),))
    found = SchemaContextOutput(found=schema, matched=table == "orders", saved=saved)
    return ItemOutcome(index=0, input={"database": database}, output=found.model_dump(mode="json"))


def test_the_database_that_has_the_question_saved_goes_before_the_one_that_has_its_words() -> None:
    state = ResearchState(question="How many orders are there?")
    both = (read("shop", "orders", saved=False), read("archive", "t1", saved=True))
    now = read_data_work(choose_schema(state, ItemOutcomes(items=both)))
    assert now.excerpt is not None
    assert (now.excerpt.database, now.saved) == ("archive", True)
    neither = (read("shop", "orders", saved=False), read("archive", "t1", saved=False))
    now = read_data_work(choose_schema(state, ItemOutcomes(items=neither)))
    assert now.excerpt is not None
    assert (now.excerpt.database, now.saved) == ("shop", False)
