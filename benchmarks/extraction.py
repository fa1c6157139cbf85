"""Measure how much of a page's main text is read, and how much beside it, next to other libraries in the same run.

    python -m benchmarks.extraction FOLDER [HALF]

FOLDER holds pages of one of these layouts:

- a checkout of mozilla/readability: `test/test-pages/NAME/source.html` with `expected.html`;
- a checkout of scrapinghub/article-extraction-benchmark: `html/NAME.html.gz` and `ground-truth.json`;
- a checkout of adbar/trafilatura: `tests/evaldata.json` with phrases that must and must not be in the text of a page;
- `NAME.html` with `NAME.expected.html`, `NAME.expected.txt`, or `NAME.expected.json` with phrases (`with`, `without`).

HALF, 0 or 1, takes every other page: what was tuned on one half is reported on the other one. Words are compared as
bags: precision is the share of what was read that is expected, recall the share of what is expected that was read. Of
phrases, those found are counted over all pages. readability-lxml takes part if it is installed; it is no dependency.
"""

import gzip
import json
import re
import sys
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from pathlib import Path
from statistics import fmean
from typing import Any, Final, NamedTuple

import trafilatura
from selectolax.lexbor import LexborHTMLParser

from elcano.activities.passages.document import FileSkipped
from elcano.subjects.documents.html_encoding import decode_html
from elcano.subjects.web.extraction import Request, extract_page
from elcano.text.words import split_words

ADDRESS: Final = "https://example.org/pages/"
WORST_SHOWN: Final = 10


class Case(NamedTuple):
    """A page, and what is expected of it."""

    name: str
    url: str
    content: bytes
    text: str = ""
    phrases: Mapping[str, list[str]] | None = None


class Score(NamedTuple):
    """How well one page was read; of phrases, their counts."""

    right: float
    read: float
    expected: float

    @property
    def f1(self) -> float:
        """The harmonic mean of precision and recall."""
        return 2 * self.right / (self.read + self.expected) if self.right else 0.0


def main() -> None:
    """Print precision, recall, F1 and time of each reader, the pages that ours refuses, and its worst ones."""
    if len(sys.argv) not in (2, 3):
        raise SystemExit(__doc__)
    cases = list(_list_cases(Path(sys.argv[1])))
    if len(sys.argv) == 3:
        cases = cases[int(sys.argv[2]) :: 2]
    if not cases:
        raise SystemExit("there is no page in it")
    for name, read in _list_readers().items():
        _measure(name, read, cases)


def _measure(name: str, read: Callable[[Case], str], cases: list[Case]) -> None:
    scores: dict[str, Score] = {}
    refused: list[str] = []
    began = time.process_time()
    for case in cases:
        try:
            text = read(case)
        except FileSkipped as error:
            text = ""
            refused.append(f"{case.name}: {error}")
        scores[case.name] = _score(text, case)
    seconds = (time.process_time() - began) / len(cases)
    if cases[0].phrases is not None:
        total = Score(*map(sum, zip(*scores.values(), strict=True)))
        precision, recall, f1 = total.right / total.read, total.right / total.expected, total.f1
    else:
        precision = fmean(one.right / one.read if one.read else 0.0 for one in scores.values())
        recall = fmean(one.right / one.expected if one.expected else 1.0 for one in scores.values())
        f1 = fmean(one.f1 for one in scores.values())
    print(
        f"{name}: {len(cases)} pages, precision {precision:.3f}, recall {recall:.3f}, F1 {f1:.4f}, "
        f"{1000 * seconds:.0f} ms of processor a page"
    )
    for line in refused:
        print(f"  refused {line}")
    if name == "elcano":
        for worst in sorted(scores, key=lambda one: scores[one].f1)[:WORST_SHOWN]:
            print(f"  {scores[worst].f1:.3f} {worst}")


def _list_readers() -> dict[str, Callable[[Case], str]]:
    readers: dict[str, Callable[[Case], str]] = {"elcano": _read_ours, "trafilatura": _read_by_trafilatura}
    with suppress(ImportError):
        from readability import Document  # type: ignore[import-not-found]

        def read_by_readability(case: Case) -> str:
            body = LexborHTMLParser(Document(decode_html(case.content)).summary()).body
            return body.text(separator=" ") if body is not None else ""

        readers["readability-lxml"] = read_by_readability
    return readers


def _read_ours(case: Case) -> str:
    return extract_page(Request(".html", case.url), case.content).document.text


def _read_by_trafilatura(case: Case) -> str:
    return trafilatura.extract(decode_html(case.content), include_comments=False) or ""


def _list_cases(folder: Path) -> Iterator[Case]:
    if (truth := folder / "ground-truth.json").exists():
        for name, one in sorted(_load(truth).items()):
            yield Case(
                name, one["url"], gzip.decompress((folder / f"html/{name}.html.gz").read_bytes()), one["articleBody"]
            )
    elif (truth := folder / "tests/evaldata.json").exists():
        for url, one in sorted(_load(truth).items()):
            page = next(
                (path for part in ("cache", "eval") if (path := folder / "tests" / part / one["file"]).exists()), None
            )
            if page is not None:
                yield Case(url, url, page.read_bytes(), phrases=one)
    elif (pages := folder / "test/test-pages").exists():
        for page in sorted(pages.glob("*/source.html")):
            yield Case(
                page.parent.name,
                ADDRESS + page.parent.name,
                page.read_bytes(),
                _text_of(page.with_name("expected.html")),
            )
    else:
        yield from _list_own_cases(folder)


def _list_own_cases(folder: Path) -> Iterator[Case]:
    for page in sorted(folder.glob("*.html")):
        text = ""
        if (plain := page.with_suffix(".expected.txt")).exists():
            text = plain.read_text(encoding="utf-8")
        elif (markup := page.with_suffix(".expected.html")).exists():
            text = _text_of(markup)
        phrases = page.with_suffix(".expected.json")
        if ".expected" not in page.name:
            yield Case(
                page.stem, ADDRESS + page.stem, page.read_bytes(), text, _load(phrases) if phrases.exists() else None
            )


def _load(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
    return found


def _text_of(path: Path) -> str:
    body = LexborHTMLParser(path.read_text(encoding="utf-8")).body
    return body.text(separator=" ") if body is not None else ""


def _score(text: str, case: Case) -> Score:
    if case.phrases is not None:
        found = " ".join(text.split())
        right = sum(re.sub(r"\s+", " ", one).strip() in found for one in case.phrases.get("with", ()))
        wrong = sum(re.sub(r"\s+", " ", one).strip() in found for one in case.phrases.get("without", ()))
        return Score(right, right + wrong, len(case.phrases.get("with", ())))
    got, wanted = Counter(split_words(text)), Counter(split_words(case.text))
    return Score((got & wanted).total(), got.total(), wanted.total())


if __name__ == "__main__":
    main()
