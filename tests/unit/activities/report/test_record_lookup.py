"""The DOI that a document states is looked up where the run allows it, and only its own record is taken."""

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from hashlib import sha256

import pytest
from temporalio.testing import ActivityEnvironment

from elcano.activities.report import record_lookup
from elcano.activities.report.publishing import ReportActivities
from elcano.activities.report.record_lookup import RecordLookup, is_title_alike
from elcano.activities.sources.base import SearchResults
from elcano.activities.sources.registry import Sources
from elcano.activities.tools.tool_activities import Passing, pass_without_waiting
from elcano.graphs.catalogue.sources import SourceSpec
from elcano.graphs.contracts import PublishCall
from elcano.graphs.errors import SourceBusy, SourceRefused
from elcano.graphs.report.report import Citation, Claim, Report, ReportDraft
from elcano.graphs.report.works import Identifiers, Work
from elcano.graphs.trust import Trust
from elcano.storage.evidence import PATH, Evidence, StoredText
from elcano.storage.store import Store

TITLE = "The Songs of Whales in Winter"
RECORD = Work(
    title=f"RETRACTED: {TITLE}",
    year=2019,
    venue="Journal of Whales",
    flags=("retracted",),
    identifiers=Identifiers(doi="10.1234/whales"),
    source="registry",
)


class Shelf:
    """Documents of one's own."""

    spec = SourceSpec(name="docs", kind="documents", description="Own files.")

    async def search(self, query: str, limit: int) -> SearchResults:
        return SearchResults()

    async def close(self) -> None:
        pass


class Registry(Shelf):
    """A service that has records by DOI."""

    spec = SourceSpec(name="registry", kind="articles", description="Records.")

    def __init__(self, records: Mapping[str, Work | Exception]) -> None:
        self.records = records
        self.asked: list[str] = []

    async def find_record(self, doi: str) -> Work | None:
        self.asked.append(doi)
        found = self.records.get(doi)
        if isinstance(found, Exception):
            raise found
        return found


def passage(
    name: str, title: str, text: str = "Whales sing.", doi: str = "10.1234/whales"
) -> tuple[Evidence, StoredText]:
    stored = StoredText(content_hash=sha256(text.encode()).hexdigest(), document=name, title=title, text=text)
    work = Work(
        title=title, authors=("Pequod, Ishmael",), identifiers=Identifiers(doi=doi), kind="document", source="docs"
    )
    found = Evidence(
        id=f"docs:{name}:0",
        source="docs",
        document=f"docs:{name}",
        content_hash=stored.content_hash,
        title=title,
        locator=name,
        text=text,
        start=0,
        end=len(text),
        metadata={PATH: name},
        work=work,
    )
    return found, stored


async def publish(
    store: Store,
    registry: Registry,
    *found: tuple[Evidence, StoredText],
    trust: Trust | None = None,
    searched: bool = True,
    passing: Passing = pass_without_waiting,
) -> Report:
    own = store.of("default")
    await own.evidence.add("run", [one for one, _ in found], [text for _, text in found])
    claims = [Claim(text="They sing.", citations=(Citation(evidence=one.id, quote=one.text),)) for one, _ in found[:1]]
    draft = ReportDraft(title="Songs", key_findings=tuple(claims))
    call = PublishCall(
        run_id="run",
        question="Do whales sing?",
        mode="iterative",
        draft=await own.artifacts.put("run", draft.model_dump_json(), "application/json"),
        evidence=tuple(one.id for one, _ in found),
        sources=("docs", "registry"),
        searchable=("docs", "registry") if searched else ("docs",),
        trust=trust or Trust(),
    )
    lookup = RecordLookup(Sources({"docs": Shelf(), "registry": registry}), passing=passing)
    ref = await ActivityEnvironment().run(ReportActivities(store, lookup).publish_report, call)
    kept = await own.artifacts.get(ref.artifact)
    assert kept is not None
    return Report.model_validate_json(kept)


async def test_a_reference_has_the_journal_and_the_retraction_that_the_record_of_its_doi_tells(store: Store) -> None:
    registry = Registry({"10.1234/whales": RECORD})
    report = await publish(store, registry, passage("a.pdf", TITLE))
    (reference,) = report.references
    assert reference.work is not None
    assert (reference.work.venue, reference.work.year, reference.work.flags) == (
        "Journal of Whales",
        2019,
        ("retracted",),
    )
    assert reference.work.authors == ("Pequod, Ishmael",), "what the record lacks is kept"
    assert registry.asked == ["10.1234/whales"]
    assert report.accounts == (RECORD,), "others can build the report again"


