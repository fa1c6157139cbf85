"""Lists of works that programs for references export, each work of which becomes one item.

A list is BibTeX, RIS, CSL-JSON or Zotero RDF; an item is an object of CSL-JSON, whatever the list was. A list is
untrusted, so it is read in a process of its own. Of entries that cannot be taken each is told with the reason; the
others are kept.
"""

import json
import logging
import re
from collections.abc import Callable, Iterator, Mapping
from typing import Final, NamedTuple

from elcano.activities.child_processes import ChildProcesses
from elcano.activities.passages.document import FileSkipped, decode_text
from elcano.plugins.documents.csl_works import build_work, find_notes
from elcano.plugins.documents.parser import (
    FileAnswer,
    FileRequest,
    answer_or_report_skip,
    ask_process,
    limit_reading,
)
from elcano.plugins.uploads.list_formats import Item, parse_bibtex, parse_csl, parse_ris

BIBTEX: Final = "application/x-bibtex"
RIS: Final = "application/x-research-info-systems"
CSL: Final = "application/json"
ZOTERO_RDF: Final = "application/rdf+xml"
READ_SECONDS: Final = 300.0
"""For reading a list: LaTeX takes a millisecond or two a line."""
MOST_ENTRIES: Final = 50_000
KEY_CHARACTERS: Final = 60
_KEY: Final = re.compile(r"[^\w.:+-]+")
_ZOTERO: Final = b"http://www.zotero.org/namespaces/export#"

_PARSERS: Final[Mapping[str, Callable[[bytes], Iterator[tuple[str, Item | str]]]]] = {
    BIBTEX: lambda data: parse_bibtex(decode_text(data)),
    RIS: lambda data: parse_ris(decode_text(data)),
    CSL: lambda data: parse_csl(decode_text(data)),
    ZOTERO_RDF: lambda data: _parse_zotero_rdf(data),
}


class Entry(NamedTuple):
    """One entry of a list."""

    name: str
    """By its key; no other entry has it."""
    item: str = ""
    """The work as JSON; empty: there is a fault."""
    notes: str = ""
    """What its reader noted, as Markdown."""
    fault: str = ""
    """Why it is not taken."""


def find_list_type(path: str, data: bytes) -> str:
    """The type of a reading list, by the suffix of its name or its first bytes; empty: it is none."""
    suffix = path.rpartition(".")[2].lower()
    head = data[:1024].lstrip(b"\xef\xbb\xbf \t\r\n")
    if suffix in ("bib", "bibtex") or re.match(rb"@\w{3,20}\s{0,9}\{\s{0,9}[^\s,{}]{0,200}\s{0,9},", head):
        return BIBTEX
    if suffix == "ris" or re.match(rb"TY  ?- ", head):
        return RIS
    is_rdf = suffix == "rdf" or re.match(rb"(?:<\?xml[^>]{0,200}>\s{0,9})?<(?:\w{1,20}:)?RDF\s", head)
    if is_rdf and _ZOTERO in data:
        return ZOTERO_RDF
    return CSL if re.match(rb"\[\s*\{", head) and b'"type"' in data and suffix in ("json", "csljson") else ""


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
    logging.disable()  # the parser of BibTeX warns of what is told anyway
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
    found = list(_PARSERS[media_type](data))
    if not found or len(found) > MOST_ENTRIES:
        raise FileSkipped(f"it has {len(found):,} entries; lists of 1 to {MOST_ENTRIES:,} are read")
    taken = set[str]()
    for number, (key, item) in enumerate(found, 1):
        name = base = _KEY.sub("_", key.strip())[:KEY_CHARACTERS].strip("._") or f"entry-{number}"
        times = 1
        while name.casefold() in taken:
            times += 1
            name = f"{base}-{times}"
        taken.add(name.casefold())
        yield _build_entry(name, item)


def _parse_zotero_rdf(data: bytes) -> Iterator[tuple[str, Item | str]]:
    from elcano.plugins.uploads.zotero_rdf import parse_zotero_rdf  # the API knows lists, and needs no parser of XML

    return parse_zotero_rdf(data)


def _build_entry(name: str, item: Item | str) -> Entry:
    if isinstance(item, str):
        return Entry(name, fault=item)
    work = build_work(item)
    if not work.title:
        return Entry(name, fault="it has no title")
    notes = find_notes(item)
    return Entry(name, json.dumps(item), notes and f"# Notes on {work.title}\n\n{notes}\n")
