"""Wikipedia: the edition that is asked, the sections that are answered, and its errors in 200."""

from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.graphs.catalogue.sources import SOURCES
from elcano.graphs.errors import SourceBusy, SourceRefused, SourceUnavailable
from elcano.settings import Settings
from elcano.subjects.literature.service_answers import parse_readable_items
from elcano.subjects.literature.wikipedia import (
    EDITIONS,
    MOST_ARTICLES,
    MOST_REQUESTS,
    Page,
    Wikipedia,
    build_wikipedia_record,
    parse_edition_query,
    parse_extract_blocks,
)
from elcano.subjects.literature.work_records import build_stored_record
from tests.loopback import Answering, Asked, Reply, loopback
from tests.loopback import recorded as played
from tests.unit.subjects.literature.opened import ANYTHING, as_json, checked, found, opened

TEXT = """Whales are large animals of the sea.


== Songs ==
Some whales sing for many hours.
It is heard far away.


=== Season ===
They sing in winter.


== See also ==
Songs of birds that sing in winter.


=== Others ===
More songs in winter.


== Size ==
They are long."""


def article(id: int = 7, text: str | None = TEXT, **more: object) -> dict[str, Any]:
    """An article as MediaWiki answers it, with invented content."""
    return {
        "pageid": id,
        "ns": 0,
        "title": f"Whales {id}",
        "extract": text,
        "canonicalurl": f"https://en.wikipedia.org/wiki/Whales_{id}",
        "lastrevid": 1,
        "revisions": [{"revid": 900 + id, "timestamp": "2026-03-04T05:06:07Z"}],
        **more,
    }


def service(*pages: Mapping[str, Any], hits: object = None) -> Answering:
    """Finds all of `pages`, and answers each by its id."""
    by_id = {str(page["pageid"]): page for page in pages}
    listed = [{"ns": 0, "title": page.get("title"), "pageid": page["pageid"]} for page in pages]

    def answer(request: Asked) -> Reply:
        if request.query.get("list") == "search":
            return as_json({"batchcomplete": True, "query": {"search": listed if hits is None else hits}})
        return as_json({"batchcomplete": True, "query": {"pages": [by_id[request.query["pageids"]]]}})

    return answer


async def test_sections_that_fit_come_first_with_the_revision_that_was_read() -> None:
    given_ = await found("wikipedia", service(article()), "do whales sing in winter")
    first = given_.evidence[0]
    assert (first.heading, first.text) == ("Songs > Season", "They sing in winter.")
    assert first.locator == "https://en.wikipedia.org/w/index.php?oldid=907"
    assert first.document == "url:https://en.wikipedia.org/wiki/Whales_7"
    assert first.metadata == {"page": 7, "edition": "en", "revision": 907}
    work = first.work
    assert work is not None
    assert (work.kind, work.title, work.venue, work.licence) == (
        "encyclopedia",
        "Whales 7",
        "Wikipedia (en)",
        "CC BY-SA 4.0",
    )
    assert (work.published, work.year, work.language) == ("2026-03-04", 2026, "en")
    assert {one.heading for one in given_.evidence} == {"", "Songs", "Songs > Season", "Size"}
    assert not any("birds" in one.text or "More songs" in one.text for one in given_.evidence)


async def test_where_no_article_has_all_words_any_are_asked_for() -> None:
    def answer(request: Asked) -> Reply:
        if " OR " in request.query.get("srsearch", " OR "):
            return service(article())(request)
        return as_json({"batchcomplete": True, "query": {"search": []}})

    async with opened("wikipedia", answer) as (source, served):
        given_ = await source.search("How do whales sing in ice?", 5)
        asked_for = [request.query.get("srsearch") for request in served.asked]
        assert asked_for == ["How do whales sing in ice", "whales OR sing OR ice", None]
        assert given_.evidence
        assert given_.warnings == ("wikipedia: nothing has all words of the query, so any of them were searched for",)
        served.asked.clear()
        assert not (await source.search('intitle:"whales" ice', 5)).evidence
        assert len(served.asked) == 1


async def test_what_is_asked() -> None:
    async with opened("wikipedia", service(article())) as (source, served):
        await source.search("  Do whales\n sing?", 3)
    search, page = served.asked
    assert search.path == page.path == "/api.php"
    assert search.query == {
        "action": "query",
        "format": "json",
        "formatversion": "2",
        "list": "search",
        "srsearch": "Do whales sing",
        "srlimit": str(MOST_REQUESTS),
    }
    assert page.query["pageids"] == "7"
    assert page.query["explaintext"] == "1"


