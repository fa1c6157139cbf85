"""Europe PMC as a source, against answers that it gave and against faults of every kind."""

import json

import pytest

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.subjects.literature.work_records import ONLY_TITLE
from tests.loopback import Asked, Reply, recorded
from tests.unit.subjects.literature.services import HTML, replying, searched, works

pytestmark = pytest.mark.anyio
NAME = "europe-pmc"
ARTICLE = "<article><body><sec><title>Results</title><p>Whales sang for 22 hours.</p></sec></body></article>"


def page(*results: object) -> Reply:
    return Reply(json.dumps({"hitCount": len(results), "resultList": {"result": results}}))


def result(number: int, **more: object) -> dict[str, object]:
    known = {"id": str(number), "source": "MED", "pmid": str(number), "title": f"Song {number}."}
    return {**known, "abstractText": f"Whale {number} sings.", **more}


def opened(number: int, **more: object) -> dict[str, object]:
    return result(number, pmcid=f"PMC{number}", isOpenAccess="Y", **more)


async def test_a_recorded_search_with_full_texts() -> None:
    answers = {
        "/search": recorded("europe_pmc/search_core_first_12.json"),
        "/PMC12120539/fullTextXML": recorded("europe_pmc/full_text_two_tables.xml"),
    }
    closed = recorded("europe_pmc/error_not_open_access.xml")

    def answering(asked: Asked) -> Reply:
        return answers.get(asked.path, closed)

    found, asked = await searched(NAME, answering, "cancer screening", 25, contact="someone@example.org")
    assert asked[0].query == {
        "query": "cancer screening",
        "format": "json",
        "resultType": "core",
        "cursorMark": "*",
        "pageSize": "25",
        "email": "someone@example.org",
    }
    assert [one.path for one in asked[1:]] == [
        "/PMC12120539/fullTextXML",
        "/PMC12174270/fullTextXML",
        "/PMC12069736/fullTextXML",
    ]
    assert found.warnings == tuple(
        f"europe-pmc: the full text of {id} cannot be read (the answer is <errorBean> instead of <article>); "
        "its abstract is used instead"
        for id in ("PMC12174270", "PMC12069736")
    )
    by_document = {work.identifiers.pmid: work for work in works(found)}
    read = by_document["40437959"]
    assert (read.flags, read.licence, read.design) == ((), "cc by-nc-nd", ())
    assert read.authors == ("Kwok, Cannas", "Xu, Xinyi")
    assert (read.published, read.volume, read.issue, read.pages) == ("2025-07", "36", "3", "e70059")
    assert by_document["40464630"].kind == "review"
    assert by_document["40464630"].flags == ("abstract_only",)
    assert len({work.identifiers.pmid for work in works(found)}) == 9
    found, _ = await searched(NAME, lambda one: answering(one) if one.path == "/search" else Reply("", 404), limit=25)
    by_document = {work.identifiers.pmid: work for work in works(found)}
    corrected = by_document["40377773"]
    assert corrected.notices == (
        "It is a correction: Gastric Cancer. 2025 May;28(3):384-396. doi: 10.1007/s10120-025-01593-y (MED/39971854).",
        ONLY_TITLE,
    )
    passage = next(one for one in found.evidence if one.work and one.work.identifiers.pmid == "40536418")
    assert passage.text.startswith("Background\n\nApproximately 75 000 men receive a diagnosis of prostate canc")
    assert passage.locator == "https://europepmc.org/article/MED/40536418"


async def test_a_full_text_gives_passages_by_section_that_fit_the_query() -> None:
    played = {"/search": page(opened(7, license="cc by")), "/PMC7/fullTextXML": Reply(ARTICLE)}
    found, _ = await searched(NAME, lambda one: played[one.path], "hours of song")
    assert [(one.heading, one.text) for one in found.evidence] == [
        ("Results", "Whales sang for 22 hours."),
        ("Abstract", "Whale 7 sings."),
    ]
    assert found.texts[0].text == "Abstract\n\nWhale 7 sings.\n\nResults\n\nWhales sang for 22 hours."
    assert {(work.flags, work.licence) for work in works(found)} == {((), "cc by")}


