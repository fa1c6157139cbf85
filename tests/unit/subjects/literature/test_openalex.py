"""OpenAlex: what becomes of its records, and how it says that a day's credit is spent."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.sources.base import SearchResults
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.subjects.literature.openalex import (
    GAP,
    MOST_WORDS,
    WORD_CHARACTERS,
    OpenAlexWork,
    build_openalex_record,
    rebuild_inverted_abstract,
    sanitize_openalex_query,
)
from elcano.subjects.literature.work_records import Record, build_stored_record
from tests.loopback import Asked, Reply
from tests.loopback import recorded as played
from tests.unit.subjects.literature.opened import ANYTHING, as_json, found, opened

KEY = "OPENALEX_API_KEY"


@pytest.fixture(autouse=True)
def no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(KEY, raising=False)


def made(number: int = 1, text: str = "Whales sing for many hours.", **more: object) -> dict[str, Any]:
    """A work as OpenAlex writes it, with invented content."""
    return {
        "id": f"https://openalex.org/W{number}",
        "doi": f"https://doi.org/10.5555/WHALES.{number}",
        "ids": {
            "pmid": f"https://pubmed.ncbi.nlm.nih.gov/{number}",
            "pmcid": f"https://www.ncbi.nlm.nih.gov/pmc/articles/PMC{number}/",
        },
        "display_name": "Songs of <i>whales</i> &amp; others",
        "publication_year": 2021,
        "publication_date": "2021-03-04",
        "language": "en",
        "type": "article",
        "primary_location": {
            "landing_page_url": "https://example.org/w",
            "license": "cc-by-nc",
            "version": "publishedVersion",
            "source": {"display_name": "Journal of Whales", "host_organization_name": "Sea Press"},
        },
        "open_access": {"oa_status": "gold", "oa_url": "https://example.org/w.pdf"},
        "authorships": [{"author": {"display_name": "Ishmael Q. Pequod"}}, {"raw_author_name": "A. Hab"}],
        "biblio": {"volume": "7", "issue": 2, "first_page": "10", "last_page": "19"},
        "is_retracted": False,
        "cited_by_count": 12,
        "abstract_inverted_index": index(text),
        **more,
    }


def record(given: Mapping[str, Any]) -> Record:
    return build_openalex_record(OpenAlexWork.model_validate(given))


def index(text: str) -> dict[str, list[int]]:
    places: dict[str, list[int]] = {}
    for at, word in enumerate(text.split()):
        places.setdefault(word, []).append(at)
    return places


def results(*works: Mapping[str, Any] | object) -> Reply:
    return as_json({"meta": {"count": len(works)}, "results": works})


async def test_all_that_a_work_tells() -> None:
    (passage,) = (await found("openalex", results(made()))).evidence
    work = passage.work
    assert work is not None
    assert passage.text == "Whales sing for many hours."
    assert passage.document == "doi:10.5555/whales.1"
    assert passage.locator == work.url == "https://doi.org/10.5555/whales.1"
    assert (work.title, work.authors) == ("Songs of whales & others", ("Ishmael Q. Pequod", "A. Hab"))
    assert (work.year, work.published, work.venue, work.publisher) == (
        2021,
        "2021-03-04",
        "Journal of Whales",
        "Sea Press",
    )
    assert (work.volume, work.issue, work.pages) == ("7", "2", "10-19")
    assert work.identifiers.names == ("pmid:1", "pmcid:PMC1", "doi:10.5555/whales.1")
    assert (work.kind, work.flags, work.notices) == ("article", ("abstract_only",), ())
    assert (work.cited_by, work.licence, work.language) == (12, "CC BY-NC", "en")
    assert passage.metadata == {
        "openalex": "W1",
        "type": "article",
        "version": "publishedVersion",
        "open_access": "gold",
        "open_access_url": "https://example.org/w.pdf",
    }


async def test_what_no_longer_stands_and_what_was_not_reviewed_is_flagged() -> None:
    given = await found(
        "openalex",
        results(
            made(1, is_retracted=True),
            made(2, display_name="RETRACTED ARTICLE: Songs of whales", is_retracted=True),
            made(3, display_name="Withdrawn: Songs of whales"),
            made(4, type="preprint", doi="https://doi.org/10.48550/arXiv.2101.00001"),
            made(5, display_name="Retraction notice to: Songs of whales", type="retraction"),
            made(6, display_name="Withdrawn whales: a study", is_retracted="true"),
        ),
    )
    told = [(one.work.flags, one.work.notices) for one in given.evidence if one.work]
    assert told == [
        (("retracted", "abstract_only"), ("OpenAlex lists it as retracted.",)),
        (("retracted", "abstract_only"), ("Its title is marked as retracted.",)),
        (("withdrawn", "abstract_only"), ("Its title is marked as withdrawn.",)),
        (("preprint", "abstract_only"), ()),
        (("abstract_only",), ("This is a notice of a retraction.",)),
        (("abstract_only",), ()),
    ]
    assert given.evidence[3].work
    assert given.evidence[3].work.identifiers.arxiv == "2101.00001"
    assert given.evidence[3].work.kind == "preprint"


def test_an_abstract_is_put_together_from_its_places() -> None:
    assert rebuild_inverted_abstract(index("a b a c")) == ("a b a c", True)
    assert rebuild_inverted_abstract({"one": [0], "two": [3], "three": [4]}) == (f"one {GAP} two three", False)
    assert rebuild_inverted_abstract({"first": [0], "second": [0], "next": [1]}) == ("first next", False)
    assert rebuild_inverted_abstract({"late": [2]}) == ("late", False)
    assert rebuild_inverted_abstract({"a": [0], "far": [10**18, MOST_WORDS], "x" * (WORD_CHARACTERS + 1): [1]}) == (
        "a",
        False,
    )
    assert rebuild_inverted_abstract({"a": [0], "b": ["1", -1, None, True, 1.0, [1]]}) == ("a", False)
    nothings: list[object] = [None, [], "text", 5, {}, {"a": None}, {"a": []}]
    for nothing in nothings:
        assert record(made(abstract_inverted_index=nothing)).blocks == ()


def test_a_faulty_abstract_says_so_and_markup_is_read() -> None:
    assert record(made(abstract_inverted_index={"a": [0], "b": [9]})).metadata["abstract"] == "incomplete"
    marked = made(text="<p>Below &lt;5 or <LOD at 10<sup>6</sup> cells.</p>")
    assert [block.text for block in record(marked).blocks] == ["Below <5 or <LOD at 10⁶ cells."]


@given(st.dictionaries(st.sampled_from(sorted(made())), ANYTHING, max_size=6), st.booleans())
def test_fields_of_any_type_cost_no_more_than_themselves(wrong: dict[str, Any], whole: bool) -> None:
    one = record({**made(), **wrong} if whole else wrong)
    kept = build_stored_record("openalex", one, 1.0)
    if kept is not None:
        assert all(kept.text.text[part.start : part.end] == part.text for part in kept.passages)
    if "display_name" not in wrong and whole:
        assert one.work.title == "Songs of whales & others"


async def test_what_is_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(KEY, "sesame-1234")
    async with opened("openalex", results()) as (source, served):
        await source.search('Do whales  sing?\n(humpback OR blue) NOT "sperm whale" wal*~', 7)
        (asked,) = served.asked
    assert asked.path == "/works"
    assert asked.query["search"] == 'Do whales sing (humpback OR blue) NOT "sperm whale" wal'
    assert (asked.query["per_page"], asked.query["filter"]) == ("7", "has_abstract:true")
    assert asked.query["api_key"] == "sesame-1234"
    assert "abstract_inverted_index" in asked.query["select"].split(",")


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ('(whales AND "blue ice") NOT ship', '(whales AND "blue ice") NOT ship'),
        ("whales: a/b c/d -ship [1 TO 2] x^2", "whales a b c d ship 1 TO 2 x 2"),
        ("COVID-19 + C++ && AT&T!", "COVID-19 C++ AT T"),
        ('whales "blue', "whales blue"),
        ("(whales AND", "whales"),
        ("OR whales) NOT", "whales"),
        ("whales\\ songs", "whales songs"),
    ],
)
def test_a_query_that_is_not_whole_is_taken_for_words(query: str, sent: str) -> None:
    assert sanitize_openalex_query(query) == sent


async def test_nothing_found_is_a_fact() -> None:
    assert await found("openalex", results()) == SearchResults()
    assert (await found("openalex", results(), "songs of whales")).evidence == ()


async def test_where_nothing_has_all_words_any_are_asked_for() -> None:
    strange = made(2, display_name="Ships", text="They rust.", authorships=[], primary_location=None)

    def answer(request: Asked) -> Reply:
        return results(made(1), strange) if " OR " in request.query["search"] else results()

    async with opened("openalex", answer) as (source, served):
        given_ = await source.search("How do whales sing in the winter ice?", 5)
        assert [request.query["search"] for request in served.asked] == [
            "How do whales sing in the winter ice",
            "whales OR sing OR winter OR ice",
        ]
        assert [one.document for one in given_.evidence] == ["doi:10.5555/whales.1"]
        widened, left_out = given_.warnings
        assert widened == "openalex: nothing has all words of the query, so any of them were searched for"
        assert left_out == "openalex: 1 of the works found share too few words with the query and are left out"
        served.asked.clear()
        for meant in ("whales AND ice", '"whale songs" ice', "(whales) ice", "whales"):
            assert await source.search(meant, 5) == SearchResults()
        assert len(served.asked) == 4


async def test_works_without_text_and_records_that_are_none_are_said() -> None:
    given = await found("openalex", results(made(1), made(1), "x", None, made(2, abstract_inverted_index=None)))
    assert [one.document for one in given.evidence] == ["doi:10.5555/whales.1"]
    assert given.warnings == (
        "openalex: 2 of the works found could not be read",
        "openalex: 1 of the works found have no abstract and are left out",
    )


async def test_a_work_without_a_doi_goes_by_its_other_names() -> None:
    given = await found("openalex", results(made(1, doi=None), made(2, doi=None, ids=None), made(3, doi=5, ids=[])))
    assert [one.document for one in given.evidence] == ["pmid:1", "openalex:W2", "openalex:W3"]


@pytest.mark.parametrize("status", [429, 403])
async def test_spent_credit_holds_the_run_and_says_what_a_key_changes(
    monkeypatch: pytest.MonkeyPatch, status: int
) -> None:
    spent = as_json({"error": "Too Many Requests", "message": "Daily usage limit exceeded"}, status=status)
    with pytest.raises(SourceBusy, match=f"HTTP {status}.*without {KEY} only a few searches a day are allowed: set it"):
        await found("openalex", spent)
    monkeypatch.setenv(KEY, "sesame-1234")
    with pytest.raises(SourceBusy) as caught:
        await found("openalex", spent)
    assert KEY not in str(caught.value)
    assert "sesame" not in str(caught.value)


async def test_a_bad_key_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    refused = as_json({"error": "Forbidden", "message": "API key sesame is not valid"}, status=403)
    with pytest.raises(SourceRefused, match=r"set it$"):
        await found("openalex", refused)
    monkeypatch.setenv(KEY, "sesame-1234")
    with pytest.raises(SourceRefused, match=r"not valid$"):
        await found("openalex", refused)


async def test_recorded_answers_are_read() -> None:
    given = await found("openalex", played("openalex/works_cursor_first_page.json"), limit=50)
    assert len(given.evidence) == 20
    assert not given.warnings
    works = [one.work for one in given.evidence if one.work]
    assert sum("preprint" in work.flags for work in works) == 2
    assert {"article", "review", "book", "document", "preprint"} == {work.kind for work in works}
    assert all(work.published.startswith("202") and work.authors and work.cited_by is not None for work in works)
    two = await found("openalex", played("openalex/works_title_search_two.json"))
    assert [one.document for one in two.evidence] == [
        "doi:10.1038/s42256-024-00832-8",
        "doi:10.48550/arxiv.2304.05376",
    ]
    assert two.evidence[0].work
    assert two.evidence[0].work.identifiers.pmid == "38799228"


async def test_the_page_of_a_404_is_a_refusal() -> None:
    with pytest.raises(SourceRefused, match=r"^openalex: HTTP 404"):
        await found("openalex", played("openalex/work_not_found_404.html"))


async def test_a_single_work_is_no_list() -> None:
    with pytest.raises(SourceUnavailable, match=r"another shape \(results"):
        await found("openalex", played("openalex/work_by_doi.json"))
