"""Crossref: its records, what became of works later, and one work by its DOI."""

import json
from collections.abc import Mapping
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from elcano.activities.sources.base import FindsRecords
from elcano.graphs.errors import SourceRefused
from elcano.subjects.literature.crossref import CrossrefWork, build_crossref_record
from elcano.subjects.literature.work_records import Record, build_stored_record
from tests.loopback import Asked, Reply
from tests.loopback import recorded as played
from tests.unit.subjects.literature.opened import ANYTHING, as_json, found, opened

ABSTRACT = (
    "<jats:title>Abstract</jats:title><jats:sec><jats:title>Methods</jats:title><jats:p>We heard "
    "<jats:italic>whales</jats:italic> (p &lt; 0.05).</jats:p></jats:sec><jats:sec><jats:title>Results</jats:title>"
    "<jats:p>10<jats:sup>6</jats:sup> songs.</jats:p></jats:sec>"
)


def made(number: int = 1, **more: Any) -> dict[str, Any]:
    """A work as Crossref writes it, with invented content."""
    return {
        "DOI": f"10.5555/WHALES.{number}",
        "type": "journal-article",
        "title": ["Songs of <i>whales</i> &amp; others"],
        "subtitle": ["A survey"],
        "author": [
            {"given": "Ishmael", "family": "Pequod", "suffix": "Jr"},
            {"name": "The Whale Group"},
            {"family": "Hab"},
            {},
        ],
        "container-title": ["Journal of Whales"],
        "publisher": "Sea Press",
        "volume": "7",
        "issue": "2",
        "page": "10-19",
        "published": {"date-parts": [[2021, 3]]},
        "is-referenced-by-count": 12,
        "language": "en",
        "abstract": ABSTRACT,
        "license": [
            {"content-version": "tdm", "URL": "https://sea.example/tdm"},
            {"content-version": "vor", "URL": "http://creativecommons.org/licenses/by-nc/4.0/"},
        ],
        **more,
    }


def results(*works: object) -> Reply:
    return as_json({"status": "ok", "message": {"total-results": len(works), "items": works}})


def update(kind: str, **more: object) -> dict[str, Any]:
    updated = {"date-parts": [[2022, 5, 6]]}
    return {"updated-by": [{"type": kind, "DOI": "10.5555/Notice", "updated": updated, **more}]}


def record(given: Mapping[str, Any]) -> Record:
    return build_crossref_record(CrossrefWork.model_validate(given))


async def test_all_that_a_work_tells() -> None:
    (passage,) = (await found("crossref", results(made()))).evidence
    work = passage.work
    assert work is not None
    assert passage.text == "Methods\n\nWe heard whales (p < 0.05).\n\nResults\n\n10⁶ songs."
    assert (passage.document, passage.locator) == ("doi:10.5555/whales.1", "https://doi.org/10.5555/whales.1")
    assert work.title == "Songs of whales & others: A survey"
    assert work.authors == ("Pequod, Ishmael, Jr", "The Whale Group", "Hab")
    assert (work.year, work.published, work.venue, work.publisher) == (
        2021,
        "2021-03",
        "Journal of Whales",
        "Sea Press",
    )
    assert (work.volume, work.issue, work.pages) == ("7", "2", "10-19")
    assert (work.kind, work.flags, work.notices) == ("article", ("abstract_only",), ())
    assert (work.cited_by, work.licence, work.language) == (12, "CC BY-NC 4.0", "en")
    assert passage.metadata == {"type": "journal-article"}


@pytest.mark.parametrize(
    ("parts", "published"),
    [
        ([[2021]], "2021"),
        ([[2021, 3]], "2021-03"),
        ([[2021, 3, 4]], "2021-03-04"),
        ([["2021", "3", 40]], "2021-03"),
        ([[2021, 13]], "2021"),
        ([[None]], ""),
        ([[0]], ""),
        ([[99999]], ""),
        ([], ""),
        ([2021], ""),
        (None, ""),
    ],
)
def test_dates_are_as_exact_as_they_are_known(parts: object, published: str) -> None:
    work = record(made(published={"date-parts": parts})).work
    assert (work.published, work.year) == (published, int(published[:4]) if published else None)
    assert record(made(published={"date-parts": parts}, issued={"date-parts": [[1999]]})).work.published == (
        published or "1999"
    )


