"""How much of what documents say is read as they say it, next to other readers of PDF, and what it costs.

    python -m benchmarks.reading FOLDER [--peers PYTHON] [--show]

FOLDER holds PDFs with their truth, by programs or by people: `NAME.json` with the `sentences` of `NAME.pdf` in any
order, and what is `hidden` in it; or `NAME.truth.json` with its `texts` (those of the layer `body` count, by sentences)
and the cells of its `tables`; names of bullets are left out. A sentence holds if it stands unbroken in what a reader
gives, once quotes, dashes, spaces and raised digits are folded; with `sentences`, marks of notes may be in it, and
with `texts` spaces count for nothing, since those who read them parted some marks from their words. PYTHON is an
interpreter that has pypdfium2, liteparse and docling-parse (`benchmarks/peer_readers.py`); without it only Elcano is
measured. `--show` prints the sentences that Elcano loses.

Processor times are of one pass over all files, each reader in a process of its own, and compared with pypdfium2's plain
text of the same pages, which each process of Elcano's reads too. What OCR takes is counted apart. The last line says
the highest memory of the process that reads a file.
"""

import argparse
import gc
import json
import re
import subprocess
import time
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from multiprocessing import get_context
from pathlib import Path
from resource import RUSAGE_SELF, getrusage
from typing import Any, Final

import pypdfium2

from benchmarks import peer_readers
from benchmarks.table_scores import Score, ScoredCell, score_cells
from elcano.activities.passages.document import Document, FileSkipped
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.graphs.report.places import Cell
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.pdf.ocr import OcrReader, ReadPicture

SHORTEST: Final = 25
"""Characters of a sentence that counts: shorter ones stand anywhere."""
_DASHES: Final = re.compile(r"\s*[-\u2010-\u2015\u2212]\s*")
_QUOTES: Final = dict.fromkeys(map(ord, '\u2018\u2019\u201a\u201c\u201d\u201e\u00ab\u00bb`\u00b4"'), "'")
_RAISED: Final = re.compile("[\u00b9\u00b2\u00b3\u2070-\u2079]+")
_BULLETS: Final = re.compile("[\ue000-\uf8ff\u0080-\u009f]+")
"""Bullets of fonts of symbols, as some readers of the truth left them in."""
_BULLET_NAMES: Final = re.compile(r"^(?:[a-z]|[A-Z]{2}\d{6}) (?=[A-Z])")
"""The code or name of a bullet's glyph, which those who read the truth took for text of its item."""
_NONCHARACTER: Final = re.compile("[\ufdd0-\ufdef\ufffe\uffff]")
_SENTENCE_END: Final = re.compile(r"(?<=[.!?\u061f])\s+(?=\S)")
_KINDS: Final = frozenset({"text", "list_item", "caption", "section_header", "footnote"})
PEERS: Final = tuple(peer_readers.READERS)


def fold_text(text: str, *, marks: bool = True, spaces: bool = True) -> str:
    """`text` in the form in which sentences are compared; without `marks`, raised digits are left out."""
    if not marks:
        text = _RAISED.sub("", text)
    plain = _DASHES.sub("-", unicodedata.normalize("NFKC", text).translate(_QUOTES))
    return (" " if spaces else "").join(_BULLETS.sub("", plain).split())


@dataclass
class Truth:
    """What a file says."""

    sentences: list[str] = field(default_factory=list)
    hidden: list[str] = field(default_factory=list)
    tables: list[dict[str, Any]] = field(default_factory=list)
    made: bool = False
    """Whether a program wrote it, so that marks of notes are known to be left out of its sentences."""


def load_truth(pdf: Path) -> Truth | None:
    """The truth of a file; None: there is none."""
    if (made := pdf.with_suffix(".json")).exists():
        said = json.loads(made.read_text(encoding="utf-8"))
        return Truth(said["sentences"], list(said.get("hidden", {}).values()), made=True)
    if (reviewed := pdf.with_suffix(".truth.json")).exists():
        said = json.loads(reviewed.read_text(encoding="utf-8"))
        body = [one for one in said["texts"] if one["label"] in _KINDS and one["layer"] == "body"]
        texts = [_BULLET_NAMES.sub("", one["text"]) if one["label"] == "list_item" else one["text"] for one in body]
        sentences = [one for text in texts for one in _SENTENCE_END.split(text) if len(one) >= SHORTEST]
        return Truth(sentences, tables=said["tables"])
    return None


def find_lost(truth: Truth, blocks: Iterable[str]) -> list[str]:
    """The sentences that are not in the text of the blocks."""
    whole = "\n".join(blocks)
    spaces = truth.made
    read = [fold_text(whole, spaces=spaces)]
    if truth.made:
        read.append(fold_text(whole, marks=False))
    folded = {one: fold_text(one, spaces=spaces) for one in truth.sentences}
    return [one for one in truth.sentences if not any(folded[one] in text for text in read)]


def score_tables(truth: Truth, document: Document | None) -> Score:
    """The cells of all tables of a file that are at their row and column, of those that its truth has."""
    tables: list[list[ScoredCell]] = []
    if document is not None:
        for raw in StoredPlaces(document.places).select("cells", -1, len(document.text) + 1):
            cell = Cell(*raw)
            if not tables or cell.row < tables[-1][-1].row:
                tables.append([])
            tables[-1].append(ScoredCell(cell.row, cell.column, document.text[cell.start : cell.end]))
    scores = [
        score_cells(
            (
                ScoredCell(one["start_row_offset_idx"], one["start_col_offset_idx"], one["text"])
                for one in table["cells"]
            ),
            tables,
        )
        for table in truth.tables
    ]
    return Score(sum(one.right for one in scores), sum(one.total for one in scores))


