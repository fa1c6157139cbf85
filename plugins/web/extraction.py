"""Extracts a page from bytes: its main text as a document with passages, and its metadata. A pure function.

It runs in a separate process (see `documents.parser`), since pages are untrusted. Text that is invisible in a
browser is not read: readers who follow a citation could not find it.

The blocks of a page are found in its extracted text, although the extraction lost or joined words within them. They are
looked up in the order of the page, in which the extracted text has them too. A long block is found if half of its
three-word sequences are. A short one would match others by chance, so it has to be a line of the text, or follow the
previous block directly, or begin a line near there.
"""

import logging
import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence, Set
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

import trafilatura
from selectolax.lexbor import LexborHTMLParser, LexborNode

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import Document, FileSkipped, Parsed
from elcano.activities.passages.formulas import write_formulas
from elcano.activities.passages.packing import assemble_document
from elcano.activities.text.words import split_words
from elcano.plugins.documents import html
from elcano.plugins.documents.file_formats import FORMATS
from elcano.plugins.documents.html import Part
from elcano.plugins.documents.parser import FileAnswer, FileRequest, answer_or_report_skip, limit_reading
from elcano.plugins.web.addresses import extract_host, resolve_link
from elcano.plugins.web.content_kind import HTML, PageSigns, find_page_obstacle, text_of

SHORT_WORDS: Final = 8
"""Maximum number of words of a short block."""
NEAR_WORDS: Final = 60
"""How far after the last match a short block may begin: the text in between may be damaged."""
_RUN: Final = 3


class AlignedLines:
    """The lines of an extracted text, and how far they have been matched with the page."""

    def __init__(self, lines: Sequence[Sequence[str]]) -> None:
        self._lines = frozenset(map(tuple, lines)) - {()}
        self._words: list[str] = []
        self._begins: list[int] = []
        for line in lines:
            self._begins.append(len(self._words))
            self._words += line
        self._places: dict[tuple[str, ...], list[int]] = {}
        for at in range(len(self._words) - _RUN + 1):
            self._places.setdefault(tuple(self._words[at : at + _RUN]), []).append(at)
        self._reached = 0

    def has(self, block: Sequence[str]) -> bool:
        """Whether the text holds the next block, given by its words."""
        return self._has_long(block) if len(block) > SHORT_WORDS else self._has_short(list(block))

    def _has_long(self, block: Sequence[str]) -> bool:
        runs = [tuple(block[at : at + _RUN]) for at in range(len(block) - _RUN + 1)]
        there = [(at, places) for at, run in enumerate(runs) if (places := self._places.get(run))]
        if 2 * len(there) < len(runs):
            return False
        before, places = there[0]
        if (next_place := bisect_left(places, self._reached)) < len(places):
            self._reached = places[next_place] - before + len(block)
        return True

    def _has_short(self, block: list[str]) -> bool:
        if tuple(block) in self._lines:
            return True
        first = bisect_left(self._begins, self._reached)
        until = self._reached + NEAR_WORDS
        for begin in (self._reached, *self._begins[first : first + NEAR_WORDS]):
            if begin > until:
                break
            if matched := self._matched(block, begin):
                self._reached = begin + matched
                return True
        return False

    def _matched(self, block: list[str], begin: int) -> int:
        """Return how many words from `begin` on are the block's, in its order; 0 unless two thirds of it are there."""
        at = begin
        for word in block:
            if at < len(self._words) and self._words[at] == word:
                at += 1
        return at - begin if 3 * (at - begin) >= 2 * len(block) else 0