@pytest.mark.parametrize(
    ("kind", "flag", "words"),
    [
        ("retraction", "retracted", "Retraction"),
        ("removal", "retracted", "Removal"),
        ("withdrawal", "withdrawn", "Withdrawal"),
        ("expression_of_concern", "concern", "Expression of concern"),
        ("partial_retraction", "concern", "Partial retraction"),
        ("Correction", "corrected", "Correction"),
        ("erratum", "corrected", "Erratum"),
        ("corrigendum", "corrected", "Corrigendum"),
        ("new_version", None, "New version"),
        ("something else", None, "Update"),
    ],
)
def test_what_became_of_a_work(kind: str, flag: str | None, words: str) -> None:
    work = record(made(**update(kind))).work
    assert work.flags == ((flag, "abstract_only") if flag else ("abstract_only",))
    assert work.notices == (f"{words} of 2022-05-06: doi:10.5555/notice.",)


def test_the_gravest_flag_comes_first_and_a_notice_says_who_tells() -> None:
    both = [*update("correction")["updated-by"], *update("retraction", source="retraction-watch")["updated-by"]]
    work = record({**made(title=["RETRACTED: Songs of whales"]), "updated-by": both}).work
    assert work.flags == ("retracted", "corrected", "abstract_only")
    assert work.notices == (
        "Its title is marked as retracted.",
        "Correction of 2022-05-06: doi:10.5555/notice.",
        "Retraction of 2022-05-06: doi:10.5555/notice (reported by Retraction Watch).",
    )


def test_a_notice_is_not_what_it_retracts() -> None:
    notice = made(**{"update-to": update("retraction")["updated-by"], "title": ["Retraction: Songs of whales"]})
    work = record(notice).work
    assert work.flags == ("abstract_only",)
    assert work.notices == ("This is a notice, retraction, on another work: doi:10.5555/notice.",)


def test_a_preprint_says_where_it_was_published() -> None:
    related = {"is-preprint-of": [{"id-type": "doi", "id": "10.5555/Later"}, {"id": 5}, None]}
    given = made(type="posted-content", subtype="preprint", relation=related, institution=[{"name": "whaleRxiv"}])
    kept = record({**given, "container-title": []})
    assert (kept.work.kind, kept.work.flags, kept.work.venue) == (
        "preprint",
        ("preprint", "abstract_only"),
        "whaleRxiv",
    )
    assert kept.work.notices == ("This preprint was published as doi:10.5555/later.",)
    assert kept.metadata["published_as"] == "10.5555/later"
    assert record(made(type="posted-content", subtype="other")).work.flags == ("abstract_only",)


async def test_what_is_asked() -> None:
    async with opened("crossref", results(), contact="whales@example.org") as (source, served):
        await source.search('Do "whales"\n sing? Pequod 2021', 7)
        (asked,) = served.asked
    assert asked.path == "/works"
    assert asked.query == {
        "query.bibliographic": 'Do "whales" sing? Pequod 2021',
        "filter": "has-abstract:true",
        "rows": "7",
        "mailto": "whales@example.org",
    }
    async with opened("crossref", results(), contact="https://example.org/whales") as (source, served):
        await source.search("whales", 7)
        assert "mailto" not in served.asked[0].query


async def test_works_that_have_little_to_do_with_the_query_are_left_out() -> None:
    strange = made(2, title=["Steel"], subtitle=[], author=[], abstract="Steel rusts.", **{"container-title": []})
    given = await found("crossref", results(made(1), strange, made(1)), "songs of humpback whales in Pequod")
    assert [passage.document for passage in given.evidence] == ["doi:10.5555/whales.1"]
    assert given.warnings == ("crossref: 1 of the works found share too few words with the query and are left out",)
    # Two of six telling words are enough, one is not.
    for query, kept in (("songs whales iron rust harbour ship", 1), ("songs moon iron rust harbour ship", 0)):
        assert len((await found("crossref", results(made(1)), query)).evidence) == kept


