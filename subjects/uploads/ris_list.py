"""RIS, parsed into works in CSL-JSON.

The format has one meaning for a tag by its specification and another by each database. Where these differ, the database
that an entry names decides: an accession number is a PMID in MEDLINE alone, and Scopus has the PMID where EndNote has
the PMCID.
"""

import re
from collections.abc import Iterator, Sequence
from io import StringIO
from itertools import chain
from typing import Final

from elcano.subjects.documents.csl_dates import choose_date
from elcano.subjects.uploads.list_items import (
    Item,
    Parsed,
    choose_url,
    clean_item,
    find_doi,
    find_pmcid,
    find_pmid,
    join_pages,
    split_name,
)

_LINE: Final = re.compile(r"([A-Z][A-Z0-9])( {1,2})-(?: (.*)|)$")
_TAG: Final = re.compile(
    "TY|ER|A[1-5BDINUV]|BT|C[1-8ACLNPTY]|D[ABIOP]|E[DPT]|F[UX]|I[DS]|J[129AFIO]|K[1W]|L[1-4ABK]|M[1-4A]|N[12LSV]|OP"
    "|P[ABDGIPTUY]|R[INP]|S[ENOPTV]|T[1-3AIST]|U[1-5R]|V[LO]|W[EPTV]|Y[12]"
)
"""Tags of the specification, and those that databases have added: any other begins no field within a text."""
_TEXTS: Final = frozenset({"AB", "N1", "N2", "KW", "TI", "T1"})
"""Fields with lines of words, any of which may look like a tag: `T2 - weighted images`."""
_NAMING: Final = frozenset({"", "TI", "T1", "AU", "A1"})
"""Tags by one of which lines outside of entries are a work that lost its beginning; Ovid writes others behind `ER`."""
_FOREIGN: Final = re.compile(r"\s*(?:@\w{3,20}\s*\{|PMID- \d|PT [A-Z]\Z|%0 [A-Z]|<\?xml|\[\s*\{|[A-Z][A-Z0-9] {1,2}- )")
"""Beginnings of entries of RIS without their `TY`, and of other formats; other lines between entries are no works:
numbers, names of providers and addresses, as Ovid, Cochrane and JSTOR write them."""

_TYPES: Final = {
    **dict.fromkeys(("JOUR", "JFULL", "ABST", "INPR", "EJOUR"), "article-journal"),
    **{"MGZN": "article-magazine", "NEWS": "article-newspaper", "UNPB": "article", "UNPD": "article"},
    **dict.fromkeys(("BOOK", "EBOOK", "EDBOOK", "SER", "CLSWK"), "book"),
    **{"CHAP": "chapter", "ECHAP": "chapter", "CONF": "paper-conference", "CPAPER": "paper-conference"},
    **{"PREP": "article", "PREPRINT": "article", "THES": "thesis", "RPRT": "report", "GOVDOC": "report"},
    **{"ELEC": "webpage", "ICOMM": "webpage", "BLOG": "post-weblog", "ENCYC": "entry-encyclopedia"},
    **{"DICT": "entry-dictionary", "DATA": "dataset", "AGGR": "dataset", "PAT": "patent", "MANSCPT": "manuscript"},
}
_FIELDS: Final = {
    "title": ("TI", "T1", "CT"),
    "volume": ("VL",),
    "issue": ("IS",),
    "publisher": ("PB",),
    "language": ("LA",),
}
_JOURNALS: Final = ("JF", "T2", "JO", "JA", "J2", "BT")
_BOOKS: Final = ("T2", "BT", "JF", "JO", "J2")
_PARTS: Final = frozenset({"chapter", "paper-conference"})
"""Types whose second authors are the editors of what they are in."""


def parse_ris(text: str) -> Parsed:
    """The entries, each from `TY` to `ER`; lines without a tag go on with the one before."""
    entry: list[tuple[str, list[str]]] = []
    fault, spaces = "", 1
    lines = (line.rstrip("\n") for line in StringIO(text, newline=None))
    for number, (line, following) in enumerate(_iter_pairs(chain(lines, ["ER  - "])), 1):
        found = _LINE.match(line)
        tag, value = (found[1], (found[3] or "").strip()) if found else ("", line.strip())
        if found and entry and _is_text(entry, tag, value, len(found[2]) < spaces, following):
            tag, value = "", line.strip()
        if tag == "TY" or tag == "ER":
            if entry and (not fault or any(one in _NAMING for one, _ in entry)):
                key, item = _build_item(entry)
                yield key, fault or item
            entry, fault = [("TY", [value])] if tag == "TY" else [], ""
            spaces = len(found[2]) if tag == "TY" and found else spaces
        elif entry and tag:
            entry.append((tag, [value]))
        elif entry:
            entry[-1][1].append(value)
        elif _FOREIGN.match(line):
            entry, fault = [(tag, [value])], f"line {number} belongs to no entry: {line.strip()[:40]!r}"


