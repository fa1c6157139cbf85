"""Reads the title, authors, year and DOI of a document from its first page.

Metadata of PDF files name programs, file names and accounts as often as the work, and their date is that of the file.
So they count only where the page says the same, and what nothing shows for sure is left out: a reference without a year
is better than one with a wrong year. Pure; every pattern is bounded, and at most the first pages are looked at.
"""

import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence, Set
from dataclasses import dataclass, replace
from statistics import median
from typing import Final

from elcano.activities.passages.document import Block, Parsed, normalize_text
from elcano.graphs.report.works import parse_doi
from elcano.subjects.documents.authorship import is_byline, is_name, parse_printed_authors
from elcano.subjects.documents.publication_years import find_year

PAGE_BLOCKS: Final = 80
"""Blocks of the first page that are looked at: a title page has a few, a newspaper's front page some dozens."""
PAGE_CHARACTERS: Final = 12_000
FIRST_PDF: Final = 1993
"""The year in which the format appeared: files with an earlier date have a wrong one."""
TITLE_CHARACTERS: Final = 300
TITLE_WORDS: Final = range(2, 40)
LARGER: Final = 1.12
"""A title is printed so much larger than the text; journals with the smallest difference have 1.2."""
SAME_SIZE: Final = 0.09
"""Lines of one title differ in the height of their boxes, by letters above and below, no more than this."""
TITLE_BAND: Final = 0.7
"""A title begins in this part of the page, from its top."""

_PLACEHOLDER: Final = re.compile(
    r"(?:untitled|no ?title|title|document|presentation|slide|template|draft|manuscript|layout|print|full ?text)[\W\d]*"
    r"|(?:microsoft (?:word|powerpoint|excel)|powerpoint|word|adobe|latex|pdf)\b.{0,200}"
    r"|.{0,250}\.(?:docx?|pptx?|xlsx?|indd|dvi|tex|pdf|rtf|qxd|qxp|fm|ps|eps|p65|3d)(?:\b.{0,20})?"
    r"|[\W\d_]*",
    re.IGNORECASE,
)
"""Placeholders that programs put in for a title: their names, file names, numbers."""
_NO_TITLE: Final = re.compile(
    r"https?:|www\.|@|\bdoi\b|\bissn\b|^(?:open access|abstract|contents?|index|keywords?|summary|introduction"
    r"|references"
    r"|(?:original |short |brief |regular )?(?:research|review|data|method\w*|case)?[ -]?(?:articles?|papers?|reports?"
    r"|communications?|protocols?|letters?)|reviews?|editorial|commentary|correspondence|study protocol|taxonomic note"
    r"|chapter \w+|part \w+|page \d+|table \w+|figure \w+|supplementary .{0,80})\b.{0,12}$"
    r"|^(?:this|these) (?:article|provisional|document|pdf|paper)\b|journal homepage|contents lists available"
    r"|^(?:received|accepted|published|submitted|downloaded)\b|^(?:vol(?:ume)?|no|issue)\b\.? ?\d"
    r"|\b(?:transactions on|journal of|proceedings of|international journal|annals of|archives of)\b.{0,80}\d"
    r"|^(?:(?:international |american |european |british )?journal (?:of|for)|proceedings of|annals of|archives of)\b"
    r"|^arxiv:",
    re.IGNORECASE,
)
_NUMBERED: Final = re.compile(r"(?:\d{1,2}|[IVX]{1,4})(?:\.\d{1,2})*\.?\s+(?:[^\W\d_]\S*\s*){1,4}$")
"""A heading of a section."""
_RAISED: Final = "⁰¹²³⁴⁵⁶⁷⁸⁹ᵃᵇᶜᵈᵉ"
_LETTERSPACED: Final = re.compile(r"(?:\b\w{1,3}\s){4,}")
_LETTER: Final = re.compile(r"[^\W\d_]")
_NOT_LETTERS: Final = re.compile(r"[\W_]+")
_REFERENCES: Final = re.compile(
    r"(?:\d{1,2}\.? )?(?:references|bibliography|literature cited|works cited|literatur|références|bibliografía)\W*",
    re.IGNORECASE,
)
_BEGINNING: Final = re.compile(
    r"(?:\d\.?\s{1,3})?(?:abstract|summary|introduction|zusammenfassung|résumé|resumen)\W*", re.IGNORECASE
)
TEXT_CHARACTERS: Final = 900
"""A longer block is text: notices above titles, as on pages that a publisher puts in front, are shorter."""
_ENTRY: Final = re.compile(r"\[\d{1,3}\]|\d{1,3}\.\s+[A-Z][^\W\d_]+,? [A-Z]")
"""Beginning of an entry in a list of references."""