async def test_works_without_text_and_records_that_are_none_are_said() -> None:
    works = [made(1), "x", None, made(2, abstract=""), made(3, abstract="<jats:p/>"), made(4, abstract=["whales"])]
    given = await found("crossref", results(*works))
    assert [passage.document for passage in given.evidence] == ["doi:10.5555/whales.1"]
    assert given.warnings == (
        "crossref: 2 of the works found could not be read",
        "crossref: 3 of the works found have no abstract and are left out",
    )
    assert await found("crossref", results()) == await found("crossref", results())
    assert (await found("crossref", results())).warnings == ()


@given(st.dictionaries(st.sampled_from([*sorted(made()), "updated-by", "update-to", "relation"]), ANYTHING, max_size=6))
def test_fields_of_any_type_cost_no_more_than_themselves(wrong: Mapping[str, Any]) -> None:
    for given_ in ({**made(), **wrong}, wrong):
        kept = build_stored_record("crossref", record(given_), 1.0)
        if kept is not None:
            assert all(kept.text.text[part.start : part.end] == part.text for part in kept.passages)


async def test_a_refused_parameter_is_named() -> None:
    faults = [{"type": "integer-not-valid", "message": "Integer specified as 9 but must be less."}, {"type": "x"}]
    refused = {"status": "failed", "message-type": "validation-failure", "message": faults}
    with pytest.raises(SourceRefused, match=r"^crossref: HTTP 400.*Integer specified as 9 but must be less\.$"):
        await found("crossref", as_json(refused, status=400))
    with pytest.raises(SourceRefused, match="validation-failure"):
        await found("crossref", as_json(refused))
    with pytest.raises(SourceRefused, match="positive integer less than or equal to 100"):
        await found("crossref", played("crossref/error_400_validation.json"))


async def test_recorded_answers_are_read() -> None:
    given = await found("crossref", played("crossref/works_cursor_page_1.json"), "ecology", limit=50)
    assert len({passage.document for passage in given.evidence}) == 26
    assert given.warnings == ("crossref: 4 of the works found have no abstract and are left out",)
    assert all(passage.work and passage.work.kind == "book" and passage.work.title for passage in given.evidence)
    assert not any("jats:" in text.text for text in given.texts)
    assert (await found("crossref", played("crossref/works_empty.json"))).evidence == ()
    bare = await found("crossref", played("crossref/works_by_title_select.json"), "chemistry tools")
    assert (bare.evidence, len(bare.warnings)) == ((), 1)


def test_recorded_works() -> None:
    article = record(json.loads(played("crossref/work_article.json").body)["message"]).work
    assert (article.published, article.flags) == ("2014-10-27", ("corrected", "abstract_only"))
    assert article.notices == ("Correction of 2015-05-04: doi:10.1073/pnas.1507001112.",)
    preprint = record(json.loads(played("crossref/work_preprint.json").body)["message"]).work
    assert (preprint.kind, preprint.venue) == ("preprint", "bioRxiv")
    assert preprint.flags[0] == "preprint"


def test_a_whole_book_is_in_nothing_and_a_chapter_in_its_book() -> None:
    given = {"title": ["Part"], "container-title": ["Lecture Notes", "The Book"], "DOI": "10.1000/x"}
    book, chapter = (
        build_crossref_record(CrossrefWork.model_validate({**given, "type": kind})).work
        for kind in ("monograph", "book-chapter")
    )
    assert (book.kind, book.venue) == ("book", "")
    assert (chapter.kind, chapter.venue) == ("book", "Lecture Notes")


async def test_a_record_is_found_by_its_doi_and_others_have_none() -> None:
    def answer(asked: Asked) -> Reply:
        if asked.path == "/works/10.5555%2Fwhales.1":
            return as_json({"status": "ok", "message": made(**update("retraction"))})
        if asked.path == "/works/10.5555%2Falias":
            return as_json({"status": "ok", "message": made()})
        return Reply("Resource not found.", status=404)

    async with opened("crossref", answer) as (source, service):
        assert isinstance(source, FindsRecords)
        work = await source.find_record("10.5555/whales.1")
        assert await source.find_record("10.5555/alias") is None
        assert await source.find_record("10.5555/../none?a=1") is None
    assert work is not None
    assert (work.source, work.venue, work.year, work.flags) == (
        "crossref",
        "Journal of Whales",
        2021,
        ("retracted", "abstract_only"),
    )
    assert service.asked[2].path == "/works/10.5555%2F..%2Fnone%3Fa%3D1"
