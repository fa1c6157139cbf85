"""The description of an archive as an RO-Crate 1.1: what its files are, which run made them, and what is cited.

The crate follows the profile Process Run Crate 0.5: the run is an action, with Elcano and its models as instruments.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import quote

from elcano import __version__
from elcano.graphs.frozen import JsonObject
from elcano.graphs.records import ArchivedRun
from elcano.graphs.report.report import Report
from elcano.service.reports.reference_entries import Entry, build_reference_entries

METADATA: Final = "ro-crate-metadata.json"
"""The name of the description in its archive."""
_CONTEXT: Final = "https://w3id.org/ro/crate/1.1/context"
_SPECIFICATION: Final = "https://w3id.org/ro/crate/1.1"
_PROFILE: Final = "https://w3id.org/ro/wfrun/process/0.5"
_TERMS: Final = "The report is its requester's; passages and quotes are their sources', under the terms that these set."
_FILES: Final[Mapping[str, tuple[str, str]]] = {
    "report.md": ("text/markdown", "The report as Markdown"),
    "report.json": ("application/json", "The report as data, with each statement's quotes and verdicts"),
    "answer.json": ("application/json", "The answer in the requested form, with the basis of each value"),
    "report.html": ("text/html", "The report as one page"),
    "report.docx": (
        "application/vnd.openxmlformats-officedocument.wordprocessingml.document",
        "The report as a Word document",
    ),
    "references.bib": ("application/x-bibtex", "The references as BibTeX"),
    "references.ris": ("application/x-research-info-systems", "The references as RIS"),
    "references.json": ("application/vnd.citationstyles.csl+json", "The references as CSL-JSON"),
    "evidence.csv": ("text/csv", "The passages that the run found, as a table"),
    "evidence.jsonl": ("application/jsonl", "The passages that the run found, as lines of JSON"),
    "certificate.json": ("application/json", "The certificate: the run with its log, which `elcano verify` checks"),
}
"""The media type of each file of an archive, and what it is."""
_PICTURE: Final = ("image/svg+xml", "A picture of the report")
_WEB: Final = ("https://", "http://")
_OF_ADDRESSES: Final = "%/:?#[]@!$&'()*+,;=~"
"""Characters of an address that are not escaped."""
_TYPES: Final[Mapping[str, str]] = {
    "article": "ScholarlyArticle",
    "review": "ScholarlyArticle",
    "preprint": "ScholarlyArticle",
    "book": "Book",
    "page": "WebPage",
}
"""Types of schema.org for kinds of works; others are creative works."""


def describe_archive(run: ArchivedRun, report: Report, sizes: Mapping[str, int]) -> str:
    """The description as JSON-LD; `sizes` are those of the archive's files in bytes, by their names."""
    cited = list({one["@id"]: one for one in _describe_references(report)}.values())
    instruments = list(_list_instruments(report))
    entities: list[JsonObject] = [
        {
            "@id": METADATA,
            "@type": "CreativeWork",
            "conformsTo": {"@id": _SPECIFICATION},
            "about": {"@id": "./"},
        },
        {
            "@id": "./",
            "@type": "Dataset",
            "name": report.title,
            "description": f"What research of Elcano found on the question: {report.question}",
            "datePublished": _format_moment(run.finished_at or run.started_at),
            "license": {"@id": "#terms"},
            "identifier": run.run_id,
            "conformsTo": {"@id": _PROFILE},
            "hasPart": _list_references(sizes),
            "mentions": {"@id": "#run"},
            "citation": _list_references(one["@id"] for one in cited),
        },
        {"@id": "#terms", "@type": "CreativeWork", "name": "Terms of use", "description": _TERMS},
        {"@id": _PROFILE, "@type": "CreativeWork", "name": "Process Run Crate", "version": "0.5"},
        *(_describe_file(name, size) for name, size in sizes.items()),
        {
            "@id": "#run",
            "@type": "CreateAction",
            "name": f"Research run {run.run_id}",
            "description": f"Mode {run.mode}; it ended as {run.status}.",
            "startTime": _format_moment(run.started_at),
            "endTime": _format_moment(run.finished_at or run.started_at),
            "object": {"@id": "#question"},
            "result": _list_references(sizes),
            "instrument": _list_references(one["@id"] for one in instruments),
        },
        {"@id": "#question", "@type": "PropertyValue", "name": "question", "value": report.question},
        *instruments,
        *cited,
    ]
    return json.dumps({"@context": _CONTEXT, "@graph": entities}, ensure_ascii=False, indent=2)


def _list_references(ids: Iterable[Any]) -> list[Any]:
    return [{"@id": one} for one in ids]


def _describe_file(name: str, size: int) -> JsonObject:
    form, description = _FILES.get(name, _PICTURE)
    return {"@id": name, "@type": "File", "name": description, "encodingFormat": form, "contentSize": str(size)}


def _list_instruments(report: Report) -> Iterator[JsonObject]:
    """Elcano, and the models that wrote."""
    versions = ", ".join(report.builds) or __version__
    yield {"@id": "#elcano", "@type": "SoftwareApplication", "name": "Elcano", "softwareVersion": versions}
    for model in dict.fromkeys(filter(None, (one.strip() for one in report.model.split(",")))):
        yield {"@id": f"#model-{quote(model)}", "@type": "SoftwareApplication", "name": model, "version": model}


def _describe_references(report: Report) -> Iterator[JsonObject]:
    for reference, entry in zip(report.references, build_reference_entries(report.references), strict=True):
        yield _describe_reference(entry, reference.number)


def _describe_reference(entry: Entry, number: int) -> JsonObject:
    address = f"https://doi.org/{entry.identifiers.doi}" if entry.identifiers.doi else entry.url
    described: dict[str, Any] = {
        "@id": quote(address, safe=_OF_ADDRESSES) if address.startswith(_WEB) else f"#reference-{number}",
        "@type": _TYPES.get(entry.kind, "CreativeWork"),
        "name": entry.title,
        "position": number,
        "author": [" ".join(filter(None, (person.given, person.family, person.suffix))) for person in entry.people],
        "datePublished": str(entry.year),
        "publisher": entry.publisher,
        "url": entry.url,
    }
    return {name: value for name, value in described.items() if value}


def _format_moment(seconds: float) -> str:
    return datetime.fromtimestamp(seconds, UTC).isoformat(timespec="seconds")
