"""Lists of works that programs for references export, each work of which becomes one item.

An item is an object of CSL-JSON, whatever the format of the list. A list is untrusted, so it is read in a process of
its own. Of entries that cannot be taken each is named with the reason; the others are kept.
"""

import json
import logging
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import islice
from typing import Final, NamedTuple

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import FileSkipped, decode_text
from elcano.graphs.report.works import parse_doi
from elcano.subjects.documents.csl_works import build_work, find_notes
from elcano.subjects.documents.file_processes import (
    FileAnswer,
    FileRequest,
    answer_or_report_skip,
    ask_process,
    limit_reading,
)
from elcano.subjects.uploads.bibtex_list import parse_bibtex
from elcano.subjects.uploads.list_items import Item, Parsed, parse_csl
from elcano.subjects.uploads.ris_list import parse_ris
from elcano.subjects.uploads.table_list import find_table_heads, parse_table
from elcano.subjects.uploads.tagged_lists import parse_enw, parse_nbib, parse_wos

BIBTEX: Final = "application/x-bibtex"
RIS: Final = "application/x-research-info-systems"
CSL: Final = "application/json"
NBIB: Final = "application/nbib"
WEB_OF_SCIENCE: Final = "application/x-web-of-science"
ENDNOTE_XML: Final = "application/x-endnote+xml"
ENDNOTE: Final = "application/x-endnote-refer"
TABLE: Final = "application/x-works+csv"
LIST_TYPES: Final = frozenset({BIBTEX, RIS, CSL, NBIB, WEB_OF_SCIENCE, ENDNOTE_XML, ENDNOTE, TABLE})
READ_SECONDS: Final = 300.0
"""For reading a list: LaTeX takes a millisecond or two a line."""
MOST_ENTRIES: Final = 50_000
KEY_CHARACTERS: Final = 60
_KEY: Final = re.compile(r"[^\w.:+-]+")
_HEAD: Final = 20_000
"""Bytes at the beginning of a file that decide its type: the heads of a table may have thousands."""
_SUFFIXES: Final = {"bib": BIBTEX, "bibtex": BIBTEX, "ris": RIS, "nbib": NBIB, "ciw": WEB_OF_SCIENCE, "enw": ENDNOTE}
_BEGINNINGS: Final = (
    (BIBTEX, re.compile(r"@\w{3,20}\s{0,9}\{\s{0,9}[^\s,{}]{0,200}\s{0,9},")),
    (NBIB, re.compile(r"PMID- \d|PMC - PMC\d|OWN - [A-Z]")),
    (WEB_OF_SCIENCE, re.compile(r"FN [^\r\n]{1,80}\r?\nVR \d|PT [JBSCP]\r?\nAU ")),
    (RIS, re.compile(r"(?:[^\r\n]{0,300}\r?\n){0,9}TY {1,2}- {1,2}[A-Z]{3,8}\s")),
    (ENDNOTE, re.compile(r"(?:%\S [^\r\n]{0,1000}\r?\n){0,40}%0 [A-Z]")),
    (ENDNOTE_XML, re.compile(r"(?:<\?xml[^>]{0,200}>\s{0,9})?<xml>\s{0,99}<records>")),
)
"""Beginnings of lists. RIS may have numbers and names of providers above its first entry."""

_PARSERS: Final[Mapping[str, Callable[[bytes], Parsed]]] = {
    BIBTEX: lambda data: parse_bibtex(decode_text(data)),
    RIS: lambda data: parse_ris(decode_text(data)),
    CSL: lambda data: parse_csl(decode_text(data)),
    NBIB: lambda data: parse_nbib(decode_text(data)),
    WEB_OF_SCIENCE: lambda data: parse_wos(decode_text(data)),
    ENDNOTE: lambda data: parse_enw(decode_text(data)),
    TABLE: lambda data: parse_table(decode_text(data)),
    ENDNOTE_XML: lambda data: _parse_endnote_xml(data),
}


class Entry(NamedTuple):
    """One entry of a list."""

    name: str
    """By its key; no other entry has it."""
    item: str = ""
    """The work as JSON; empty: there is a fault."""
    notes: str = ""
    """Notes of its reader, as Markdown."""
    fault: str = ""
    """Why it is not taken."""


