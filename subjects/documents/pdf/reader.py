"""Reads PDF documents. Pure, but able to crash a process: see `subjects/documents/parser.py`.

Pages are read one after the other, and only their lines are kept; then what recurs on pages is left out and the lines
become blocks.
"""

import ctypes
from collections import Counter, deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Final

import pypdfium2 as pdfium
import pypdfium2.raw as pdfium_c

from elcano.activities.child_processes import extend_deadline
from elcano.activities.passages.document import Block, FileSkipped, Gap, Parsed
from elcano.activities.passages.place_arrays import LineArray
from elcano.subjects.documents.authorship import parse_authors, parse_year
from elcano.subjects.documents.ocr_languages import explain_lack
from elcano.subjects.documents.pdf.furniture import Furniture
from elcano.subjects.documents.pdf.joining import Vocabulary, join_lines
from elcano.subjects.documents.pdf.ocr import OcrReader
from elcano.subjects.documents.pdf.opening import open_pdf
from elcano.subjects.documents.pdf.packed_lists import PackedList
from elcano.subjects.documents.pdf.page_processes import Limits, read_each
from elcano.subjects.documents.pdf.page_reader import PageText, read_page, read_picture
from elcano.subjects.documents.pdf.paragraph_signs import Paragraph
from elcano.subjects.documents.pdf.paragraphs import count_sizes, group_paragraphs
from elcano.subjects.documents.pdf.table_continuation import carry_heads_of_lines
from elcano.subjects.documents.pdf.tables import build_table_blocks
from elcano.subjects.documents.pdf.visibility import describe_hidden, name_pages
from elcano.text.languages import text_language

LANGUAGE_SAMPLE: Final = 5_000
"""Characters sampled to detect the language."""
FIRST_PAGES: Final = 2
"""Pages whose heads and feet may name the work: later ones repeat them."""
MOST_PAGES: Final = 20_000
"""A file of a hundred bytes may claim a million pages, and each takes half a kilobyte before it is looked at."""
DOCUMENT_SECONDS: Final = 45.0
"""Processor time for all pages of a short document; those that are left then are named as a gap."""
TEXT_PAGE_SECONDS: Final = 0.15
"""Processor time for each page of a longer one: twice that of a dense page."""
MAXIMUM_SECONDS: Final = 300.0
"""Processor time for all pages in any case, that is for 2,000 pages or more."""
PAGE_WAIT: Final = 60.0
"""Time until a page ends the process that reads it, on a machine that is busy."""
LABEL_BYTES: Final = 1_000
"""A longer label is none that is printed on a page, and each page may have one of megabytes."""
TEXT_PAGES: Final = 8
"""Pages from which on a process more saves time."""
OCR_PAGE_SECONDS: Final = 120.0
"""Time until a picture of a page ends the process that reads it, however it is turned."""
OCR_LIMITS: Final = Limits(600.0, OCR_PAGE_SECONDS, worth=1)
"""For the pictures of all pages beyond that: 300 pages take two seconds each."""


def read_pdf(content: bytes, seconds: float | None = None) -> Parsed:
    """Read a PDF.

    Args:
        content: the file.
        seconds: the processor time that its pages may take; None: what so many pages need.

    Raises:
        FileSkipped: it is broken, encrypted, or nothing of it can be read.
    """
    document = open_pdf(content)
    try:
        document.init_forms()
        if seconds is None:
            seconds = min(max(DOCUMENT_SECONDS, TEXT_PAGE_SECONDS * len(document)), MAXIMUM_SECONDS)
        pages = _read_pages(document, seconds)
        claimed = len(document)
        metadata = document.get_metadata_dict()
        labels = _read_labels(document)
    finally:
        document.close()
    vocabulary, furniture, sizes = Vocabulary(), Furniture(), Counter[float]()
    for page, lines in zip(pages, carry_heads_of_lines(page.lines for page in pages), strict=True):
        sizes.update(count_sizes(lines))
        vocabulary.add(lines)
        furniture.add_page(lines, page.height)
        if any(line.thing is not None for line in lines):
            page.lines = PackedList(lines)
    body_size = sizes.most_common(1)[0][0] if sizes else 10.0
    gaps = (*_list_gaps(pages), *_list_uncounted(claimed))
    dropped = furniture.find(body_size)
    if sum(map(len, dropped.values())) == sum(len(page.lines) for page in pages):
        dropped = {}  # pages that only repeat each other, such as labels, have no other text
    heads = tuple(
        page.lines[number].text for page in pages[:FIRST_PAGES] for number in sorted(dropped.get(page.number - 1, ()))
    )
    for page in pages:
        if numbers := dropped.get(page.number - 1):
            page.lines = PackedList([line for number, line in enumerate(page.lines) if number not in numbers])
    blocks = list(_build_blocks(pages, vocabulary, body_size))
    if not blocks:
        raise _explain_emptiness(pages, gaps)
    return Parsed(
        blocks,
        metadata.get("Title", ""),
        parse_authors(metadata.get("Author", "")),
        parse_year(metadata.get("CreationDate", "")),
        gaps=gaps,
        page_labels=labels,
        furniture=heads,
    )


