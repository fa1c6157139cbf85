"""Common parts of readers of lists: works as items of CSL-JSON, and identifiers as databases write them."""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any, Final, TypeAlias

from elcano.activities.passages.document import FileSkipped

Item: TypeAlias = dict[str, Any]
"""A work in CSL-JSON."""
Parsed: TypeAlias = Iterator[tuple[str, Item | str]]
"""The key of each entry, empty if it has none, with the work or the reason why it is none."""

_MEDLINE: Final = re.compile(r"\b(?:pubmed|medline|nlm)\b|^(?:cmedm|mdc|mnh|mdl)\b", re.IGNORECASE)
"""Databases whose accession numbers are PMIDs, the last by the codes of EBSCO."""
_PMID_NAMED: Final = re.compile(
    r"\b(?:PMID|PUBMED|MEDLINE)[:\s]\s*(\d{1,8})(?!\d)|(?<!\d)(\d{1,8})\s*\[PMID\]", re.IGNORECASE
)
_PMID_LINK: Final = re.compile(r"(?:ncbi\.nlm\.nih\.gov/pubmed|pubmed\.ncbi\.nlm\.nih\.gov)/(\d{1,8})(?!\d)")
_DOI: Final = re.compile(r"(?:doi[:\s]\s*|(?:https?://)?(?:dx\.|www\.)?doi\.org/)?(10\.\d{4,9}/\S+)", re.IGNORECASE)
_PAGE: Final = re.compile(r"\d|^\+\Z|^[ivxlcdm]+(?:\W|\Z)", re.IGNORECASE)


ENDNOTE_TYPES: Final = {
    **{"journal article": "article-journal", "electronic article": "article-journal", "book section": "chapter"},
    **{"electronic book section": "chapter", "book": "book", "edited book": "book", "electronic book": "book"},
    **{"conference paper": "paper-conference", "conference proceedings": "paper-conference", "thesis": "thesis"},
    **{"report": "report", "web page": "webpage", "newspaper article": "article-newspaper", "blog": "post-weblog"},
    **{"magazine article": "article-magazine", "encyclopedia": "entry-encyclopedia", "dictionary": "entry-dictionary"},
    **{"unpublished work": "manuscript", "manuscript": "manuscript", "preprint": "article", "dataset": "dataset"},
}
"""Types of works by EndNote's names for them, in lower case."""


def clean_item(item: Item) -> Item:
    """An item without its empty fields."""
    return {name: value for name, value in item.items() if value and value != {"raw": ""}}


def find_pmid(accession: Iterable[str], database: str, marked: Iterable[str], links: Iterable[str]) -> str:
    """The PMID of an entry; empty if it has none.

    Args:
        accession: its accession numbers, which are PMIDs if its database is MEDLINE and nothing else.
        database: the names of its database and provider.
        marked: texts in which a PMID is called so.
        links: addresses, of which those of PubMed name one.
    """
    if _MEDLINE.search(database) and not re.search(r"embase|scopus|psyc|cinahl", database, re.IGNORECASE):
        marked = (*(f"PMID {one}" for one in accession if re.fullmatch(r"\d{1,8}", one)), *marked)
    named = next((found for one in (*accession, *marked) if (found := _PMID_NAMED.search(one))), None)
    if named:
        return named[1] or named[2]
    return next((found[1] for one in links if (found := _PMID_LINK.search(one))), "")


def find_pmcid(*texts: str) -> str:
    """The first number of PubMed Central in the texts; empty: none has one."""
    return next((found[0] for one in texts if (found := re.search(r"\bPMC\d{3,9}\b", one))), "")


_INITIALS: Final = re.compile(r"(?P<family>\S.*?)\s+(?P<given>(?:[^\W\d_a-z]\.[ -]?){1,4})")


def split_name(name: str) -> Item:
    """A name as `Family, Given, Suffix`, or as Embase writes it, `Family I.I.`; any other is all family name."""
    if "," not in name and (short := _INITIALS.fullmatch(name.strip())):
        return short.groupdict()
    parts = [part.strip() for part in " ".join(name.split()).split(",", 2)]
    return {part: text for part, text in zip(("family", "given", "suffix"), parts, strict=False) if text}


def find_doi(*texts: str) -> str:
    """The first text that is a DOI, as it is, after `doi:`, or as an address of a resolver; empty: none is."""
    return next((found[1] for one in texts if (found := _DOI.match(one.strip()))), "")


def choose_url(links: Iterable[str]) -> str:
    """The first address of the web."""
    return next((one for one in links if one.lower().startswith(("https://", "http://"))), "")


def join_pages(first: str, last: str) -> str:
    """Pages as `10-20`, whether the last one stands alone, or the whole range in either field.

    Words such as `No Pagination` are no pages.
    """
    first, last = (re.sub(r"^pp?\.?\s*(?=\d)", "", one.strip()) for one in (first, last))
    first, last = (one if _PAGE.search(one) else "" for one in (first, last))
    if re.match(rf"{re.escape(first)}\s*[-\u2010-\u2015]+\s*\w", last):
        return last
    if not last or first == last or re.search(r"\d\s*[-\u2010-\u2015]+\s*\w", first):
        return first
    return f"{first}-{last}" if first else last


def parse_csl(text: str) -> Parsed:
    """A list of items in CSL-JSON.

    Raises:
        FileSkipped: it is none.
    """
    try:
        items = json.loads(text)
    except (ValueError, RecursionError) as error:
        raise FileSkipped(f"it is no JSON that can be read: {str(error)[:100]}") from error
    if isinstance(items, dict):
        items = items.get("items")  # as Better BibTeX has it
    for item in items if isinstance(items, list) else ():
        if isinstance(item, dict):
            key = str(item.get("citation-key") or item.get("id") or "")
            yield key.rpartition("/")[2], item
        else:
            yield "", "it is no object"
