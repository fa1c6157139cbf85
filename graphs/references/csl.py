"""References as CSL-JSON, the form that citation processors read (citationstyles.org, schema 1.0.2)."""

import json
from collections.abc import Sequence
from typing import Final

from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.references.days import parts
from elcano.graphs.references.entries import Entry, Person, entries
from elcano.graphs.values.report import Reference
from elcano.graphs.values.works import WorkKind

_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "article-journal", "review": "article-journal", "preprint": "article", "book": "book"},
    **{"encyclopedia": "entry-encyclopedia", "page": "webpage"},
}


def written(references: Sequence[Reference]) -> str:
    """A list with one item each, in their order."""
    return json.dumps([_item(entry) for entry in entries(references)], ensure_ascii=False, indent=1) + "\n"


def _item(entry: Entry) -> JsonObject:
    names = entry.identifiers
    number = f"arXiv:{names.arxiv}" if names.arxiv else names.nct
    told: JsonObject = {
        "id": entry.key,
        "type": _TYPES.get(entry.kind, "document"),
        "genre": "preprint" if entry.kind == "preprint" else "clinical trial" if entry.kind == "trial" else "",
        "title": entry.title,
        "author": [_name(person) for person in entry.people],
        "issued": _date(entry.date),
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
        "accessed": _date(parts(entry.accessed)),
    }
    return {name: value for name, value in told.items() if value}


def _name(person: Person) -> Json:
    if not person.given:
        return {"literal": person.family}
    suffix: JsonObject = {"suffix": person.suffix} if person.suffix else {}
    return {"family": person.family, "given": person.given, **suffix}


def _date(date: Sequence[int]) -> JsonObject:
    return {"date-parts": [list(date)]} if date else {}
