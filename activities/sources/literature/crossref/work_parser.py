"""A work as Crossref has it from its publisher, read field by field."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from elcano.activities.sources.literature import fields, markup
from elcano.activities.sources.literature.crossref.updates import assess_work_standing
from elcano.activities.sources.literature.standing import normalize_licence_name
from elcano.activities.sources.literature.work_records import Record
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values import work_metadata
from elcano.graphs.values.work_metadata import Identifiers, Work, WorkKind

_KINDS: Final[Mapping[str, WorkKind]] = {
    **dict.fromkeys(("journal-article", "proceedings-article"), "article"),
    **dict.fromkeys(
        ("book", "monograph", "edited-book", "reference-book", "book-chapter", "book-section", "book-part"), "book"
    ),
    "reference-entry": "book",
    **dict.fromkeys(("report", "report-component", "dissertation", "standard"), "document"),
}
_DATES: Final = ("published", "issued", "published-online", "published-print", "posted")
"""The first that is there: `published` is the earliest of what is known."""
_VERSIONS: Final = ("vor", "am", "unspecified")
"""Whose licence counts first: of the version of record, of the accepted manuscript, of what nobody said."""


def build_crossref_record(given: Mapping[str, Any]) -> Record:
    """Return the record of one work. Fields that are missing or of the wrong type stay empty."""
    abstract = given.get("abstract")
    blocks = markup.parse_markup_blocks(abstract) if isinstance(abstract, str) else ()
    return Record(build_crossref_work(given, abstract=bool(blocks)), blocks, metadata=_collect_metadata(given))


def build_crossref_work(given: Mapping[str, Any], *, abstract: bool = False) -> Work:
    """Return what is known of a work; `abstract` says whether its abstract, and no more of it, was read."""
    title = _read_title(given)
    doi = work_metadata.parse_doi(fields.coerce_text(given.get("DOI")))
    preprint = fields.coerce_text(given.get("type")) == "posted-content" and (
        fields.coerce_text(given.get("subtype")) in ("preprint", "")
    )
    published = _find_published_date(given)
    flags, notices = assess_work_standing(given, title)
    return Work(
        title=title,
        authors=tuple(_list_authors(given)),
        year=fields.parse_year(published),
        published=published,
        venue=_find_venue(given),
        volume=fields.coerce_text(given.get("volume")),
        issue=fields.coerce_text(given.get("issue")),
        pages=fields.coerce_text(given.get("page")) or fields.coerce_text(given.get("article-number")),
        publisher=fields.coerce_text(given.get("publisher")),
        kind="preprint" if preprint else _KINDS.get(fields.coerce_text(given.get("type")), "other"),
        identifiers=Identifiers(
            doi=doi, arxiv=work_metadata.parse_arxiv_id(doi) if doi.startswith("10.48550/") else ""
        ),
        url=f"https://doi.org/{quote(doi, safe='/:;().')}" if doi else "",
        language=fields.coerce_text(given.get("language")),
        flags=(*flags, *(("preprint",) if preprint else ()), *(("abstract_only",) if abstract else ())),
        notices=notices,
        cited_by=fields.coerce_whole_number(given.get("is-referenced-by-count")),
        licence=_find_licence(given),
        source="crossref",
    )


def _read_title(given: Mapping[str, Any]) -> str:
    title = markup.flatten_markup(fields.coerce_first_text(given.get("title"))) or markup.flatten_markup(
        fields.coerce_first_text(given.get("original-title"))
    )
    subtitle = markup.flatten_markup(fields.coerce_first_text(given.get("subtitle")))
    return f"{title}: {subtitle}" if title and subtitle and subtitle.lower() not in title.lower() else title or subtitle


def _list_authors(given: Mapping[str, Any]) -> Iterator[str]:
    """The authors, or the editors of what has none."""
    for one in fields.coerce_mappings(given.get("author")) or fields.coerce_mappings(given.get("editor")):
        family, first = fields.coerce_text(one.get("family")), fields.coerce_text(one.get("given"))
        suffix = fields.coerce_text(one.get("suffix"))
        if family or first:
            yield ", ".join(filter(None, (family, first, suffix)))
        elif group := fields.coerce_text(one.get("name")):
            yield group


def _find_published_date(given: Mapping[str, Any]) -> str:
    for name in _DATES:
        dates = fields.coerce_list(fields.coerce_mapping(given.get(name)).get("date-parts"))
        if dates and (date := fields.date_of(fields.coerce_list(dates[0]))):
            return date
    return ""


def _find_venue(given: Mapping[str, Any]) -> str:
    """The journal or book; of a preprint its server."""
    institutions = fields.coerce_mappings(given.get("institution"))
    event = fields.coerce_mapping(given.get("event"))
    return (
        markup.flatten_markup(fields.coerce_first_text(given.get("container-title")))
        or next((name for one in institutions if (name := fields.coerce_text(one.get("name")))), "")
        or fields.coerce_text(event.get("name"))
    )


def _find_licence(given: Mapping[str, Any]) -> str:
    named = fields.coerce_mappings(given.get("license"))
    for version in _VERSIONS:
        for one in named:
            if fields.coerce_text(one.get("content-version")) == version and (
                address := fields.coerce_text(one.get("URL"))
            ):
                return normalize_licence_name(address)
    return ""


def _collect_metadata(given: Mapping[str, Any]) -> JsonObject:
    known = {
        "type": fields.coerce_text(given.get("type")),
        "subtype": fields.coerce_text(given.get("subtype")),
        "published_as": next(iter(published_as(given)), ""),
    }
    return {name: value for name, value in known.items() if value}


def published_as(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The DOIs of the articles that a preprint became."""
    related = fields.coerce_mappings(fields.coerce_mapping(given.get("relation")).get("is-preprint-of"))
    return tuple(filter(None, (work_metadata.parse_doi(fields.coerce_text(one.get("id"))) for one in related)))