def _iter_pairs(lines: Iterator[str]) -> Iterator[tuple[str, str]]:
    """Each line with the one after it."""
    before = next(lines, None)
    for line in lines:
        if before is not None:
            yield before, line
        before = line
    if before is not None:
        yield before, ""


def _is_text(entry: Sequence[tuple[str, list[str]]], tag: str, value: str, narrow: bool, following: str) -> bool:
    """Whether a line that looks like a field goes on with the text before it.

    `narrow` lines have fewer spaces before their hyphen than the line that began the entry.
    """
    within = entry[-1][0]
    if tag == "TY":
        return re.fullmatch(r"[A-Z]{3,8}", value) is None
    if tag == "ER":
        return bool(value) and within in _TEXTS and bool(following.strip()) and not following.startswith("TY ")
    return within in _TEXTS and (narrow or _TAG.fullmatch(tag) is None)


def _build_item(entry: Sequence[tuple[str, list[str]]]) -> tuple[str, Item]:
    fields: dict[str, list[str]] = {}
    for tag, lines in entry:
        if value := "\n".join(lines).strip():
            fields.setdefault(tag, []).append(value)
    first = {tag: values[0] for tag, values in fields.items()}
    item: Item = {name: next((first[tag] for tag in tags if tag in first), "") for name, tags in _FIELDS.items()}
    item["type"] = _find_type(first)
    within = _BOOKS if item["type"] in _PARTS else _JOURNALS
    item["container-title"] = next((first[tag] for tag in within if tag in first), "")
    item["title"] = item["title"] or first.get("BT", "")
    item["id"] = first.get("ID") or " ".join(filter(None, (first.get("PY", "")[:4], item["title"][:50])))
    authors = fields.get("AU", [])
    authors = [*authors, *(one for one in fields.get("A1", ()) if one not in authors)]  # both Li, J. of a paper
    item["genre"] = first.get("M3", "")
    item["author"] = [split_name(name) for name in authors]
    editors = fields.get("ED", []) + (fields.get("A2", []) if item["type"] in {*_PARTS, "book"} else [])
    item["editor"] = [split_name(name) for name in dict.fromkeys(editors)]
    item["issued"] = {"raw": choose_date(*(first.get(tag, "") for tag in ("PY", "Y1", "DA")))}
    item["page"] = join_pages(first.get("SP", ""), first.get("EP", "")) or first.get("C7", "")
    item["abstract"] = "\n\n".join(dict.fromkeys(fields.get("AB", []) or fields.get("N2", [])))
    item["note"] = "\n\n".join((*fields.get("N1", ()), *fields.get("RN", ())))
    item["ISSN"] = " ".join(fields.get("SN", ()))
    links = [one for tag in ("UR", "LK", "L2", "L1") for value in fields.get(tag, ()) for one in value.split()]
    item["URL"] = choose_url(links)
    item["DOI"] = find_doi(first.get("DO", ""), *fields.get("L3", ()), *fields.get("M3", ()), *links)
    item |= _find_numbers(fields, links)
    return item["id"], clean_item(item)


def _find_type(first: dict[str, str]) -> str:
    kind = _TYPES.get(first.get("TY", ""), "document")
    if first.get("TY") == "SER" and "T2" in first:  # Scopus has the parts of series so
        return "chapter" if "chapter" in first.get("M3", "").lower() else "paper-conference"
    if kind == "book" and first.get("AN", "").startswith("WOS:") and _differ(first.get("TI"), first.get("T2")):
        return "chapter"  # what is in a book of Web of Science has the type of the book
    return kind


def _differ(title: str | None, within: str | None) -> bool:
    return bool(title and within) and str(title).casefold().rstrip(".") != str(within).casefold().rstrip(".")


def _find_numbers(fields: dict[str, list[str]], links: Sequence[str]) -> Item:
    """The PMID, the PMCID and other numbers of an entry, as its database names them."""
    database = " ".join(fields.get("DB") or fields.get("DP") or ()).lower()
    accession = [*fields.get("AN", ()), *(fields.get("ID", ()) if "ovid" in database else ())]
    marked = [*fields.get("C3", ()), *fields.get("U1", ())]
    if "scopus" in database:
        marked += [f"PMID {one}" for one in fields.get("C2", ())]
    if "embase" in database:
        marked += [f"PMID {one}" for one in fields.get("C5", ())]
    number = next((one for one in accession if re.match(r"arXiv:|NCT\d{8}\Z", one, re.IGNORECASE)), "")
    return {
        "PMID": find_pmid(accession, database, marked, links),
        "PMCID": find_pmcid(*fields.get("C2", ()), *fields.get("U1", ()), *links),
        "number": number,
    }
