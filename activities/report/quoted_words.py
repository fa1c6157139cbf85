"""The words that a report quotes, below their references: from which page and cell, and how sure OCR was of them."""

import math
from collections.abc import Sequence

from elcano.activities.report.checked_draft import CheckedDraft
from elcano.activities.report.markdown import QuotedWords
from elcano.graphs.report.report import CheckedCitation
from elcano.storage.evidence import PAGE, Evidence, format_page
from elcano.text.phrases import Phrases


def list_quoted_words(checked: CheckedDraft, words: Phrases) -> dict[int, list[QuotedWords]]:
    """The words that are quoted, by reference, in the order in which they stand in their documents.

    A report of quotations shows them in its text: only those with a remark are repeated.
    """
    given = {one.id: one for one in checked.given}
    bare = checked.draft.quoted or bool(checked.draft.attachments)
    found: dict[int, list[tuple[CheckedCitation, QuotedWords]]] = {}
    for cited in checked.citations:
        if cited.number is not None:
            remark = describe_quote(cited, words)
            quoted = QuotedWords(_locate(cited, given.get(cited.evidence)), cited.quote, remark)
            if remark or not bare:
                found.setdefault(cited.number, []).append((cited, quoted))
    return {number: [quoted for _, quoted in _sort_by_page(pairs)] for number, pairs in found.items()}


def _sort_by_page(
    pairs: list[tuple[CheckedCitation, QuotedWords]],
) -> Sequence[tuple[CheckedCitation, QuotedWords]]:
    """In the order of their pages; as they are cited where not all pages are known."""
    if not all(cited.page for cited, _ in pairs):
        return pairs
    texts = list(dict.fromkeys(cited.content_hash for cited, _ in pairs))
    return sorted(pairs, key=lambda pair: (texts.index(pair[0].content_hash), pair[0].start or 0))


def _locate(cited: CheckedCitation, passage: Evidence | None) -> str:
    """Locate a quote: its passage may begin on the page before."""
    if passage is None:
        return ""
    begins = passage.metadata.get(PAGE)
    if not cited.page or cited.page == begins or not isinstance(begins, int):
        return passage.locator
    printed = f"page {format_page(begins, passage.metadata)}"
    own = f"page {format_page(cited.page, passage.metadata)}"
    return passage.locator.replace(f", {printed}", f", {own}").replace(f"#page={begins}", f"#page={cited.page}")


def describe_quote(cited: CheckedCitation, words: Phrases) -> str:
    """Describe a quote for readers: the cell that it is, and how sure OCR was of it; empty: nothing."""
    names = cited.cells[0].names if len(cited.cells) == 1 else ()
    cell = words.table_cell.format(names=words.comma.join(names)) if names else ""
    sure = words.ocr.format(percent=math.floor(100 * cited.confidence)) if cited.confidence is not None else ""
    return "; ".join(filter(None, (cell, sure)))
