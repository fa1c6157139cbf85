"""The form of a certificate: a JSON object with one part a line, in a fixed order, and the SHA-256 of each part.

So any JSON reader reads it, `sha256sum` can look at a single part, and whatever was changed has a part's name. The hash
of a part is that of the bytes behind its name up to the comma at the end of its line; the last line has the hash of the
table of hashes, and so of everything. What is read are the models that the parts were written from.
"""

import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any, Final

from pydantic import TypeAdapter, ValidationError
from pydantic_core import from_json

from elcano.graphs.engine.entries import Entry
from elcano.graphs.engine.run import Run
from elcano.graphs.frozen import Frozen
from elcano.graphs.records import ArchivedRun, RunLog
from elcano.graphs.report.report import Report
from elcano.graphs.run_contracts import ResearchInput
from elcano.graphs.spec.graph import ResearchGraph
from elcano.storage.evidence import Evidence, StoredText
from elcano.storage.ledger import LedgerEntry

FORMAT: Final = 1
PARTS: Final = (
    *("certificate", "versions", "run", "asked", "graph", "entries", "state", "sections"),
    *("evidence", "texts", "drafts", "ledger", "report", "markdown"),
)
"""In the order of the file."""
HASHES: Final = "hashes"
WHOLE: Final = "sha256"
FILE: Final = "file"
"""The name for faults that belong to no part."""


class CertificateHeader(Frozen):
    """The part `certificate`: what this is a certificate of."""

    format: int
    run_id: str


class Versions(Frozen):
    """The part `versions`: what worked on the run, and what wrote the certificate."""

    builds: tuple[str, ...]
    """The workers that made its calls: version and build id, as in the ledger."""
    rules: int
    """The number of the rules that the run went by."""
    elcano: str
    """The version of the program that wrote the certificate, as are all that follow."""
    python: str
    pydantic: str
    jmespath: str


@dataclass(frozen=True)
class Fault:
    """A fault in a certificate."""

    part: str
    """One of `PARTS`, `hashes`, `sha256` or `file`."""
    text: str


class CheckOutcome(Frozen):
    """The finding of one check of a certificate."""

    shows: str
    """Meaning of a check that found no fault, in a sentence."""
    faults: tuple[Fault, ...] = ()


class Verification(Frozen):
    """Result of verifying a certificate."""

    run_id: str
    """Empty if the certificate cannot be read."""
    holds: bool
    """Whether the report follows from the recorded evidence."""
    checks: tuple[CheckOutcome, ...]
    """In the order in which they were made; of a certificate that cannot be read only the first."""
    summary: tuple[str, ...] = ()
    """Statements that a certificate without faults proves, a line each, as Markdown."""
    written_by: str = ""
    """The version that wrote the certificate."""
    sha256: str = ""
    """The hash in its last line; empty if it cannot be read."""


class Malformed(Exception):
    """A file is no certificate, or is one no more."""

    def __init__(self, fault: Fault) -> None:
        self.fault = fault
        super().__init__(f"{fault.part}: {fault.text}")


async def encode_certificate(parts: Iterable[tuple[str, AsyncIterator[str]]]) -> AsyncIterator[bytes]:
    """The bytes of a certificate, piece by piece. `parts` are in the order of `PARTS`, each JSON without new lines."""
    hashes: dict[str, str] = {}
    yield b"{\n"
    for name, pieces in parts:
        digest = sha256()
        yield f'"{name}":'.encode()
        async for piece in pieces:
            data = piece.encode()
            digest.update(data)
            yield data
        hashes[name] = digest.hexdigest()
        yield b",\n"
    yield encode_certificate_end(hashes)


def encode_certificate_end(hashes: Mapping[str, str]) -> bytes:
    """The end of a certificate whose parts have these hashes."""
    table = json.dumps(hashes, separators=(",", ":")).encode()
    return b'"%s":%s,\n"%s":"%s"\n}\n' % (HASHES.encode(), table, WHOLE.encode(), sha256(table).hexdigest().encode())


def parse_certificate(data: bytes) -> tuple[dict[str, bytes], list[Fault]]:
    """The parts of a certificate by name, and which of them do not have the hash that the table says.

    Raises:
        Malformed: it has not the form of a certificate from some part on.
    """
    names = (*PARTS, HASHES, WHOLE)
    lines = data.split(b"\n")
    if lines[0] != b"{":
        raise Malformed(Fault(FILE, "it does not begin like a certificate"))
    found: dict[str, bytes] = {}
    for number, name in enumerate(names, start=1):
        end = b"" if name == WHOLE else b","
        line = lines[number] if number < len(lines) else b""
        begin = f'"{name}":'.encode()
        if not (line.startswith(begin) and line.endswith(end)):
            raise Malformed(_find_broken_part(found, name, number + 1))
        found[name] = line[len(begin) : len(line) - len(end)]
    if lines[len(names) + 1 :] != [b"}", b""]:
        raise Malformed(Fault(FILE, "it does not end like a certificate"))
    return found, list(_wrong_hashes(found))


def _find_broken_part(found: dict[str, bytes], name: str, line: int) -> Fault:
    """Blame a part that is not on its line: the part itself, or the one before, if that runs on."""
    before = next(reversed(found), None)
    if before is not None and not _is_json(found[before]):
        return Fault(before, f"it does not end at the end of line {line - 1}")
    return Fault(name, f"it is not complete on line {line}")


def _wrong_hashes(found: Mapping[str, bytes]) -> Iterable[Fault]:
    table = found[HASHES]
    content = from_json(table) if _is_json(table) else None
    if not isinstance(content, dict) or tuple(content) != PARTS:
        yield Fault(HASHES, "it is not a table of the hashes of all parts")
        return
    wrong = [name for name in PARTS if sha256(found[name]).hexdigest() != content[name]]
    yield from (Fault(name, "it does not match its hash in the table") for name in wrong)
    if found[WHOLE] != f'"{sha256(table).hexdigest()}"'.encode():
        yield Fault(HASHES if wrong else WHOLE, "the table of hashes does not match the hash in the last line")


def _is_json(data: bytes) -> bool:
    try:
        from_json(data)
    except ValueError:
        return False
    return True


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
