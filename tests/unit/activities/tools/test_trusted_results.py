"""What a search finds is held to the rules of its run before it is stored, and tools before they are called."""

from typing import Any

import pytest
from pydantic_ai.models.test import TestModel
from temporalio.exceptions import ApplicationError
from temporalio.testing import ActivityEnvironment

from elcano.activities.calls.models import require_model_contact
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.http.trust_guard import require_allowed_tool
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import ToolActivities
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.catalogue.tools import SearchOutput
from elcano.graphs.contracts import ToolCall
from elcano.graphs.errors import ModelRefused, ToolRefused
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.trust import Trust
from elcano.storage.evidence import Evidence
from elcano.storage.store import Store
from tests.unit.activities.agents.material import PANCAKES, passage, stored


def found(number: int, url: str, **work: Any) -> Evidence:
    described = Work(title=f"Work {number}", url=url, identifiers=Identifiers(pmid=str(number)), source="s", **work)
    return passage(number, PANCAKES).model_copy(update={"locator": url, "work": described, "source": "library"})


GOOD = found(1, "https://www.who.int/a", kind="page")
EVIL = found(2, "https://evil.org/a", kind="page")
DRAFT = found(3, "https://who.int/b", kind="article", flags=("preprint",))


class Library:
    """Finds three passages, and refuses one itself: what any plugin's source may hand over, one of earlier runs too."""

    def __init__(self, kind: str = "passages") -> None:
        self.spec = SourceSpec(name="library", kind=kind, description="Books.")
        self.searched = 0

    async def search(self, query: str, limit: int) -> SearchResults:
        self.searched += 1
        return SearchResults(evidence=(GOOD, EVIL, DRAFT), texts=(stored(GOOD),), refused=1)

    async def close(self) -> None:
        """Nothing is open."""


async def search(store: Store, library: Library, trust: Trust) -> SearchOutput:
    tools = ToolActivities(store, Sources({"library": library}))
    given = {"source": "library", "query": "pancakes"}
    call = ToolCall(run_id="run", step=1, node="search", tool="search", input=dict(given), trust=trust)
    result = await ActivityEnvironment().run(tools.run_tool, call)
    return SearchOutput.model_validate(result.output)


async def test_passages_that_are_refused_are_counted_and_never_stored(store: Store) -> None:
    library = Library()
    answered = await search(store, library, Trust(allowed_domains=("who.int",), blocked_kinds=("preprint",)))
    assert [ref.id for ref in answered.evidence] == [GOOD.id]
    assert answered.refused == 1 + 2
    (warning,) = answered.warnings
    assert warning.startswith("library: 2 passages refused by the asker's list: ")
    assert "evil.org is not among the allowed domains (1)" in warning
    assert "the kind 'preprint' is blocked (1)" in warning
    assert [one.id for one in await store.of("default").evidence.of_run("run")] == [GOOD.id]
    assert len((await search(store, library, Trust())).evidence) == 3


@pytest.mark.parametrize(
    ("kind", "trust"),
    [("documents", Trust(egress="public")), ("pages", Trust(blocked_kinds=("page",)))],
)
async def test_a_source_that_can_give_nothing_is_not_searched(store: Store, kind: str, trust: Trust) -> None:
    library = Library(kind)
    with pytest.raises(ApplicationError, match="library: "):
        await search(store, library, trust)
    assert library.searched == 0


@pytest.mark.parametrize(
    ("trust", "given"),
    [
        (Trust(egress="public"), {"question": "?", "database": "sales"}),
        (Trust(allowed_kinds=("article",)), {"query": {"database": "sales"}}),
        (Trust(blocked_kinds=("tool",)), {"server": "tickets", "tool": "list"}),
        (Trust(allowed_journals=("lancet",)), {"servers": []}),
        (Trust(blocked_domains=("evil.org",)), {"server": "a", "arguments": {"urls": [" https://www.evil.org/x"]}}),
    ],
)
def test_tools_that_bring_what_is_refused_are_not_called(trust: Trust, given: dict[str, Any]) -> None:
    require_allowed_tool(Trust(blocked_domains=("other.org",)), given)
    with pytest.raises(ToolRefused, match=r"refused by the asker's list|outside the egress scope"):
        require_allowed_tool(trust, given)


class At(TestModel):
    """A model at an address."""

    def __init__(self, url: str | None) -> None:
        super().__init__()
        self.url = url

    @property
    def base_url(self) -> str | None:
        return self.url


def test_models_are_called_within_the_scope_alone() -> None:
    public, own = At("https://api.openai.com/v1/"), At("http://models.example.org:8000/v1")
    private = Trust(egress="private")
    require_model_contact(own, private, ("models.example.org:8000",))
    require_model_contact(public, Trust(egress="hosts", egress_hosts=("openai.com",)), ())
    require_model_contact(public, Trust(egress="public"), ())
    for model, said in ((own, "models.example.org is public"), (public, "api.openai.com is public")):
        with pytest.raises(ModelRefused, match=said):
            require_model_contact(model, private, ())
    with pytest.raises(ModelRefused, match="does not say which host"):
        require_model_contact(At(None), private, ())