def _read_pages(document: pdfium.PdfDocument, seconds: float) -> list[PageText]:
    def read_text(index: int) -> PageText:
        return _pack(read_page(document, index))

    indexes = range(min(len(document), MOST_PAGES))
    read = read_each(read_text, indexes, Limits(seconds, PAGE_WAIT, TEXT_PAGES))
    pages = [page or PageText(index + 1, "late") for index, page in zip(indexes, read, strict=True)]
    extend_deadline(OCR_PAGE_SECONDS)
    pictures = [page for page in pages if page.picture]
    if not pictures:
        return pages
    ocr = OcrReader(_detect_language(pages))
    if not ocr.is_installed:
        for page in pictures:
            page.needs = ocr.needs
        return pages

    def read_by_ocr(page: PageText) -> PageText:
        read_picture(document, page, ocr)
        page.needs = ocr.needs
        return _pack(page)

    for page, found in zip(pictures, read_each(read_by_ocr, pictures, OCR_LIMITS), strict=True):
        if found is not None:
            pages[page.number - 1] = found
        elif page.state in ("picture", "undecodable"):
            page.state = "late"
    extend_deadline(OCR_PAGE_SECONDS)
    return pages


def _pack(page: PageText) -> PageText:
    page.lines = PackedList(page.lines)
    return page


def _detect_language(pages: Sequence[PageText]) -> str:
    """The language of the text of pages; empty: there is none."""
    lines = (line.text for page in pages for line in page.lines[:40])
    sample = ""
    while len(sample) < LANGUAGE_SAMPLE and (line := next(lines, None)) is not None:
        sample += f"{line} "
    return text_language(sample[:LANGUAGE_SAMPLE]) if sample else ""


def _build_blocks(pages: Sequence[PageText], vocabulary: Vocabulary, body_size: float) -> Iterator[Block]:
    sizes = [(page.width, page.height) for page in pages]
    lines = deque(page.lines for page in pages)
    for page in pages:
        page.lines = ()  # a page is held until its paragraphs are
    commented = [page for page in pages if page.comments]
    for paragraph in group_paragraphs(lines, body_size):
        while commented and commented[0].number < paragraph.lines[0].page:
            yield from commented.pop(0).comments
        if paragraph.thing is not None:
            yield from build_table_blocks(paragraph.thing, paragraph.lines[0].page, vocabulary, sizes)
        else:
            yield _build_block(paragraph, vocabulary, sizes)
    for page in commented:
        yield from page.comments


def _build_block(paragraph: Paragraph, vocabulary: Vocabulary, sizes: Sequence[tuple[float, float]]) -> Block:
    text, places = join_lines(paragraph.lines, vocabulary, sizes, paragraph.breaks)
    read = [line.confidence for line in paragraph.lines if line.confidence is not None]
    return Block(
        text,
        paragraph.kind,
        paragraph.level,
        paragraph.lines[0].page,
        lines=LineArray(places),
        confidence=min(read) if read else None,
    )


