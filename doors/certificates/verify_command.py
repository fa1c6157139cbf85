"""`elcano verify FILE`: verifies a certificate, without a server, a store or a key.

The exit code is 0 if it holds, else 1; with 2 there was nothing to verify: the file is not there, or cannot be read.

The file is the certificate, or the archive of an export that holds it. Nothing of an archive is written to the disk,
and of its files only `certificate.json` at its top is unpacked. `--documents` also compares the original files: their
hashes, and the words within the marks of quotes.
"""

from elcano.program_start import leave_on_interrupt

if __name__ == "__main__":
    leave_on_interrupt()

import argparse
import os
import sys
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from hashlib import file_digest
from io import BytesIO
from pathlib import Path
from typing import Final

from elcano import __version__
from elcano.activities.passages.document import FileSkipped
from elcano.client.archive_members import UNREADABLE, open_archive, open_member
from elcano.doors.certificates.certificate_checks import ALL
from elcano.doors.certificates.certificate_format import (
    WHOLE,
    CheckOutcome,
    Contents,
    Fault,
    Malformed,
    Verification,
    parse_certificate,
    parse_contents,
)
from elcano.graphs.errors import InputInvalid
from elcano.graphs.report.places import Mark, group_marks_by_page
from elcano.graphs.report.report import CheckedCitation
from elcano.graphs.text import format_count
from elcano.output import guarded_output
from elcano.settings.settings import BAD_SETTINGS
from elcano.storage.evidence import DATA_HASH, PATH
from elcano.subjects.documents.pdf.marked_text import MarkedTextReader, has_quote

MOST_FILES: Final = 100_000
"""Files of a folder that are looked at."""


def check_documents(held: Contents, folder: Path) -> Iterator[Fault]:
    """The cited files are in `folder`, byte for byte as they were read, and the quotes are within their marks.

    Files that are not there are no fault: `count_documents` says how many are.
    """
    files = find_documents(held, folder)
    passages = {passage.id: passage for passage in held.evidence}
    texts = {text.content_hash: text.text for text in held.texts}
    reader = MarkedTextReader()
    for cited in held.published.citations:
        passage = passages.get(cited.evidence)
        file = files.get(str(passage.metadata.get(DATA_HASH))) if passage is not None else None
        text = texts.get(cited.content_hash)
        if file is None or text is None or not cited.marks or cited.confidence is not None:
            continue  # what OCR read is in a picture, where no program finds letters
        if file.suffix.lower() == ".pdf":
            yield from _compare_quote(cited, text, file, reader)
    for path, other in _list_changed(held, folder, files):
        yield Fault("evidence", f"{other} is not the file {path!r} that was read: its hash differs")


def _compare_quote(cited: CheckedCitation, text: str, file: Path, reader: MarkedTextReader) -> Iterator[Fault]:
    try:
        there = _read_marks(cited.marks, file, reader)
    except FileSkipped as error:
        yield Fault("evidence", f"{file} cannot be read again: {error}")
        return
    if not has_quote(there, text[cited.start or 0 : cited.end or 0]):
        yield Fault(
            "evidence", f"page {cited.page} of {file} does not have the words {cited.quote[:60]!r} at their place"
        )


def _read_marks(marks: Sequence[Mark], file: Path, reader: MarkedTextReader) -> str:
    data = file.read_bytes()
    return " ".join(reader.read(data, page, boxes) for page, boxes in group_marks_by_page(marks).items())


def find_documents(held: Contents, folder: Path) -> dict[str, Path]:
    """The files of the cited documents that are below a folder, by the hash of their bytes."""
    wanted = dict(_list_cited(held))
    endings = {Path(path).suffix.lower() for path in wanted.values()}
    found = {}
    for file in _list_files(folder):
        if file.suffix.lower() in endings and (digest := _hash_file(file)) in wanted:
            found[digest] = file
    return found


def count_documents(held: Contents) -> int:
    """Count the cited files."""
    return len(dict(_list_cited(held)))


def _list_cited(held: Contents) -> Iterator[tuple[str, str]]:
    cited = {one.evidence for one in held.published.citations if one.verdict == "verified"}
    for passage in held.evidence:
        digest, path = passage.metadata.get(DATA_HASH), passage.metadata.get(PATH)
        if passage.id in cited and isinstance(digest, str) and isinstance(path, str):
            yield digest, path


