"""Whether quotes stand where their marks are, and what a picture of a page with its marks costs.

    python -m benchmarks.quoted_places FOLDER [--quotes 300] [--out PICTURES]

FOLDER holds PDFs of any kind. Quotes are sentences of passages, the same ones in each run, as many from each file;
each goes the way of a citation: packed places, the part of its passage, marks. What PDFium alone reads within the marks
is then compared with the quote: nine in ten of its letters have to be there, in their order. That says nothing of pages
that OCR read, which are counted apart. `--out` saves the strip around each quote as a picture, to be looked at.

Pictures are of whole pages, 1,200 pixels wide, in a process of their own, as the API draws them.
"""

import argparse
import asyncio
import random
import re
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from elcano.activities.passages.document import Document, FileSkipped
from elcano.activities.passages.stored_places import StoredPlaces
from elcano.graphs.report.places import Mark, find_marks, group_marks_by_page
from elcano.storage.evidence import CONFIDENCE
from elcano.subjects.documents.file_formats import parse_document
from elcano.subjects.documents.page_pictures import frame_marks
from elcano.subjects.documents.pdf.marked_text import has_quote, read_marked_text
from elcano.subjects.documents.pdf.page_drawing import render_page
from elcano.subjects.documents.pdf.pictures import PageRenderer

SENTENCE: Final = re.compile(r"[^.!?\n|]{20,200}[.!?]?")
WIDTH: Final = 1_200
PICTURES: Final = 100


class Quoted(NamedTuple):
    """A quote and its marks."""

    text: str
    marks: tuple[Mark, ...]
    by_ocr: bool


def draw_quotes(document: Document, count: int, draw: random.Random) -> Iterator[Quoted]:
    """So many sentences of a document, each from a passage of its own as far as there are."""
    places = StoredPlaces(document.places)
    passages = draw.sample(document.passages, len(document.passages))
    for number in range(count):
        passage = passages[number % len(passages)]
        found = list(SENTENCE.finditer(document.text, passage.start, passage.end))
        if not found:
            continue
        chosen = draw.choice(found)
        start, end = chosen.span()
        cut = places.cut(passage.start, passage.end)
        read = places.describe(passage.start, passage.end, passage.page)
        yield Quoted(chosen[0].strip(), find_marks(document.text, cut, start, end), CONFIDENCE in read)


def compare_file(data: bytes, quotes: list[Quoted], name: str, out: Path | None) -> Iterator[str]:
    """What becomes of each quote: in place, elsewhere, by OCR, without marks."""
    for number, quote in enumerate(quotes):
        by_page = group_marks_by_page(quote.marks)
        if not by_page:
            yield "without marks"
            continue
        if out is not None:
            page, marks = next(iter(by_page.items()))
            picture = render_page(data, page, WIDTH, marks, frame_marks(marks))
            (out / f"{name}-{number:02d}-page-{page}.png").write_bytes(picture.content)
        there = " ".join(read_marked_text(data, page, marks) for page, marks in by_page.items())
        in_place = has_quote(there, quote.text)
        if not in_place and not quote.by_ocr:
            print(f"  {name}, page {quote.marks[0].page}: {quote.text[:90]!r} is {there[:90]!r}")
        yield "by OCR" if quote.by_ocr else "in place" if in_place else "elsewhere"


async def time_pictures(pages: list[tuple[bytes, int, list[Mark]]]) -> list[float]:
    """Seconds of each picture, one after the other; the first one starts the processes and does not count."""
    renderer, took = PageRenderer(), []
    for data, page, marks in (pages[0], *pages):
        begun = time.perf_counter()
        await renderer.render(data, page, WIDTH, [mark.box for mark in marks if mark.page == page])
        took.append(time.perf_counter() - begun)
    return sorted(took[1:])


def main() -> None:
    """The program."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.quoted_places")
    parser.add_argument("folder", type=Path)
    parser.add_argument("--quotes", type=int, default=300)
    parser.add_argument("--out", type=Path)
    options = parser.parse_args()
    files = sorted(options.folder.rglob("*.pdf"))
    draw, outcomes, drawn = random.Random(7), Counter[str](), []
    if options.out is not None:
        options.out.mkdir(parents=True, exist_ok=True)
    for file in files:
        data = file.read_bytes()
        try:
            document = parse_document(file.name, data)
        except FileSkipped as error:
            print(f"  {file.name} is left out: {error}")
            continue
        quotes = list(draw_quotes(document, -(-options.quotes // len(files)), draw))
        outcomes.update(compare_file(data, quotes, file.stem, options.out))
        drawn += [(data, quote.marks[0].page, list(quote.marks)) for quote in quotes if quote.marks]
    print(", ".join(f"{count} {outcome}" for outcome, count in outcomes.most_common()))
    took = asyncio.run(time_pictures(draw.sample(drawn, min(PICTURES, len(drawn)))))
    half, most = took[len(took) // 2], took[int(0.95 * len(took))]
    print(f"{len(took)} pictures of pages with marks: p50 {1_000 * half:.0f} ms, p95 {1_000 * most:.0f} ms")


if __name__ == "__main__":
    main()
