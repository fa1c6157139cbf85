"""A work as Crossref has it from its publisher, read field by field.

What became of a work after its publication: corrections, concerns, retractions, and the article after a preprint.

`updated-by` are the notices about a work; `update-to` is what a notice itself corrects, and no fault of its own.
"""

from collections.abc import Iterator, Mapping
from typing import Any, Final, NamedTuple
from urllib.parse import quote

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.works import Flag, Identifiers, Work, WorkKind, parse_arxiv_id, parse_doi
from elcano.plugins.literature import fields, markup
from elcano.plugins.literature.standing import normalize_licence_name, said_by_title
from elcano.plugins.literature.work_records import Record

MOST_NOTICES: Final = 20
"""Of one work; the flags of all count."""


class _Update(NamedTuple):
    words: str
    flag: Flag | None


_UPDATES: Final[Mapping[str, _Update]] = {
    "retraction": _Update("Retraction", "retracted"),
    "removal": _Update("Removal", "retracted"),
    # Parts of it no longer stand and the rest does: who reads it has to know, and which parts says the notice alone.
    "partial_retraction": _Update("Partial retraction", "concern"),
    "withdrawal": _Update("Withdrawal", "withdrawn"),
    "expression_of_concern": _Update("Expression of concern", "concern"),
    "correction": _Update("Correction", "corrected"),
    "corrigendum": _Update("Corrigendum", "corrected"),
    "erratum": _Update("Erratum", "corrected"),
    "addendum": _Update("Addendum", None),
    "clarification": _Update("Clarification", None),
    "new_version": _Update("New version", None),
    "new_edition": _Update("New edition", None),
}
"""The kinds that Crossref lists, and what they say of the work that was updated."""


def assess_work_standing(given: Mapping[str, Any], title: str) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    """The flags of a record, the gravest first, and what stands behind them."""
    named, notices = said_by_title(title)
    flags = set(named)
    told: list[str] = list(notices)
    for one in fields.coerce_mappings(given.get("updated-by")):
        update = _classify_update(one)
        if update.flag is not None:
            flags.add(update.flag)
        told.append(_format_update_notice(update, one))
    told += _describe_corrected_works(given)
    told += _describe_published_versions(given)
    order: tuple[Flag, ...] = ("retracted", "withdrawn", "concern", "corrected")
    return tuple(flag for flag in order if flag in flags), tuple(dict.fromkeys(told))[:MOST_NOTICES]


def _format_update_notice(update: _Update, given: Mapping[str, Any]) -> str:
    """Format a notice, such as `Retraction of 2010-02-06: doi:10.1/x (told by Retraction Watch)`."""
    doi = parse_doi(fields.coerce_text(given.get("DOI")))
    date = _parse_update_date(given)
    told = " (told by Retraction Watch)" if fields.coerce_text(given.get("source")) == "retraction-watch" else ""
    return f"{update.words}{f' of {date}' if date else ''}{f': doi:{doi}' if doi else ''}{told}."


def _describe_corrected_works(given: Mapping[str, Any]) -> Iterator[str]:
    for one in fields.coerce_mappings(given.get("update-to")):
        doi = parse_doi(fields.coerce_text(one.get("DOI")))
        yield (
            f"This is a notice, {_classify_update(one).words.lower()}, on another work{f': doi:{doi}' if doi else ''}."
        )


def _describe_published_versions(given: Mapping[str, Any]) -> Iterator[str]:
    for one in fields.coerce_mappings(fields.coerce_mapping(given.get("relation")).get("is-preprint-of")):
        if doi := parse_doi(fields.coerce_text(one.get("id"))):
            yield f"This preprint was published as doi:{doi}."


def _classify_update(given: Mapping[str, Any]) -> _Update:
    kind = fields.coerce_text(given.get("type")).lower().replace("-", "_").replace(" ", "_")
    return _UPDATES.get(kind, _Update((fields.coerce_text(given.get("label")) or "Update")[:100], None))


def _parse_update_date(given: Mapping[str, Any]) -> str:
    updated = fields.coerce_mapping(given.get("updated"))
    parts = fields.coerce_list(updated.get("date-parts"))
    return fields.date_of(fields.coerce_list(parts[0])) if parts else fields.coerce_date(updated.get("date-time"))


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
    doi = parse_doi(fields.coerce_text(given.get("DOI")))
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
        identifiers=Identifiers(doi=doi, arxiv=parse_arxiv_id(doi) if doi.startswith("10.48550/") else ""),
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
    return tuple(filter(None, (parse_doi(fields.coerce_text(one.get("id"))) for one in related)))
