"""A run goes by what was told to it, and what another run was told stays as it was."""

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities, with_new_accounts
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.catalogue.tools import SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.works import Identifiers, Work
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store
from tests.unit.activities.agents.material import PANCAKES, passage, stored

PAPER = Work(title="Pancakes", identifiers=Identifiers(pmid="1"), source="library", retrieved_at=1.0, cited_by=1)
KEPT = passage(1, PANCAKES).model_copy(update={"work": PAPER, "source": "library"})


def told(**changes: object) -> Evidence:
    return KEPT.model_copy(update={"work": PAPER.model_copy(update=changes)})


RETRACTED = told(flags=("retracted",), notices=("Made up.",))


class Library:
    """Finds one passage."""

    spec = SourceSpec(name="library", kind="documents", description="Books.")

    def __init__(self) -> None:
        self.found = KEPT

    async def search(self, query: str, limit: int) -> SearchResults:
        return SearchResults(evidence=(self.found,), texts=(stored(self.found),))

    async def close(self) -> None:
        """Nothing is open."""


async def test_a_paper_that_was_retracted_since_is_retracted_in_the_run_that_hears_of_it(store: Store) -> None:
    library = Library()
    tools = ToolActivities(store, Sources({"library": library}))
    evidence = store.of("default").evidence

    async def search(run_id: str) -> str:
        given: JsonObject = {"source": "library", "query": "pancakes"}
        call = ToolCall(run_id=run_id, step=1, node="search", tool="search", input=given)
        result = await ActivityEnvironment().run(tools.run_tool, call)
        (reference,) = SearchOutput.model_validate(result.output).evidence
        return reference.id

    assert await search("before") == KEPT.id
    library.found = RETRACTED
    ids = [await search("since"), await search("since")]
    assert len(set(ids)) == 1
    assert ids[0] != KEPT.id
    assert [one.work and one.work.flags for one in await evidence.of_run("before")] == [()]
    assert [one.work and one.work.flags for one in await evidence.of_run("since")] == [("retracted",)]
    assert [work.flags for work in await evidence.works_of_run("since")] == [("retracted",)]


@pytest.mark.parametrize("found", [KEPT, told(retrieved_at=9.0), told(cited_by=99)])
def test_what_says_nothing_new_keeps_its_id(found: Evidence) -> None:
    assert with_new_accounts([found], {KEPT.id: KEPT.work}) == (found,)
    assert with_new_accounts([found], {}) == (found,)


@pytest.mark.parametrize("found", [RETRACTED, told(title="Waffles"), KEPT.model_copy(update={"work": None})])
def test_what_says_something_else_has_an_id_of_its_own(found: Evidence) -> None:
    (renewed,) = with_new_accounts([found], {KEPT.id: KEPT.work})
    assert renewed.model_copy(update={"id": KEPT.id}) == found
    assert renewed.id != KEPT.id
    assert with_new_accounts([found], {KEPT.id: KEPT.work, renewed.id: renewed.work}) == (renewed,)


def test_long_ids_stay_apart_and_within_what_is_allowed() -> None:
    pages = [told(title="Waffles").model_copy(update={"id": "x" * 297 + f":{number}"}) for number in (1, 2)]
    kept = {page.id: KEPT.work for page in pages}
    one, other = with_new_accounts(pages, kept)
    assert one.id != other.id
    assert len(Evidence.model_validate(one.model_dump()).id) <= 300
