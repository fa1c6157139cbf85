"""An answer of arXiv, which is an Atom feed: its entries as works, and the one entry that is an error.

The feed was changed in late 2025 (addresses, quotation marks, order of namespaces), so names are read without them.
"""

import re
from collections.abc import Iterable, Iterator
from typing import Final, NamedTuple

from elcano.activities.passages.document import Block
from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.works import Flag, Identifiers, Work, parse_arxiv_id, parse_doi
from elcano.graphs.text import shorten_text
from elcano.plugins.literature import fields
from elcano.plugins.literature.work_records import Record
from elcano.plugins.literature.xml import Element, flatten_element_text, get_local_name, parse_xml_root

NOTICE_CHARACTERS: Final = 300
_VERSION: Final = re.compile(r"v(\d{1,3})$")
_OWN_DOI: Final = "10.48550/"
"""The prefix of the DOIs that arXiv gives to its own preprints: they are not published by that."""
_WITHDRAWN_COMMENT: Final = re.compile(
    r"^\W*(?:withdrawn|retracted)\b|\b(?:is|was|are|be|been|being)\s+(?:\w+\s+)?(?:withdrawn|retracted)\b",
    re.IGNORECASE,
)
_WITHDRAWN_SUMMARY: Final = re.compile(
    r"^\W*(?:(?:this|the)\s+)?(?:arxiv\s+)?(?:paper|article|submission|manuscript|work|preprint|version)\b[^.]{0,80}?"
    r"\b(?:withdrawn|retracted)\b|^\W*(?:withdrawn|retracted)\b",
    re.IGNORECASE,
)
"""Only how a summary begins: later on it may speak of a drug that was withdrawn."""


class Feed(NamedTuple):
    """The contents of a feed."""

    records: tuple[Record, ...]
    unread: int
    """Entries without an arXiv id."""
    total: int
    """How many works the service says there are."""
    error: str
    """What it refuses; empty if it answers."""


def parse_feed(source: str, content: bytes) -> Feed:
    """A feed.

    Raises:
        SourceUnavailable: it is no feed, or cut off.
        SourceRefused: it declares entities.
    """
    root = parse_xml_root(source, content, {"feed"})
    entries = [child for child in root if get_local_name(child) == "entry"]
    error = next((_extract_error_reason(entry) for entry in entries if _is_error(entry)), "")
    records = [_build_entry_record(entry) for entry in entries if not _is_error(entry)]
    total = fields.coerce_whole_number(_read_child_text(root, "totalResults")) or 0
    kept = tuple(record for record in records if record is not None)
    return Feed(kept, len(records) - len(kept), total, error)


def _is_error(entry: Element) -> bool:
    address = _read_child_text(entry, "id")
    return "/api/errors" in address or (_read_child_text(entry, "title") == "Error" and not parse_arxiv_id(address))


def _extract_error_reason(entry: Element) -> str:
    return _read_child_text(entry, "summary") or _read_child_text(entry, "title") or "it says no reason"


def _build_entry_record(entry: Element) -> Record | None:
    address = _read_child_text(entry, "id")
    identifier = parse_arxiv_id(_VERSION.sub("", address))
    if not identifier:
        return None
    version = found[1] if (found := _VERSION.search(address)) else ""
    doi = parse_doi(_read_child_text(entry, "doi"))
    published_doi = "" if doi.startswith(_OWN_DOI) else doi
    journal = _read_child_text(entry, "journal_ref")
    flags, notices = _assess_standing(entry, published_doi, journal)
    published = fields.coerce_date(_read_child_text(entry, "published"))
    work = Work(
        title=_read_child_text(entry, "title"),
        authors=tuple(_list_authors(entry)),
        year=fields.parse_year(published),
        published=published,
        venue=journal or "arXiv",
        kind="article" if published_doi or journal else "preprint",
        identifiers=Identifiers(arxiv=identifier, doi=published_doi),
        url=f"https://arxiv.org/abs/{identifier}{f'v{version}' if version else ''}",
        flags=flags,
        notices=notices,
    )
    summary = _read_child_text(entry, "summary")
    return Record(work, (Block(summary),) if summary else (), metadata=_build_entry_metadata(entry, version))


def _assess_standing(entry: Element, published_doi: str, journal: str) -> tuple[tuple[Flag, ...], tuple[str, ...]]:
    comment, summary = _read_child_text(entry, "comment"), _read_child_text(entry, "summary")
    flags: list[Flag] = []
    notices: list[str] = []
    if _WITHDRAWN_COMMENT.search(comment):
        flags.append("withdrawn")
        notices.append(shorten_text(f"Withdrawn from arXiv: {comment}", NOTICE_CHARACTERS))
    elif _WITHDRAWN_SUMMARY.search(summary):
        flags.append("withdrawn")
        notices.append(shorten_text(f"Withdrawn from arXiv: {summary}", NOTICE_CHARACTERS))
    if published_doi:
        notices.append(f"What was read is the preprint; it was published as doi:{published_doi}.")
    elif journal:
        notices.append(
            shorten_text(f"What was read is the preprint; it was published in {journal}.", NOTICE_CHARACTERS)
        )
    else:
        flags.append("preprint")
    return (*flags, "abstract_only"), tuple(notices)


def _list_authors(entry: Element) -> Iterator[str]:
    """As arXiv writes names: given name first, since where the family name begins it does not tell."""
    for author in _find_children(entry, "author"):
        if name := _read_child_text(author, "name"):
            yield name


def _build_entry_metadata(entry: Element, version: str) -> JsonObject:
    categories = dict.fromkeys(
        term for one in _find_children(entry, "category") if (term := _read_attribute(one, "term"))
    )
    primary = next((_read_attribute(one, "term") for one in _find_children(entry, "primary_category")), "")
    known: JsonObject = {
        "version": f"v{version}" if version else "",
        "updated": fields.coerce_date(_read_child_text(entry, "updated")),
        "category": primary,
        "categories": list(categories),
        "comment": shorten_text(_read_child_text(entry, "comment"), NOTICE_CHARACTERS),
        "pdf": next((_read_attribute(one, "href") for one in _find_links(entry, "application/pdf")), ""),
    }
    return {name: value for name, value in known.items() if value}


def _find_links(entry: Element, media_type: str) -> Iterable[Element]:
    return (one for one in _find_children(entry, "link") if _read_attribute(one, "type") == media_type)


def _find_children(element: Element, name: str) -> Iterator[Element]:
    return (child for child in element if get_local_name(child) == name)


def _read_child_text(element: Element, name: str) -> str:
    """The text of the first child of that name that has one, on one line; else empty."""
    return next(
        (text for child in _find_children(element, name) if (text := fields.coerce_text(flatten_element_text(child)))),
        "",
    )


def _read_attribute(element: Element, name: str) -> str:
    return fields.coerce_text(element.get(name))
