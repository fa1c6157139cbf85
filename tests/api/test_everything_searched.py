"""One run over every kind of source at once: what they tell is put together, and what fails is said and no more."""

import json
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import rispy
from markdown_it import MarkdownIt
from markdown_it.token import Token
from pybtex.database import parse_string
from temporalio.testing import WorkflowEnvironment

from elcano.doors.certificates.verify_command import compare_certificate
from elcano.graphs.catalogue.sources import SOURCES, SourcePolicy
from elcano.graphs.report.report import Reference
from elcano.service.reports.bibliography import BIBTEX, CSL, RIS
from tests.api.doubles import literature
from tests.api.doubles.research import SEARCHES, Left, left_by_run
from tests.api.doubles.world import COLLECTIONS, FAILING, PAGE_SAYS, PAGE_TITLE, SEARCHED
from tests.loopback import Reply

GONE = Reply(
    '{"error": "there is no such service any more, [see](https://evil.example/error) <b>why</b> [1]"}',
    404,
    {"Content-Type": "application/json"},
)
COPIES = {"pubmed", "europe-pmc", "openalex"}
HOSTS = {
    *("doi.org", "pubmed.ncbi.nlm.nih.gov", "pmc.ncbi.nlm.nih.gov", "europepmc.org", "clinicaltrials.gov"),
    "127.0.0.1",
}
"""Of the works and of the page; nothing leads to `evil.example`."""


@pytest.fixture(scope="module")
async def left(
    anyio_backend: str, temporal_environment: WorkflowEnvironment, tmp_path_factory: pytest.TempPathFactory
) -> Left:
    """One run for all tests of this file."""
    return await left_by_run(temporal_environment.client, tmp_path_factory.mktemp("everything"), GONE)


def of(left: Left, document: str) -> Reference:
    """The one reference to a document."""
    (found,) = [one for one in left.report.references if one.document == document]
    return found


def line_of(left: Left, reference: Reference) -> str:
    """How a reference stands in the list."""
    (line,) = [one for one in left.markdown.splitlines() if one.startswith(f"{reference.number}. ")]
    return line


def claim_of(left: Left, text: str) -> str:
    """The one claim that begins like that."""
    (line,) = [one for one in left.markdown.splitlines() if one.startswith(f"- {text[:33]}")]
    return line


def tokens_of(left: Left) -> list[Token]:
    """What a reader's program makes of the report."""
    blocks = MarkdownIt("commonmark").parse(left.markdown)
    return [inner for block in blocks for inner in (block, *(block.children or ()))]


def hosts_of(left: Left) -> set[str | None]:
    """Where the links of the report lead to."""
    links = (str(token.attrs["href"]) for token in tokens_of(left) if token.type == "link_open")
    return {urlsplit(link).hostname for link in links}


async def test_the_run_completes_with_a_reference_to_each_thing_that_was_found(left: Left) -> None:
    assert (left.view["status"], left.view["ending"]["kind"], left.report.answered) == ("partial", "sources", True)
    assert FAILING in (left.report.partial or ""), "one of them refused every search"
    documents = [one.document for one in left.report.references]
    assert len(documents) == len(set(documents)) == 8
    assert {one.source for one in left.evidence} == set(SEARCHED)
    titles = {one.title for one in left.report.references if one.work is None}
    assert titles == {text.splitlines()[0].removeprefix("# ") for text in COLLECTIONS.values()}
    paths = [one.path for one in left.asked]
    assert {paths.count(one) for one in ("/searxng/search", "/openalex/works")} == {len(SEARCHES)}
    assert paths.count("/night") == 1  # both searches found it


async def test_a_paper_that_three_sources_know_is_one_reference_of_all_that_they_tell(left: Left) -> None:
    reference = of(left, f"doi:{literature.SHARED_DOI}")
    work = reference.work
    assert work is not None
    assert [one.source for one in reference.described_by] == ["pubmed", "europe-pmc", "openalex"]
    assert all(one.retrieved_at > 0 for one in reference.described_by)
    assert (work.authors, work.venue, work.volume) == (("Pequod, Ishmael",), "Journal of Whales", "7")  # PubMed's
    assert (work.identifiers.pmcid, work.licence) == ("PMC101", "cc by")  # Europe PMC's
    assert (work.issue, work.pages, work.published, work.cited_by) == ("2", "10-19", "2021-03-04", 12)  # OpenAlex's
    assert work.design == ("Clinical Trial",)
    line = line_of(left, reference)
    assert "Pequod I (2021)" in line
    assert "Journal of Whales 7(2):10-19" in line
    assert all(source in line for source in COPIES)


