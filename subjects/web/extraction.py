"""Extracts a page from bytes: its main text as a document with passages, and its metadata. A pure function.

It runs in a separate process (see `documents.parser`), since pages are untrusted. Text that is invisible in a
browser is not read: readers who follow a citation could not find it.
"""

import logging
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Final
from urllib.parse import urlsplit

import trafilatura
from selectolax.lexbor import LexborHTMLParser

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import Document, FileSkipped, Gap, Parsed
from elcano.activities.passages.formulas import strip_math_prefixes, write_formulas
from elcano.activities.passages.packing import assemble_document
from elcano.subjects.documents.file_formats import FORMATS
from elcano.subjects.documents.file_processes import FileAnswer, FileRequest, answer_or_report_skip, limit_reading
from elcano.subjects.documents.html_blocks import list_parts
from elcano.subjects.documents.html_encoding import decode_html
from elcano.subjects.documents.html_visibility import remove_unseen
from elcano.subjects.web.addresses import extract_host, resolve_link
from elcano.subjects.web.content_kind import HTML, LEAST_CHARACTERS, PageSigns, find_page_obstacle, is_behind_paywall
from elcano.subjects.web.main_text import DATES, extract_main_text

MOST_LINKS: Final = 1_000
"""Maximum number of links of one page; a crawl follows 20."""
MOST_AUTHORS: Final = 20
MOST_HEADINGS: Final = 20
"""Maximum number of headings searched for a page's title."""
HTML_BYTES: Final = 5_000_000
"""Maximum size; a larger page is no text that a person wrote, and takes the library minutes."""
BEHIND_PAYWALL: Final = Gap("it is behind a paywall: only what it shows without a subscription was read")
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
        content = decode_html(content, request.charset).encode()
    document = assemble_document(kind.read(content), request.title or request.url, kind.media_type)
    if not document.passages:
        raise FileSkipped("there is no text in it")
    return Page(document)


class PageRequest(FileRequest):
    """A request to a process of its own."""

    page: Request


def answer_request(request: PageRequest) -> FileAnswer[Page]:
    """The answer to one request, by this process."""
    logging.disable(logging.CRITICAL)  # what libraries say of a page is of no use where no one reads it
    limit_reading(len(request.content) if request.page.kind == HTML else None)
    return answer_or_report_skip(lambda: extract_page(request.page, request.content))


PROCESSES: Final[ChildProcesses[PageRequest, FileAnswer[Page]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}", FileAnswer[Page]
)


def _extract_html_page(request: Request, content: bytes) -> Page:
    if len(content) > HTML_BYTES:
        raise FileSkipped(f"the page is larger than {HTML_BYTES / 1e6:g} MB")
    markup = strip_math_prefixes(decode_html(content, request.charset))
    tree = LexborHTMLParser(markup)
    links = tuple(_list_page_links(tree, request.url))
    declared = _first_text(tree, "head title")
    whole = tree.body.text(separator=" ") if tree.body else ""
    facts, parsed = _read_main_text(tree, request.url, scripted=False)
    if _count_characters(parsed) < LEAST_CHARACTERS:
        # Its scripts show what its style sheets hide, or what it has for browsers without them.
        other = LexborHTMLParser(markup)
        _, shown = _read_main_text(other, request.url, scripted=True)
        if _count_characters(shown) >= LEAST_CHARACTERS:
            tree, parsed = other, shown
    title = _choose_title(declared, facts.title or "", tree) or request.title
    document = assemble_document(replace(parsed, title=title), request.url, "text/html")
    canonical = resolve_link(request.url, _read_first_attribute(tree, "link[rel=canonical]", "href"))
    language = _read_first_attribute(tree, "html", "lang")
    heading = next((block.text for block in parsed.blocks if block.kind == "heading"), _first_text(tree, "h1"))
    seen = PageSigns(extract_host(request.url), declared, heading, document.text, whole, markup)
    if reason := find_page_obstacle(seen):
        raise FileSkipped(reason)
    if is_behind_paywall(seen):
        document = replace(document, gaps=(*document.gaps, BEHIND_PAYWALL))
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


def _read_main_text(
    tree: LexborHTMLParser, url: str, *, scripted: bool
) -> tuple[trafilatura.settings.Document, Parsed]:
    """Return the page's metadata and main text; `tree` is changed."""
    if tree.body is None:
        return trafilatura.settings.Document(), Parsed([])
    write_formulas(tree.body)
    remove_unseen(tree, tree.body, scripted=scripted)
    parts = list_parts(tree.body, whole=True)
    facts = trafilatura.extract_metadata(tree.html or "", default_url=url, date_config=DATES)
    return facts, extract_main_text(tree, parts, url)


def _count_characters(parsed: Parsed) -> int:
    return sum(len(block.text) for block in parsed.blocks)


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
