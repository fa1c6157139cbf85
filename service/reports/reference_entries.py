"""References of a report as entries of a bibliography, whatever the format.

Every value is on one line, without control characters. The key of a reference is made of the first author, the year
and the first telling word of the title, so that it is the same in every report. Where two would be the same, each has a
part of the hash of what it refers to behind it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Sequence
from hashlib import sha256
from typing import Final, NamedTuple

from elcano.graphs.frozen import JsonObject
from elcano.graphs.report.report import Reference
from elcano.graphs.report.works import Identifiers, Work, describe_work_flags, resolve_work_url
from elcano.graphs.text import format_utc_day
from elcano.graphs.trust import WorkKind

_LITTLE: Final = frozenset(
    {
        *("a", "an", "and", "are", "as", "at", "by", "can", "do", "does", "for", "from", "how", "in"),
        *("is", "of", "on", "or", "the", "to", "what", "with"),
    }
)
_WORD: Final = re.compile(r"[a-z0-9]+")
_HIDDEN: Final = re.compile(r"[\x00-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
_PARTS: Final = ((1, 9999), (1, 12), (1, 31))
"""Separators of a date's parts."""
_PAGES: Final = re.compile(r"\s*[-\u2013\u2014]+\s*")


_GENRES: Final[dict[WorkKind, str]] = {
    **{"review": "Review", "preprint": "Preprint", "trial": "Clinical trial", "encyclopedia": "Encyclopedia"},
}


class Person(NamedTuple):
    """An author. A group has only a family name, which is its whole name."""

    family: str
    given: str = ""
    suffix: str = ""
    """`Jr.`, `III`."""


class Entry(NamedTuple):
    """A reference; unknown fields are empty."""

    key: str
    kind: WorkKind
    title: str
    people: tuple[Person, ...]
    year: str
    date: tuple[int, ...]
    """Year, month and day, as far as they are known."""
    venue: str
    volume: str
    issue: str
    pages: str
    publisher: str
    identifiers: Identifiers
    issns: tuple[str, ...]
    url: str
    language: str
    note: str
    """Note for readers: that it was retracted, that it is a preprint."""
    standing: JsonObject
    """The same as flags and notices, for CSL-JSON."""
    accessed: str
    """The day on which its text was retrieved, as `2026-11-22`."""
    source: str

    @property
    def is_chapter(self) -> bool:
        """Whether it is in a book: books themselves are in nothing."""
        return self.kind == "book" and bool(self.venue)

    @property
    def genre(self) -> str:
        """Genre, where the format's type does not express it."""
        return _GENRES.get(self.kind, "")

    @property
    def page_range(self) -> tuple[str, str]:
        """The first and the last page; the last is empty if there is one or none."""
        first, *last = _PAGES.split(self.pages, maxsplit=1)
        return first, last[0] if last else ""


def build_reference_entries(references: Sequence[Reference]) -> tuple[Entry, ...]:
    """The references in their order, each with a key that no other has."""
    keys = [_build_citation_key(reference) for reference in references]
    for tell_apart in (_hash_reference, lambda reference: str(reference.number)):  # the latter: one work twice
        often = Counter(keys)
        keys = [
            key if often[key] == 1 else f"{key}-{tell_apart(one)}" for key, one in zip(keys, references, strict=True)
        ]
    return tuple(_build_entry(one, key) for one, key in zip(references, keys, strict=True))


def parse_date_parts(date: str) -> tuple[int, ...]:
    """`2024-05-17` as year, month and day, as far as these are some; `2024-13` is the year alone."""
    found: list[int] = []
    for text, (low, high) in zip(date.split("-"), _PARTS, strict=False):
        if not (text.isascii() and text.isdigit() and low <= int(text[:5]) <= high):
            break
        found.append(int(text))
    return tuple(found)


def clean_line(text: str) -> str:
    """Return `text` on one line, without control characters and those that change the direction of writing."""
    return " ".join(_HIDDEN.sub("", " ".join(text.split())).split())


def _build_entry(reference: Reference, key: str) -> Entry:
    work = reference.work or Work(kind="document")
    retrieved = [
        *(one.retrieved for one in reference.texts),
        *(format_utc_day(one.retrieved_at) for one in reference.described_by),
    ]
    date = parse_date_parts(work.published) or ((work.year,) if work.year else ())
    web = resolve_work_url(work) or next((one for one in reference.locators if one.startswith(("https:", "http:"))), "")
    places = "" if reference.work or web else "; ".join(reference.locators)
    return Entry(
        key=key,
        kind=work.kind,
        title=clean_line(reference.title) or "Untitled",
        people=tuple(person for name in work.authors if (person := _parse_person(name)).family),
        year=str(work.year or (date[0] if date else "")),
        date=date,
        venue=clean_line(work.venue),
        volume=clean_line(work.volume),
        issue=clean_line(work.issue),
        pages=clean_line(work.pages),
        publisher=clean_line(work.publisher),
        identifiers=Identifiers(**{kind: clean_line(name) for kind, name in work.identifiers}),
        issns=work.issns,
        url=clean_line(web).replace(" ", "%20"),
        language=clean_line(work.language),
        note=clean_line(". ".join(filter(None, (describe_work_flags(work).rstrip("."), places)))),
        standing=_describe_standing(work),
        accessed=max(map(clean_line, retrieved), default=""),
        source=clean_line(reference.source),
    )


def _describe_standing(work: Work) -> JsonObject:
    fields: JsonObject = {
        "flags": [flag for flag in work.flags if flag != "abstract_only"],
        "notices": list(map(clean_line, work.notices)),
    }
    return {name: value for name, value in fields.items() if value}


def _parse_person(name: str) -> Person:
    family, *given = [part.strip() for part in clean_line(name).split(",")]
    return Person(family, given[0] if given else "", ", ".join(filter(None, given[1:])))


def _build_citation_key(reference: Reference) -> str:
    work = reference.work
    family = _parse_person(work.authors[0]).family if work and work.authors else ""
    year = str(work.year) if work and work.year else ""
    words = _split_ascii_words(reference.title)
    telling = next((word for word in words if word not in _LITTLE), words[0] if words else "")
    return ("".join(_split_ascii_words(family)) + year + telling)[:60] or "ref"


def _split_ascii_words(text: str) -> list[str]:
    """The words of `text` in small plain letters; of other scripts nothing is left."""
    return _WORD.findall(unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower())


def _hash_reference(reference: Reference) -> str:
    of = reference.document if reference.work else f"{reference.document} {reference.content_hash}"
    return sha256(of.encode()).hexdigest()[:8]