@dataclass(frozen=True, slots=True)
class FirstPage:
    """Data on a first page; empty where it does not say so for sure."""

    title: str = ""
    authors: tuple[str, ...] = ()
    year: int = 0
    doi: str = ""


def complete_from_first_page(parsed: Parsed) -> Parsed:
    """The document with what its first page says, and of its metadata what the page confirms.

    Args:
        parsed: what a reader found; its year is that of the file, so the work is no younger.
    """
    page = read_first_page(parsed.blocks, parsed.furniture, newest=parsed.year + 1 if parsed.year >= FIRST_PDF else 0)
    printed = _fold(" ".join(_list_texts(parsed.blocks)))
    title = " ".join(normalize_text(parsed.title).split())
    if " " not in title or is_placeholder(title) or _NO_TITLE.search(title) or _fold(title) not in printed:
        title = page.title
    named = [name for name in parsed.authors if is_name(name) and _fold(name.rpartition(" ")[2]) in printed]
    authors = page.authors
    if len(authors) == 1 and authors[0] not in named and not _has_mail(authors[0], _list_texts(parsed.blocks)):
        authors = ()  # a short line with capitals may be anything
    authors = authors or tuple(named)
    return replace(parsed, title=title, authors=authors, year=page.year, doi=parsed.doi or page.doi)


def _has_mail(name: str, texts: Iterable[str]) -> bool:
    """Whether an address of mail has a part of a name."""
    parts = [part for word in name.split() if len(part := _fold(word)) > 2]
    return any(part in _fold(word) for text in texts for word in text.split() if "@" in word for part in parts)


def is_placeholder(title: str) -> bool:
    """Whether a declared title is none: the name of a program or of a file, a number."""
    return _PLACEHOLDER.fullmatch(title.strip()[:TITLE_CHARACTERS]) is not None


def read_first_page(blocks: Sequence[Block], furniture: Sequence[str] = (), newest: int = 0) -> FirstPage:
    """Read the data about a document from the blocks of its first page.

    Args:
        blocks: of the whole document, or of its first pages, in reading order.
        furniture: running heads and feet of the first pages, which readers leave out of the blocks.
        newest: the work is of no later year; 0: that is not known.
    """
    first = [block for block in blocks[:PAGE_BLOCKS] if block.page <= max(blocks[0].page, 1)] if blocks else []
    place, length = _find_title(first, find_text_size(blocks[: 3 * PAGE_BLOCKS]), {_fold(head) for head in furniture})
    title = " ".join(" ".join(block.text for block in first[place : place + length]).split())
    own = [*furniture, *_list_texts(_drop_references(first))]
    doi = find_own_doi(own)
    return FirstPage(
        title=title[:TITLE_CHARACTERS].rstrip(" *\u2217\u2020\u2021\u00a7" + _RAISED),
        authors=parse_printed_authors([block.text for block in first[place + length : place + length + 3]])
        if length
        else (),
        year=find_year(own, newest) or _year_of_arxiv(doi),
        doi=doi,
    )


def _list_texts(blocks: Iterable[Block]) -> Iterator[str]:
    room = PAGE_CHARACTERS
    for block in blocks:
        if room <= 0:
            return
        yield block.text[:room]
        room -= len(block.text)


def _fold(text: str) -> str:
    return _NOT_LETTERS.sub("", normalize_text(text)).casefold()


