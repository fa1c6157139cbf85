"""PubMed as a source: what is read of the answers that NCBI gave, and what is asked."""

import pytest

from elcano.subjects.literature.pubmed import parse_pubmed_records
from elcano.subjects.literature.work_records import ONLY_TITLE
from elcano.text.xml_tree import parse_xml
from tests.loopback import recorded
from tests.unit.subjects.literature.pubmed_answers import article, articles, ids, service
from tests.unit.subjects.literature.services import replying, searched, works

pytestmark = pytest.mark.anyio


async def test_what_ncbi_answers_becomes_evidence() -> None:
    played = service(ids("38534005"), recorded("ncbi_eutils/efetch_structured_markup_collective.xml"))
    found, asked = await searched("pubmed", lambda one: played[one.path], contact="someone@example.org")
    (passage,), (work,) = found.evidence, works(found)
    assert passage.document == "doi:10.1515/cclm-2024-0070"
    assert passage.text.startswith("BACKGROUND\n\nThe EFLM Task and Finish Group")
    assert "Aerococcus urinae, A. sanguinicola and Actinotignum schaalii" in passage.text
    assert "α1-microglobulin" in passage.text  # noqa: RUF001
    assert work.authors[0] == "Kouri, Timo T"
    assert work.authors[-1].startswith("Task and Finish Group for Urinalysis")
    assert (work.published, work.year, work.volume, work.issue, work.pages) == (
        "2024-08-27",
        2024,
        "62",
        "9",
        "1653-1786",
    )
    assert (work.language, work.flags, work.source) == ("en", ("abstract_only",), "pubmed")
    assert passage.metadata["mesh"] == [
        "Humans",
        "*Urinalysis/standards/methods",
        "Europe",
        "Urinary Tract Infections/diagnosis/urine/microbiology",
        "Quality Control",
    ]
    assert [one.path for one in asked] == ["/esearch.fcgi", "/efetch.fcgi"]
    assert asked[0].query == {
        "db": "pubmed",
        "term": "whale song",
        "retmode": "json",
        "retmax": "8",
        "sort": "relevance",
        "tool": "elcano",
        "email": "someone@example.org",
    }
    assert asked[1].query["id"] == "38534005"


@pytest.mark.parametrize(
    ("file", "pmids", "documents"),
    [
        ("structured_abstract", ["35830032"], ["doi:10.1590/s0004-2803.202202000-40"]),
        ("two_articles_without_doi", ["12091962", "9997"], ["doi:10.1016/0005-2795(76)90109-4", "pmid:12091962"]),
        ("unknown_pmid_empty_set", ["37909814"], []),
        ("erratum_no_authors", ["38962805"], ["doi:10.1080/09540121.2024.2374185"]),
        ("german_vernacular_title", ["38048813"], ["doi:10.1055/a-2189-0166"]),
        ("no_abstract", ["32894878"], ["doi:10.1055/s-0040-1715580"]),
    ],
)
async def test_every_recorded_answer_is_read(file: str, pmids: list[str], documents: list[str]) -> None:
    played = service(ids(*pmids), recorded(f"ncbi_eutils/efetch_{file}.xml"))
    found, _ = await searched("pubmed", lambda one: played[one.path])
    assert [one.document for one in found.evidence] == documents
    assert found.warnings == (() if documents else ("pubmed: 1 of the works found could not be read",))


async def test_what_a_title_alone_is_worth_and_what_it_corrects() -> None:
    played = service(ids("38962805"), recorded("ncbi_eutils/efetch_erratum_no_authors.xml"))
    found, _ = await searched("pubmed", lambda one: played[one.path])
    (work,) = works(found)
    assert work.notices == (
        "It is a correction: AIDS Care. 2024 Jul;36(sup1):24-35. doi: 10.1080/09540121.2024.2308745 (PMID 38446048).",
        ONLY_TITLE,
    )
    assert found.evidence[0].metadata == {"read": "title"}


async def test_a_recorded_search_tells_what_it_left_out() -> None:
    played = service(recorded("ncbi_eutils/esearch_json_first_100_of_40362.json"), articles(article("42555032")))
    found, asked = await searched("pubmed", lambda one: played[one.path], limit=3)
    assert asked[1].query["id"] == "42555032,42553597,42553430"
    assert found.warnings == (
        "pubmed: not known there, so left out of the query: 'p.E1317Q'",
        "pubmed: 2 of the works found could not be read",
    )


