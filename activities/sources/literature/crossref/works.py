"""A work as Crossref has it from its publisher, read field by field."""

from collections.abc import Iterator, Mapping
from typing import Any, Final
from urllib.parse import quote

from elcano.activities.sources.literature import fields, markup
from elcano.activities.sources.literature.crossref.updates import standing
from elcano.activities.sources.literature.recording import Record
from elcano.activities.sources.literature.standing import licence
from elcano.graphs.frozen import JsonObject
from elcano.graphs.values import works
from elcano.graphs.values.works import Identifiers, Work, WorkKind

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


def record(given: Mapping[str, Any]) -> Record:
    """Return the record of one work. Fields that are missing or of the wrong type stay empty."""
    abstract = given.get("abstract")
    blocks = markup.blocks(abstract) if isinstance(abstract, str) else ()
    return Record(work(given, abstract=bool(blocks)), blocks, metadata=_beside(given))


def work(given: Mapping[str, Any], *, abstract: bool = False) -> Work:
    """Return what is known of a work; `abstract` says whether its abstract, and no more of it, was read."""
    title = _title(given)
    doi = works.doi(fields.text(given.get("DOI")))
    preprint = fields.text(given.get("type")) == "posted-content" and (
        fields.text(given.get("subtype")) in ("preprint", "")
    )
    published = _published(given)
    flags, notices = standing(given, title)
    return Work(
        title=title,
        authors=tuple(_authors(given)),
        year=fields.year(published),
        published=published,
        venue=_venue(given),
        volume=fields.text(given.get("volume")),
        issue=fields.text(given.get("issue")),
        pages=fields.text(given.get("page")) or fields.text(given.get("article-number")),
        publisher=fields.text(given.get("publisher")),
        kind="preprint" if preprint else _KINDS.get(fields.text(given.get("type")), "other"),
        identifiers=Identifiers(doi=doi, arxiv=works.arxiv(doi) if doi.startswith("10.48550/") else ""),
        url=f"https://doi.org/{quote(doi, safe='/:;().')}" if doi else "",
        language=fields.text(given.get("language")),
        flags=(*flags, *(("preprint",) if preprint else ()), *(("abstract_only",) if abstract else ())),
        notices=notices,
        cited_by=fields.number(given.get("is-referenced-by-count")),
        licence=_licence(given),
        source="crossref",
    )


def _title(given: Mapping[str, Any]) -> str:
    title = markup.line(fields.first(given.get("title"))) or markup.line(fields.first(given.get("original-title")))
    subtitle = markup.line(fields.first(given.get("subtitle")))
    return f"{title}: {subtitle}" if title and subtitle and subtitle.lower() not in title.lower() else title or subtitle


def _authors(given: Mapping[str, Any]) -> Iterator[str]:
    """The authors, or the editors of what has none."""
    for one in fields.mappings(given.get("author")) or fields.mappings(given.get("editor")):
        family, first = fields.text(one.get("family")), fields.text(one.get("given"))
        suffix = fields.text(one.get("suffix"))
        if family or first:
            yield ", ".join(filter(None, (family, first, suffix)))
        elif group := fields.text(one.get("name")):
            yield group


def _published(given: Mapping[str, Any]) -> str:
    for name in _DATES:
        dates = fields.listed(fields.mapping(given.get(name)).get("date-parts"))
        if dates and (date := fields.date_of(fields.listed(dates[0]))):
            return date
    return ""


def _venue(given: Mapping[str, Any]) -> str:
    """The journal or book; of a preprint its server."""
    institutions = fields.mappings(given.get("institution"))
    event = fields.mapping(given.get("event"))
    return (
        markup.line(fields.first(given.get("container-title")))
        or next((name for one in institutions if (name := fields.text(one.get("name")))), "")
        or fields.text(event.get("name"))
    )


def _licence(given: Mapping[str, Any]) -> str:
    named = fields.mappings(given.get("license"))
    for version in _VERSIONS:
        for one in named:
            if fields.text(one.get("content-version")) == version and (address := fields.text(one.get("URL"))):
                return licence(address)
    return ""


def _beside(given: Mapping[str, Any]) -> JsonObject:
    known = {
        "type": fields.text(given.get("type")),
        "subtype": fields.text(given.get("subtype")),
        "published_as": next(iter(published_as(given)), ""),
    }
    return {name: value for name, value in known.items() if value}


def published_as(given: Mapping[str, Any]) -> tuple[str, ...]:
    """The DOIs of the articles that a preprint became."""
    related = fields.mappings(fields.mapping(given.get("relation")).get("is-preprint-of"))
    return tuple(filter(None, (works.doi(fields.text(one.get("id"))) for one in related)))