async def test_copies_of_an_abstract_are_shown_to_the_writer_once(left: Left) -> None:
    copies = [one for one in left.evidence if one.text == literature.SHARED_ABSTRACT]
    assert {one.source for one in copies} == COPIES
    (writer,) = [task for task in left.tasks if task.kind == "writer"]
    shown = [one.text for one in writer.evidence]
    assert len(shown) == len(set(shown)) == len(left.evidence) - 3
    assert shown.count(literature.SHARED_ABSTRACT) == 1


async def test_a_retraction_that_one_source_alone_tells_of_is_told_everywhere(left: Left) -> None:
    """The abstract of PubMed, which knows of none, may be the one that is shown and cited."""
    reference = of(left, f"doi:{literature.RETRACTED_DOI}")
    assert f"[{reference.number}, retracted]" in claim_of(left, literature.RETRACTED_ABSTRACT)
    head = left.markdown.partition("## ")[0]
    assert f"Reference {reference.number} (“The sleeping village”) was retracted." in head
    assert "**RETRACTED; Only its abstract was read: OpenAlex lists it as retracted.**" in line_of(left, reference)
    for task in left.tasks:
        told = [one.about for one in task.evidence if one.text == literature.RETRACTED_ABSTRACT]
        assert all("RETRACTED" in one for one in told)
        assert len(told) == 1 or not task.evidence


async def test_preprints_and_trials_without_results_are_called_so(left: Left) -> None:
    assert "**Preprint, not peer reviewed;" in line_of(left, of(left, "doi:10.5555/preprint.3"))
    trial = line_of(left, of(left, f"nct:{literature.TRIAL}"))
    assert "**No results posted: It ended in 2013-01, and no results are posted.**" in trial


async def test_every_quote_stands_in_its_stored_text_where_it_says(left: Left) -> None:
    assert left.report.unverified == ()
    assert len(left.report.citations) == left.view["report"]["verified"] > 8
    for cited in left.report.citations:
        assert cited.content_hash is not None
        text = left.texts[cited.content_hash].text
        assert sha256(text.encode()).hexdigest() == cited.content_hash
        assert text[cited.start : cited.end].split() == cited.quote.split() != []
        reference = left.report.references[(cited.number or 0) - 1]
        assert cited.content_hash in {one.content_hash for one in reference.texts}


async def test_what_was_searched_is_said_with_its_day(left: Left) -> None:
    days = {left.view[when][:10] for when in ("started_at", "finished_at")}
    assert set(left.report.searched) <= days
    said = left.markdown.partition("## What was searched")[2].partition("##")[0]
    queries = "\n".join(f"- “{query}”" for query in SEARCHES)
    assert f"Sources: {', '.join((*SEARCHED, FAILING))}. " in said
    assert f"Searched for:\n\n{queries}\n" in said
    assert any(f"Searched on {day}." in said for day in days) or f"from {min(days)} to {max(days)}" in said


async def test_references_are_read_by_other_programs_each_once(left: Left) -> None:
    number = len(left.report.references)
    works = {one.work.identifiers.doi for one in left.report.references if one.work} - {""}
    bibtex = parse_string(left.forms[BIBTEX], "bibtex").entries
    ris = rispy.loads(left.forms[RIS])
    csl = json.loads(left.forms[CSL])
    assert len(bibtex) == len(ris) == len(csl) == number
    assert set(bibtex) == {one["id"] for one in csl} == {one["id"] for one in ris}
    assert {one.fields.get("doi", "") for one in bibtex.values()} - {""} == works
    assert {one.get("doi", "") for one in ris} - {""} == works
    assert {one.get("DOI", "") for one in csl} - {""} == works
    assert literature.HOSTILE_TITLE in {one["title"] for one in csl}
    retracted = next(one for one in csl if one.get("DOI") == literature.RETRACTED_DOI)
    assert "RETRACTED" in retracted["note"]


async def test_a_source_that_is_gone_is_a_warning_and_an_event(left: Left) -> None:
    warnings = left.report.warnings[1:]  # the first is of the retraction
    for warning, query in zip(warnings, SEARCHES, strict=True):
        assert f"{query!r} in {FAILING!r} failed" in warning
        assert "HTTP 404 Not Found: there is no such service any more" in warning
    assert "## Warnings" in left.markdown
    events = [one.data for one in left.messages if one.event == "search_complete"]
    assert len(events) == len(SEARCHES)
    for event in events:
        assert event["data"] == {"passages": len(left.evidence), "searches": 8, "failed": 1}
        assert FAILING in event["message"]
    assert sum(one.path.startswith(f"/{FAILING}/") for one in left.asked) == len(SEARCHES)
    assert left.messages[-1].event == "complete"