def _list_gaps(pages: Sequence[PageText]) -> Iterator[Gap]:
    for state, reason in (
        ("damaged", "damaged and left out"),
        ("failed", "left out: the reader has a fault, please report it with the file"),
        ("costly", "left out, since reading it takes too long"),
        ("crowded", "left out: {} too many drawings"),
        ("late", "left out, since the document is too long: split it"),
    ):
        if numbers := tuple(page.number for page in pages if page.state == state):
            was, holds = ("was", "it holds") if len(numbers) == 1 else ("were", "they hold")
            yield Gap(f"{name_pages(numbers)} {was} {reason.format(holds)}", numbers)
    for needs, numbers in _group_by_needs(pages, lambda page: page.state == "picture" and not page.undecodable):
        are = "is a picture" if len(numbers) == 1 else "are pictures"
        yield Gap(f"{name_pages(numbers)} {are}, and {explain_lack(needs)}", numbers, needs=needs)
    yield from _list_undecodable(pages)
    for page in pages:
        if page.state == "unsure":
            reason = f"page {page.number} was left out: OCR is not sure enough ({round(page.confidence * 100)} %)"
            remedy = f", and {explain_lack(page.needs)}" if page.needs else ""
            yield Gap(f"{reason}{remedy}", (page.number,), needs=page.needs)
    for needs, numbers in _group_by_needs(
        pages, lambda page: page.picture and page.state == "read" and _is_read_by_ocr(page)
    ):
        if needs:
            was = "was" if len(numbers) == 1 else "were"
            reason = f"{name_pages(numbers)} {was} read as another language: {explain_lack(needs)}"
            yield Gap(reason, numbers, unread=False, needs=needs)
    hidden = describe_hidden({page.number: page.hidden for page in pages})
    if hidden is not None:
        yield hidden


def _list_uncounted(claimed: int) -> Iterator[Gap]:
    if claimed > MOST_PAGES:
        yield Gap(f"{claimed - MOST_PAGES:,} pages were left out after the first {MOST_PAGES:,}: split it")


def _list_undecodable(pages: Sequence[PageText]) -> Iterator[Gap]:
    """The gaps of pages whose letters are not all known."""
    pages = [page for page in pages if page.undecodable or page.broken]
    decoded = [page for page in pages if page.undecodable and page.state in ("undecodable", "read")]
    read = [page.number for page in decoded if _is_read_by_ocr(page)]
    for some in ("", "some "):
        chosen = [page for page in decoded if not _is_read_by_ocr(page) and bool(page.lines) == bool(some)]
        for needs, numbers in _group_by_needs(chosen):
            reason = f"{some or 'the '}letters of {name_pages(numbers)} cannot be decoded, and {explain_lack(needs)}"
            yield Gap(reason, numbers, needs=needs)
    if signs := [page for page in pages if page.broken and not page.undecodable and page.lines]:
        count = sum(page.broken for page in signs)
        numbers = tuple(page.number for page in signs)
        yield Gap(f"some signs of {name_pages(numbers)} cannot be decoded, and read \ufffd ({count})", numbers)
    if read:
        verb = "it was" if len(read) == 1 else "they were"
        yield Gap(f"the letters of {name_pages(read)} cannot be decoded: {verb} read by OCR", tuple(read), unread=False)


def _group_by_needs(
    pages: Iterable[PageText], chosen: Callable[[PageText], bool] = lambda page: True
) -> Iterator[tuple[str, tuple[int, ...]]]:
    """The numbers of the chosen pages, by what is not installed that they need."""
    groups: dict[str, list[int]] = {}
    for page in filter(chosen, pages):
        groups.setdefault(page.needs, []).append(page.number)
    return ((needs, tuple(numbers)) for needs, numbers in groups.items())


def _is_read_by_ocr(page: PageText) -> bool:
    return any(line.confidence is not None for line in page.lines)


def _explain_emptiness(pages: Sequence[PageText], gaps: Iterable[Gap]) -> FileSkipped:
    """Why nothing at all can be read."""
    if pages and all(page.state == "damaged" for page in pages):
        return FileSkipped("all of its pages are damaged")
    gap = min(gaps, key=lambda gap: not gap.unread, default=Gap("there is no text in it"))
    return FileSkipped(gap.reason, gap.needs)


def _read_labels(document: pdfium.PdfDocument) -> tuple[str, ...]:
    """Read the printed number of each page; empty where they are the numbers from 1."""
    labels = [_read_label(document, index) for index in range(min(len(document), MOST_PAGES))]
    if all(label in ("", str(number)) for number, label in enumerate(labels, start=1)):
        return ()
    return tuple(labels)


def _read_label(document: pdfium.PdfDocument, index: int) -> str:
    length = pdfium_c.FPDF_GetPageLabel(document.raw, index, None, 0)
    if not 2 < length <= LABEL_BYTES:
        return ""
    buffer = ctypes.create_string_buffer(length)
    pdfium_c.FPDF_GetPageLabel(document.raw, index, buffer, length)
    return buffer.raw[: length - 2].decode("utf-16-le", "replace").strip()
