"""PDFs read by other readers, in the environment of another interpreter; imports nothing of this project.

    PYTHON benchmarks/peer_readers.py READER FILE...

prints as JSON, for each file, its text in blocks and the processor time in seconds that it took; null for a file that
the reader refuses. READER is `pypdfium2`, `liteparse` or `docling-parse`.
"""

import json
import logging
import sys
import time
from collections.abc import Callable, Iterator


def _load_pypdfium2() -> Callable[[str], Iterator[str]]:
    import pypdfium2

    def read(path: str) -> Iterator[str]:
        document = pypdfium2.PdfDocument(path)
        for index in range(len(document)):
            yield document[index].get_textpage().get_text_range()

    return read


def _load_liteparse() -> Callable[[str], Iterator[str]]:
    import liteparse

    reader = liteparse.LiteParse(ocr_enabled=False, extract_blocks=True, quiet=True, continue_on_page_error=True)

    def read(path: str) -> Iterator[str]:
        for page in reader.parse(path).pages:
            for block in page.blocks:
                rows = [block.header or [], *(block.rows or [])]
                yield block.text or " ".join([*(block.lines or ()), *(cell.text for row in rows for cell in row)])

    return read


def _load_docling_parse() -> Callable[[str], Iterator[str]]:
    from docling_parse.pdf_parser import DoclingPdfParser

    reader = DoclingPdfParser(loglevel="fatal")

    def read(path: str) -> Iterator[str]:
        document = reader.load(path_or_stream=path)
        for number in range(1, document.number_of_pages() + 1):
            try:
                yield "\n".join(cell.text for cell in document.get_page(number).textline_cells)
            except Exception:  # a damaged page: the others count
                continue

    return read


READERS = {"pypdfium2": _load_pypdfium2, "liteparse": _load_liteparse, "docling-parse": _load_docling_parse}


def main() -> None:
    """Reads the files that are named, and prints what came out."""
    logging.disable(logging.CRITICAL)
    read = READERS[sys.argv[1]]()
    found: dict[str, dict[str, object] | None] = {}
    for path in sys.argv[2:]:
        began = time.process_time()
        try:
            blocks = list(read(path))
        except Exception:  # refused: that is its score
            found[path] = None
            continue
        found[path] = {"blocks": blocks, "seconds": time.process_time() - began}
    print(json.dumps(found))


if __name__ == "__main__":
    main()
