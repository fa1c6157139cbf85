"""Positions of a report's quotes, as a part of its page: on a picture of their page, in their table, or in words.

Pictures are the strip of the page around the quote, within the page itself, so that one file can be passed on. They are
bounded in number and size; of a quote without one the words around it are shown.
"""

from base64 import b64encode
from collections.abc import AsyncIterator, Iterator, Mapping, Sequence
from html import escape
from typing import Final

from elcano.activities.report.quoted_words import describe_quote
from elcano.api.services import Services
from elcano.graphs.report.places import group_marks_by_page
from elcano.graphs.report.report import CheckedCitation, Report
from elcano.service.errors import Refusal
from elcano.service.reports.quoted_tables import build_quoted_table
from elcano.storage.evidence import Evidence, get_page_label
from elcano.subjects.documents.page_pictures import PICTURES, PictureWish, frame_marks
from elcano.subjects.documents.pdf.pictures import MEDIA_TYPE
from elcano.text.phrases import Phrases, get_phrases

WIDTH: Final = 900
"""Pixels of a strip: as wide as the text of the report on a screen of double density is read with ease."""
MOST_PICTURES: Final = 60
MOST_BYTES: Final = 6_000_000
"""Bytes of all pictures together, before base64 adds a third: mail takes the file."""
PICTURES_OF_QUOTE: Final = 3
"""Pages of one quote that are shown."""
AROUND: Final = 300
"""Characters that are shown before and after a quote without a picture."""
BATCH: Final = 200


async def render_quoted_places(report: Report, services: Services) -> str:
    """The section of HTML; empty if the report quotes nothing that is still kept."""
    words = get_phrases(report.language)
    cited = list(_select_citations(report))
    passages = await _load_passages([one.evidence for one in cited], services)
    room = _Room(services)
    figures = [
        figure
        for one in cited
        if (passage := passages.get(one.evidence)) is not None
        for figure in [await _render_figure(one, passage, words, room)]
    ]
    if not figures:
        return ""
    return f"<section>\n<h2>{escape(words.quotes_in_place)}</h2>\n{''.join(figures)}</section>\n"


def _select_citations(report: Report) -> Iterator[CheckedCitation]:
    """The quotes that hold, by the number of their reference, each once."""
    held = (one for one in report.citations if one.verdict == "verified" and one.number is not None)
    once = {(one.evidence, one.start, one.end): one for one in held}
    yield from sorted(once.values(), key=lambda one: (one.number or 0, one.start or 0))


async def _load_passages(ids: Sequence[str], services: Services) -> dict[str, Evidence]:
    found: dict[str, Evidence] = {}
    wanted = list(dict.fromkeys(ids))
    for first in range(0, len(wanted), BATCH):
        found |= {one.id: one for one in await services.store.evidence.get(wanted[first : first + BATCH])}
    return found


class _Room:
    """Draws pictures as long as there is room for them in the page."""

    def __init__(self, services: Services) -> None:
        self._services = services
        self._pictures = MOST_PICTURES
        self._bytes = MOST_BYTES

    async def draw(self, cited: CheckedCitation, passage: Evidence) -> AsyncIterator[tuple[int, bytes]]:
        """The strips of a quote, with their pages; none if its file cannot be had any more."""
        by_page = group_marks_by_page(cited.marks)
        for page, marks in list(by_page.items())[:PICTURES_OF_QUOTE]:
            if self._pictures <= 0 or self._bytes <= 0:
                return
            wish = PictureWish(page, WIDTH, tuple(marks), frame_marks(marks))
            try:
                drawn = await PICTURES.draw(self._services.settings, self._services.store, passage, wish)
            except Refusal:
                return
            if len(drawn.content) <= self._bytes:
                self._pictures -= 1
                self._bytes -= len(drawn.content)
                yield page, drawn.content


async def _render_figure(cited: CheckedCitation, passage: Evidence, words: Phrases, room: _Room) -> str:
    pictures = [
        f'<img alt="{escape(_name_page(page, passage.metadata, words))}" width="{WIDTH}" '
        f'src="data:{MEDIA_TYPE};base64,{b64encode(content).decode()}">\n'
        async for page, content in room.draw(cited, passage)
    ]
    page = _name_page(cited.page, passage.metadata, words) if cited.page else ""
    place = "; ".join(filter(None, (page, describe_quote(cited, words))))
    caption = f'<a class="number" href="#reference-{cited.number}">[{cited.number}]</a> {escape(place)}'
    shown = "".join(pictures) or _render_table(cited, passage)
    quoted = _render_words(cited, passage, around=not shown)
    return f"<figure>\n<figcaption>{caption}</figcaption>\n{shown}{quoted}</figure>\n"


def _name_page(page: int, metadata: Mapping[str, object], words: Phrases) -> str:
    label = get_page_label(dict(metadata), page)  # type: ignore[arg-type]
    return words.page.format(page=f"{page} ({label})" if label else page)


def _render_words(cited: CheckedCitation, passage: Evidence, *, around: bool) -> str:
    """The quote marked in the words around it; without these below a picture that shows them."""
    start, end = (cited.start or 0) - passage.start, (cited.end or 0) - passage.start
    if not 0 <= start < end <= len(passage.text):
        return f'<blockquote dir="auto"><mark>{escape(cited.quote)}</mark></blockquote>\n'
    before, after = passage.text[:start], passage.text[end:]
    if len(before) > AROUND:
        before = f"\u2026 {before[-AROUND:].partition(' ')[2]}"
    if len(after) > AROUND:
        after = f"{after[:AROUND].rpartition(' ')[0]} \u2026"
    marked = f"<mark>{escape(passage.text[start:end])}</mark>"
    shown = f"{escape(before)}{marked}{escape(after)}" if around else marked
    return f'<blockquote dir="auto">{shown}</blockquote>\n'


def _render_table(cited: CheckedCitation, passage: Evidence) -> str:
    if cited.start is None or cited.end is None:
        return ""
    rows = build_quoted_table(passage.text, passage.start, passage.places.cells, cited.start, cited.end, cited.cells)
    lines = []
    for row in rows:
        cells = []
        for cell in row:
            tag = "th" if cell.head else "td"
            spans = f' rowspan="{cell.rows}"' if cell.rows > 1 else ""
            spans += f' colspan="{cell.columns}"' if cell.columns > 1 else ""
            text = f"<mark>{escape(cell.text)}</mark>" if cell.cited else escape(cell.text)
            cells.append(f"<{tag}{spans}>{text}</{tag}>")
        lines.append(f"<tr>{''.join(cells)}</tr>\n")
    return f'<table dir="auto">\n{"".join(lines)}</table>\n' if lines else ""