async def test_a_source_that_the_run_does_not_search_is_not_contacted(store: Store) -> None:
    registry = Registry({"10.1234/whales": RECORD})
    report = await publish(store, registry, passage("a.pdf", TITLE), searched=False)
    assert (registry.asked, report.accounts) == ([], ())


async def test_the_record_of_a_work_that_the_page_only_cites_is_not_taken(store: Store) -> None:
    registry = Registry({"10.1234/whales": RECORD})
    report = await publish(store, registry, passage("a.pdf", f"Comment on {TITLE}"))
    assert (registry.asked, report.accounts) == (["10.1234/whales"], ())
    assert report.references[0].work is not None
    assert report.references[0].work.title == f"Comment on {TITLE}"


async def test_a_document_without_a_title_is_known_by_its_beginning(store: Store) -> None:
    named = passage("scan-17.pdf", "scan-17", f"{TITLE.upper()}\nI. Pequod\nWhales sing.")
    assert (await publish(store, Registry({"10.1234/whales": RECORD}), named)).accounts == (RECORD,)


async def test_another_beginning_is_another_work(store: Store) -> None:
    named = passage("scan-17.pdf", "scan-17", "Seals bark.")
    assert (await publish(store, Registry({"10.1234/whales": RECORD}), named)).accounts == ()


async def test_what_a_service_told_already_is_not_asked_again(store: Store) -> None:
    known, text = passage("b", TITLE, "An abstract.")
    known = known.model_copy(update={"source": "registry", "id": "registry:b:0", "work": RECORD})
    registry = Registry({"10.1234/whales": RECORD})
    await publish(store, registry, passage("a.pdf", TITLE), (known, text))
    assert registry.asked == []


async def test_a_service_that_is_away_fails_no_report_and_is_left_alone(store: Store) -> None:
    registry = Registry({"10.1234/a": SourceRefused("no"), "10.1234/b": SourceBusy("down", 60.0)})
    files = [passage(f"{name}.pdf", TITLE, f"{name} sings.", f"10.1234/{name}") for name in "abc"]
    report = await publish(store, registry, *files)
    assert registry.asked == ["10.1234/a", "10.1234/b"]
    assert len(report.references) == 1


async def test_a_report_looks_up_so_many_dois_those_of_cited_works_first(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_lookup, "MOST_LOOKUPS", 2)
    registry = Registry({})
    files = [passage(f"{name}.pdf", TITLE, f"{name} sings.", f"10.1234/{name}") for name in "cab"]
    await publish(store, registry, *files)
    assert registry.asked == ["10.1234/c", "10.1234/a"]


async def test_a_slow_service_delays_a_report_by_no_more_than_the_limit(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(record_lookup, "LOOKUP_SECONDS", 0.0)
    registry = Registry({"10.1234/whales": RECORD})

    @asynccontextmanager
    async def wait(source: SourceSpec) -> AsyncIterator[None]:
        await asyncio.Event().wait()
        yield

    report = await publish(store, registry, passage("a.pdf", TITLE), passing=wait)
    assert (report.accounts, registry.asked) == ((), [])


@pytest.mark.parametrize(
    ("title", "recorded", "alike"),
    [
        (TITLE, TITLE.upper(), True),
        (TITLE, f"Retracted: {TITLE}", True),
        (TITLE, f"{TITLE}: A Survey", True),
        (f"{TITLE}: A Survey", TITLE, True),
        ("The Songs of Whales in Wlnter", TITLE, True),
        (f"Comment on {TITLE}", TITLE, False),
        (f"Reply to “{TITLE}” by Hab and others of the ship", TITLE, False),
        ("Introduction", "Introduction to the Songs of Whales", False),
        ("Introduction", "Introduction", True),
        ("The Songs of Whales in Winter", "The Bones of Seals in Summer", False),
        ("", "", False),
        ("?", "!", False),
    ],
)
def test_titles_are_alike(title: str, recorded: str, *, alike: bool) -> None:
    assert is_title_alike(title, recorded) is alike
