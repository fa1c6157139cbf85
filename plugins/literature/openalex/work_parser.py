"""A work as OpenAlex writes it, read field by field; its abstract is put together from an index of its words."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.works import (
    Flag,
    Identifiers,
    Work,
    WorkKind,
    parse_arxiv_id,
    parse_doi,
    parse_pmcid,
    parse_pmid,
)
from elcano.plugins.literature import fields, markup
from elcano.plugins.literature.standing import normalize_licence_name, said_by_title
from elcano.plugins.literature.work_records import Record

FIELDS: Final = (
    *("id", "doi", "ids", "display_name", "publication_year", "publication_date", "language", "type"),
    *("primary_location", "best_oa_location", "open_access", "authorships", "biblio", "is_retracted"),
    *("cited_by_count", "abstract_inverted_index"),
)
"""What is asked for of each work; all of it would be ten times as much."""
MOST_WORDS: Final = 20_000
"""Of one abstract; a place beyond is damage, and would otherwise decide how much memory is taken."""
WORD_CHARACTERS: Final = 200
GAP: Final = "[\u2026]"
"""Stands where the index has no word, so that nobody quotes two parts as one."""

_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("article", "letter", "editorial", "erratum", "retraction", "data-paper"), "article"),
    "review": "review",
    "preprint": "preprint",
    **dict.fromkeys(("book", "book-chapter", "book-section", "reference-entry"), "book"),
    **dict.fromkeys(("dissertation", "report", "standard"), "document"),
}
_NOTICES: Final = {"erratum": "This is an erratum of another work.", "retraction": "This is a notice of a retraction."}


class Abstract(NamedTuple):
    """The text of an inverted index."""

    text: str
    whole: bool
    """Whether every place had its one word."""


def build_openalex_record(given: Mapping[str, Any]) -> Record:
    """Return the record of one work. Fields that are missing or of the wrong type stay empty."""
    location = fields.coerce_mapping(given.get("primary_location"))
    journal = fields.coerce_mapping(location.get("source"))
    biblio = fields.coerce_mapping(given.get("biblio"))
    kind = fields.coerce_text(given.get("type"))
    identifiers = _collect_identifiers(given, location, kind)
    published = fields.coerce_date(given.get("publication_date")) or fields.coerce_date(given.get("publication_year"))
    title = markup.flatten_markup(fields.coerce_text(given.get("display_name")))
    abstract = rebuild_inverted_abstract(given.get("abstract_inverted_index"))
    flags, notices = _assess_standing(given, title, kind)
    name = fields.coerce_text(given.get("id")).rpartition("/")[2]
    work = Work(
        title=title,
        authors=_list_authors(given),
        year=fields.parse_year(published),
        published=published,
        venue=fields.coerce_text(journal.get("display_name")),
        volume=fields.coerce_text(biblio.get("volume")),
        issue=fields.coerce_text(biblio.get("issue")),
        pages=_format_page_range(biblio),
        publisher=fields.coerce_text(journal.get("host_organization_name")),
        kind=_KINDS.get(kind, "other"),
        identifiers=identifiers,
        url=_choose_work_url(identifiers, location, name),
        language=fields.coerce_text(given.get("language")),
        flags=flags,
        notices=notices,
        cited_by=fields.coerce_whole_number(given.get("cited_by_count")),
        licence=_find_licence(given, location),
    )
    return Record(
        work, markup.parse_markup_blocks(abstract.text), name, _collect_metadata(given, location, kind, name, abstract)
    )


def rebuild_inverted_abstract(index: object) -> Abstract:
    """The abstract of an index from words to their places, counted from 0.

    Of two words at one place the first of the index stands. Where places are missing there is a gap, and what lies
    beyond the bounds is left out; neither is `whole`.
    """
    placed: dict[int, str] = {}
    whole = True
    for word, places in fields.coerce_mapping(index).items():
        for place in fields.coerce_list(places):
            at = fields.coerce_whole_number(place) if isinstance(place, int) else None
            if at is None or at >= MOST_WORDS or at in placed or len(word) > WORD_CHARACTERS:
                whole = False
                continue
            placed[at] = word
    order = sorted(placed)
    parts = [placed[at] for at in order[:1]]
    for before, at in pairwise(order):
        if at != before + 1:
            whole = False
            parts.append(GAP)
        parts.append(placed[at])
    return Abstract(" ".join(" ".join(parts).split()), whole and order[:1] in ([0], []))


def _collect_identifiers(given: Mapping[str, Any], location: Mapping[str, Any], kind: str) -> Identifiers:
    ids = fields.coerce_mapping(given.get("ids"))
    doi = parse_doi(fields.coerce_text(given.get("doi")) or fields.coerce_text(ids.get("doi")))
    pmcid = fields.coerce_text(ids.get("pmcid")).rstrip("/").rpartition("/")[2]
    page = fields.coerce_text(location.get("landing_page_url"))
    read_at = page if kind == "preprint" and "arxiv.org/" in page else ""
    return Identifiers(
        doi=doi,
        pmid=parse_pmid(fields.coerce_text(ids.get("pmid")).rstrip("/").rpartition("/")[2]),
        pmcid=parse_pmcid(pmcid) if pmcid else "",
        arxiv=parse_arxiv_id(doi) if doi.startswith("10.48550/") else parse_arxiv_id(read_at),
    )


def _list_authors(given: Mapping[str, Any]) -> tuple[str, ...]:
    """As OpenAlex writes names: given name first, since where the family name begins it does not tell."""
    authorships = fields.coerce_mappings(given.get("authorships"))
    named = (
        fields.coerce_text(fields.coerce_mapping(one.get("author")).get("display_name"))
        or fields.coerce_text(one.get("raw_author_name"))
        for one in authorships
    )
    return tuple(name for name in named if name)


def _assess_standing(given: Mapping[str, Any], title: str, kind: str) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    flags, notices = said_by_title(title)
    notices += tuple(notice for of, notice in _NOTICES.items() if of == kind)
    if given.get("is_retracted") is True and "retracted" not in flags:
        flags = ("retracted", *flags)
        notices += ("OpenAlex lists it as retracted.",)
    if kind == "preprint":
        flags = (*flags, "preprint")
    return (*flags, "abstract_only"), notices


def _format_page_range(biblio: Mapping[str, Any]) -> str:
    first, last = (fields.coerce_text(biblio.get(name)) for name in ("first_page", "last_page"))
    return f"{first}-{last}" if last and last != first else first


def _find_licence(given: Mapping[str, Any], location: Mapping[str, Any]) -> str:
    best = fields.coerce_mapping(given.get("best_oa_location"))
    return normalize_licence_name(
        fields.coerce_text(location.get("license")) or fields.coerce_text(best.get("license"))
    )


def _choose_work_url(identifiers: Identifiers, location: Mapping[str, Any], name: str) -> str:
    if identifiers.doi:
        return f"https://doi.org/{quote(identifiers.doi, safe='/:;().')}"
    page = fields.coerce_text(location.get("landing_page_url"))
    return page if page.startswith(("https://", "http://")) else f"https://openalex.org/{name}" if name else ""


def _collect_metadata(
    given: Mapping[str, Any], location: Mapping[str, Any], kind: str, name: str, abstract: Abstract
) -> JsonObject:
    access = fields.coerce_mapping(given.get("open_access"))
    known: dict[str, str] = {
        "openalex": name,
        "type": kind,
        "version": fields.coerce_text(location.get("version")),
        "open_access": fields.coerce_text(access.get("oa_status")),
        "open_access_url": fields.coerce_text(access.get("oa_url")),
        "abstract": "" if abstract.whole else "incomplete",
    }
    return {key: value for key, value in known.items() if value}