def _measure(block: Block) -> float:
    """The size of a block's type, as a share of the page: the height of its lines' boxes; 0: it has none."""
    upright = [line.box.bottom - line.box.top for line in block.lines if line.turn in (0, 180)]
    return median(upright) if upright else 0.0


def find_text_size(blocks: Iterable[Block]) -> float:
    """The size in which most of the text is printed; 0: there are no lines."""
    sizes = Counter[float]()
    for block in blocks:
        if size := _measure(block):
            sizes[round(size, 4)] += len(block.text)
    half, passed = sizes.total() / 2, 0
    for size in sorted(sizes):
        passed += sizes[size]
        if passed >= half:
            return size
    return 0.0


@dataclass(frozen=True, slots=True)
class _Candidate:
    place: int
    length: int
    size: float
    named: bool
    """Whether names of people follow."""
    words: int
    is_sentence: bool
    """Whether it ends with a full stop, as a notice on a page that a library puts in front."""


def _find_title(blocks: Sequence[Block], text_size: float, heads: Set[str]) -> tuple[int, int]:
    """The place of the title among blocks, and how many blocks it has; 0: there is none for sure.

    The title is what is printed largest on the first page, but for names of journals and sorts of articles. Where
    authors follow what is printed a little smaller, that is the title, and what is above it names a journal; so do a
    few words that are also the head of a page.
    """
    found = list(_list_candidates(blocks, text_size))
    found = [one for one in found if one.words > 3 or _fold(blocks[one.place].text) not in heads] or found
    if not found:
        return 0, 0
    largest = max(one.size for one in found)
    named = [one for one in found if one.named and one.size >= largest * 0.6 and one.words > 2]
    large = [one for one in found if one.size >= largest * (1 - SAME_SIZE)]
    large = [one for one in large if one.words > 3] or large
    best = (
        max(named, key=lambda one: one.size) if named else max(large, key=lambda one: (not one.is_sentence, one.words))
    )
    return best.place, best.length


def _list_candidates(blocks: Sequence[Block], text_size: float) -> Iterator[_Candidate]:
    place = 0
    text_top = min((block.lines[0].box.top for block in blocks if block.lines and _is_text(block)), default=1.0)
    while place < len(blocks):
        if not _may_begin(blocks[place].text):
            place += 1
            continue
        length = _count_title_blocks(blocks, place)
        text = " ".join(block.text for block in blocks[place : place + length])
        size = max(map(_measure, blocks[place : place + length]))
        behind = [block.text for block in blocks[place + length : place + length + 2]]
        above = bool(blocks[place].lines) and blocks[place].lines[0].box.top < min(text_top, TITLE_BAND)
        large = size >= text_size * LARGER
        if above and large and _may_be_title(text, may_end=size >= text_size * 1.3 or blocks[place].kind == "heading"):
            named = bool(parse_printed_authors(behind))
            yield _Candidate(place, length, size, named, len(text.split()), text.endswith("."))
        place += length


def _count_title_blocks(blocks: Sequence[Block], place: int) -> int:
    """Count the blocks of one size that follow right below one another from there on."""
    size, length = _measure(blocks[place]), 1
    while size and place + length < len(blocks):
        above, below = blocks[place + length - 1], blocks[place + length]
        step = below.lines[0].box.top - above.lines[-1].box.bottom if above.lines and below.lines else 1.0
        same = abs(_measure(below) - size) <= SAME_SIZE * size and -size < step < size * 0.8
        if not same or not _may_continue(below):
            break
        length += 1
    return length


def _is_text(block: Block) -> bool:
    """Whether the text of the document has begun, so that no title follows."""
    return len(block.text) > TEXT_CHARACTERS or _BEGINNING.fullmatch(block.text) is not None


def _may_begin(text: str) -> bool:
    """Whether a title may begin so, and not a label, a numbered heading, or the rest of a sentence."""
    begins = text.lstrip("\u201c\u2018\"'(\u00bf\u00a1")[:1]
    return (
        begins.isalnum()
        and not begins.islower()
        and begins not in _RAISED
        and not _NO_TITLE.search(text[:TITLE_CHARACTERS])
        and not _NUMBERED.match(text)
    )