async def test_only_what_is_open_is_asked_for_and_three_of_it() -> None:
    closed = result(1, pmcid="PMC1", isOpenAccess="N", inEPMC="Y")
    preprint = result(9, source="PPR", id="PPR9", pmid=None, isOpenAccess="Y")
    many = [closed, preprint, opened(2), opened(2), opened(3), opened(4)]
    _, asked = await searched(NAME, lambda one: page(*many) if one.path == "/search" else Reply(ARTICLE))
    assert [one.path for one in asked[1:]] == ["/PPR9/fullTextXML", "/PMC2/fullTextXML", "/PMC3/fullTextXML"]


async def test_preprints_and_what_was_said_of_works_later() -> None:
    links = [
        {"id": "5", "source": "MED", "type": "Retraction in", "reference": "J Whales. 2025."},
        {"id": "6", "source": "MED", "type": "Comment in", "reference": "K"},
    ]
    preprint = result(
        8,
        id="PPR8",
        source="PPR",
        pmid=None,
        firstPublicationDate="2024-05-17",
        bookOrReportDetails={"publisher": "bioRxiv"},
    )
    retracted = result(
        7,
        title="RETRACTED: <i>Balaena</i> &amp; song.",
        commentCorrectionList={"commentCorrection": links},
        pubTypeList={"pubType": ["Retracted Publication", "research-article", "Clinical Trial", "Journal Article"]},
        authorList={"author": [{"collectiveName": "Sea Group"}, {"fullName": "Ahab C"}, {}]},
    )
    withdrawn = result(9, pubTypeList={"pubType": ["preprint-withdrawal"]}, authorString="Starbuck A, Stubb B.")
    found, _ = await searched(NAME, replying(page(preprint, retracted, withdrawn)))
    first, second, third = sorted(works(found), key=lambda work: work.url)
    assert (first.title, first.flags, first.authors) == (
        "RETRACTED: Balaena & song",
        ("retracted", "abstract_only"),
        ("Sea Group", "Ahab C"),
    )
    assert (first.notices, first.design) == (("It was retracted: J Whales. 2025 (MED/5).",), ("Clinical Trial",))
    assert (second.flags, second.authors) == (("withdrawn", "abstract_only"), ("Starbuck A", "Stubb B"))
    assert (third.kind, third.venue, third.published) == ("preprint", "bioRxiv", "2024-05-17")
    assert (third.flags, third.identifiers.names) == (("preprint", "abstract_only"), ())
    assert {one.document for one in found.evidence} == {"europe-pmc:PPR/PPR8", "pmid:7", "pmid:9"}


@pytest.mark.parametrize(
    ("full_text", "reason"),
    [
        (Reply("", 404), "HTTP 404"),
        (Reply("down", 500), "HTTP 500"),
        (HTML, "the answer is <html> instead of <article>"),
        (Reply("<article><body>"), "the answer is no XML"),
        (Reply(b"\xff\xfe"), "the answer is no XML"),
        (Reply("<!DOCTYPE article [<!ENTITY a 'b'>]><article>&a;</article>"), "the answer declares entities"),
    ],
)
async def test_where_a_full_text_cannot_be_had_its_abstract_stands_for_it(full_text: Reply, reason: str) -> None:
    found, _ = await searched(NAME, replying(page(opened(7)), full_text))
    assert [one.text for one in found.evidence] == ["Whale 7 sings."]
    (warning,) = found.warnings
    assert warning.startswith(f"europe-pmc: the full text of PMC7 cannot be read ({reason}")
    assert works(found)[0].flags == ("abstract_only",)


async def test_an_article_without_a_body_is_its_abstract() -> None:
    found, _ = await searched(NAME, replying(page(opened(7)), Reply("<article><front/></article>")))
    assert ([one.text for one in found.evidence], found.warnings) == (["Whale 7 sings."], ())


async def test_results_without_a_text_come_last_by_their_title() -> None:
    found, _ = await searched(
        NAME, replying(page(result(1, abstractText=None), result(2), result(3, title="", abstractText="")))
    )
    assert [one.text for one in found.evidence] == ["Whale 2 sings.", "Song 1"]
    assert works(found)[1].notices == (ONLY_TITLE,)


@pytest.mark.parametrize(
    "file", ["search_lite.json", "search_six_results_one_without_pmid.json", "search_small_page_with_next_cursor.json"]
)
async def test_other_recorded_answers_are_read(file: str) -> None:
    answer = recorded(f"europe_pmc/{file}")
    found, _ = await searched(NAME, lambda one: answer if one.path == "/search" else Reply("", 404))
    assert found.evidence
    assert not any("could not be read" in warning for warning in found.warnings)