@pytest.mark.parametrize(
    ("inner", "after", "flags", "notice"),
    [
        (
            "<PublicationTypeList><PublicationType>Retracted Publication</PublicationType></PublicationTypeList>",
            "<CommentsCorrectionsList><CommentsCorrections RefType='RetractionIn'>"
            "<RefSource>J Whales. 2025;1:2.</RefSource><PMID>77</PMID></CommentsCorrections></CommentsCorrectionsList>",
            ("retracted", "abstract_only"),
            "It was retracted: J Whales. 2025;1:2 (PMID 77).",
        ),
        (
            "<PublicationTypeList><PublicationType>Retracted Publication</PublicationType></PublicationTypeList>",
            "",
            ("retracted", "abstract_only"),
            "It is marked as retracted.",
        ),
        (
            "",
            "<CommentsCorrectionsList><CommentsCorrections RefType='ExpressionOfConcernIn'><RefSource>J</RefSource>"
            "</CommentsCorrections><CommentsCorrections RefType='CommentIn'><RefSource>K</RefSource>"
            "</CommentsCorrections></CommentsCorrectionsList>",
            ("concern", "abstract_only"),
            "Its publisher expressed concern: J.",
        ),
        (
            "",
            "<CommentsCorrectionsList><CommentsCorrections RefType='ErratumIn'><PMID>8</PMID></CommentsCorrections>"
            "</CommentsCorrectionsList>",
            ("corrected", "abstract_only"),
            "It was corrected: PMID 8.",
        ),
        (
            "<PublicationTypeList><PublicationType>Preprint</PublicationType></PublicationTypeList>",
            "",
            ("preprint", "abstract_only"),
            "It is a preprint: it was not reviewed by peers.",
        ),
    ],
)
async def test_what_was_said_of_it_later(inner: str, after: str, flags: tuple[str, ...], notice: str) -> None:
    played = service(ids("7"), articles(article("7", inner, after=after)))
    found, _ = await searched("pubmed", lambda one: played[one.path])
    assert [(work.flags, work.notices) for work in works(found)] == [(flags, (notice,))]


async def test_ids_of_references_are_not_its_own() -> None:
    data = (
        "</MedlineCitation><PubmedData><ArticleIdList><ArticleId IdType='pmc'>PMC12</ArticleId></ArticleIdList>"
        "<ReferenceList><Reference><ArticleIdList><ArticleId IdType='doi'>10.1000/other</ArticleId></ArticleIdList>"
        "</Reference>"
        "</ReferenceList></PubmedData></PubmedArticle>"
    )
    whole = article("7").replace("</MedlineCitation></PubmedArticle>", data)
    played = service(ids("7"), articles(whole))
    (work,) = works((await searched("pubmed", lambda one: played[one.path]))[0])
    assert work.identifiers.names == ("pmid:7", "pmcid:PMC12")


async def test_other_abstracts_trials_and_a_seasonal_date() -> None:
    inner = (
        "<Journal><JournalIssue><PubDate><MedlineDate>1998 Dec-1999 Jan</MedlineDate></PubDate></JournalIssue>"
        "</Journal>"
        "<DataBankList><DataBank><DataBankName>ClinicalTrials.gov</DataBankName><AccessionNumberList>"
        "<AccessionNumber>NCT00000001</AccessionNumber></AccessionNumberList></DataBank></DataBankList>"
    )
    after = (
        "<OtherAbstract Type='plain-language-summary' Language='eng'><AbstractText>Big fish.</AbstractText>"
        "</OtherAbstract><OtherAbstract Type='Publisher' Language='spa'>"
        "<AbstractText>Las ballenas.</AbstractText></OtherAbstract>"
    )
    played = service(ids("7"), articles(article("7", inner, after=after)))
    found, _ = await searched("pubmed", lambda one: played[one.path])
    (passage,), (work,) = found.evidence, works(found)
    assert passage.text == "Whales sing.\n\nPlain language summary\n\nBig fish.\n\nAbstract (es)\n\nLas ballenas."
    assert (work.published, work.year, passage.metadata) == ("1998", 1998, {"trials": ["NCT00000001"]})
    assert work.identifiers.nct == ""