def _may_continue(block: Block) -> bool:
    return "@" not in block.text and not _BEGINNING.fullmatch(block.text) and not is_byline(block.text)


def _may_be_title(text: str, *, may_end: bool) -> bool:
    """Whether words that are printed large are a title; `may_end`: like a sentence."""
    words, letters = text.split(), len(_LETTER.findall(text))
    if len(words) not in TITLE_WORDS or len(text) > TITLE_CHARACTERS or letters < 0.7 * len(text.replace(" ", "")):
        return False
    if letters < 8 or (text.rstrip().endswith((".", ",", ";")) and not may_end):
        return False
    return not _NO_TITLE.search(text) and not _LETTERSPACED.match(text) and not is_byline(text)


def _drop_references(blocks: Sequence[Block]) -> list[Block]:
    """The blocks above the list of references, and none that is an entry of such a list."""
    end = next((place for place, block in enumerate(blocks) if _REFERENCES.fullmatch(block.text)), len(blocks))
    return [block for block in blocks[:end] if not _ENTRY.match(block.text)]


_PRINTED_DOI: Final = re.compile(r"10\.\d{4,9}/[^\s\"<>\u00ab\u00bb|]{2,200}")
_DATA: Final = ("10.5281/", "10.5061/", "10.6084/", "10.17605/", "10.7910/", "10.24433/")
"""Prefixes of data sets and programs, which articles name as their supplements: Zenodo, Dryad, figshare, OSF ..."""
_COMPONENT: Final = re.compile(r"\.[gts]\d{3}$|/(?:-/|(?:suppl|full|abstract|pdf)\b).*$")
_ARXIV: Final = re.compile(
    r"arXiv:\s?(?P<id>\d{4}\.\d{4,5}|[a-z]{2,10}(?:-[a-z]{2,4})?(?:\.[A-Z]{2})?/\d{7})(?:v\d{1,2})?"
    r"(?:\s*\[[\w.-]{2,20}\]|\W*$)"
)
"""The stamp that arXiv puts on a page, with its subject; in references the subject comes seldom."""
ARXIV_DOI: Final = "10.48550/arxiv."


def find_own_doi(texts: Iterable[str]) -> str:
    """The DOI that texts of a first page give as that of the document itself, that of arXiv last; empty: not for sure.

    Args:
        texts: heads, feet and blocks of the page, without its references.
    """
    found: dict[str, int] = {}
    arxiv = ""
    for text in texts:
        for match in _PRINTED_DOI.finditer(text):
            doi = _COMPONENT.sub("", parse_doi(match[0].rstrip("-/")))
            labelled = len(text) < 400 or re.search(r"(?i)doi[^\w]{0,8}(?:org/|https?)?$", text[: match.start()][-20:])
            if doi:
                found[doi] = max(found.get(doi, 0), 2 if labelled else 1)
        if not arxiv and (stamp := _ARXIV.search(text)):
            arxiv = f"{ARXIV_DOI}{stamp['id'].lower()}"
    # One that is cut off where a line ends begins like the whole one.
    found = {doi: sure for doi, sure in found.items() if not any(one != doi and one.startswith(doi) for one in found)}
    works = {doi: sure for doi, sure in found.items() if not doi.startswith(_DATA)} or found
    best = [doi for doi, sure in works.items() if sure == max(works.values())]
    return best[0] if len(best) == 1 else "" if best else arxiv


def _year_of_arxiv(doi: str) -> int:
    """The year in which a work came to arXiv, by its id, as `2104.01234` or `hep-th/9901001`."""
    number = doi.removeprefix(ARXIV_DOI).rpartition("/")[2] if doi.startswith(ARXIV_DOI) else ""
    if not number:
        return 0
    short = int(number[:2])
    return 1900 + short if short > 90 else 2000 + short
