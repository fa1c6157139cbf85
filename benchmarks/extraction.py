"""How much of a page's main text is read, and how much beside it: recorded pages through the reader of the web.

    python -m benchmarks.extraction FOLDER

FOLDER holds pages `NAME.html`, each with the text that somebody else holds for the right one: `NAME.expected.html` or
`NAME.expected.txt`, or `NAME.expected.json` with phrases that must (`with`) and must not (`without`) be in it. Words
are compared as bags: precision is the share of what was read that is expected, recall the share of what is expected
that was read.
"""

import json
import sys
import time
from collections import Counter
from pathlib import Path
from statistics import fmean

from selectolax.lexbor import LexborHTMLParser

from elcano.activities.passages.document import FileSkipped
from elcano.activities.text.words import split_words
from elcano.plugins.web.extraction import Request, extract_page


def main() -> None:
    """Prints precision, recall and F1 of each page, their means, and the time of each."""
    if len(sys.argv) != 2:
        raise SystemExit(__doc__)
    scores: list[float] = []
    seconds: list[float] = []
    for page in sorted(Path(sys.argv[1]).glob("*.html")):
        if ".expected" in page.name:
            continue
        began = time.perf_counter()
        try:
            found = extract_page(
                Request(".html", f"https://example.org/pages/{page.stem}"), page.read_bytes()
            ).document.text
        except FileSkipped as error:
            print(f"{page.stem}: left out, {error}")
            continue
        seconds.append(time.perf_counter() - began)
        told = f"{page.stem}: {len(found)} characters in {seconds[-1] * 1000:.0f} ms"
        if (expected := _expected(page)) is not None:
            precision, recall, score = _compared(found, expected)
            scores.append(score)
            told += f", precision {precision:.3f}, recall {recall:.3f}, F1 {score:.3f}"
        if (phrases := page.with_suffix(".expected.json")).exists():
            told += f", {_phrases(found, json.loads(phrases.read_text(encoding='utf-8')))}"
        print(told)
    if not seconds:
        raise SystemExit("there is no page in it")
    if scores:
        print(f"mean F1 of {len(scores)} pages: {fmean(scores):.3f}")
    print(f"mean of {len(seconds)} pages: {fmean(seconds) * 1000:.0f} ms")


def _expected(page: Path) -> str | None:
    if (text := page.with_suffix(".expected.txt")).exists():
        return text.read_text(encoding="utf-8")
    if (markup := page.with_suffix(".expected.html")).exists():
        body = LexborHTMLParser(markup.read_text(encoding="utf-8")).body
        return body.text(separator=" ") if body else ""
    return None


def _compared(found: str, expected: str) -> tuple[float, float, float]:
    """Precision, recall and F1 of the words."""
    got, wanted = Counter(split_words(found)), Counter(split_words(expected))
    both = (got & wanted).total()
    if not both:
        return 0.0, 0.0, 0.0
    return both / got.total(), both / wanted.total(), 2 * both / (got.total() + wanted.total())


def _phrases(found: str, expected: dict[str, list[str]]) -> str:
    has = [phrase in found for phrase in expected.get("with", [])]
    lacks = [phrase not in found for phrase in expected.get("without", [])]
    return f"{sum(has)} of {len(has)} phrases are there, {sum(lacks)} of {len(lacks)} others are not"


if __name__ == "__main__":
    main()
