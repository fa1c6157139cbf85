"""arXiv: queries in its syntax or in words, and its feed."""

from html import escape

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.graphs.report.works import Work
from elcano.subjects.literature.arxiv import MOST_TERMS, NOTICE_CHARACTERS, parse_feed, prepare_arxiv_query
from tests.loopback import Reply
from tests.loopback import recorded as played
from tests.unit.subjects.literature.opened import found, opened

SUMMARY = "Whales sing\n  in the sea, with $x^2$ &amp; more."


def entry(number: str = "2101.00001", version: str = "v2", **parts: str) -> str:
    """An entry as arXiv writes it, with invented content; `parts` replace or add elements, empty ones are left out."""
    known = {
        "id": f"https://arxiv.org/abs/{number}{version}",
        "title": "Songs of\n   whales",
        "published": "2021-01-02T03:04:05Z",
        "updated": "2022-02-03T03:04:05Z",
        "summary": SUMMARY,
        "author": "<name>Ishmael Q. Pequod</name>",
        **parts,
    }
    inner = "".join(f"<{_tag(name)}>{value}</{_tag(name)}>" for name, value in known.items() if value)
    return f'<entry>{inner}<category term="q-bio.PE"/><arxiv:primary_category term="q-bio.PE"/></entry>'


def _tag(name: str) -> str:
    return f"arxiv:{name}" if name in ("comment", "journal_ref", "doi") else name


def feed(*entries: str, total: int | None = None, head: str = "<?xml version='1.0' encoding='UTF-8'?>") -> Reply:
    return Reply(written(*entries, total=total, head=head), headers={"Content-Type": "application/atom+xml"})


def written(*entries: str, total: int | None = None, head: str = "<?xml version='1.0' encoding='UTF-8'?>") -> str:
    told = len(entries) if total is None else total
    return (
        f'{head}<feed xmlns="http://www.w3.org/2005/Atom" xmlns:arxiv="http://arxiv.org/schemas/atom" '
        f'xmlns:opensearch="http://a9.com/-/spec/opensearch/1.1/"><opensearch:totalResults>{told}'
        f"</opensearch:totalResults>{''.join(entries)}</feed>"
    )


def only(written_entry: str) -> Work:
    (record,) = parse_feed("arxiv", written(written_entry).encode()).records
    return record.work


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("What is the effect of noise on whales?", "all:effect AND all:noise AND all:whales"),
        ('"whale songs" in the sea', 'all:"whale songs" AND all:sea'),
        ("COVID-19\n\tand whales'", "all:covid AND all:19 AND all:whales"),
        ('ti:"whale songs" AND au:Pequod', 'ti:"whale songs" AND au:Pequod'),
        ("au:Pequod\n AND  cat:q-bio.PE", "au:Pequod AND cat:q-bio.PE"),
        ("whale ANDNOT (blue OR grey)", "whale ANDNOT (blue OR grey)"),
        ("all:x AND submittedDate:[202301010600 TO 202401010600]", None),
        ('ti:"whale songs', "all:whale AND all:songs"),
        ("whales (AND songs", "all:whales AND all:songs"),
        ("ti:whales AND", "all:whales"),
        ("OR whales)", "all:whales"),
        ("note: whales sing", "all:note AND all:whales AND all:sing"),
        ("the of", "all:the AND all:of"),
        ("鲸鱼", "all:鲸鱼"),
        ("whales & songs | sea; all", "all:whales AND all:songs AND all:sea"),
    ],
)
def test_how_a_query_is_sent(query: str, sent: str | None) -> None:
    asked = prepare_arxiv_query(query)
    assert (asked.all_of, asked.loose) == (query if sent is None else sent, False)


def test_of_many_words_any_are_asked_for() -> None:
    few = prepare_arxiv_query("noise of ships on songs of whales")
    assert (few.all_of, few.loose) == ("all:noise AND all:ships AND all:songs AND all:whales", False)
    many = "all:noise OR all:ships OR all:songs OR all:whales OR all:winter"
    asked = prepare_arxiv_query("noise of ships on songs of whales in winter")
    assert (asked.all_of, asked.loose) == (many, True)
    asked = prepare_arxiv_query('"blue whales" noise of ships on songs of whales in winter')
    assert (asked.all_of, asked.loose) == (f'all:"blue whales" AND ({many})', True)


async def test_what_was_found_by_one_of_many_words_is_left_out() -> None:
    other = entry("2101.00002", title="Steel", summary="Ships rust.")
    given_ = await found("arxiv", feed(entry(), other), "noise of ships on singing whales in the sea")
    assert [passage.document for passage in given_.evidence] == ["arxiv:2101.00001"]
    assert given_.warnings == ("arxiv: 1 of the works found share too few words with the query and are left out",)


@pytest.mark.parametrize(
    ("query", "sent"),
    [
        ("2101.00001", "2101.00001"),
        (" arXiv:2101.00001V2 ", "2101.00001v2"),
        ("hep-th/9901001", "hep-th/9901001"),
    ],
)
async def test_an_id_alone_asks_for_that_paper(query: str, sent: str) -> None:
    async with opened("arxiv", feed()) as (source, served):
        await source.search(query, 7)
    assert served.asked[0].query["id_list"] == sent


