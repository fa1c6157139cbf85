"""Compares a certificate with the original files: their hashes, and the words within the marks of its quotes."""

import os
from collections.abc import Iterator, Mapping, Sequence
from hashlib import file_digest
from pathlib import Path
from typing import Final

from elcano.activities.passages.document import FileSkipped
from elcano.doors.certificates.certificate_format import Contents, Fault
from elcano.graphs.report.places import Mark, group_marks_by_page
from elcano.graphs.report.report import CheckedCitation
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