@pytest.mark.parametrize(
    ("query", "edition", "words"),
    [
        ("de: Wale und\n Gesang", "de", "Wale und Gesang"),
        ("ZH:鲸", "zh", "鲸"),
        ("whales", "en", "whales"),
        ("intitle:whales", "en", "intitle:whales"),
        ("dna: structure", "en", "dna: structure"),
        ("evil.example/x: y", "en", "evil.example/x: y"),
        ("de:", "en", "de:"),
        ("simple: whales", "simple", "whales"),
    ],
)
def test_a_prefix_chooses_the_edition(query: str, edition: str, words: str) -> None:
    assert parse_edition_query(query) == (edition, words)
    assert all(code.isalpha() for code in EDITIONS)


async def test_an_own_address_may_say_where_the_edition_stands() -> None:
    with loopback(service(article())) as served:
        one = Settings(_env_file=None, service_urls={"wikipedia": served.url})
        each = Settings(_env_file=None, service_urls={"wikipedia": f"{served.url}/{{language}}/w"})
        source = Wikipedia(SOURCES["wikipedia"], one)
        with pytest.raises(SourceRefused, match=r"the edition 'de' cannot be asked.*write \{language\} in it"):
            await source.search("de: Wale", 3)
        await source.close()
        source = Wikipedia(SOURCES["wikipedia"], each)
        found_ = checked(await source.search("de: whales", 3))
        await source.close()
    assert {request.path for request in served.asked} == {"/de/w/api.php"}
    assert found_.evidence[0].work
    assert (found_.evidence[0].work.language, found_.evidence[0].work.venue) == ("de", "Wikipedia (de)")


async def test_pages_that_only_list_others_are_left_out_and_said() -> None:
    lists = [article(id, pageprops={"disambiguation": ""}) for id in (1, 2)]
    given_ = await found("wikipedia", service(*lists, article(3)), "whales sing")
    assert {one.document for one in given_.evidence} == {"url:https://en.wikipedia.org/wiki/Whales_3"}
    assert given_.warnings == tuple(
        f"wikipedia: 'Whales {id}' only lists articles of that name and is left out" for id in (1, 2)
    )


async def test_no_more_articles_are_read_than_are_needed() -> None:
    for pages, reads in (([article(id) for id in range(1, 10)], MOST_ARTICLES), ([], 0)):
        async with opened("wikipedia", service(*pages)) as (source, served):
            await source.search("whales", 50)
        assert len(served.asked) == 1 + reads
    lists = [article(id, pageprops={"disambiguation": ""}) for id in range(1, 10)]
    async with opened("wikipedia", service(*lists)) as (source, served):
        assert (await source.search("whales", 50)).evidence == ()
    assert len(served.asked) == 1 + MOST_REQUESTS


async def test_articles_that_are_gone_or_silent_are_said() -> None:
    gone = {"pageid": 1, "title": "Gone", "missing": True}
    given_ = await found("wikipedia", service(gone, article(2, None), article(3, "  "), article(4)))
    assert {one.title for one in given_.evidence} == {"Whales 4"}
    assert given_.warnings == (
        "wikipedia: article 1 was found and is not there any more",
        "wikipedia: 'Whales 2' has no text and is left out",
        "wikipedia: 'Whales 3' has no text and is left out",
    )


async def test_hits_of_wrong_types_and_twice() -> None:
    hits = [{"pageid": 7}, {"pageid": 7}, {"pageid": "x"}, {"pageid": -1}, {"pageid": 0}, None, 5, {"title": "no id"}]
    async with opened("wikipedia", service(article(7), hits=hits)) as (source, served):
        given_ = checked(await source.search("whales", 5))
    assert len(served.asked) == 2
    assert given_.evidence


@pytest.mark.parametrize(
    ("code", "error"),
    [
        ("ratelimited", SourceBusy),
        ("maxlag", SourceBusy),
        ("readonly", SourceBusy),
        ("internal_api_error_DBQueryError", SourceBusy),
        ("cirrussearch-too-busy-error", SourceBusy),
        ("badvalue", SourceRefused),
        ("search-title-disabled", SourceRefused),
    ],
)
async def test_an_error_in_200_is_an_error(code: str, error: type[Exception]) -> None:
    told = as_json({"error": {"code": code, "info": "No " + "x" * 900}})
    with pytest.raises(error, match=f"^wikipedia: it answers with an error, {code}: No x+") as caught:
        await found("wikipedia", told)
    assert type(caught.value) is error
    assert len(str(caught.value)) < 300