async def test_nothing_found_is_a_fact() -> None:
    found, asked = await searched(NAME, replying(recorded("europe_pmc/search_no_results.json")), "whale")
    assert (found.evidence, found.warnings, len(asked)) == ((), (), 1)


async def test_queries_in_words_and_in_its_syntax() -> None:
    found, asked = await searched(NAME, replying(page(), page(result(1))), "What do whales sing?\n")
    assert [one.query["query"] for one in asked] == ["whales sing", "whales OR sing"]
    assert found.warnings == ("europe-pmc: nothing has all words of the query, so any of them were searched for",)
    for query, sent in (
        ('AUTH:"Smith J" AND PUB_YEAR:[2020 TO 2024]', 'AUTH:"Smith J" AND PUB_YEAR:[2020 TO 2024]'),
        ('SRC:PPR AND ("whale song" OR (krill)', 'SRC:PPR AND "whale song" OR krill'),
        ("x&resultType=idlist#?", "x resultType idlist"),
    ):
        _, asked = await searched(NAME, replying(page(result(1))), query)
        assert asked[0].query["query"] == sent
        assert asked[0].query["resultType"] == "core"
    found, asked = await searched(NAME, replying(page()), "\n\t ...")
    assert (len(asked), len(found.warnings)) == (0, 1)


async def test_of_any_words_only_what_is_near_is_read_in_full() -> None:
    far = opened(8, title="Bread", abstractText="Bread rises.")
    replies = iter([page(), page(far, opened(7)), Reply(ARTICLE)])
    found, asked = await searched(NAME, lambda _: next(replies), "whales singing krill")
    assert asked[-1].path == "/PMC7/fullTextXML"
    assert {one.document for one in found.evidence} == {"pmid:7"}
    assert found.warnings[1:] == (
        "europe-pmc: 1 of the works found share too few words with the query and are left out",
    )


async def test_results_that_are_not_as_they_should_be() -> None:
    odd: list[object] = [
        7,
        {"source": "MED"},
        result(1, authorList=[]),
        result(2, citedByCount=-1, pubYear=99999, journalInfo={"yearOfPublication": 10**30, "monthOfPublication": 77}),
        result(3, id="../../x", source="a b", pmid="PMID", doi="no doi"),
        result(4, citedByCount=10**30, doi="https://doi.org/10.1000/X%2Fy"),
        result(4, citedByCount=10**30, doi="https://doi.org/10.1000/X%2Fy"),
    ]
    found, _ = await searched(NAME, replying(page(*odd)))
    assert {(work.identifiers.document, work.cited_by, work.year) for work in works(found)} == {
        ("pmid:1", None, None),
        ("pmid:2", None, None),
        ("doi:10.1000/x/y", None, None),
    }
    assert found.warnings == ("europe-pmc: 3 of the works found could not be read",)


BEAN = "<?xml version='1.0'?><errorBean><errCode>0</errCode><errMsg>Query is broken</errMsg></errorBean>"


@pytest.mark.parametrize(
    ("replies", "kind", "said"),
    [
        ([Reply(BEAN)], SourceUnavailable, "it says: Query is broken"),
        ([Reply("", 400)], SourceRefused, "HTTP 400"),
        ([Reply("", 429, {"Retry-After": "5"})], SourceBusy, "HTTP 429"),
        ([page(opened(1)), Reply("", 429, {"Retry-After": "5"})], SourceBusy, "HTTP 429"),
        ([page(opened(1)), Reply("", 503)], SourceBusy, "HTTP 503"),
        ([Reply("", 500)], SourceBusy, "HTTP 500"),
        ([HTML], SourceUnavailable, "instead of <errorBean>"),
        ([Reply("{")], SourceUnavailable, "no JSON"),
        ([Reply(b"\x80abc")], SourceUnavailable, "no JSON"),
        ([Reply("{}")], SourceUnavailable, "resultList.result: Field required"),
        ([Reply('{"resultList": {"result": {}}}')], SourceUnavailable, "another shape"),
        ([Reply('{"errCode": 404, "errMsg": "gone"}')], SourceUnavailable, "another shape"),
    ],
)
async def test_a_fault_is_an_error_and_never_evidence(replies: list[Reply], kind: type[Exception], said: str) -> None:
    with pytest.raises(kind, match=said):
        await searched(NAME, replying(*replies))
