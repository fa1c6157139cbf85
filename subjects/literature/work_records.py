"""Turns a service's description of a work into a stored text with passages; ids and hashes are computed only here.

A short text, such as an abstract, is one passage with its headings, so that readers see method and result together. A
longer one is cut as documents are: at headings, into some 900 characters.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any, Final

from elcano.activities.passages.document import Block, Parsed, Passage, normalize_text
from elcano.activities.passages.packing import assemble_document
from elcano.graphs.frozen import Json, JsonObject
from elcano.graphs.report.works import Work
from elcano.graphs.text import shorten_text
from elcano.graphs.trust_rules import parse_issn
from elcano.storage.evidence import Evidence, StoredText

WHOLE_CHARACTERS: Final = 3_000
"""A text up to this length is one passage; nearly all abstracts are shorter (journals ask for 250 to 350 words)."""
NAME_CHARACTERS: Final = 180
"""A longer name of a document is shortened, since ids may have 300 characters in all; its hash keeps it unique."""
TITLE_CHARACTERS: Final = 300
"""Length of a passage's title, which travels with a run; the work has the whole title."""
FIELD_CHARACTERS: Final = 2_000
"""Length of each string that describes a work; a longer one is no name, title or notice."""
MOST_AUTHORS: Final = 100
"""Number of authors kept; the metadata count the others as `authors`: some papers have three thousand, and each passage
carries them."""
MOST_FACTS: Final = 60
"""Number of subject headings, keywords and the like per work, each."""
ONLY_TITLE: Final = "Its source has no text of it: only its title was read."


@dataclass(frozen=True, slots=True)
class Record:
    """One work as a service describes it, before anything is computed."""

    work: Work
    """Strings as the service wrote them: they are cleaned here. Its `url` is the address at which readers find each
    passage."""
    blocks: tuple[Block, ...] = ()
    """The text in reading order; empty: only the title is known."""
    name: str = ""
    """The service's id, for a work without identifiers."""
    metadata: JsonObject = field(default_factory=dict)
    """Further data, the same for all its passages."""
    parted: bool = False
    """Whether it is always cut at its headings, however short it is."""
    full_text: str = ""
    """The service's id of the full text; empty: there is none to request."""

    @property
    def has_text(self) -> bool:
        """Whether more than the title is known."""
        return any(block.kind != "heading" and block.text.strip() for block in self.blocks)


@dataclass(frozen=True, slots=True)
class WorkRecord:
    """One work as it is stored."""

    text: StoredText
    passages: tuple[Evidence, ...]
    """The passages in the order of the text, without a `score`."""


def build_stored_record(source: str, record: Record, now: float) -> WorkRecord | None:
    """Build the record with its text and all its passages; None if it has no text or nothing to identify it.

    Args:
        source: the name of the source; it is in the ids, since two sources may describe one work differently.
        record: the service's description.
        now: seconds since the epoch.
    """
    work = clean_work(source, record.work, now)
    document = _shorten_document_id(
        work.identifiers.document or (f"{source}:{_clean_line(record.name)}" if record.name else "")
    )
    if not document or not record.has_text:
        return None
    assembled = assemble_document(Parsed(list(record.blocks), work.title), document, "text/plain")
    if not assembled.text:
        return None
    content_hash = sha256(assembled.text.encode()).hexdigest()
    metadata = _clean_mapping(record.metadata)
    if len(record.work.authors) > MOST_AUTHORS:
        metadata["authors"] = len(record.work.authors)
    mark = _hash_work_version(content_hash, work)
    whole = not record.parted and len(assembled.text) <= WHOLE_CHARACTERS
    places = (Passage(0, len(assembled.text), "", 0, "", 0),) if whole else assembled.passages
    title = shorten_text(work.title, TITLE_CHARACTERS) or document
    passages = tuple(
        Evidence(
            id=f"{source}:{document}@{mark}:{place.start}-{place.end}",
            source=source,
            document=document,
            content_hash=content_hash,
            title=title,
            locator=work.url or document,
            heading=place.heading,
            text=assembled.text[place.start : place.end],
            start=place.start,
            end=place.end,
            retrieved_at=now,
            metadata=metadata,
            work=work,
        )
        for place in places
    )
    stored = StoredText(content_hash=content_hash, document=document, title=title, text=assembled.text)
    return WorkRecord(stored, passages)


def build_record_metadata(**named: str | Sequence[str]) -> JsonObject:
    """Return the metadata of a record, without empty values and with at most 60 items of each list."""
    kept: JsonObject = {}
    for name, value in named.items():
        several: list[Json] = [one for one in dict.fromkeys(value) if one]
        if value and isinstance(value, str):
            kept[name] = value
        elif several:
            kept[name] = several[:MOST_FACTS]
    return kept


def collect_issns(given: Iterable[str]) -> tuple[str, ...]:
    """Return the ISSNs among texts in their one spelling, each once."""
    return tuple(dict.fromkeys(filter(None, map(parse_issn, given))))


def with_title_as_text(record: Record) -> Record:
    """Return a record without text as one whose text is its title, which its notices and metadata say."""
    work = record.work.model_copy(update={"notices": (*record.work.notices, ONLY_TITLE)})
    return Record(work, (Block(record.work.title),), record.name, {**record.metadata, "read": "title"})


def clean_work(source: str, work: Work, now: float) -> Work:
    """Clean the strings of a work: a service may send text that no database stores."""
    given = work.model_dump()  # not as JSON, which knows no half of a surrogate pair
    given["authors"] = given["authors"][:MOST_AUTHORS]
    return Work.model_validate({**_clean_mapping(given), "source": source, "retrieved_at": now})


def _clean_mapping(given: Mapping[str, Any]) -> dict[str, Any]:
    return {_clean_line(name): _clean_value(value) for name, value in given.items()}


def _clean_value(value: Any) -> Any:
    if isinstance(value, str):
        return shorten_text(_clean_line(value), FIELD_CHARACTERS)
    if isinstance(value, list | tuple):
        return [_clean_value(one) for one in value]
    return _clean_mapping(value) if isinstance(value, dict) else value


def _clean_line(text: str) -> str:
    plain = text.isascii() and text.isprintable()  # nothing to clean, as in most fields
    return " ".join((text if plain else normalize_text(text)).split())


def _hash_work_version(content_hash: str, work: Work) -> str:
    """Return the hash that distinguishes passages of one work, from the text and the work's flags and notices.

    A stored passage never changes. If its id did not cover the flags, a paper that was found before its retraction
    would stay unretracted.
    """
    return sha256("\n".join((content_hash, *work.flags, *work.notices)).encode()).hexdigest()[:8]


def _shorten_document_id(document: str) -> str:
    if len(document) <= NAME_CHARACTERS:
        return document
    digest = sha256(document.encode()).hexdigest()[:8]
    return f"{digest}...{document[-(NAME_CHARACTERS - len(digest) - 3) :]}"
