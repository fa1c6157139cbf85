"""The parts of a certificate as the models that they were written from."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError

from elcano.graphs.engine.entries import Entry
from elcano.graphs.engine.run import Run
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.plugins.certificates.certificate_format import FORMAT, CertificateHeader, Fault, Malformed, Versions
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.ledger import LedgerEntry

_JSON: Final[TypeAdapter[dict[str, Any]]] = TypeAdapter(dict[str, Any])


@dataclass(frozen=True)
class Contents:
    """All that a certificate holds."""

    about: CertificateHeader
    versions: Versions
    run: ArchivedRun
    """Without the lists of its evidence and its branches, which the log has."""
    log: RunLog
    sections: Mapping[str, RunLog]
    """By run id."""
    evidence: tuple[Evidence, ...]
    texts: tuple[StoredText, ...]
    drafts: Mapping[str, str]
    """The stored drafts, by hash."""
    ledger: tuple[LedgerEntry, ...]
    report: str
    """The stored report."""
    published: Report
    """The same, read."""
    markdown: str


def parse_contents(parts: Mapping[str, bytes]) -> Contents:
    """Parse the parts of a certificate.

    Raises:
        Malformed: one of them cannot be read.
    """
    about = _parse_part(parts, "certificate", TypeAdapter(CertificateHeader))
    if about.format != FORMAT:
        text = f"its format is {about.format}, and this program knows {FORMAT}: take the release that wrote it"
        raise Malformed(Fault("certificate", text))
    graph = _parse_part(parts, "graph", TypeAdapter(ResearchGraph))
    given = _parse_part(parts, "asked", _JSON)
    try:
        asked = ResearchInput.model_validate_json(
            TypeAdapter(Any).dump_json({**given, "graph": graph.model_dump(mode="json")})
        )
    except ValidationError as error:
        raise Malformed(Fault("asked", _format_first_error(error))) from error
    logs = _parse_part(parts, "sections", TypeAdapter(tuple[RunLog, ...]))
    entries = _parse_part(parts, "entries", TypeAdapter(tuple[Entry, ...]))
    report = _parse_part(parts, "report", TypeAdapter(str))
    try:
        published = Report.model_validate_json(report)
    except ValidationError as error:
        raise Malformed(Fault("report", _format_first_error(error))) from error
    return Contents(
        about=about,
        versions=_parse_part(parts, "versions", TypeAdapter(Versions)),
        run=_parse_part(parts, "run", TypeAdapter(ArchivedRun)),
        log=RunLog(asked=asked, entries=entries, run=_parse_part(parts, "state", TypeAdapter(Run))),
        sections={log.asked.run_id: log for log in logs},
        evidence=_parse_part(parts, "evidence", TypeAdapter(tuple[Evidence, ...])),
        texts=_parse_part(parts, "texts", TypeAdapter(tuple[StoredText, ...])),
        drafts=_parse_part(parts, "drafts", TypeAdapter(dict[str, str])),
        ledger=_parse_part(parts, "ledger", TypeAdapter(tuple[LedgerEntry, ...])),
        report=report,
        published=published,
        markdown=_parse_part(parts, "markdown", TypeAdapter(str)),
    )


def _parse_part(parts: Mapping[str, bytes], name: str, adapter: TypeAdapter[Any]) -> Any:
    try:
        return adapter.validate_json(parts[name])
    except ValidationError as error:
        raise Malformed(Fault(name, _format_first_error(error))) from error


def _format_first_error(error: ValidationError) -> str:
    fault = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, fault["loc"]))
    return f"it cannot be read: {f'{place}: ' if place else ''}{fault['msg']}"