def _list_changed(held: Contents, folder: Path, found: Mapping[str, Path]) -> Iterator[tuple[str, Path]]:
    """Files that have the path of a cited one below the folder, and other bytes."""
    for digest, path in dict(_list_cited(held)).items():
        other = folder / path
        if digest not in found and other.resolve().is_relative_to(folder.resolve()) and other.is_file():
            yield path, other


def _list_files(folder: Path) -> Iterator[Path]:
    count = 0
    for place, _, names in os.walk(folder):
        for name in sorted(names):
            count += 1
            if count > MOST_FILES:
                return
            yield Path(place, name)


def _hash_file(file: Path) -> str:
    try:
        with file.open("rb") as opened:
            return file_digest(opened, "sha256").hexdigest()
    except OSError:
        return ""


HASHED: Final = "Every part matches its hash in the table of hashes."


@dataclass(frozen=True)
class Verdict:
    """The result of verifying a certificate."""

    checks: tuple[CheckOutcome, ...]
    held: Contents | None
    """Its contents, if it can be read."""
    sha256: str = ""
    """The hash in its last line, if it can be read."""

    @property
    def faults(self) -> tuple[Fault, ...]:
        """List the faults of all checks, each once."""
        return tuple(dict.fromkeys(fault for one in self.checks for fault in one.faults))

    @property
    def holds(self) -> bool:
        """The report follows from the recorded evidence."""
        return not self.faults

    def describe(self) -> Verification:
        """The same as data."""
        return Verification(
            run_id=self.held.about.run_id if self.held else "",
            holds=self.holds,
            checks=self.checks,
            summary=tuple(summarize_certificate(self.held)) if self.holds and self.held else (),
            written_by=self.held.versions.elcano if self.held else "",
            sha256=self.sha256,
        )


def compare_certificate(data: bytes) -> Verdict:
    """Computes again all that can be, and compares."""
    try:
        parts, wrong = parse_certificate(data)
        held = parse_contents(parts)
    except Malformed as error:
        return Verdict((CheckOutcome(shows="It can be read.", faults=(error.fault,)),), None)
    outcomes = [CheckOutcome(shows=HASHED, faults=tuple(wrong))]
    for shows, check in ALL.items():
        try:
            faults = tuple(dict.fromkeys(check(held)))
        except Exception as error:  # what someone wrote into a file must not end the look at the rest of it
            faults = (Fault("file", f"{check.__name__} cannot be done: {type(error).__name__}: {error}"),)
        outcomes.append(CheckOutcome(shows=shows, faults=faults))
    return Verdict(tuple(outcomes), held, parts[WHOLE].decode().strip('"'))


def compare_documents(verdict: Verdict, folder: Path) -> Verdict:
    """The verdict with one more check: that of the cited files below a folder."""
    from elcano.doors.certificates.verify_command import check_documents, count_documents, find_documents

    if verdict.held is None:
        return verdict
    there, cited = len(find_documents(verdict.held, folder)), count_documents(verdict.held)
    shows = f"Of {format_count(cited, 'cited file')} {there} {'is' if there == 1 else 'are'} in {folder}: "
    shows += "their bytes are those that were read, and quotes stand at their places on the pages."
    outcome = CheckOutcome(shows=shows, faults=tuple(dict.fromkeys(check_documents(verdict.held, folder))))
    return replace(verdict, checks=(*verdict.checks, outcome))


LARGEST: Final = 1_000_000_000
"""Bytes of a file, and of a certificate in an archive, that are read, all into memory."""
MEMBER: Final = "certificate.json"
"""The name that an export gives to the certificate in its archive."""
_ARCHIVES: Final = (b"PK\x03\x04", b"PK\x05\x06")
"""Signatures of ZIP archives, with files and without."""


@dataclass(frozen=True)
class CertificateFile:
    """A certificate as it was read."""

    data: bytes
    archived: bool = False
    """Whether it was read from an archive."""


def read_certificate_file(file: Path) -> CertificateFile:
    """The certificate in a file.

    Raises:
        InputInvalid: it cannot be read, is too large, or is an archive without a certificate.
    """
    try:
        with file.open("rb") as opened:  # a pipe or a device does not say how much will come
            data = opened.read(LARGEST + 1)
    except OSError as error:
        raise InputInvalid("file", f"{file} cannot be read: {error.strerror}") from error
    if len(data) > LARGEST:
        raise InputInvalid("file", f"{file} has more than the {LARGEST:,} bytes that are looked at")
    if not data.startswith(_ARCHIVES):
        return CertificateFile(data)
    try:
        with open_archive(BytesIO(data)) as archive:
            return CertificateFile(_read_member(archive), archived=True)
    except (InputInvalid, *UNREADABLE) as error:
        raise InputInvalid("file", f"{file} cannot be read: {error}") from error