@given(st.text('abc AND OR NOT ti:au: "()[]\n\\*-', max_size=40))
def test_what_is_sent_is_closed(query: str) -> None:
    sent = prepare_arxiv_query(query).all_of
    assert sent.count('"') % 2 == 0
    assert sent.count("(") == sent.count(")")
    assert not sent.endswith(("AND", " OR"))
    assert "\n" not in sent


def test_a_query_without_end_is_cut() -> None:
    sent = prepare_arxiv_query(" ".join(f"word{at}" for at in range(500))).all_of
    assert sent.count(" OR ") == MOST_TERMS - 1


async def test_all_that_a_preprint_tells() -> None:
    pdf = '<link href="https://arxiv.org/pdf/2101.00001v2" type="application/pdf"/>'
    (passage,) = (await found("arxiv", feed(entry(comment="9 pages").replace("</entry>", f"{pdf}</entry>")))).evidence
    work = passage.work
    assert work is not None
    assert passage.text == "Whales sing in the sea, with $x^2$ & more."
    assert (passage.document, passage.locator) == ("arxiv:2101.00001", "https://arxiv.org/abs/2101.00001v2")
    assert (work.title, work.authors) == ("Songs of whales", ("Ishmael Q. Pequod",))
    assert (work.year, work.published, work.venue, work.kind) == (2021, "2021-01-02", "arXiv", "preprint")
    assert (work.flags, work.notices) == (("preprint", "abstract_only"), ())
    assert passage.metadata == {
        "version": "v2",
        "updated": "2022-02-03",
        "category": "q-bio.PE",
        "categories": ["q-bio.PE"],
        "comment": "9 pages",
        "pdf": "https://arxiv.org/pdf/2101.00001v2",
    }


async def test_what_names_its_journal_was_reviewed() -> None:
    (only,) = (await found("arxiv", feed(entry(journal_ref="J. Whales 7 (2021)")))).evidence
    assert only.work
    assert (only.work.kind, only.work.flags) == ("article", ("abstract_only",))
    assert only.work.notices == ("What was read is the preprint; it was published in J. Whales 7 (2021).",)


async def test_what_was_published_is_no_mere_preprint() -> None:
    published = entry(doi="10.5555/WHALES", journal_ref="J. Whales 7 (2021)")
    own = entry("2101.00002", doi="10.48550/arXiv.2101.00002")
    first, second = (await found("arxiv", feed(published, own))).evidence
    assert first.work
    assert second.work
    assert first.work.identifiers.names == ("doi:10.5555/whales", "arxiv:2101.00001")
    assert (first.work.kind, first.work.flags, first.work.venue) == (
        "article",
        ("abstract_only",),
        "J. Whales 7 (2021)",
    )
    assert first.work.notices == ("What was read is the preprint; it was published as doi:10.5555/whales.",)
    assert second.work.identifiers.names == ("arxiv:2101.00002",)
    assert second.work.flags == ("preprint", "abstract_only")


@pytest.mark.parametrize(
    "parts",
    [
        {"comment": "This paper has been withdrawn by the author due to an error in eq. 3"},
        {"comment": "Withdrawn. See 2101.00009"},
        {"comment": "9 pages; this version was mistakenly withdrawn"},
        {"summary": "This paper has been withdrawn by the authors."},
        {"summary": "The submission was withdrawn, since Lemma 2 is wrong."},
        {"comment": "The authors have withdrawn this paper"},
        {"comment": "10 pages; withdrawn due to an error in the main result"},
        {"comment": "arXiv admin note: This version has been removed by arXiv administrators"},
        {"comment": "Withdrawn, superseded by arXiv:0903.1234"},
        {"summary": "Withdrawn"},
    ],
)
def test_a_withdrawn_paper_says_so(parts: dict[str, str]) -> None:
    work = only(entry(**parts))
    assert work.flags == ("withdrawn", "preprint", "abstract_only")
    assert work.notices == (f"Withdrawn from arXiv: {next(iter(parts.values()))}",)


@pytest.mark.parametrize(
    "parts",
    [
        {"summary": "We study a drug that was withdrawn from the market."},
        {"summary": "This paper is on whales. Some were withdrawn."},
        {"comment": "Not withdrawn, 9 pages"},
        {"comment": "This paper supersedes arXiv:1203.4567, which has been withdrawn"},
        {"comment": "Replaces the withdrawn paper arXiv:1203.4567"},
        {"comment": "The paper arXiv:1203.4567 has been withdrawn; this is a corrected version"},
        {"comment": "A previous version of this paper was retracted by the journal"},
        {"comment": "Withdrawn from a conference, to appear elsewhere"},
        {"comment": "v2: the claim of uniqueness withdrawn, otherwise unchanged"},
        {"comment": "Money is withdrawable"},
    ],
)
def test_others_are_not_taken_for_withdrawn(parts: dict[str, str]) -> None:
    assert "withdrawn" not in only(entry(**parts)).flags