@dataclass
class _Reading:
    document: Document | None
    refusal: str
    seconds: float
    """OCR included."""
    ocr_seconds: float
    ocr_pages: int
    peak_bytes: int
    plain_seconds: float
    """What pypdfium2 takes for the plain text of the same pages, in the same process."""
    pages: int


def _measure_ocr() -> list[float]:
    """Seconds of the processor that OCR takes for each page from now on, in this process."""
    read, taken = OcrReader.read, list[float]()

    def measure(self: OcrReader, page: pypdfium2.PdfPage, number: int) -> ReadPicture:
        began = time.process_time()
        try:
            return read(self, page, number)
        finally:
            taken.append(time.process_time() - began)

    OcrReader.read = measure  # type: ignore[method-assign]
    return taken


def _read_file(path: str) -> _Reading:
    gc.freeze()  # as the process does that reads documents
    ocr = _measure_ocr()
    name, content = Path(path).name, Path(path).read_bytes()
    began = time.process_time()
    try:
        document, refusal = parse_document(name, content), ""
    except FileSkipped as error:
        document, refusal = None, str(error)
    seconds = time.process_time() - began
    peak = getrusage(RUSAGE_SELF).ru_maxrss * 1024
    began = time.process_time()
    pages = _read_plainly(content)
    return _Reading(document, refusal, seconds, sum(ocr), len(ocr), peak, time.process_time() - began, pages)


def _read_plainly(content: bytes) -> int:
    """Have pypdfium2 read the plain text of a file, and count its pages."""
    with pypdfium2.PdfDocument(content) as document:
        for index in range(len(document)):
            with suppress(pypdfium2.PdfiumError):  # a damaged page
                document[index].get_textpage().get_text_range()
        return len(document)


def _read_all(paths: Sequence[Path]) -> Iterator[tuple[Path, _Reading]]:
    """Each file by a process of its own, whose libraries are loaded before."""
    with get_context("forkserver").Pool(1, maxtasksperchild=1) as pool:
        for path in paths:
            yield path, pool.apply(_read_file, (str(path),))


def _ask_peer(python: str, name: str, paths: Sequence[Path]) -> dict[str, Any]:
    command = [python, peer_readers.__file__, name, *map(str, paths)]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def _print_details(reading: _Reading, score: Score, sentences: Iterable[str]) -> None:
    if score.total:
        print(f"    cells of tables: {score.right} of {score.total}")
    if reading.refusal:
        print(f"    refused: {reading.refusal}")
    if reading.document is not None:
        for gap in reading.document.gaps:
            print(f"    {'gap' if gap.unread else 'left out'}: {gap.reason}")
    for one in sentences:
        print(f"    - {one}")


def main() -> None:
    """Prints what each reader holds of each file, and their sums."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--peers", default="", metavar="PYTHON")
    parser.add_argument("--show", action="store_true")
    arguments = parser.parse_args()
    truths = {
        path: truth for path in sorted(arguments.folder.rglob("*.pdf")) if (truth := load_truth(path)) is not None
    }
    if not truths:
        raise SystemExit("there is no PDF with its truth in it")
    peers = {name: _ask_peer(arguments.peers, name, list(truths)) for name in PEERS} if arguments.peers else {}
    sums = dict.fromkeys(["elcano", *peers], 0)
    seconds = dict.fromkeys(sums, 0.0)
    hidden = strange = total = peak = pages = ocr_pages = 0
    plain = ocr_seconds = 0.0
    cells = Score(0, 0)
    for path, reading in _read_all(list(truths)):
        truth = truths[path]
        text = reading.document.text if reading.document else ""
        lost = find_lost(truth, [text])
        quoted = [one for one in truth.hidden if fold_text(one) in fold_text(text)]
        held = {"elcano": len(truth.sentences) - len(lost)}
        seconds["elcano"] += reading.seconds
        plain += reading.plain_seconds
        pages += reading.pages
        ocr_pages += reading.ocr_pages
        ocr_seconds += reading.ocr_seconds
        for name, found in peers.items():
            answer = found[str(path)]
            held[name] = len(truth.sentences) - len(find_lost(truth, answer["blocks"])) if answer else 0
            seconds[name] += answer["seconds"] if answer else 0.0
        for name, count in held.items():
            sums[name] += count
        total += len(truth.sentences)
        hidden += len(quoted)
        strange += len(_NONCHARACTER.findall(text))
        score = score_tables(truth, reading.document)
        cells = Score(cells.right + score.right, cells.total + score.total)
        peak = max(peak, reading.peak_bytes)
        print(f"{path.stem}: {len(truth.sentences)} sentences,", ", ".join(f"{n} {c}" for n, c in held.items()))
        _print_details(reading, score, [*lost, *(f"(hidden) {one}" for one in quoted)] if arguments.show else ())
    for name, count in sums.items():
        ratio = f", {seconds[name] / seconds['pypdfium2']:.1f} times pypdfium2" if peers else ""
        print(f"{name}: {count} of {total} sentences hold ({count / total:.3f}); {seconds[name]:.2f} s{ratio}")
    if cells.total:
        print(f"elcano: {cells.right} of {cells.total} cells of tables at their place ({cells.share:.3f})")
    text_seconds = seconds["elcano"] - ocr_seconds
    print(
        f"elcano without OCR, of {pages} pages: {text_seconds / pages:.3f} s a page, "
        f"{text_seconds / plain:.1f} times pypdfium2's plain text of them in the same processes"
    )
    if ocr_pages:
        print(f"elcano's OCR, of {ocr_pages} pages: {ocr_seconds / ocr_pages:.2f} s a page")
    print(f"hidden sentences quoted: {hidden}; noncharacters: {strange}; highest memory {peak / 1e6:.0f} MB")


if __name__ == "__main__":
    main()
