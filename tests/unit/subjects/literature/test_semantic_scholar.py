"""Semantic Scholar as a source, against answers that it gave and against faults of every kind."""

import json

import pytest

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from tests.loopback import Reply, recorded
from tests.unit.subjects.literature.services import HTML, replying, searched, works

pytestmark = pytest.mark.anyio
NAME = "semantic-scholar"


def page(*papers: object, **more: object) -> Reply:
    return Reply(json.dumps({"total": len(papers), "offset": 0, "data": papers, **more}))


def paper(number: int, **more: object) -> dict[str, object]:
    return {"paperId": f"a{number}", "title": "Whale song", "abstract": f"Whale {number} sings.", **more}


async def test_a_search_says_what_is_known_of_each_paper(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SEMANTIC_SCHOLAR_API_KEY", "abc123")
    batch = json.loads(recorded("semantic_scholar/batch_with_null.json").body)
    found, asked = await searched(NAME, replying(page(*batch)), "How much should we trust differences-in-differences?")
    assert asked[0].path == "/paper/search"
    assert asked[0].query["query"] == "much trust differences"
    assert asked[0].query["limit"] == "24"
    assert "tldr" not in asked[0].query["fields"]
    assert asked[0].headers["x-api-key"] == "abc123"
    passage, work = found.evidence[0], works(found)[0]
    assert passage.document == "doi:10.2139/ssrn.288970"
    assert passage.text.startswith("Most Difference-in-Difference (DD) papers rely on many years of data")
    assert (work.published, work.kind, work.design, work.cited_by) == ("2001-10-01", "review", ("Review",), 10670)
    assert passage.locator == f"https://www.semanticscholar.org/paper/{next(one for one in batch if one)['paperId']}"


async def test_a_recorded_paper_without_abstract_is_no_evidence() -> None:
    found, _ = await searched(NAME, replying(page(json.loads(recorded("semantic_scholar/paper_by_doi.json").body))))
    assert found.evidence == ()
    assert found.warnings == ("semantic-scholar: 1 of the works found have no abstract and are left out",)
    found, _ = await searched(NAME, replying(recorded("semantic_scholar/search_page_1.json")))
    assert found.warnings == ("semantic-scholar: 100 of the works found have no abstract and are left out",)


async def test_nothing_found_is_a_fact() -> None:
    found, _ = await searched(NAME, replying(recorded("semantic_scholar/search_empty.json")))
    assert (found.evidence, found.warnings) == ((), ())


async def test_names_preprints_and_summaries_of_machines() -> None:
    told = paper(
        1,
        externalIds={"DOI": "10.48550/ARXIV.2301.00001", "ArXiv": "2301.00001", "PubMed": 77, "PubMedCentral": "12"},
        venue="arXiv.org",
        publicationTypes=["JournalArticle", "MetaAnalysis"],
        publicationDate="2023-01-01",
        authors=[{"name": "Ahab"}, {"name": None}],
        openAccessPdf={"url": "https://example.org/a.pdf", "license": "CCBY"},
        tldr={"text": "Whales hum."},
    )
    found, _ = await searched(NAME, replying(page(told, paper(2, abstract=None, tldr={"text": "Whales hum."}))))
    (work,) = works(found)
    assert work.identifiers.names == (
        "pmid:77",
        "pmcid:PMC12",
        "doi:10.48550/arxiv.2301.00001",
        "arxiv:2301.00001",
    )
    assert (work.kind, work.flags, work.authors) == ("preprint", ("preprint", "abstract_only"), ("Ahab",))
    assert (work.design, work.licence) == (("MetaAnalysis",), "CCBY")
    assert not any("hum" in text.text for text in found.texts)


async def test_papers_that_are_not_as_they_should_be() -> None:
    odd: list[object] = [
        None,
        "paper",
        {"paperId": 5, "abstract": ["x"]},
        paper(1, year="later"),
        paper(2, year=10**30, citationCount=-3, publicationDate="99999-99-99"),
        paper(3, citationCount=10**30, paperId="../../x"),
        {"abstract": "Nameless."},
        paper(2, year=10**30, citationCount=-3),
    ]
    found, _ = await searched(NAME, replying(page(*odd)))
    assert [work.url.rpartition("/")[2] for work in works(found)] == ["a1", "a2", ""]
    assert [(work.year, work.cited_by) for work in works(found)] == [(None, None)] * 3
    assert found.warnings == (
        "semantic-scholar: 3 of the works found could not be read",
        "semantic-scholar: 1 of the works found have no abstract and are left out",
    )


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ('"whale-song" AND (sea:krill)\n*', "whale song sea krill"),
        ("x" * 300, "x" * 300),
        ("IL-6 in COVID-19", "IL 6 COVID 19"),
    ],
)
async def test_a_query_is_sent_as_its_words(query: str, sent: str) -> None:
    _, asked = await searched(NAME, replying(page()), query)
    assert asked[0].query["query"] == sent


async def test_a_query_without_a_word_is_not_asked() -> None:
    found, asked = await searched(NAME, replying(page()), "-- ?")
    assert (found.warnings, len(asked)) == (("semantic-scholar: '-- ?' has no word to search for",), 0)


@pytest.mark.parametrize(
    ("reply", "kind", "said"),
    [
        (Reply('{"message":"Too Many Requests"}', 429), SourceBusy, "HTTP 429"),
        (
            Reply('{"message":"Forbidden"}', 403, {"Content-Type": "application/json"}),
            SourceRefused,
            "403.*: Forbidden",
        ),
        (
            Reply('{"error":"Bad query"}', 400, {"Content-Type": "application/json"}),
            SourceRefused,
            "400.*: Bad query",
        ),
        (Reply('{"error":["Bad"]}', 400, {"Content-Type": "application/json"}), SourceRefused, "HTTP 400"),
        (Reply("{", 404, {"Content-Type": "application/json"}), SourceRefused, "HTTP 404"),
        (Reply("", 500), SourceBusy, "HTTP 500"),
        (Reply('{"message":"Endpoint request timed out"}', 504), SourceBusy, "HTTP 504"),
        (HTML, SourceUnavailable, "no JSON"),
        (Reply(b"\xff\xfe\x00"), SourceUnavailable, "no JSON"),
        (Reply("null"), SourceUnavailable, "another shape"),
        (Reply('{"data": {"a": 1}}'), SourceUnavailable, "another shape"),
        (Reply('{"error": "down"}'), SourceUnavailable, "no data"),
        (Reply('{"total": 7}'), SourceUnavailable, "no data"),
        (Reply("[" * 100_000), SourceUnavailable, "no JSON|another shape|too deep"),
    ],
)
async def test_a_fault_is_an_error_and_never_evidence(reply: Reply, kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        await searched(NAME, replying(reply))


async def test_a_recorded_refusal_says_what_is_wrong() -> None:
    with pytest.raises(SourceRefused, match=r"HTTP 400 Bad Request: Unrecognized or unsupported fields: \[unknown\]"):
        await searched(NAME, replying(recorded("semantic_scholar/error_400_unknown_field.json")))