def find_list_type(path: str, data: bytes) -> str:
    """The type of a reading list, by the suffix of its name or its first bytes; empty: it is none."""
    suffix = path.rpartition(".")[2].lower()
    head = _decode_head(data)
    for kind, beginning in _BEGINNINGS:
        if beginning.match(head):
            return kind
    if suffix in _SUFFIXES:
        return _SUFFIXES[suffix]
    if suffix in ("csv", "tsv", "txt") and find_table_heads(head) >= 0:
        return TABLE
    is_json = suffix in ("json", "csljson") and re.match(
        r"\[\s*\{|\{\s*\"[^\"]*\"\s*:\s*.{0,200}\"items\"\s*:\s*\[|\{\s*\"items\"\s*:", head, re.DOTALL
    )
    return CSL if is_json and b'"type"' in data else ""


def _decode_head(data: bytes) -> str:
    """The beginning of a file as text, as far as it is some."""
    head = data[:_HEAD]
    wide = head.startswith((b"\xff\xfe", b"\xfe\xff"))
    text = head.decode("utf-16" if wide else "utf-8", "replace" if wide else "surrogateescape")
    return text.lstrip("\ufeff \t\r\n")


def read_list(media_type: str, data: bytes) -> Iterator[Entry]:
    """The entries of a list, read in a process of its own.

    Raises:
        FileSkipped: none of it can be read.
    """
    yield from ask_process(PROCESSES, ListRequest(seconds=READ_SECONDS, media_type=media_type, content=data))


class ListRequest(FileRequest):
    """A request to read a list."""

    media_type: str


def answer_request(request: ListRequest) -> FileAnswer[tuple[Entry, ...]]:
    """The answer to one request, by this process."""
    logging.disable()  # the parser of BibTeX warns of what is reported anyway
    limit_reading()
    return answer_or_report_skip(lambda: tuple(parse_list(request.media_type, request.content)))


PROCESSES: Final[ChildProcesses[ListRequest, FileAnswer[tuple[Entry, ...]]]] = ChildProcesses(
    f"{__name__}:{answer_request.__name__}", FileAnswer[tuple[Entry, ...]]
)


def parse_list(media_type: str, data: bytes) -> Iterator[Entry]:
    """The entries of a list, read here.

    Raises:
        FileSkipped: there is none, or too many, or it is nothing of the kind.
    """
    found = list(islice(_PARSERS[media_type](data), MOST_ENTRIES + 1))
    if not found:
        raise FileSkipped("it has no entries")
    if len(found) > MOST_ENTRIES:
        raise FileSkipped(f"it has more than {MOST_ENTRIES:,} entries: split it")
    _drop_book_dois([item for _, item in found if not isinstance(item, str)])
    taken, times = set[str](), Counter[str]()
    for number, (key, item) in enumerate(found, 1):
        name = base = _KEY.sub("_", key.strip())[:KEY_CHARACTERS].strip("._") or f"entry-{number}"
        while name.casefold() in taken:
            times[base] += 1
            name = f"{base}-{times[base] + 1}"
        taken.add(name.casefold())
        yield _build_entry(name, item)


def _parse_endnote_xml(data: bytes) -> Parsed:
    from elcano.subjects.uploads.endnote_list import (
        parse_endnote_xml,  # the API knows lists, and needs no parser of XML
    )

    return parse_endnote_xml(data)


def _drop_book_dois(items: Sequence[Item]) -> None:
    """Take from chapters the DOI of their book, by which they would all be one work.

    It is that of the book if works with other titles have it as well.
    """
    titles: dict[str, set[str]] = {}
    for item in items:
        words = re.findall(r"\w+", str(item.get("title")).casefold())
        titles.setdefault(_name_doi(item), set()).add(" ".join(words))
    for item in items:
        if item.get("type") == "chapter" and len(titles[_name_doi(item)]) > 1:
            item.pop("DOI", None)


def _name_doi(item: Item) -> str:
    return parse_doi(str(item.get("DOI", "")))


def _build_entry(name: str, item: Item | str) -> Entry:
    if isinstance(item, str):
        return Entry(name, fault=item)
    work = build_work(item)
    if not work.title:
        return Entry(name, fault="it has no title")
    notes = find_notes(item)
    return Entry(name, json.dumps(item), notes and f"# Notes on {work.title}\n\n{notes}\n")
