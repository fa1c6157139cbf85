"""References as RIS, in UTF-8: a tag a line, lines ended by CR and LF as the format has it.

A value is one line, so nothing that a source wrote can begin with a tag.
"""

from collections.abc import Iterator, Sequence
from typing import Final

from elcano.graphs.references.entries import Entry, build_reference_entries
from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import WorkKind

_TYPES: Final[dict[WorkKind, str]] = {
    **{"article": "JOUR", "review": "JOUR", "preprint": "UNPB", "book": "BOOK"},
    **{"encyclopedia": "ENCYC", "page": "ELEC"},
}
_END: Final = "\r\n"


def render_ris(references: Sequence[Reference]) -> str:
    """One record each, in their order; empty for none."""
    return _END.join(_render_ris_record(entry) for entry in build_reference_entries(references))


def _render_ris_record(entry: Entry) -> str:
    lines = [f"{tag}  - {value}{_END}" for tag, value in _iter_ris_tags(entry) if value]
    return "".join([*lines, f"ER  - {_END}"])


def _iter_ris_tags(entry: Entry) -> Iterator[tuple[str, str]]:
    names = entry.identifiers
    first, last = entry.page_range
    yield "TY", _TYPES.get(entry.kind, "GEN")
    yield "ID", entry.key
    for person in entry.people:
        yield "AU", ", ".join(filter(None, person))
    yield "TI", entry.title
    yield "T2", entry.venue
    yield "VL", entry.volume
    yield "IS", entry.issue
    yield "SP", first
    yield "EP", last
    yield "PY", entry.year
    yield "DA", "/".join(f"{part:02}" for part in entry.date) if len(entry.date) > 1 else ""
    yield "PB", entry.publisher
    yield "DO", names.doi
    yield "AN", names.pmid or names.nct
    yield "C2", names.pmcid
    yield "UR", entry.url
    yield "LA", entry.language
    yield "N1", entry.note
    yield "DP", entry.source
    yield "Y2", entry.accessed.replace("-", "/")