def test_a_notice_without_end_is_cut() -> None:
    assert len(only(entry(comment="Withdrawn " + "x" * 5_000)).notices[0]) <= NOTICE_CHARACTERS


async def test_what_is_asked() -> None:
    async with opened("arxiv", feed()) as (source, served):
        await source.search("whale songs", 7)
        (asked,) = served.asked
    assert (asked.path, asked.query) == (
        "/query",
        {
            "search_query": "all:whale AND all:songs",
            "start": "0",
            "max_results": "7",
            "sortBy": "relevance",
            "sortOrder": "descending",
        },
    )


async def test_nothing_found_is_a_fact_but_an_empty_page_of_something_is_not() -> None:
    nothing = await found("arxiv", feed())
    assert (nothing.evidence, nothing.warnings) == ((), ())
    with pytest.raises(SourceUnavailable, match="it found 7 works and sent none"):
        await found("arxiv", feed(total=7))


@pytest.mark.parametrize("status", [200, 400])
async def test_an_error_is_an_entry(status: int) -> None:
    error = entry(id="https://arxiv.org/api/errors#bad", title="Error", summary="incorrect id format for x")
    reply = feed(error)
    with pytest.raises(SourceRefused, match="it refuses the query: incorrect id format for x"):
        await found("arxiv", Reply(reply.body, status=status))
    with pytest.raises(SourceRefused, match="incorrect id format for abc"):
        await found("arxiv", played("arxiv/bad_id_400.xml"))


async def test_entries_that_cannot_be_read_are_said() -> None:
    good = entry()
    odd = [entry(id="https://example.org/x"), entry(id=""), entry("2101.00002", summary=""), good]
    given_ = await found("arxiv", feed(good, *odd))
    assert [passage.document for passage in given_.evidence] == ["arxiv:2101.00001"]
    assert given_.warnings == (
        "arxiv: 2 of the works found could not be read",
        "arxiv: 1 of the works found have no abstract and are left out",
    )


async def test_missing_parts_and_strange_ones() -> None:
    parts = dict.fromkeys(("title", "published", "updated", "author"), "")
    (bare,) = (await found("arxiv", feed(entry("hep-th/9901001", "", **parts)))).evidence
    assert bare.work
    assert (bare.document, bare.title, bare.work.year) == ("arxiv:hep-th/9901001", "arxiv:hep-th/9901001", None)
    odd = entry(published="99999-01-01", author="<name> </name>", title=escape("<script>alert(1)</script>"))
    (strange,) = (await found("arxiv", feed(odd))).evidence
    assert strange.work
    assert (strange.work.published, strange.work.authors) == ("", ())
    assert strange.title == "<script>alert(1)</script>"


BOMB = "<!DOCTYPE feed [<!ENTITY a 'whales'><!ENTITY b '&a;&a;&a;&a;&a;&a;&a;&a;'><!ENTITY c '&b;&b;&b;&b;&b;&b;&b;'>]>"


@pytest.mark.parametrize(
    ("reply", "error"),
    [
        (feed(entry(summary="&c;"), head=BOMB), SourceRefused),
        (feed(entry(summary="&x;"), head="<!DOCTYPE feed [<!ENTITY x SYSTEM 'file:///etc/passwd'>]>"), SourceRefused),
        (feed("<entry><title>cut"), SourceUnavailable),
        (feed(entry(title="\x01")), SourceUnavailable),
        (Reply(b"<?xml version='1.0' encoding='UTF-8'?><feed>\xff\xfe</feed>"), SourceUnavailable),
        (Reply("Rate exceeded.", headers={"Content-Type": "text/plain"}), SourceUnavailable),
        (Reply("Rate exceeded.", 503, {"Retry-After": "5"}), SourceBusy),
        (Reply("<html><body>Bad request</body></html>", 400), SourceRefused),
    ],
)
async def test_a_feed_that_is_none(reply: Reply, error: type[Exception]) -> None:
    with pytest.raises(error, match=r"^arxiv: "):
        await found("arxiv", reply)


async def test_recorded_answers_are_read() -> None:
    for page in ("arxiv/search_page_1.xml", "arxiv/search_page_2.xml"):
        given_ = await found("arxiv", played(page), "testing")
        assert len(given_.evidence) == 10
        works = [passage.work for passage in given_.evidence if passage.work]
        assert all(work.authors and work.published and work.identifiers.arxiv for work in works)
        published = [bool(work.identifiers.doi) or work.venue != "arXiv" for work in works]
        assert [("preprint" not in work.flags) for work in works] == published
        assert not any("withdrawn" in work.flags for work in works)
    (one,) = (await found("arxiv", played("arxiv/by_id.xml"), "1605.08386")).evidence
    assert one.document == "arxiv:1605.08386"
    assert (await found("arxiv", played("arxiv/unknown_id_empty.xml"), "0000.0000")).evidence == ()
