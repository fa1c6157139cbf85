"""References as CSL-JSON, the form that citation processors read (citationstyles.org, schema 1.0.2)."""

import json
from collections.abc import Sequence
from typing import Final

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.references.days import parse_date_parts
from elcano.graphs.references.entries import Entry, Person, build_reference_entries
from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import WorkKind

_TYPES: Final[dict[WorkKind, str]] = {
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
    told: JsonObject = {
        "id": entry.key,
        "type": _TYPES.get(entry.kind, "document"),
        "genre": "preprint" if entry.kind == "preprint" else "clinical trial" if entry.kind == "trial" else "",
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
        "number": number,
        "URL": entry.url,
        "language": entry.language,
        "note": entry.note,
        "source": entry.source,
        "accessed": _build_csl_date(parse_date_parts(entry.accessed)),
    }
    return {name: value for name, value in told.items() if value}


def _build_csl_name(person: Person) -> Json:
    if not person.given:
        return {"literal": person.family}
    suffix: JsonObject = {"suffix": person.suffix} if person.suffix else {}
    return {"family": person.family, "given": person.given, **suffix}


def _build_csl_date(date: Sequence[int]) -> JsonObject:
    return {"date-parts": [list(date)]} if date else {}