def _read_member(archive: zipfile.ZipFile) -> bytes:
    found = [one for one in archive.infolist() if one.filename == MEMBER]
    if not found:
        raise InputInvalid("file", f"it is an archive without {MEMBER}; `elcano export RUN --format zip` makes one")
    if len(found) > 1:
        raise InputInvalid("file", f"it is an archive with {len(found)} files called {MEMBER}: unpack the one you mean")
    if found[0].file_size > LARGEST:
        raise InputInvalid("file", f"its {MEMBER} has more than the {LARGEST:,} bytes that are looked at")
    with open_member(archive, found[0]) as opened:
        return opened.read()


def main() -> int:
    """The program; answers with its exit code."""
    parser = argparse.ArgumentParser(prog="elcano verify", description="Verify the certificate of a report.")
    parser.add_argument("file", type=Path, help="what `elcano certificate` or `elcano export --format zip` wrote")
    parser.add_argument(
        "--documents",
        type=Path,
        metavar="FOLDER",
        help="where the cited files are: compare them, and read quotes again",
    )
    parser.add_argument("--json", action="store_true", help="answer with what each check found, as JSON")
    options = parser.parse_args()
    file: Path = options.file
    try:
        read = read_certificate_file(file)
    except InputInvalid as error:
        sys.stderr.write(f"elcano: {error}\n")
        return BAD_SETTINGS
    verdict = compare_certificate(read.data)
    if options.documents is not None:
        if not options.documents.is_dir():
            sys.stderr.write(f"elcano: documents: {options.documents} is no folder\n")
            return BAD_SETTINGS
        verdict = compare_documents(verdict, options.documents)
    if options.json:
        sys.stdout.write(verdict.describe().model_dump_json() + "\n")
        return 0 if verdict.holds else 1
    if read.archived:
        sys.stdout.write(f"Verified {MEMBER} in {file}; the other files of the archive are not compared with it.\n")
    if verdict.holds and verdict.held is not None:
        lines = summarize_certificate(verdict.held)
        if options.documents is not None:
            lines.insert(-1, f"- {verdict.checks[-1].shows}")
        sys.stdout.write("\n".join(lines) + "\n")
        return 0
    for fault in verdict.faults:
        sys.stdout.write(f"{fault.part}: {fault.text}\n")
    sys.stdout.write("This certificate does not hold: it does not show that the report follows from the evidence.\n")
    if verdict.held is not None and verdict.held.versions.elcano != __version__:
        wrote = f"It was written by elcano {verdict.held.versions.elcano}, and this is {__version__}"
        sys.stdout.write(f"{wrote}: verify it with that version too.\n")
    return 1


def summarize_certificate(held: Contents) -> list[str]:
    """Describe the facts that a certificate without faults proves."""
    report = held.published
    verified = len(report.citations) - len(report.unverified)
    placed = sum(1 for one in report.citations if one.marks)
    lines = [
        f"The report of {held.about.run_id} follows from the recorded evidence.",
        f"- Asked: {' '.join(held.log.asked.question.split())}",
        f"- Status: {held.run.status}. Replaying its log ({format_count(len(held.log.entries), 'entry', 'entries')}) "
        f"and those of its sections ({len(held.sections)}) leads to the recorded state.",
        f"- Verified citations: {verified:,}, in {format_count(len(held.texts), 'stored text')}.",
        f"- The usage of its steps, {held.log.run.budget.used.tokens:,} tokens in all, is what the ledger adds up to.",
        "- Rebuilt from its log and evidence, the report is identical, byte for byte.",
        f"- Worked on by {', '.join(held.versions.builds) or 'workers that did not name their build'}.",
    ]
    if report.unverified:
        lines.insert(4, f"- Citations that could not be verified, as the report says: {len(report.unverified):,}.")
    if placed:
        lines.insert(4, f"- Quotes whose lines on their pages are recorded: {placed:,}.")
    return [*lines, "It does not prove who made it: a certificate has no signature."]


if __name__ == "__main__":
    with guarded_output("elcano"):
        sys.exit(main())
