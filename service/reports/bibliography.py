"""References of a report as BibTeX, RIS and CSL-JSON, by their media types.

RIS has a tag a line, lines ended by CR and LF; a value is one line, so nothing that a source wrote can begin with a
tag. CSL-JSON is the form that citation processors read (citationstyles.org, schema 1.0.2).
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Final

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.report import Reference
from elcano.graphs.trust import WorkKind
from elcano.service.reports.bibtex import render_bibtex
from elcano.service.reports.reference_entries import Entry, Person, build_reference_entries, parse_date_parts

_RIS_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "JOUR", "review": "JOUR", "preprint": "UNPB", "book": "BOOK"},
    **{"encyclopedia": "ENCYC", "page": "ELEC"},
}
_RIS_LINE_END: Final = "\r\n"


def render_ris(references: Sequence[Reference]) -> str:
    """One record each, in their order; empty for none."""
    return _RIS_LINE_END.join(_render_ris_record(entry) for entry in build_reference_entries(references))


def _render_ris_record(entry: Entry) -> str:
    lines = [f"{tag}  - {value}{_RIS_LINE_END}" for tag, value in _iter_ris_tags(entry) if value]
    return "".join([*lines, f"ER  - {_RIS_LINE_END}"])


def _iter_ris_tags(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    first, last = entry.page_range
    yield "TY", "CHAP" if entry.is_chapter else _RIS_TYPES.get(entry.kind, "GEN")
    yield "ID", entry.key
    for person in entry.people:
        yield "AU", ", ".join(filter(None, person))
    yield "TI", entry.title
    yield "T2", entry.venue
    yield "VL", entry.volume
    yield "IS", entry.issue
    yield "SP", first
    yield "EP", last
    yield "PY", entry.year
    yield "DA", "/".join(f"{part:02}" for part in entry.date) if len(entry.date) > 1 else ""
    yield "PB", entry.publisher
    yield "M3", entry.genre
    yield "SN", ", ".join(entry.issns)
    yield "DO", names.doi
    yield "AN", names.pmid or names.nct or (names.arxiv and f"arXiv:{names.arxiv}")
    yield "DB", "PubMed" if names.pmid else ""  # without it, the number is no one's
    yield "C2", names.pmcid
    yield "UR", entry.url
    yield "LA", entry.language
    yield "N1", entry.note
    yield "N1", f"arXiv: {names.arxiv}" if names.arxiv and (names.pmid or names.nct) else ""
    yield "DP", entry.source
    yield "Y2", entry.accessed.replace("-", "/")


_CSL_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "article-journal", "review": "article-journal", "preprint": "article", "book": "book"},
    **{"encyclopedia": "entry-encyclopedia", "page": "webpage"},
}


def render_csl_json(references: Sequence[Reference]) -> str:
    """A list with one item each, in their order."""
    return (
        json.dumps(
            [_build_csl_item(entry) for entry in build_reference_entries(references)], ensure_ascii=False, indent=1
        )
        + "\n"
    )


def _build_csl_item(entry: Entry) -> JsonObject:
    names = entry.identifiers
    number = f"arXiv:{names.arxiv}" if names.arxiv else names.nct
    fields: JsonObject = {
        "id": entry.key,
        "type": "chapter" if entry.is_chapter else _CSL_TYPES.get(entry.kind, "document"),
        "genre": entry.genre.lower(),
        "title": entry.title,
        "author": [_build_csl_name(person) for person in entry.people],
        "issued": _build_csl_date(entry.date),
        "container-title": entry.venue,
        "volume": entry.volume,
        "issue": entry.issue,
        "page": "-".join(filter(None, entry.page_range)),
        "publisher": entry.publisher,
        "DOI": names.doi,
        "PMID": names.pmid,
        "PMCID": names.pmcid,
        "ISSN": ", ".join(entry.issns),
        "number": number,
        "URL": entry.url,
        "language": entry.language,
        "note": entry.note,
        "source": entry.source,
        "accessed": _build_csl_date(parse_date_parts(entry.accessed)),
        "custom": entry.standing,
    }
    return {name: value for name, value in fields.items() if value}


def _build_csl_name(person: Person) -> Json:
    if not person.given:
        return {"literal": person.family}
    suffix: JsonObject = {"suffix": person.suffix} if person.suffix else {}
    return {"family": person.family, "given": person.given, **suffix}


def _build_csl_date(date: Sequence[int]) -> JsonObject:
    return {"date-parts": [list(date)]} if date else {}


BIBTEX: Final = "application/x-bibtex"
RIS: Final = "application/x-research-info-systems"
CSL: Final = "application/vnd.citationstyles.csl+json"

FORMS: Final[Mapping[str, Callable[[Sequence[Reference]], str]]] = {
    BIBTEX: render_bibtex,
    RIS: render_ris,
    CSL: render_csl_json,
}