async def test_a_chapter_of_a_book() -> None:
    chapter = (
        "<PubmedBookArticle><BookDocument><PMID>5</PMID><ArticleIdList>"
        "<ArticleId IdType='bookaccession'>NBK1</ArticleId></ArticleIdList><Book>"
        "<Publisher><PublisherName>Sea Press</PublisherName></Publisher>"
        "<BookTitle>Whales</BookTitle><PubDate><Year>2001</Year></PubDate></Book><ArticleTitle>Song</ArticleTitle><Language>eng</Language>"
        "<AuthorList Type='authors'><Author><LastName>Ahab</LastName><Initials>C</Initials></Author></AuthorList>"
        "<PublicationType>Review</PublicationType><Abstract><AbstractText>They sing.</AbstractText></Abstract>"
        "</BookDocument></PubmedBookArticle>"
    )
    played = service(ids("5"), articles(chapter))
    (work,) = works((await searched("pubmed", lambda one: played[one.path]))[0])
    assert (work.kind, work.title, work.venue, work.publisher) == ("book", "Song", "Whales", "Sea Press")
    assert (work.authors, work.published, work.design) == (("Ahab, C",), "2001", ("Review",))


async def test_articles_keep_the_order_of_the_search_and_titles_come_last() -> None:
    played = service(
        ids("3", "1", "2", "1"),
        articles(
            article("1", abstract="One."), article("2", abstract=""), article("3"), article("1", abstract="Again.")
        ),
    )
    found, _ = await searched("pubmed", lambda one: played[one.path])
    assert [one.document for one in found.evidence] == ["pmid:3", "pmid:1", "pmid:2"]
    assert [one.text for one in found.evidence] == ["Whales sing.", "One.", "Whale song"]


async def test_a_question_is_asked_by_its_words_and_then_by_any_of_them() -> None:
    played = iter([ids(), ids("7"), articles(article("7"))])
    found, asked = await searched("pubmed", lambda _: next(played), "How do whales sing to\n\nkrill (at night)?")
    assert [one.query.get("term") for one in asked] == [
        "whales sing krill night",
        "whales OR sing OR krill OR night",
        None,
    ]
    assert len(found.evidence) == 1
    assert found.warnings == ("pubmed: nothing has all words of the query, so any of them were searched for",)


async def test_who_is_asked_for_any_of_the_words_may_name_something_else() -> None:
    other = article("8", title="Bread.", abstract="Bread rises at night.")
    played = iter([ids(), ids("8", "7"), articles(article("7"), other)])
    found, _ = await searched("pubmed", lambda _: next(played), "whales singing krill night song")
    assert [one.document for one in found.evidence] == ["pmid:7"]
    assert found.warnings == (
        "pubmed: nothing has all words of the query, so any of them were searched for",
        "pubmed: 1 of the works found share too few words with the query and are left out",
    )


async def test_the_syntax_of_pubmed_passes_and_finds_nothing_as_it_is() -> None:
    query = '"whale song"[tiab] AND (krill OR "sea" NOT 2020:2024[dp]'
    found, asked = await searched("pubmed", replying(ids()), query)
    assert [one.query["term"] for one in asked] == ['"whale song"[tiab] AND krill OR "sea" NOT 2020:2024[dp]']
    assert (found.evidence, found.warnings) == ((), ())


@pytest.mark.parametrize("query", ["?!", "\x00\n", '""', "[]"])
async def test_a_query_without_a_word_is_not_asked(query: str) -> None:
    found, asked = await searched("pubmed", replying(ids("7")), query)
    assert (found.evidence, len(asked)) == ((), 0)
    assert found.warnings == (f"pubmed: {query!r} has no word to search for",)


async def test_a_thousand_characters_of_any_script_arrive() -> None:
    found, asked = await searched("pubmed", replying(ids()), "鯨" * 1_000)
    assert asked[0].query["term"] == "鯨" * 1_000
    assert found.evidence == ()


async def test_the_key_is_sent_where_there_is_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NCBI_API_KEY", "abcdef0123456789\n")
    _, asked = await searched("pubmed", replying(ids()), "whales", contact="https://example.org")
    assert asked[0].query["api_key"] == "abcdef0123456789"
    assert "email" not in asked[0].query


def test_a_name_that_was_corrected_and_brackets_of_a_title_are_read_as_they_stand() -> None:
    xml = (
        "<PubmedArticleSet><PubmedArticle><MedlineCitation><PMID>1</PMID><Article><Language>eng</Language>"
        "<Language>fre</Language><ArticleTitle>[18F]FDG uptake in [11C]PET.</ArticleTitle><AuthorList>"
        '<Author ValidYN="N"><LastName>Wrnog</LastName><ForeName>Ann</ForeName></Author>'
        '<Author ValidYN="Y"><LastName>Wrong</LastName><ForeName>Ann</ForeName></Author></AuthorList>'
        "</Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"
    )
    ((_, record),) = parse_pubmed_records(parse_xml(xml.encode()))
    assert (record.work.title, record.work.authors) == ("[18F]FDG uptake in [11C]PET", ("Wrong, Ann",))