@pytest.mark.parametrize("odd", [None, "x", [], {"code": 5}])
async def test_an_error_of_another_shape_is_one(odd: object) -> None:
    with pytest.raises(SourceRefused, match="it answers with an error"):
        await found("wikipedia", as_json({"error": odd}))


async def test_warnings_are_no_error() -> None:
    def answer(request: Asked) -> Reply:
        body = str(service(article())(request).body)
        return Reply(body.replace("{", '{"warnings": {"main": {"warnings": "old"}}, ', 1))

    assert (await found("wikipedia", answer)).evidence


async def test_who_names_no_contact_is_told_to() -> None:
    refused = Reply("Please set a user-agent", 403, {"Content-Type": "text/plain"})
    with pytest.raises(SourceRefused, match="set ELCANO_CONTACT"):
        await found("wikipedia", refused)
    with pytest.raises(SourceRefused, match=r"HTTP 403.*Please set a user-agent"):
        await found("wikipedia", refused, contact="whales@example.org")
    with pytest.raises(SourceRefused, match="robot policy"):
        await found("wikipedia", played("wikipedia/no_user_agent_403.txt"), contact="whales@example.org")


async def test_an_article_that_cannot_be_read_fails_the_search() -> None:
    """Half of what was found would look like all of it; another attempt reads the rest."""

    def answer(request: Asked) -> Reply:
        if request.query.get("pageids") == "2":
            return Reply(status=503, headers={"Retry-After": "9"})
        return service(article(1), article(2))(request)

    with pytest.raises(SourceBusy) as caught:
        await found("wikipedia", answer)
    assert caught.value.retry_after == 9


def test_a_formula_is_a_part_of_its_sentence() -> None:
    signs = "  \n    \n      \n        E\n        =\n    \n    {\\displaystyle E=mc^{2}}\n  \n"
    text = f"The mass\n{signs} is large.\n\n== See ==\nA"
    assert [(block.kind, block.text) for block in parse_extract_blocks(text)] == [
        ("text", "The mass E=mc^{2} is large."),
        ("heading", "See"),
        ("text", "A"),
    ]


@given(st.text("= a\n{}\\", max_size=60) | st.lists(st.sampled_from(TEXT.splitlines())).map("\n".join))
def test_any_text_is_kept_whole(text: str) -> None:
    page = Page.model_validate(article(text=text))
    kept = build_stored_record("wikipedia", build_wikipedia_record(page, "en"), 1.0)
    if kept is not None:
        assert all(kept.text.text[part.start : part.end] == part.text for part in kept.passages)


@given(st.dictionaries(st.sampled_from([*sorted(article()), "pageprops", "missing", "fullurl"]), ANYTHING, max_size=5))
def test_fields_of_any_type_cost_no_more_than_themselves(wrong: dict[str, Any]) -> None:
    pages, _ = parse_readable_items(Page, [{**article(), **wrong}])
    for page in pages:
        build_stored_record("wikipedia", build_wikipedia_record(page, "en"), 1.0)


@pytest.mark.parametrize(
    "address", ["https://a:b@evil.example/x", "javascript:alert(1)", "https://x:99999/", "//x/y", 5]
)
def test_an_address_that_cannot_be_one_is_made_of_the_id(address: object) -> None:
    page = Page.model_validate(article(canonicalurl=address))
    assert build_wikipedia_record(page, "en").work.identifiers.url == "https://en.wikipedia.org/?curid=7"


async def test_recorded_answers_are_read() -> None:
    search = played("wikipedia/search.json")

    def answer(request: Asked) -> Reply:
        if request.query.get("list") == "search":
            return search
        return as_json({"batchcomplete": "", "query": {"pages": {"x": article(int(request.query["pageids"]))}}})

    async with opened("wikipedia", answer) as (source, served):
        given_ = checked(await source.search("Python programming", 5))
    assert [request.query.get("pageids") for request in served.asked[1:3]] == ["23862", "21356332"]
    assert given_.evidence
    with pytest.raises(SourceRefused, match="search-title-disabled"):
        await found("wikipedia", played("wikipedia/error_in_200.json"))
    with pytest.raises(SourceUnavailable, match="that of no search"):
        await found("wikipedia", played("wikipedia/missing_page.json"))

    def missing(request: Asked) -> Reply:
        return played(f"wikipedia/{'search_exact_title' if request.query.get('list') else 'missing_page'}.json")

    gone = await found("wikipedia", missing)
    assert gone.evidence == ()
    assert gone.warnings[0].endswith("was found and is not there any more")