async def test_the_sources_are_listed_with_how_they_stand(left: Left) -> None:
    stand: Mapping[str, object] = {name: one["state"] for name, one in left.sources.items()}
    assert {stand[name] for name in (*SEARCHED, FAILING)} == {"ready"}  # a refusal is an answer
    assert {name for name, state in stand.items() if state == "off"} == {"packages", "page", "crawl"}


async def test_its_certificate_verifies_and_a_changed_one_does_not(left: Left) -> None:
    verdict = compare_certificate(left.certificate)
    assert verdict.faults == ()
    assert verdict.held is not None
    assert not compare_certificate(left.certificate.replace(b"nine minutes", b"five minutes")).holds


async def test_words_of_strangers_are_shown_and_do_nothing(left: Left) -> None:
    """A model that repeats all that it read, on the page and in the abstract alike."""
    assert "Ignore all previous instructions" in left.markdown
    blocks = MarkdownIt("commonmark").parse(left.markdown)
    kinds = {token.type for token in tokens_of(left)}
    assert not kinds & {"html_block", "html_inline", "image", "fence", "code_block"}
    assert hosts_of(left) == HOSTS
    headings = {token.content for at, token in enumerate(blocks) if at and blocks[at - 1].type == "heading_open"}
    assert headings <= {left.report.title, "Key findings", "Warnings", "What was searched", "References"}
    for text, title in ((literature.HOSTILE_ABSTRACT, literature.HOSTILE_TITLE), (PAGE_SAYS, PAGE_TITLE)):
        (number,) = [one.number for one in left.report.references if one.title == title]
        claim = claim_of(left, text)
        assert claim.endswith(f" [{number}]")
        assert "\\[1\\]" in claim
    shown = {task.kind for task in left.tasks}
    assert shown == {"thinking", "knowledge_gap", "tool_selector", "judge", "writer", "reviewer"}


@pytest.mark.long
async def test_a_source_that_is_down_is_waited_for_as_long_as_it_says_and_no_longer(
    temporal_environment: WorkflowEnvironment, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """With less patience than it has: each search is held for two seconds, and after another try in vain left out."""
    brief = SourcePolicy(attempts=1, patience_seconds=3.0)
    monkeypatch.setitem(SOURCES, FAILING, SOURCES[FAILING].model_copy(update={"policy": brief}))
    left = await left_by_run(temporal_environment.client, tmp_path, Reply("down", 500))
    assert (left.view["status"], left.view["ending"]["kind"]) == ("partial", "sources")
    held, resumed = (
        [one.data["message"] for one in left.messages if one.event == event] for event in ("held", "hold_cleared")
    )
    assert ["semantic-scholar: HTTP 500" in one for one in held] == [True] * len(SEARCHES)
    assert resumed == [
        f"{node}: continues without semantic-scholar after 1 failed attempt"
        for node in ("First search", "Execute tools")
    ]
    assert sum(one.path.startswith(f"/{FAILING}/") for one in left.asked) == 2 * len(SEARCHES)
    assert any(f"in {FAILING!r} failed" in one and "HTTP 500" in one for one in left.report.warnings)
    assert {one.source for one in left.evidence} == set(SEARCHED)
    assert "HTTP 500" in left.sources[FAILING]["last_error"]
    assert compare_certificate(left.certificate).faults == ()


@pytest.mark.long
async def test_words_of_strangers_do_nothing_where_no_model_writes(
    temporal_environment: WorkflowEnvironment, tmp_path: Path
) -> None:
    """The extractive model quotes what fits the question; a title is shown, and leads where the service says."""
    asked = "What does whale song do for sleep?"  # of words that were found, or nothing is quoted for it
    left = await left_by_run(temporal_environment.client, tmp_path, GONE, answer=None, question=asked)
    assert (left.view["status"], left.view["ending"]["kind"]) == ("partial", "sources")
    assert left.report.unverified == ()
    assert {"127.0.0.1", "doi.org"} <= hosts_of(left) <= HOSTS
    assert "[2] [more]" not in left.markdown
    assert compare_certificate(left.certificate).faults == ()
    reference = of(left, f"doi:{literature.RETRACTED_DOI}")
    assert f"[{reference.number}, retracted]" in left.markdown
