"""Addresses of pages: which are valid, which come first, and which work a page is.

Only the address that answered identifies a page. Its author chose what a page says about itself, which is believed only
for the page's own host.
"""

import re
from collections.abc import Iterator, Sequence
from typing import Final, Protocol, TypeVar
from urllib.parse import urljoin, urlsplit

import httpx

from elcano.activities.sources.base import SearchResults
from elcano.graphs.report.works import (
    Identifiers,
    canonicalize_page_url,
    parse_arxiv_id,
    parse_doi,
    parse_nct,
    parse_pmcid,
    parse_pmid,
)

LONGEST: Final = 2_000
"""Maximum length; many servers refuse longer ones, and no page is called so."""
LONGEST_HOST: Final = 253
"""Maximum length in DNS."""
_IN_TEXT: Final = re.compile(r"https?://[^\s<>\"'`\\^{|}]+", re.IGNORECASE)
_BARE: Final = re.compile(r"(?<![@\w.-])(?:[a-z0-9-]{1,63}\.)+[a-z]{2,24}(?:/[^\s<>\"'`\\^{|}]*)?", re.IGNORECASE)
_AFTER: Final = ".,;:!?'\")]}>"
_HOST: Final = re.compile(r"(?:[a-z0-9_-]{1,63}\.)*[a-z0-9_-]{1,63}\.?|[0-9a-f:.]+", re.IGNORECASE)
"""A host in ASCII; no resolver accepts others."""
_CONTROL: Final = re.compile(r"[\x00-\x20\x7f]")


class HasAddress(Protocol):
    """An object with an address."""

    @property
    def url(self) -> str:
        """The address."""
        ...


A = TypeVar("A", bound=HasAddress)


def normalize_page_url(value: object) -> str:
    """Return `value` as the address of a page, without its fragment; empty if it is none."""
    if not isinstance(value, str) or len(value) > LONGEST:
        return ""
    plain = value.strip()
    if _CONTROL.search(plain):
        return ""
    try:
        parts = urlsplit(plain)
        canonicalize_page_url(plain)  # a port that cannot be
        spoken = httpx.URL(plain)
        named = spoken.host and spoken.raw_host.decode("ascii")  # `host` is read back, which not every name can be
    except (ValueError, httpx.InvalidURL):
        return ""
    if parts.scheme.lower() not in ("http", "https") or not _HOST.fullmatch(named) or len(named) > LONGEST_HOST:
        return ""
    return parts._replace(fragment="").geturl()


def split_url_from_query(query: str) -> tuple[str, str]:
    """Split `query` into its first address and the words around it.

    An address without `https://` counts if it begins with `www.`, has a path, or is all there is: `Node.js` is none.
    """
    found = _IN_TEXT.search(query) or next(_find_bare_urls(query), None)
    if found is None:
        return "", " ".join(query.split())
    written = _strip_trailing_punctuation(found.group())
    spelled = written if _IN_TEXT.match(written) else f"https://{written}"
    return normalize_page_url(spelled), _remove_span(query, found.start(), found.start() + len(written))


def build_no_url_result(source: str) -> SearchResults:
    """Return an empty result, which is no failure, for a query without an address to a source that needs one.

    Modes send the question itself to every source, and few questions name a page. So the warning always has the same
    words and appears once.
    """
    return SearchResults(
        warnings=(f"{source}: read nothing for queries without an address, such as https://example.org/a",)
    )


def _find_bare_urls(query: str) -> Iterator[re.Match[str]]:
    for found in _BARE.finditer(query):
        written = found.group()
        if written.lower().startswith("www.") or "/" in written or written == query.strip():
            yield found


def _remove_span(query: str, start: int, end: int) -> str:
    return " ".join(f"{query[:start]} {query[end:]}".strip(" \t\n<>()[]\"'`.,;:").split())


def _strip_trailing_punctuation(written: str) -> str:
    """Remove the punctuation that follows an address in a sentence; a bracket that the address opened stays."""
    while written and written[-1] in _AFTER:
        if written[-1] == ")" and written.count("(") >= written.count(")"):
            break
        written = written[:-1]
    return written


def extract_host(url: str) -> str:
    """Return the host of an address, without `www.`."""
    return (urlsplit(url).hostname or "").lower().removeprefix("www.")


def resolve_link(base: str, link: object) -> str:
    """Return the address that `link` on the page `base` leads to; empty if it leads to none."""
    if not isinstance(link, str) or not link.strip():
        return ""
    try:
        return normalize_page_url(urljoin(base, link.strip()))
    except ValueError:
        return ""


def different_hosts(pages: Sequence[A]) -> list[A]:
    """Order pages: first the best page of each host, then the second best of each, and so on."""
    seen: dict[str, int] = {}
    turns = []
    for position, one in enumerate(pages):
        name = extract_host(one.url)
        turns.append((seen.get(name, 0), position, one))
        seen[name] = seen.get(name, 0) + 1
    return [one for _, _, one in sorted(turns, key=lambda turn: turn[:2])]


def identify_page(url: str, canonical: str, asked_for: str = "") -> Identifiers:
    """Return the identifiers of a page.

    Args:
        url: the address that answered.
        canonical: the page's own canonical address; it counts if it is on the same host.
        asked_for: the requested address, before redirects: a DOI leads to its work, wherever that is.
    """
    for one in (asked_for, url):
        found = _of_work(one)
        if found.document:
            return found
    return Identifiers(
        url=canonicalize_page_url(canonical if canonical and extract_host(canonical) == extract_host(url) else url)
    )


def _of_work(url: str) -> Identifiers:
    """Return the identifiers in the address of a registry."""
    at, path = extract_host(url), urlsplit(url).path
    if at in ("doi.org", "dx.doi.org"):
        return Identifiers(doi=parse_doi(path))
    if at == "pubmed.ncbi.nlm.nih.gov":
        return Identifiers(pmid=parse_pmid(path.strip("/")))
    if at in ("pmc.ncbi.nlm.nih.gov", "ncbi.nlm.nih.gov"):
        return Identifiers(pmcid=parse_pmcid(f"PMC{path.partition('/PMC')[2].partition('/')[0]}"))
    if at in ("arxiv.org", "export.arxiv.org"):
        return Identifiers(arxiv=parse_arxiv_id(f"arxiv.org{path.rstrip('/')}"))
    return Identifiers(nct=parse_nct(path)) if at == "clinicaltrials.gov" else Identifiers()
