"""Faults of NCBI of every kind: errors, never evidence."""

import asyncio

import pytest

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from tests.loopback import Asked, Reply, loopback, recorded
from tests.unit.subjects.literature.pubmed_answers import article, articles, ids, service
from tests.unit.subjects.literature.services import HTML, opened, replying, searched, works

pytestmark = pytest.mark.anyio


TOO_MANY = Reply(
    '{"error":"API rate limit exceeded","api-key":"203.0.113.7","count":"4","limit":"3"}', 429, {"Retry-After": "2"}
)


@pytest.mark.parametrize(
    ("replies", "kind", "said"),
    [
        ([TOO_MANY], SourceBusy, "pubmed: HTTP 429 Too Many Requests"),
        ([ids("7"), TOO_MANY], SourceBusy, "pubmed: HTTP 429 Too Many Requests"),
        ([Reply("", 500)], SourceBusy, "HTTP 500"),
        ([Reply("", 502)], SourceBusy, "HTTP 502"),
        (
            [Reply('{"error":"API key invalid","api-key":"hidden"}', 400, {"Content-Type": "application/json"})],
            SourceRefused,
            "pubmed: HTTP 400 Bad Request: API key invalid$",
        ),
        ([Reply("<html>Request-URI Too Long</html>", 414, {"Content-Type": "text/html"})], SourceRefused, "HTTP 414"),
        ([HTML], SourceUnavailable, "no JSON"),
        ([Reply(b"\xff\xfe{}")], SourceUnavailable, "no JSON"),
        ([Reply("")], SourceUnavailable, "no JSON"),
        ([Reply("[]")], SourceUnavailable, "another shape"),
        ([Reply('{"esearchresult": []}')], SourceUnavailable, "another shape"),
        ([Reply('{"esearchresult": {"count": "3"}}')], SourceUnavailable, "no idlist"),
        ([Reply('{"esearchresult": {"idlist": "7"}}')], SourceUnavailable, "another shape"),
        ([Reply('{"esearchresult": {"ERROR": "Search Backend failed: down"}}')], SourceBusy, "Search Backend failed"),
        ([ids("7"), HTML], SourceUnavailable, "<html> instead of"),
        ([ids("7"), Reply("<PubmedArticleSet><PubmedArticle>")], SourceUnavailable, "no XML"),
        (
            [ids("7"), Reply("<eFetchResult><ERROR>ID list is empty!</ERROR></eFetchResult>")],
            SourceUnavailable,
            "ID list is empty",
        ),
        ([ids("7"), articles("<ERROR>Backend unavailable</ERROR>")], SourceBusy, "Backend unavailable"),
        (
            [ids("7"), Reply("<!DOCTYPE x [<!ENTITY a 'b'>]><PubmedArticleSet>&a;</PubmedArticleSet>")],
            SourceRefused,
            "entities",
        ),
        ([ids("7"), Reply('{"error":"API rate limit exceeded"}')], SourceUnavailable, "no XML"),
    ],
)
async def test_a_fault_is_an_error_and_never_evidence(replies: list[Reply], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said) as caught:
        await searched("pubmed", replying(*replies))
    assert "203.0.113.7" not in str(caught.value)
    assert "hidden" not in str(caught.value)


async def test_a_recorded_refusal_for_haste() -> None:
    limited = recorded("ncbi_eutils/rate_limited_no_key.json")
    with pytest.raises(SourceBusy) as caught:
        await searched("pubmed", replying(Reply(limited.body, 429, {"Retry-After": "3"})))
    assert caught.value.retry_after == 3.0


async def test_articles_that_are_not_as_they_should_be_cost_nothing_but_themselves() -> None:
    odd = [
        "<PubmedArticle/>",
        "<PubmedArticle><MedlineCitation><PMID>x</PMID><Article/></MedlineCitation></PubmedArticle>",
        "<PubmedBookArticle><BookDocument/></PubmedBookArticle>",
        "<DeleteCitation><PMID>9</PMID></DeleteCitation>",
        article(
            "1", "<Journal><JournalIssue><PubDate><Year>99999999999999999999</Year></PubDate></JournalIssue></Journal>"
        ),
        article("2", title="", abstract=""),
        article(
            "3",
            "<AuthorList><Author/><Author><LastName> </LastName></Author></AuthorList>",
            abstract="&#233; &lt;b&gt;",
        ),
    ]
    played = service(ids("x", "1", "2", "3", "12345678901234567890"), articles(*odd))
    found, _ = await searched("pubmed", lambda one: played[one.path])
    assert [(work.identifiers.pmid, work.year, work.authors) for work in works(found)] == [
        ("1", None, ()),
        ("3", None, ()),
    ]
    assert found.evidence[1].text == "é <b>"
    assert found.warnings == ("pubmed: 2 of the works found could not be read",)


async def test_two_searches_at_once_and_one_that_is_given_up() -> None:
    def answering(one: Asked) -> Reply:
        if one.path == "/esearch.fcgi":
            return Reply(ids("1" if one.query["term"] == "krill" else "2").body, delay=0.05)
        return articles(article(one.query["id"], abstract=f"Of {one.query['id']}."))

    with loopback(answering) as running:
        source = opened("pubmed", running)
        given_up = asyncio.create_task(source.search("plankton", 8))
        await asyncio.sleep(0)
        both = asyncio.gather(source.search("krill", 8), source.search("whales", 8))
        given_up.cancel()
        first, second = await both
        await source.close()
    assert given_up.cancelled()
    assert ([one.text for one in first.evidence], [one.text for one in second.evidence]) == (["Of 1."], ["Of 2."])