MOST_LINKS: Final = 1_000
"""Maximum number of links of one page; a crawl follows 20."""
MOST_AUTHORS: Final = 20
MOST_HEADINGS: Final = 20
"""Maximum number of headings searched for a page's title."""
HTML_BYTES: Final = 5_000_000
"""Maximum size; a larger page is no text that a person wrote, and takes the library minutes."""
SHORT_CHARACTERS: Final = 500
"""Length of main text below which there may be more to read."""
_UNSEEN: Final = "[hidden], [aria-hidden=true], template, style, script:not([type='application/ld+json'])"
_INLINE: Final = (
    "abbr, b, bdi, bdo, cite, code, del, dfn, em, font, i, ins, kbd, label, mark, q, s, samp, small, span, strong, sub,"
    " sup, tt, u, var"
)
_IN_HEADINGS: Final = ", ".join(f"h{level} a[href]" for level in range(1, 7))
_PERMALINKS: Final = frozenset({"#", "\u00b6", "\u00a7", "\U0001f517", "\uf0c1"})
_UNSEEN_STYLE: Final = re.compile(
    r"display\s*:\s*none|visibility\s*:\s*hidden|font-size\s*:\s*0(?![.\d])", re.IGNORECASE
)
_NAME_CHARACTERS: Final = 200
_LANGUAGE: Final = re.compile(r"[a-z]{2,3}(?![a-z])", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Request:
    """A request to extract one page."""

    kind: str
    """The page's suffix, such as `.html`."""
    url: str
    """The page's address."""
    charset: str = ""
    """The charset that its header declares."""
    title: str = ""
    """Its title if it does not have one itself."""


@dataclass(frozen=True, slots=True)
class Page:
    """A page that was read."""

    document: Document
    authors: tuple[str, ...] = ()
    published: str = ""
    """`2024-05-17`; empty if the page does not say so in its markup."""
    site: str = ""
    language: str = ""
    licence: str = ""
    canonical: str = ""
    """The canonical address that the page declares."""
    links: tuple[str, ...] = ()
    """The addresses that it links to, in its order, each once."""


def extract_page(request: Request, content: bytes) -> Page:
    """Extract the page in `content`.

    Raises:
        FileSkipped: it cannot be read, or is none that may be quoted.
    """
    if request.kind == HTML:
        return _extract_html_page(request, content)
    kind = FORMATS[request.kind]
    if kind.media_type.startswith("text/"):
        content = text_of(content, request.charset).encode()
    document = assemble_document(kind.read(content), request.title or request.url, kind.media_type)
    if not document.passages:
        raise FileSkipped("there is no text in it")
    return Page(document)


class PageRequest(FileRequest):
    """A request to a process of its own."""

    page: Request


def answer_request(request: PageRequest) -> FileAnswer[Page]:
    """The answer to one request, by this process."""
    logging.disable(logging.CRITICAL)  # what libraries say of a page is of no use where nobody reads it
    limit_reading(len(request.content) if request.page.kind == HTML else None)
    return answer_or_report_skip(lambda: extract_page(request.page, request.content))


PROCESSES: Final[ChildProcesses[PageRequest, FileAnswer[Page]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}", FileAnswer[Page]
)


def _extract_html_page(request: Request, content: bytes) -> Page:
    if len(content) > HTML_BYTES:
        raise FileSkipped(f"the page is larger than {HTML_BYTES / 1e6:g} MB")
    markup = text_of(content, request.charset)
    tree = LexborHTMLParser(markup)
    links = tuple(_list_page_links(tree, request.url))
    if tree.body is not None:
        write_formulas(tree.body)
    _without_unseen(tree)
    declared = _first_text(tree, "head title")
    facts, parsed = _extract_main_text(tree, request.url)
    title = _choose_title(declared, facts.title or "", tree) or request.title
    document = assemble_document(replace(parsed, title=title), request.url, "text/html")
    canonical = resolve_link(request.url, _read_first_attribute(tree, "link[rel=canonical]", "href"))
    language = _read_first_attribute(tree, "html", "lang")
    heading = next((block.text for block in parsed.blocks if block.kind == "heading"), _first_text(tree, "h1"))
    whole = tree.body.text(separator=" ") if tree.body else ""
    seen = PageSigns(extract_host(request.url), declared, heading, document.text, whole, markup)
    if reason := find_page_obstacle(seen):
        raise FileSkipped(reason)
    return Page(
        document,
        authors=tuple(_split_author_names(facts.author or ""))[:MOST_AUTHORS],
        published=facts.date or "",
        site=_clean_site_name(facts.sitename or "", request.url),
        language=found[0].lower() if (found := _LANGUAGE.match(language)) else "",
        licence=(facts.license or "").strip()[:_NAME_CHARACTERS],
        canonical=canonical,
        links=links,
    )


def _extract_main_text(tree: LexborHTMLParser, url: str) -> tuple[trafilatura.settings.Document, Parsed]:
    """Return the page's metadata and its main text.

    Rather too little than too much: a teaser beside an article is another article's text.

    The library only chooses: it rebuilds what it keeps, and loses words where inline elements meet. So the chosen
    blocks are read from the page itself. If hardly anything is left of a page, it is chosen from less strictly.
    """
    parts = html.parts_of(tree.body, whole=True) if tree.body is not None else []
    # What is written in the text around is not taken for a date: a year in a footer is none of the article.
    dates = {"extensive_search": False, "original_date": True}
    facts = trafilatura.extract_metadata(tree.html or "", default_url=url, date_config=dates)
    _unwrap_inline_elements(tree)
    markup = tree.html or ""
    parsed = Parsed([])
    for strictly in (True, False):
        text = trafilatura.extract(
            markup,
            url=url,
            output_format="html",
            favor_precision=strictly,
            include_comments=False,
            include_formatting=True,
            date_extraction_params=dates,
        )
        parsed = _choose_page_blocks(parts, html.read_html(text.encode())) if text else Parsed([])
        if sum(len(block.text) for block in parsed.blocks) >= SHORT_CHARACTERS:
            break
    return facts, parsed


def _choose_page_blocks(parts: Sequence[Part], main: Parsed) -> Parsed:
    """Return the blocks of the page that `main` has; `main` itself if the library took it from elsewhere (JSON)."""
    chosen = AlignedLines([split_words(line) for block in main.blocks for line in block.text.splitlines()])
    blocks = html.joined_rows(part for part in parts if chosen.has(split_words(part.block.text)))
    if 2 * sum(len(block.text) for block in blocks) < sum(len(block.text) for block in main.blocks):
        return main
    return Parsed(blocks)


def _without_unseen(tree: LexborHTMLParser) -> None:
    """Remove invisible content, and permalink marks in headings; content shown without scripts stays."""
    marks = (node for node in tree.css(_IN_HEADINGS) if node.text().strip() in _PERMALINKS)
    styled = (node for node in tree.css("[style]") if _UNSEEN_STYLE.search(node.attributes.get("style") or ""))
    # A page that is hidden as a whole is shown by its scripts in the end.
    unseen = [node for node in (*tree.css(_UNSEEN), *styled, *marks) if node.tag not in ("html", "body")]
    known = {node.mem_id for node in unseen}
    outermost = {node.mem_id: node for node in unseen if not _is_within(node, known)}
    for node in outermost.values():  # with all that is in it: whoever took that out once more would take freed memory
        node.decompose()


def _unwrap_inline_elements(tree: LexborHTMLParser) -> None:
    """Unwrap inline elements: where they meet, or are empty as icons are, the library drops words."""
    for node in reversed(tree.css(_INLINE)):  # the innermost first
        if node.child is None:
            node.decompose()
        else:
            node.unwrap()
    for node in reversed(tree.css("a, time:not([datetime])")):
        if node.child is None:
            node.decompose()
        elif node.tag == "time" or (node.child.next is None and node.child.is_empty_text_node):
            node.unwrap()


def _is_within(node: LexborNode, known: Set[int]) -> bool:
    above = node.parent
    while above is not None:
        if above.mem_id in known:
            return True
        above = above.parent
    return False


def _choose_title(declared: str, found: str, tree: LexborHTMLParser) -> str:
    """Return the page's title: the longest of its headings that `<title>` contains too.

    The heading that was found to be the main one is often the name of the site, and `<title>` ends with that.
    """
    headings = [" ".join(node.text(separator=" ").split()) for node in tree.css("h1, h2")[:MOST_HEADINGS]]
    shared = [one for one in (found, *headings) if one and one.lower() in declared.lower()]
    return max(shared, key=len, default=found or declared or next(iter(headings), ""))


def _split_author_names(authors: str) -> Iterator[str]:
    for name in authors.split(";"):
        if plain := " ".join(name.split())[:_NAME_CHARACTERS]:
            yield plain


def _clean_site_name(name: str, url: str) -> str:
    """Return the name of the site; empty if it is only the host, which the library uses where there is no name."""
    plain = " ".join(name.split())[:_NAME_CHARACTERS]
    return "" if plain.lower() in (extract_host(url), urlsplit(url).netloc.lower()) else plain


def _list_page_links(tree: LexborHTMLParser, url: str) -> Iterator[str]:
    base = resolve_link(url, _read_first_attribute(tree, "base", "href")) or url
    seen: set[str] = set()
    for node in tree.css("a[href]"):
        attributes = node.attributes
        if "nofollow" in (attributes.get("rel") or ""):
            continue
        link = resolve_link(base, attributes.get("href"))
        if link and link != url and link not in seen:
            seen.add(link)
            yield link
        if len(seen) == MOST_LINKS:
            return


def _first_text(tree: LexborHTMLParser, selector: str) -> str:
    node = tree.css_first(selector)
    return " ".join(node.text(separator=" ").split())[:500] if node is not None else ""


def _read_first_attribute(tree: LexborHTMLParser, selector: str, name: str) -> str:
    node = tree.css_first(selector)
    return (node.attributes.get(name) or "").strip() if node is not None else ""
